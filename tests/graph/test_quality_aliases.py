"""The aliases benchmark: its scorer, its inputs, and a floor for the offline rules."""

import importlib
import json
from pathlib import Path

import pytest

from offbook.rules.model import OfflineModel
from offbook.settings.model import GraphSettings

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


def test_labels_are_not_shown(quality):
    entities, scored = quality.as_entities(ROWS)
    assert [number for number in scored if number is not None] == [0, 1, 2, 3, 4]
    shown = json.dumps([[e.name, e.type, e.description] for e in entities])
    assert "SECRET" not in shown
    assert "entity_id" not in shown
    changed = [{**r, "entity_id": "x", "entity": "y", "in_alias_list": False} for r in ROWS]
    assert quality.as_entities(changed)[0] == entities


@pytest.mark.parametrize(
    ("file", "all_rows", "listed", "precision"),
    [("pdnc_mentions.jsonl", 0.74, 0.90, 0.95), ("litbank_mentions.jsonl", 0.945, None, None)],
)
async def test_the_offline_rules_do_not_fall_below(quality, file, all_rows, listed, precision):
    if not (DATA / file).exists():
        pytest.skip(f"../shared/data/alias/{file} is not here")
    normalizer = quality.Normalizer(OfflineModel(), None, GraphSettings())
    shape = (await quality.measure(quality.load(DATA / file), normalizer)).as_json()
    assert shape["f1"] >= all_rows
    if listed is not None:
        assert shape["in_alias_list"]["f1"] >= listed
        assert shape["in_alias_list"]["precision"] >= precision
