from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import UsageError
from offbook.evaluation import record, storage
from offbook.types import ContextItem, Source, TaskUsage, Usage
from tests.evaluation import made

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
NUMBERS = st.integers(0, 10_000)
SOURCES = st.builds(Source, TEXTS, TEXTS, NUMBERS, NUMBERS)
ITEMS = st.builds(
    ContextItem,
    st.sampled_from(["knowledge", "memory", "entity"]),
    TEXTS,
    TEXTS,
    st.floats(-1, 1),
    st.lists(SOURCES, max_size=2).map(tuple),
    st.none() | TEXTS,
    st.none() | st.dictionaries(TEXTS, st.integers(1, 10), max_size=2),
)
TASKS = st.dictionaries(TEXTS, st.builds(TaskUsage, NUMBERS, NUMBERS, NUMBERS), max_size=3)
USAGES = st.builds(
    Usage,
    calls=NUMBERS,
    prompt_tokens=NUMBERS,
    cost_usd=st.none() | st.floats(0, 100),
    seconds=st.floats(0, 100),
    by_task=TASKS,
)
CELLS = st.builds(
    record.Cell,
    key=st.builds(record.CellKey, TEXTS, TEXTS, TEXTS, st.integers(0, 3)),
    character=TEXTS,
    reply=st.none() | TEXTS,
    error=st.none() | TEXTS,
    context=st.lists(ITEMS, max_size=3).map(tuple),
    verdict=st.sampled_from([None, "in", "out"]),
    fallback=st.sampled_from([None, True, False]),
    selected=st.none() | st.lists(TEXTS, max_size=3).map(tuple),
    usage=USAGES,
    finished=TEXTS,
    forgotten=st.integers(0, 2),
)
RATINGS = st.builds(
    record.Rating,
    key=st.builds(
        record.RatingKey, TEXTS, TEXTS, st.integers(0, 3), TEXTS, TEXTS, TEXTS, st.integers(0, 2)
    ),
    value=st.none() | st.floats(1, 10),
    analysis=TEXTS,
    missing=st.none() | TEXTS,
    person=st.none() | st.floats(1, 10),
    person_name=TEXTS,
    person_note=TEXTS,
)


@given(CELLS)
def test_a_cell_is_read_as_it_was_written(cell: record.Cell):
    assert storage.cell_of(storage.cell_row("r", cell)) == cell


@given(RATINGS)
def test_a_rating_is_read_as_it_was_written(rating: record.Rating):
    assert storage.rating_of(storage.rating_row("r", "c", rating)) == rating


@given(USAGES, USAGES)
def test_usage_is_read_as_it_was_written_and_adds_up(one: Usage, other: Usage):
    assert storage.usage_of(storage.usage_row(one)) == one
    both = storage.summed(one, other)
    assert both.calls == one.calls + other.calls
    assert sum(task.calls for task in both.by_task.values()) == sum(
        task.calls for usage in (one, other) for task in usage.by_task.values()
    )


def test_without_a_price_of_one_there_is_no_price_of_both():
    priced, free = Usage(calls=1, cost_usd=0.5), Usage(calls=1)
    assert storage.summed(priced, free).cost_usd is None
    assert storage.summed(priced, Usage()).cost_usd == 0.5, "nothing was spent there"
    assert storage.summed(priced, priced).cost_usd == 1.0


def test_a_cell_names_the_documents_and_memories_it_rests_on():
    context = (
        ContextItem("knowledge", "", "t", 1.0, (Source("life.md", "c", 0, 1),)),
        ContextItem("memory", "", "t", 1.0, (), "m1"),
    )
    cell = made.cell("q", context=context)
    assert storage.cell_row("r", cell)["documents"] == ["life.md", "memory:m1"]


def test_what_no_engine_keeps_is_replaced():
    assert storage.storable("a\0b\ud800c") == "a\ufffdb?c"


def test_a_record_of_a_newer_version_is_refused():
    stored = replace(storage.run_row(made.run(["ke"])), format=storage.FORMAT + 1)
    with pytest.raises(UsageError, match="format 2") as caught:
        storage.run_of(stored)
    assert "newer offbook" in caught.value.hint


def test_a_record_that_cannot_be_read_is_refused_with_what_to_do():
    stored = storage.run_row(made.run(["ke"]))
    lacking = {name: value for name, value in stored.record.items() if name != "metrics"}
    with pytest.raises(UsageError, match="cannot be read") as caught:
        storage.run_of(replace(stored, record=lacking))
    assert "offbook eval delete" in caught.value.hint


def test_another_judge_of_a_run_carries_a_mark_of_its_own():
    run = made.run(["ke"])
    judges = {made.JUDGE: "http://127.0.0.1:1/v1", "offline": "offline:"}
    assert storage.judged_by(run, judges, None) is run
    assert run.mark is None
    by_rules = storage.judged_by(run, judges, "offline")
    assert by_rules.models["judge"] == record.ModelNamed("offline", "offline:")
    assert by_rules.mark == record.OFFLINE_MARK
    with pytest.raises(UsageError, match="no ratings by 'other'") as caught:
        storage.judged_by(run, judges, "other")
    assert "eval score r1 --judge other" in caught.value.hint
