"""Names that the offline extraction finds, against proper names marked by hand.

FILE holds one mention a row: book, surface, type (PER, GPE, FAC, LOC, ORG, VEH), left and right
context in tokens, as ../shared/data/alias/litbank_mentions.jsonl does. The contexts of a book are
joined where they overlap, and cut into passages of about 450 words, as chunks would be.

recall: a row counts where its passage gives a name that equals the surface up to case, accents and
a leading article. Entities beyond the first 30 of a passage count as well (`first` is the share
that is among them): they are what gleaning adds. type: of the rows found, how many have the right
kind (PER character; GPE, FAC, LOC location; ORG organization; VEH object). share: of the names that
are given as character, location or organization, how many are marked in the book or are part of a
marked name; the file does not mark every name, so that this is less than the precision.

Books are parted in two halves by crc32 of their name: errors were read in the half `seen` only.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final
from zlib import crc32

from offbook.prompts.extraction import Extraction, ExtractionInputs, Section
from offbook.rules.extraction import extract, glean
from offbook.text.words import fold

HELP: Final = "recall and types of proper names, offline"
_WORDS: Final = 450
_KINDS: Final = {
    "PER": "character",
    "GPE": "location",
    "FAC": "location",
    "LOC": "location",
    "ORG": "organization",
    "VEH": "object",
}
_ARTICLE: Final = re.compile(r"^(?:the|a|an) ")
_NAMED: Final = ("character", "location", "organization")


@dataclass(slots=True)
class Tally:
    """What is counted of some books."""

    books: int = 0
    passages: int = 0
    rows: int = 0
    found: int = 0
    first: int = 0
    typed: int = 0
    given: int = 0
    marked: int = 0

    def as_json(self) -> dict[str, Any]:
        """Counts and rates."""
        return {
            **asdict(self),
            "recall": _rate(self.found, self.rows),
            "recall_first": _rate(self.first, self.rows),
            "type_accuracy": _rate(self.typed, self.found),
            "share_marked": _rate(self.marked, self.given),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The two halves, and by type."""

    halves: dict[str, Tally]
    types: dict[str, Tally]
    characters: int
    seconds: float
    misses: Sequence[tuple[str, str, str, str]]

    def as_json(self) -> dict[str, Any]:
        """Everything but the misses."""
        return {
            "halves": {name: tally.as_json() for name, tally in self.halves.items()},
            "types": {name: tally.as_json() for name, tally in sorted(self.types.items())},
            "characters_per_second": round(self.characters / self.seconds),
        }

    def as_table(self) -> str:
        """Lines for people, and the misses of the seen half where they are asked for."""
        lines = ["half      books rows  recall first  type   share"]
        for name, tally in (*self.halves.items(), *sorted(self.types.items())):
            rates = tally.as_json()
            lines.append(
                f"{name:9} {tally.books:5} {tally.rows:5} {rates['recall']:.3f}  "
                f"{rates['recall_first']:.3f}  {rates['type_accuracy']:.3f}  "
                f"{rates['share_marked'] if tally.given else '-'}"
            )
        lines.append(f"{self.characters / self.seconds / 1000:.0f} KB/s")
        lines.extend(" | ".join(miss) for miss in self.misses)
        return "\n".join(lines)


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--misses", action="store_true", help="list those of the seen half")


def run(arguments: argparse.Namespace) -> Report:
    """Extract every passage of every book and compare."""
    rows = [json.loads(line) for line in arguments.file.read_text("utf-8").splitlines() if line]
    books: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        books[row["book"]].append(row)
    halves = {"seen": Tally(), "unseen": Tally()}
    types: dict[str, Tally] = defaultdict(Tally)
    misses: list[tuple[str, str, str, str]] = []
    characters, seconds = 0, 0.0
    for book, marked in books.items():
        half = "seen" if crc32(book.encode()) % 2 == 0 else "unseen"
        tally = halves[half]
        tally.books += 1
        known = {_bare(row["surface"]) for row in marked}
        for passage, here in passages(marked):
            began = time.perf_counter()
            first, more = _extracted(passage)
            seconds += time.perf_counter() - began
            characters += len(passage)
            tally.passages += 1
            _count_given(tally, (*first.entities, *more.entities), known)
            for row in here:
                fault = _count_row(row, first, more, (tally, types[row["type"]]))
                if fault and half == "seen" and arguments.misses:
                    misses.append((fault, row["type"], row["surface"], _context(row)))
    return Report(halves, dict(types), characters, seconds, misses)


