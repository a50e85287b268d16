"""Lorebooks and chats with the entries that SillyTavern activates in them.

``world_info.jsonl`` is ours, its answers derived by hand from what SillyTavern's code does. The
generated cases with the answers of that code itself are tried where they are.
"""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from offbook.cards import LoreMessage, MacroValues, RecallSettings, keys, recall_lore
from offbook.cards.lorebook import Lorebook
from tests.cards.generator import book, entry

ROOT = Path(__file__).resolve().parents[2]
OURS = Path(__file__).with_name("world_info.jsonl")
CASES = ROOT.parent / "shared/data/world_info/cases.jsonl.gz"


@pytest.fixture
def lore(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("lore")


def test_entries_are_active_as_in_sillytavern(lore):
    different = {
        (number, case["profile"]): (lore.activated(case), case["expected"])
        for number, case in enumerate(lore.cases(OURS))
        if lore.activated(case) != case["expected"]
    }
    assert different == {}


@pytest.mark.long
@pytest.mark.skipif(not CASES.exists(), reason=f"needs {CASES.parent}")
def test_no_difference_to_sillytavern_is_unexplained(lore):
    measured = lore.measured(CASES)
    assert measured["cases"] == 2_900
    assert measured["unexplained"] == []
    # What SillyTavern itself gets wrong: more than a few would hide mistakes of ours.
    assert sum(profiles.total() for profiles in measured["classes"].values()) <= 60


def test_what_patterns_find_does_not_depend_on_what_was_read_before():
    many = [entry(keys=[f"/\\bword{n}\\b/"], use_regex=True) for n in range(5_200)]

    def recalled():
        said = [LoreMessage("word1 and word4999 and word5100")]
        recall = recall_lore(
            Lorebook(book(*many)), said, MacroValues("Mira"), RecallSettings(10**6)
        )
        return [used.index for used in recall.used], len(recall.skipped)

    keys.compile_key.cache_clear()
    cold = recalled()
    # Of very many patterns the last are not read, whatever is known of them.
    assert cold == ([1, 4_999], 200)
    assert [recalled(), recalled()] == [cold, cold]
