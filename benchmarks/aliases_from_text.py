"""Who is who in a raw novel, end to end and offline: pairs of names of one person.

FILE is ``X.characters.jsonl`` (a person a line: name, aliases), with the novel beside it in
``texts/X.txt``; a folder means all such files in it. The novel goes through the product's reader
and the product's cast, without a model; the lists of names are read by the scorer only.

Names are compared without case, accents, white space and a leading article: "The Admiral" and
"Admiral" are one name, and no pair. Recall: of all pairs of names of one person that the novel
contains as whole words, those whose two names are in one member's aliases. Precision: of all pairs
in one member's aliases where both names are in the lists, those that are one person's there.
Figures are means over novels. Errors of about half of them, told by a hash of their names
(`may_be_read`), were read to write the rules; both parts are printed apart.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from offbook.documents.readers import read_document
from offbook.names.cast import Cast
from offbook.protocols import CastReader
from offbook.registry import load
from offbook.text.words import fold

_ENDING: Final = ".characters.jsonl"
_SOME_MORE: Final = 64
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


def may_be_read(novel: str) -> bool:
    """Whether errors of this novel may be read; a hash decides, so that nobody chooses."""
    first = hashlib.sha256(novel.encode()).digest()[0]
    return first % 2 == 0 or first < _SOME_MORE


@dataclass(frozen=True, slots=True)
class TextReport:
    """The counts of each novel."""

    by_novel: Mapping[str, PairCounts]

    def as_json(self) -> dict[str, Any]:
        """Means over all novels and over both halves, pairs over all, and each novel."""
        every = self.by_novel.items()
        halves = {
            name: {novel: each for novel, each in every if may_be_read(novel) == read}
            for name, read in (("read", True), ("not_read", False))
        }
        return {
            **_means(self.by_novel),
            "halves": {name: _means(half) for name, half in halves.items() if half},
            "by_novel": {
                novel: {**asdict(each), "precision": each.precision, "recall": each.recall}
                for novel, each in every
            },
        }

    def as_table(self) -> str:
        """The same as Markdown, a novel a line."""
        lines = ["| novel | pairs | found | precision | recall |", "|" + "---|" * 5]
        lines += [
            f"| {novel} | {each.gold} | {each.found} | {_shown(each.precision)} "
            f"| {_shown(each.recall)} |"
            for novel, each in self.by_novel.items()
        ]
        shape = self.as_json()
        for name, means in (("mean", shape), *shape["halves"].items()):
            lines.append(
                f"| {name}, {means['novels']} novels | {means['gold']} | {means['found']} "
                f"| {_shown(means['precision'])} | {_shown(means['recall'])} |"
            )
        return "\n".join(lines)


def _means(by_novel: Mapping[str, PairCounts]) -> dict[str, Any]:
    """Means over novels, each over those that have the figure, and the pairs over all."""
    found = list(by_novel.values())
    precisions = [each.precision for each in found if each.precision is not None]
    recalls = [each.recall for each in found if each.recall is not None]
    gold, joined = sum(each.gold for each in found), sum(each.found for each in found)
    return {
        "novels": len(found),
        "precision": sum(precisions) / len(precisions) if precisions else None,
        "recall": sum(recalls) / len(recalls) if recalls else None,
        "gold": gold,
        "found": joined,
        "pair_precision": sum(each.right for each in found) / joined if joined else None,
        "pair_recall": sum(each.recalled for each in found) / gold if gold else None,
    }


def _shown(share: float | None) -> str:
    return "" if share is None else f"{share:.3f}"


def measure(path: Path) -> TextReport:
    """Read the cast of each novel and compare it with its lists."""
    read_cast: CastReader = load("cast", "rules")
    found = {}
    for file in novels(path):
        text, lists = read_novel(file)
        found[name_of(file)] = compare(text, lists, read_cast([text]))
    return TextReport(found)
