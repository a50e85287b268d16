"""Generated lorebooks and chats with what SillyTavern itself activates in them.

The data is read where it is there; ``DIFFERENT`` are the differences that are known, by what each
profile tries, with the most cases of it that may differ.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from offbook.cards import (
    LoreMessage,
    MacroValues,
    RecallSettings,
    ScanSettings,
    lore_recall,
    recall_lore,
)
from tests.cards.generator import read_raw_book

CASES = Path(__file__).resolve().parents[3] / "shared/data/world_info/cases.jsonl.gz"
DIFFERENT = {
    "casex": 5,
    "regex": 9,
    "plain": 1,
    "secondaryx": 1,
    "recursion_depth": 22,
    "group_recursion": 20,
    "budget": 16,
    "timed": 20,
    "timed_group": 46,
    "timed_recursion": 15,
}


def cases() -> Iterator[dict[str, Any]]:
    with gzip.open(CASES, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def activated(case: dict[str, Any]) -> list[list[int]]:
    """Return the uids that are active at each turn, timers running from one to the next."""
    book = read_raw_book(case["wi"]).book
    chat = [LoreMessage(each["text"], each["name"], each["role"]) for each in case["chat"]]
    scanned = case["settings"]
    settings = RecallSettings(
        budget_tokens=case.get("budget") or 1_000_000,
        scan=ScanSettings(
            scan_depth=scanned["depth"],
            whole_words=scanned["whole"],
            case_sensitive=scanned["caseS"],
        ),
        recursive=scanned["recursive"],
        recursion_steps=50,
    )
    timers: Any = {}
    turns = []
    for turn in case["turns"]:
        recall = recall_lore(
            book,
            chat[:turn],
            MacroValues("Mira", "Ann"),
            settings,
            activated=timers,
            tokens_of=lambda text: len(text.split()),
        )
        timers = recall.activated
        turns.append(sorted(int(used.entry.id or 0) for used in recall.used))
    return turns


@pytest.mark.skipif(not CASES.exists(), reason="needs ../shared/data/world_info")
def test_the_same_entries_are_active_as_in_sillytavern(monkeypatch):
    different: Counter[str] = Counter()
    number = 0
    for case in cases():
        number += 1
        monkeypatch.setattr(lore_recall, "_share", lambda *parts, drawn=case["rng"]: drawn)
        if activated(case) != [sorted(turn) for turn in case["expected"]]:
            different[case["profile"]] += 1
    assert number == 2_900
    assert {name: n for name, n in different.items() if n > DIFFERENT.get(name, 0)} == {}