def passages(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The text around the rows of one book, joined where contexts overlap, with their rows."""
    tokens: list[str] = []
    here: list[dict[str, Any]] = []
    for row in rows:
        window = f"{row['left']} {row['surface']} {row['right']}".split()
        shared = _overlap(tokens, window)
        if len(tokens) + len(window) - shared > _WORDS or (
            shared == 0 and len(tokens) > _WORDS // 2
        ):
            yield _written(tokens), here
            tokens, here, shared = [], [], 0
        tokens.extend(window[shared:] if shared or not tokens else ["\n\n", *window])
        here.append(row)
    if here:
        yield _written(tokens), here


def _overlap(tokens: list[str], window: list[str]) -> int:
    """How many words of the window end the text already."""
    if len(window) > 6 and _holds(tokens[-200:], window):
        return len(window)
    for size in range(min(len(tokens), len(window) - 1), 3, -1):
        if tokens[-size:] == window[:size]:
            return size
    return 0


def _holds(tokens: list[str], window: list[str]) -> bool:
    size = len(window)
    return any(tokens[at : at + size] == window for at in range(len(tokens) - size + 1))


def _written(tokens: list[str]) -> str:
    """Tokens as a text: blanks before signs and inside quotation marks taken out."""
    text = " ".join(tokens).replace(" \n\n ", "\n\n").replace("``", "“").replace("''", "”")
    text = re.sub(r" ([,.;:!?)\]”])", r"\1", text)
    text = re.sub(r"([(\[“]) ", r"\1", text)
    text = re.sub(r" (['’](?:s|d|m|ll|re|ve)\b|n['’]t\b)", r"\1", text)
    text = re.sub(r" (['’])(?=[ ,.;:!?])", r"\1", text)
    parts = re.split(r" ?\" ?", text)  # straight marks open and close in turn
    joined = parts[0]
    for number, part in enumerate(parts[1:]):
        joined += f' "{part}' if number % 2 == 0 else f'" {part}'
    return re.sub(r"\" ([,.;:!?])", r'"\1', joined)


def _extracted(passage: str) -> tuple[Extraction, Extraction]:
    first = extract(ExtractionInputs("", (Section("", passage),)))
    names = tuple(entity.name for entity in first.entities)
    return first, glean(ExtractionInputs("", (Section("", passage),), found=names))


def _count_given(tally: Tally, entities: Sequence[Any], known: set[str]) -> None:
    parts = {word for name in known for word in name.split()}
    for entity in entities:
        if entity.type in _NAMED:
            name = _bare(entity.name)
            tally.given += 1
            tally.marked += name in known or name in parts


def _count_row(
    row: dict[str, Any], first: Extraction, more: Extraction, tallies: Sequence[Tally]
) -> str:
    """Count one row; the fault, or nothing where name and type are right."""
    surface = _bare(row["surface"])
    found = {_bare(entity.name): entity.type for entity in more.entities}
    early = {_bare(entity.name): entity.type for entity in first.entities}
    found |= early
    right = found.get(surface) == _KINDS[row["type"]]
    for tally in tallies:
        tally.rows += 1
        tally.found += surface in found
        tally.first += surface in early
        tally.typed += right
    return "" if right else found.get(surface, "missed")


def _bare(name: str) -> str:
    plain = re.sub(r"\s+(['’]s\b)", r"\1", " ".join(fold(name).split()))
    return _ARTICLE.sub("", plain).replace(" .", ".").removesuffix("'s").strip(" .,'-")


def _context(row: dict[str, Any]) -> str:
    return f"{row['left'][-60:]} [{row['surface']}] {row['right'][:40]}".replace("\n", " ")


def _rate(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
