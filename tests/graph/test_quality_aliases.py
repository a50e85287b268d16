"""The aliases benchmark: its scorer, its inputs, and a floor for the offline rules."""

import importlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.graph.candidates import Rules
from offbook.models.offline.model import OfflineModel

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / ".." / "shared" / "data" / "alias"


@pytest.fixture
def quality(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("quality_aliases")


def row(number, surface, entity, speaker="Ida Wren", listed=True):
    return {
        "id": f"n-{number}",
        "novel": "n",
        "surface": surface,
        "entity_id": entity,
        "entity": "SECRET",
        "left": "and then ",
        "right": " came in",
        "speaker": speaker,
        "in_alias_list": listed,
    }


ROWS = [
    row(1, "Tom Wren", "a"),
    row(2, "Tom", "a"),
    row(3, "Mr. Lane", "b"),
    row(4, "my dear Tom", "a", listed=False),
    row(5, "Mrs. Lane", "c", speaker="_unknown"),
]


def test_b_cubed_of_a_known_case(quality):
    found = quality.b_cubed([1, 1, 1, 2, 2], ["a", "a", "b", "b", "c"])
    assert found.precision == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 / 2 + 1 / 2) / 5)
    assert found.recall == pytest.approx((1 + 1 + 1 / 2 + 1 / 2 + 1) / 5)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_the_right_groups_score_one(quality_module, groups):
    gold = [f"e{group}" for group in groups]
    assert quality_module.b_cubed(groups, gold).f1 == 1.0
    apart = quality_module.b_cubed(list(range(len(gold))), gold)
    assert apart.precision == 1.0


@pytest.fixture(scope="module")
def quality_module():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield importlib.import_module("quality_aliases")


def test_labels_are_not_shown(quality):
    entities, scored = quality.as_entities(ROWS)
    assert [number for number in scored if number is not None] == [0, 1, 2, 3, 4]
    shown = json.dumps([[e.name, e.type, e.description] for e in entities])
    assert "SECRET" not in shown
    assert "entity_id" not in shown
    changed = [{**r, "entity_id": "x", "entity": "y", "in_alias_list": False} for r in ROWS]
    assert quality.as_entities(changed)[0] == entities


def test_speakers_are_entities_once_and_only_where_asked_for(quality):
    entities, _ = quality.as_entities(ROWS)
    assert [e.name for e in entities].count("Ida Wren") == 1
    without, scored = quality.as_entities(ROWS, speakers=False)
    assert [e.name for e in without] == [r["surface"] for r in ROWS]
    assert scored == [0, 1, 2, 3, 4]


async def test_all_rows_and_listed_rows_are_reported(quality):
    report = await quality.measure(
        {"n": ROWS}, quality.Normalizer(OfflineModel(), None, Rules(), True)
    )
    shape = report.as_json()
    assert (shape["n"], shape["in_alias_list"]["n"]) == (5, 4)
    assert shape["f1"] == shape["by_novel"]["n"]["f1"] == 1.0
    assert shape["interval"] == [1.0, 1.0]
    assert "| mean | 5 |" in report.as_table()


async def test_books_without_a_list_have_none(quality):
    rows = [{**r, "book": "b", "type": "PER"} for r in ROWS]
    for r in rows:
        del r["novel"], r["in_alias_list"], r["speaker"]
    normalizer = quality.Normalizer(OfflineModel(), None, Rules())
    report = await quality.measure({"b": rows}, normalizer)
    assert report.as_json()["in_alias_list"] is None
    assert "| mean | 5 |" in report.as_table()


def test_rows_are_grouped_by_novel_in_order(quality, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps(r) for r in [*ROWS, {**ROWS[0], "novel": "m"}]) + "\n")
    assert {novel: len(rows) for novel, rows in quality.load(file).items()} == {"n": 5, "m": 1}


@pytest.mark.parametrize(
    ("file", "all_rows", "listed", "precision"),
    [("pdnc_mentions.jsonl", 0.74, 0.90, 0.95), ("litbank_mentions.jsonl", 0.945, None, None)],
)
async def test_the_offline_rules_do_not_fall_below(quality, file, all_rows, listed, precision):
    if not (DATA / file).exists():
        pytest.skip(f"../shared/data/alias/{file} is not here")
    normalizer = quality.Normalizer(OfflineModel(), None, Rules())
    shape = (await quality.measure(quality.load(DATA / file), normalizer)).as_json()
    assert shape["f1"] >= all_rows
    if listed is not None:
        assert shape["in_alias_list"]["f1"] >= listed
        assert shape["in_alias_list"]["precision"] >= precision


def test_novels_that_may_be_read_are_reported_apart(quality):
    figures = {name: quality.BCubed(2, 1.0, 0.5) for name in map(str, range(20))}
    halves = quality.Report(figures, None).as_json()["halves"]
    assert halves["read"]["novels"] == sum(map(quality.is_read, figures))
    assert halves["read"]["novels"] + halves["not_read"]["novels"] == 20
    assert halves["read"]["in_alias_list"] is None
    assert "not_read: " in quality.Report(figures, None).as_table()
