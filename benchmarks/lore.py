"""Lorebooks beside SillyTavern: which entries its own code activates, and which ours does.

    python benchmarks/lore.py FILE [--show N] [--json]

FILE has a case a line, as JSON or packed by gzip: a World Info file, a chat, the turns at which it
is scanned, and the uids that the reference activates. A difference counts as one of the
reference's own faults where ours activates exactly the same as soon as it has that fault too, and
as unexplained elsewhere. Ends with 1 where one is unexplained.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from offbook.cards import (
    LoreMessage,
    MacroValues,
    RecallSettings,
    ScanSettings,
    keys,
    lore_recall,
    read_lorebook,
    recall_lore,
)
from offbook.cards.matching import Scan

Case = Mapping[str, Any]


def cases(path: Path) -> Iterator[Case]:
    """Return the cases of a file."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def activated(case: Case) -> list[list[int]]:
    """Return the uids that are active at each turn, timers running from one to the next."""
    book = read_lorebook(json.dumps(case["wi"]).encode()).book
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
    )
    timers: Any = {}
    turns = []
    with patch.object(lore_recall, "_share", lambda *_: case["rng"]):
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


# -- the reference's own faults -------------------------------------------------------------------


def _ascii_words(_: Callable[..., Any]) -> Callable[..., Any]:
    def is_said(key: str, text: str, *, whole_words: bool) -> bool:
        if not whole_words or len(key.split()) > 1:
            return key in text
        return re.search(rf"(?:^|\W){re.escape(key)}(?:$|\W)", text, re.ASCII) is not None

    return is_said


def _nothing_at_depth_0(original: Callable[..., Any]) -> Callable[..., Any]:
    def recent(scan: Scan, depth: int | None) -> keys.Searched:
        return keys.Searched("") if depth == 0 else original(scan, depth)

    return recent


def _stops_when_full(original: Callable[..., Any]) -> Callable[..., Any]:
    def fits(recalling: Any, item: Any) -> bool:
        if recalling.starved:
            recalling.out.add(item.index)
            return False
        return bool(original(recalling, item))

    return fits


def _counts_what_calls(original: Callable[..., Any]) -> Callable[..., Any]:
    def settle(recalling: Any, called: Any) -> Any:
        made = original(recalling, called)
        silent = [item for item in made if item.entry.extensions.get("prevent_recursion") is True]
        recalling.spent -= sum(item.tokens for item in silent)
        return made

    return settle


def _drops_what_rests(original: Callable[..., Any]) -> Callable[..., Any]:
    def rests(recalling: Any, item: Any) -> bool:
        timers = recalling.timers.get(lore_recall._key(item.entry, item.index))
        return bool(item.entry.groups and timers is not None and timers.cooldown is not None)

    def settle(recalling: Any, called: Any) -> Any:
        resting = [item for item in called if rests(recalling, item)]
        groups = {group for item in resting for group in item.entry.groups}
        left = [
            item
            for item in called
            if item not in resting and (item.sticky or groups.isdisjoint(item.entry.groups))
        ]
        return original(recalling, left)

    return settle


_Recalling: Final = lore_recall._Recalling
FAULTS: Final[Mapping[str, tuple[Any, str, Callable[..., Any]]]] = {
    "whole words at punctuation and CJK": (keys, "is_said", _ascii_words),
    "scanDepth 0 scans nothing": (Scan, "recent", _nothing_at_depth_0),
    "the budget stops at the first": (_Recalling, "_fits", _stops_when_full),
    "the budget forgets what calls nothing": (_Recalling, "_settle", _counts_what_calls),
    "cooldown drops a sticky one of a group": (_Recalling, "_settle", _drops_what_rests),
}


@contextmanager
def _faulty(names: Iterable[str]) -> Iterator[None]:
    """Let ours have some of the faults, one around the other."""
    with ExitStack() as stack:
        for owner, name, fault in map(FAULTS.__getitem__, names):
            stack.enter_context(patch.object(owner, name, fault(getattr(owner, name))))
        yield


UNEXPLAINED: Final = "unexplained"


def class_of(case: Case) -> str | None:
    """Return which fault of the reference a difference is, or that it is none; None: no such."""
    expected = [sorted(turn) for turn in case["expected"]]
    if activated(case) == expected:
        return None
    for name in FAULTS:
        with _faulty([name]):
            if activated(case) == expected:
                return name
    with _faulty(FAULTS):
        return "several of these" if activated(case) == expected else UNEXPLAINED


def measured(path: Path) -> dict[str, Any]:
    """Return how many cases there are, differences by class and profile, and the unexplained."""
    classes: dict[str, Counter[str]] = {name: Counter() for name in (*FAULTS, UNEXPLAINED)}
    unexplained, number = list[Case](), 0
    for case in cases(path):
        number += 1
        name = class_of(case)
        if name is not None:
            classes.setdefault(name, Counter())[case["profile"]] += 1
        if name == UNEXPLAINED:
            unexplained.append(case)
    classes[UNEXPLAINED] = classes.pop(UNEXPLAINED)
    return {"cases": number, "classes": classes, "unexplained": unexplained}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--show", type=int, default=3, help="unexplained cases to print")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    made = measured(options.file)
    if options.json:
        print(json.dumps(made, ensure_ascii=False))
        return bool(made["unexplained"])
    print(f"{made['cases']} cases")
    for name, profiles in made["classes"].items():
        each = ", ".join(f"{profile} {n}" for profile, n in profiles.most_common())
        print(f"{sum(profiles.values()):5} {name}" + (f" ({each})" if each else ""))
    for case in made["unexplained"][: options.show]:
        print(json.dumps({**case, "ours": activated(case)}, ensure_ascii=False))
    return bool(made["unexplained"])


if __name__ == "__main__":
    sys.exit(main())
