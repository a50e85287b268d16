"""Generated lorebooks and chats with what SillyTavern itself activates in them, where they are."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT.parent / "shared/data/world_info/cases.jsonl.gz"


@pytest.mark.long
@pytest.mark.skipif(not CASES.exists(), reason=f"needs {CASES.parent}")
def test_the_same_entries_are_active_as_in_sillytavern(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    measured = importlib.import_module("lore").measured(CASES)
    assert measured["cases"] == 2_900
    assert measured["unexplained"] == []
    # What SillyTavern itself gets wrong: more than a few would hide mistakes of ours.
    assert sum(map(len, measured["classes"].values())) <= 60
