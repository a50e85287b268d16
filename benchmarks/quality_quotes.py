"""Who says what in a raw novel, end to end and offline, or with `--model` by a model as well.

FILE is ``X.quotes.jsonl`` (a quotation a line: id, spans of file offsets without the marks,
speaker, type explicit | anaphoric | implicit), with ``texts/X.txt`` and ``X.characters.jsonl``
(name, aliases) beside it; several files, or a folder for all of its own. The novel goes through the
product's reader and the product's cast, without a model; all else is read by the scorer only. With
a model a character is made of the novel in `--home`, and `offbook cast --speakers model` is done;
what is answered there is not asked again.

A quotation counts as found where a quotation of the product overlaps it, both as offsets of the
file, and as attributed where one of those has a speaker; where they have several, the one with
most characters counts. It is right if that member is the speaker of the file: the member's name, or
most of the words by which the text names the member, are among the speaker's names (compared
without case, accents and a leading article). Speakers that begin with ``_`` (a group, nobody
knows who) and those who stand in no list of names count as attributed wrongly if attributed.

Totals are over quotations, means over novels; both halves (``is_read``) stand apart.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from aliases_from_text import plain
from offbook.app import Offbook
from offbook.documents.places import span_of
from offbook.documents.readers import read_document
from offbook.ingestion.cast import kept_cast
from offbook.names.cast import Cast
from offbook.registry import load
from quality_aliases import is_read

HELP: Final = "speakers of quotations in raw novels"
_ENDING: Final = ".quotes.jsonl"
_KINDS: Final = ("explicit", "anaphoric", "implicit", "all")

Spoken = tuple[int, int, int | None]
"""A quotation of the product as offsets of the file, with its speaker."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Quotations of one kind: how many there are, and how far each comes."""

    n: int = 0
    found: int = 0
    attributed: int = 0
    right: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.n + other.n,
            self.found + other.found,
            self.attributed + other.attributed,
            self.right + other.right,
        )

    def as_json(self) -> dict[str, Any]:
        """The counts' shares; None where there is nothing to share."""

        def share(part: int, whole: int) -> float | None:
            return round(part / whole, 4) if whole else None

        return {
            "n": self.n,
            "found": share(self.found, self.n),
            "attributed": share(self.attributed, self.n),
            "right_of_attributed": share(self.right, self.attributed),
            "right_of_all": share(self.right, self.n),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Counts by novel and kind."""

    novels: Mapping[str, Mapping[str, Counts]]

    def as_json(self) -> dict[str, Any]:
        """All figures."""
        read = [name for name in self.novels if is_read(name)]
        unread = [name for name in self.novels if not is_read(name)]
        return {
            "novels": len(self.novels),
            "total": self._total(list(self.novels)),
            "mean": self._mean(),
            "halves": {"read": self._total(read), "not_read": self._total(unread)},
            "by_novel": {
                name: {kind: counts[kind].as_json() for kind in _KINDS}
                for name, counts in self.novels.items()
            },
        }

    def _total(self, names: Sequence[str]) -> dict[str, Any]:
        return {
            kind: sum((self.novels[name][kind] for name in names), Counts()).as_json()
            for kind in _KINDS
        }

    def _mean(self) -> dict[str, Any]:
        """The mean over the novels of each share."""
        means: dict[str, Any] = {}
        for kind in _KINDS:
            shares = [counts[kind].as_json() for counts in self.novels.values()]
            means[kind] = {
                key: round(sum(told) / len(told), 4) if told else None
                for key in Counts().as_json()
                for told in [[each[key] for each in shares if each[key] is not None]]
            }
        return means

    def as_table(self) -> str:
        """The same as Markdown, a novel and a kind a line."""
        shape = self.as_json()
        rows = [
            *shape["by_novel"].items(),
            ("read", shape["halves"]["read"]),
            ("not read", shape["halves"]["not_read"]),
            ("total", shape["total"]),
            ("mean", shape["mean"]),
        ]
        lines = ["| novel | kind | n | found | attributed | right of those | right of all |"]
        lines.append("|" + "---|" * 7)
        for name, by_kind in rows:
            for kind in _KINDS:
                cells = ["" if cell is None else str(cell) for cell in by_kind[kind].values()]
                lines.append(f"| {name} | {kind} | {' | '.join(cells)} |")
        return "\n".join(lines)


def speakers_of(cast: Cast, text: str) -> list[Counter[str]]:
    """For each member the names that it goes by: its own, and the words that most mentions have."""
    forms: dict[int, Counter[str]] = defaultdict(Counter)
    for mention in cast.mentions:
        forms[mention.member][plain(text[mention.start : mention.end])] += 1
    return [forms[number] for number in range(len(cast.members))]


def is_member(cast: Cast, member: int, forms: Counter[str], names: frozenset[str]) -> bool:
    """Whether a member of the cast is the person of these names."""
    mine = sum(count for form, count in forms.items() if form in names)
    return plain(cast.members[member].name) in names or 2 * mine > forms.total()


def measure(file: Path, flags: Mapping[str, Any] | None = None) -> dict[str, Counts]:
    """Read one novel and compare its quotations with those of the file.

    ``flags`` are the settings of a home whose model says who speaks; None: the rules say it.
    """
    novel = file.name.removesuffix(_ENDING)
    read_cast: Any = load("cast", "rules")
    path = file.parent / "texts" / f"{novel}.txt"
    read = read_document(path, path.name)
    cast: Cast = asyncio.run(_by_model(path, flags)) if flags else read_cast([read.text])
    spoken = sorted(
        (*span, quotation.speaker)
        for quotation in cast.quotations
        if (span := span_of(read.places, quotation.start, quotation.end))
    )
    lists = [
        frozenset(map(plain, (row["name"], *row["aliases"])))
        for row in _rows(file.parent / f"{novel}.characters.jsonl")
    ]
    return compare(_rows(file), lists, cast, read.text, spoken)


async def _by_model(path: Path, flags: Mapping[str, Any]) -> Cast:
    """Return the cast of a novel after the configured model has said who speaks."""
    async with await Offbook.open(**flags) as home:
        rows = await home.cast(path)
        made = await home.create_from(path, rows[0].name)
        report = await home.speakers(made.character.id)
        said = f"{report.attributed} of {report.quotations} quotations attributed"
        print(f"{path.stem}: {said}, {report.usage.calls} calls", file=sys.stderr)
        for message in report.messages:
            print(message, file=sys.stderr)
        return await kept_cast(home.store, made.character.id)


def compare(
    rows: Sequence[Mapping[str, Any]],
    lists: Sequence[frozenset[str]],
    cast: Cast,
    text: str,
    spoken: Sequence[Spoken],
) -> dict[str, Counts]:
    """Count the quotations of one novel by their kinds."""
    forms = speakers_of(cast, text)
    starts = [start for start, _, _ in spoken]
    counts = dict.fromkeys(_KINDS, Counts())
    for row in rows:
        lengths: Counter[int | None] = Counter()
        for start, end in row["spans"]:
            for number in range(bisect_left(starts, end) - 1, -1, -1):
                first, last, speaker = spoken[number]
                if last <= start:
                    break
                lengths[speaker] += min(end, last) - max(start, first)
        found = bool(lengths)
        del lengths[None]
        told = max(lengths, key=lambda member: lengths[member]) if lengths else None
        name = plain(row["speaker"])
        names = next((each for each in lists if name in each), frozenset((name,)))
        right = told is not None and is_member(cast, told, forms[told], names)
        one = Counts(1, found, told is not None, right)
        for kind in {str(row["type"]).lower(), "all"} & set(_KINDS):
            counts[kind] += one
    return counts


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``quality.py quotes``."""
    parser.add_argument("more", type=Path, nargs="*", help="further files or folders")
    parser.add_argument("--model", help="chat.model; without it rules alone say who speaks")
    parser.add_argument("--base-url", help="chat.base_url")
    parser.add_argument("--home", type=Path, help="where books and answers are kept")


def run(arguments: argparse.Namespace) -> Report:
    """Measure all files."""
    files: list[Path] = []
    for path in (arguments.file, *arguments.more):
        files += sorted(path.glob(f"*{_ENDING}")) if path.is_dir() else [path]
    if not files:
        sys.exit(f"no file *{_ENDING} in {str(arguments.file)!r}: name one, or its folder")
    with TemporaryDirectory() as folder:
        flags = {
            "home": str(arguments.home or folder),
            "chat__model": arguments.model,
            "chat__base_url": arguments.base_url,
        }
        home = flags if arguments.model else None
        return Report({file.name.removesuffix(_ENDING): measure(file, home) for file in files})
