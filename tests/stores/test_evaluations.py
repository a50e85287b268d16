from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection

from offbook.errors import UnknownName
from offbook.protocols import Store
from offbook.stores import call_cache, characters, documents, evaluations, forgetting, text_versions
from tests.stores import data
from tests.stores.data import RUN, cell, item, rating


@pytest.fixture
async def run(store: Store) -> Store:
    """A store with a character and a run of nothing yet."""
    await store.write(characters.create, "Ada")
    await store.write(evaluations.add_run, RUN)
    return store


async def test_a_run_comes_back_as_it_was_stored(run: Store):
    assert await run.read(evaluations.require_run, "demo-1") == RUN
    assert await run.read(evaluations.list_runs, "other") == []
    with pytest.raises(UnknownName) as caught:
        await run.read(evaluations.require_run, "demo-2")
    assert "demo-1" in caught.value.hint


async def test_ids_of_runs_are_numbered_and_never_taken_twice(run: Store):
    assert await run.read(evaluations.free_id, "demo") == "demo-2"
    assert await run.read(evaluations.free_id, "other") == "other-1"
    taken = replace(RUN, id="other-1", benchmark="foreign")
    await run.write(evaluations.add_run, taken)
    assert await run.read(evaluations.free_id, "other") == "other-2"


async def test_a_cell_that_is_stored_stays_as_it_is(run: Store):
    await run.write(evaluations.add_cells, [cell("q1"), cell("q2", error="no")])
    await run.write(evaluations.add_cells, [cell("q1", reply="Something else.")])
    (found,) = await run.read(
        evaluations.cells_at, "demo-1", [("Ada", "q1", "naive", 0), ("x", "y", "z", 1)]
    )
    assert found["reply"] == "About q1."
    assert await run.read(evaluations.count_cells, "demo-1") == (2, 1)
    assert await run.write(evaluations.remove_failed, "demo-1") == 1
    assert await run.read(evaluations.cell_keys, "demo-1") == [("Ada", "q1", "naive", 0)]


async def test_ratings_of_an_interview_go_with_the_answers_that_failed(run: Store):
    await run.write(evaluations.add_cells, [cell("q1"), cell("q2", error="no")])
    await run.write(evaluations.add_cells, [cell("q1", repeat=1)])
    whole = [rating("E/I/1"), rating("E/I/1", repeat=1), rating("E/I/2", person=3.0)]
    await run.write(evaluations.add_ratings, [rating("q1"), *whole])
    await run.write(evaluations.remove_failed, "demo-1")
    keys = await run.read(evaluations.rating_keys, "demo-1", "j")
    assert {(key[4], key[2]) for key in keys} == {("q1", 0), ("E/I/1", 1), ("E/I/2", 0)}


@pytest.mark.parametrize("size", [1, 3, 100])
async def test_pages_hold_every_row_once_in_order(run: Store, size: int):
    rows = [
        cell(f"q{n}", subject=subject, variant=variant, repeat=repeat)
        for n in range(3)
        for subject in ("Ada", "Bea")
        for variant in ("naive", "b")
        for repeat in range(2)
    ]
    await run.write(evaluations.add_cells, rows)
    read: list[tuple[Any, ...]] = []
    after: tuple[Any, ...] | None = None
    while page := await run.read(evaluations.cells_after, run="demo-1", key=after, size=size):
        assert len(page) <= size
        read += [tuple(row[name] for name in evaluations.CELL_KEY) for row in page]
        after = read[-1]
    assert read == sorted(read)
    assert len(read) == len(set(read)) == len(rows)


async def test_ratings_of_judges_stand_side_by_side(run: Store):
    await run.write(evaluations.add_ratings, [])
    assert await run.read(evaluations.count_ratings, "demo-1") == {}
    rows = [rating("q1"), rating("q2", value=None, missing="refused"), rating("q1", judge="k")]
    await run.write(evaluations.add_ratings, rows)
    counts = await run.read(evaluations.count_ratings, "demo-1")
    assert counts == {"j": (2, 1, 0), "k": (1, 0, 0)}
    keys = await run.read(evaluations.rating_keys, "demo-1", "k")
    assert [key[4:6] for key in keys] == [("q1", "k")]
    of_one = await run.read(evaluations.ratings_after, "demo-1", "k", None)
    assert [row["judge"] for row in of_one] == ["k"]


async def test_a_persons_value_stands_beside_the_judges_and_is_not_written_over(run: Store):
    await run.write(evaluations.add_ratings, [rating("q1")])
    key = ("Ada", "naive", 0, "ke", "q1", "j", 0)
    said: dict[str, Any] = {"value": 3.0, "name": "Ann", "note": "too kind"}
    assert await run.write(lambda c: evaluations.overrule(c, "demo-1", key, **said))
    await run.write(evaluations.add_ratings, [rating("q1", value=1.0)])
    (row,) = await run.read(evaluations.ratings_after, "demo-1", None, None)
    assert (row["value"], row["person"], row["person_name"]) == (7.0, 3.0, "Ann")
    nobody = ("Ada", "naive", 0, "ke", "q9", "j", 0)
    assert not await run.write(lambda c: evaluations.overrule(c, "demo-1", nobody, **said))


async def test_missing_ratings_can_be_taken_back_but_not_those_a_person_gave(run: Store):
    rows = [rating(f"q{n}", value=None, missing="refused") for n in range(3)]
    await run.write(evaluations.add_ratings, [*rows, rating("q9")])
    key = ("Ada", "naive", 0, "ke", "q0", "j", 0)
    await run.write(evaluations.overrule, "demo-1", key, value=2.0, name="Ann", note="")
    assert await run.write(evaluations.remove_missing, "demo-1", "j") == 2
    left = await run.read(evaluations.rating_keys, "demo-1", "j")
    assert [row[4] for row in left] == ["q0", "q9"]


