"""Who is who in a raw novel, end to end and offline: pairs of names of one person.

FILE is ``X.characters.jsonl`` (a person a line: name, aliases), with the novel beside it in
``texts/X.txt``; a folder means all such files in it. The novel goes through the product's reader
and the product's cast, without a model; the lists of names are read by the scorer only.

Names are compared without case, accents, white space and a leading article: "The Admiral" and
"Admiral" are one name, and no pair. Recall: of all pairs of names of one person that the novel
contains as whole words, those whose two names are in one member's aliases. Precision: of all pairs
in one member's aliases where both names are in the lists, those that are one person's there.
Figures are means over novels; the errors of a novel may be read where ``is_read`` says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from offbook.documents.readers import read_document
from offbook.registry import load
from offbook.text.words import fold
from offbook.types import Cast

_ENDING: Final = ".characters.jsonl"
_ARTICLE: Final = re.compile(r"\A(?:the|a|an) (?=\S)")

Pairs = frozenset[frozenset[str]]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of one novel: those of the lists and found ones, and how many are right."""

    gold: int
    recalled: int
    found: int
    right: int

    @property
    def recall(self) -> float | None:
        """None where the lists have no pair."""
        return self.recalled / self.gold if self.gold else None

    @property
    def precision(self) -> float | None:
        """None where nothing was joined."""
        return self.right / self.found if self.found else None


def plain(name: str) -> str:
    """The name as it is compared."""
    return _ARTICLE.sub("", " ".join(fold(name).split()), count=1)


def pairs_of(lists: Sequence[Sequence[str]]) -> Pairs:
    """All pairs of different names within the lists."""
    return frozenset(
        frozenset(pair)
        for names in lists
        for pair in combinations(sorted({plain(name) for name in names}), 2)
    )


def contained(text: str, lists: Sequence[Sequence[str]]) -> list[list[str]]:
    """The names of each list that the text has as whole words."""
    folded = " ".join(fold(text).split())
    return [
        [name for name in names if re.search(rf"(?<!\w){re.escape(plain(name))}(?!\w)", folded)]
        for names in lists
    ]


def compare(text: str, lists: Sequence[Sequence[str]], cast: Cast) -> PairCounts:
    """Count the pairs of one novel."""
    gold, listed = pairs_of(contained(text, lists)), pairs_of(lists)
    known = {plain(name) for names in lists for name in names}
    joined = pairs_of([member.aliases for member in cast.members])
    found = {pair for pair in joined if pair <= known}
    return PairCounts(len(gold), len(gold & joined), len(found), len(found & listed))


def novels(path: Path) -> list[Path]:
    """The lists of names at a path: itself, or all of a folder."""
    return sorted(path.glob(f"*{_ENDING}")) if path.is_dir() else [path]


def name_of(file: Path) -> str:
    """The novel that a list of names belongs to."""
    return file.name.removesuffix(_ENDING)


def read_novel(file: Path) -> tuple[str, list[list[str]]]:
    """The text of a novel as the product reads it, and its lists of names."""
    rows = (json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip())
    path = file.parent / "texts" / f"{name_of(file)}.txt"
    return read_document(path, path.name).text, [[row["name"], *row["aliases"]] for row in rows]


def measure(path: Path) -> dict[str, PairCounts]:
    """Read the cast of each novel and compare it with its lists."""
    read_cast: Any = load("cast", "rules")
    found = {}
    for file in novels(path):
        text, lists = read_novel(file)
        found[name_of(file)] = compare(text, lists, read_cast([text]))
    return found