@pytest.mark.parametrize("gone", ["run", "character"])
async def test_a_run_or_character_takes_its_cells_and_ratings_along(run: Store, gone: str):
    await run.write(characters.create, "Bea")
    rows = [cell("q1"), cell("q1", subject="Bea", character_id="bea")]
    await run.write(evaluations.add_cells, rows)
    await run.write(evaluations.add_ratings, [rating("q1")])
    if gone == "run":
        assert await run.write(evaluations.remove_run, "demo-1")
        assert not await run.write(evaluations.remove_run, "demo-1")
    else:
        await run.write(characters.remove, "ada")
    left = [] if gone == "run" else ["Bea"]
    assert [key[0] for key in await run.read(evaluations.cell_keys, "demo-1")] == left
    assert await run.read(evaluations.count_ratings, "demo-1") == {}


async def test_a_forgotten_document_leaves_the_cells_and_what_the_judge_wrote_of_it(run: Store):
    await run.write(data.add_document, "ada", "life.md", "She was born.")
    await run.write(data.add_document, "ada", "b.md", "A stranger.")
    context = [item("She was born.", document="life.md"), item("A stranger.", document="b.md")]
    rested = cell("q1", documents=["life.md", "b.md"], context=context)
    other = cell("q2", documents=["b.md"], context=[item("A stranger.", document="b.md")])
    await run.write(evaluations.add_cells, [rested, other])
    rows = [rating("q1", documents=["life.md"]), rating("q2", documents=["b.md"])]
    await run.write(evaluations.add_ratings, rows)
    await run.write(documents.remove, "ada", "life.md")
    first, second = await run.read(evaluations.cells_after, "demo-1", None)
    assert [found["text"] for found in first["context"]] == ["A stranger."]
    assert (first["forgotten"], first["reply"]) == (1, "About q1.")
    assert (second["forgotten"], len(second["context"])) == (0, 1)
    found = await run.read(evaluations.ratings_after, "demo-1", None, None)
    assert [row["analysis"] for row in found] == ["", "It is right."]
    assert [row["value"] for row in found] == [7.0, 7.0]


async def test_why_there_is_no_rating_or_reply_quotes_nothing_that_is_forgotten(run: Store):
    await run.write(data.add_document, "ada", "life.md", "She was born.")
    why = "answer_unusable: item: no number (got 'She was born.')"
    context = [item("She was born.", document="life.md")]
    told: dict[str, Any] = {"documents": ["life.md"], "context": context}
    failed = cell("q1", **told, reply=None, error=why)
    await run.write(evaluations.add_cells, [failed])
    lacking = rating("q1", value=None, missing=why, documents=["life.md"])
    await run.write(evaluations.add_ratings, [lacking])
    await run.write(documents.remove, "ada", "life.md")
    late = [rating("q2", value=None, missing=why, documents=["life.md"]), rating("q3")]
    await run.write(evaluations.add_ratings, late)
    (row,) = await run.read(evaluations.cells_after, "demo-1", None)
    assert (row["reply"], row["error"]) == (None, "answer_unusable")
    found = await run.read(evaluations.ratings_after, "demo-1", None, None)
    assert [row["missing"] for row in found] == ["answer_unusable", "answer_unusable", None]
    assert [row["analysis"] for row in found] == ["", "", "It is right."]


async def test_replies_go_where_memories_and_turns_do(run: Store):
    await run.write(data.add_document, "ada", "life.md", "She was born.")
    rested = cell("q1", documents=["life.md"], context=[item("Born.", document="life.md")])
    await run.write(evaluations.add_cells, [rested, cell("q2")])
    await run.write(documents.remove, "ada", "life.md")
    await run.write(documents.remove_turns, "ada", "life.md")
    first, second = await run.read(evaluations.cells_after, "demo-1", None)
    assert (first["reply"], first["error"]) == (None, evaluations.FORGOTTEN)
    assert second["reply"] == "About q2."


async def test_a_forgotten_memory_leaves_the_cells_and_the_judges_cached_answer(run: Store):
    name = text_versions.memory_name("m1")
    rested = cell("q1", documents=[name], context=[item("The gale.", memory="m1")])
    await run.write(evaluations.add_cells, [rested, cell("q2", documents=["m"])])
    told: dict[str, Any] = {"prompt": "p", "text": "t", "prompt_tokens": 1, "completion_tokens": 1}
    cached = frozenset({f"ada/{name}"})
    await run.write(lambda c: call_cache.put(c, "k", documents=cached, **told))

    def drop(conn: Connection, ids: list[str]) -> list[str]:
        return forgetting.forget_memories(conn, "ada", ids)

    await run.write(drop, ["m", "m2"])
    assert await run.read(call_cache.get, "k") is not None
    await run.write(drop, ["m1"])
    first, second = await run.read(evaluations.cells_after, "demo-1", None)
    assert (first["context"], first["forgotten"], second["forgotten"]) == ([], 1, 0)
    assert await run.read(call_cache.get, "k") is None


async def test_what_a_character_knows_has_a_digest(run: Store):
    before = await run.read(evaluations.knowledge_digest, "ada")
    assert before == await run.read(evaluations.knowledge_digest, "ada")
    await run.write(data.add_document, "ada", "life.md", "She was born.")
    after = await run.read(evaluations.knowledge_digest, "ada")
    assert after != before
