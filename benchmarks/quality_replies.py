"""Replies over whole documents: is the evidence in the context, and is the reply right?

FILE has rows {document, character, question, answers, evidence}; ``document`` is a path beside it.
A document that is headed by the character's name, and no longer than a persona document gets, is
read as one about them (create, ingest); any other is a book (create --from). Each question is asked
alone, offline or of --model. `evidence`: at least half of the words of ``evidence`` (a quotation,
or several) stand in the context in whole sentences. `right`: one of ``answers`` is in the reply; a
row without any asks for what the character cannot know, and is right where it is declined without a
quotation. `bm25_right`: an answer is in the two sentences of the document that BM25 ranks first.
All are shares; those of evidence and BM25 are of the rows that have any, and answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from offbook import Offbook
from offbook.documents.readers import read_document
from offbook.retrieval.search import LexicalIndex, encode_terms
from offbook.rules.declining import DECLINES
from offbook.text.sentences import sentences
from offbook.text.words import fold, search_terms, words
from offbook.types import Reply
from quality_evidence import covered

HELP: Final = "short answers to questions over whole documents, beside a BM25 baseline"
NEEDS_FILE: Final = False
_FILE: Final = Path(__file__).parent / "replies" / "rows.jsonl"
PERSONA: Final = 150_000
"""Characters of the longest document that is taken for one about a person: novels begin above."""
BASELINE: Final = 2
"""Sentences of the baseline."""
HALF: Final = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is true of one row; None where it has no evidence, or no answer."""

    row: dict[str, Any]
    reply: str
    evidence: bool | None
    right: bool
    by_bm25: bool | None


@dataclass(frozen=True, slots=True)
class Report:
    """All rows; ``shown``: with each reply."""

    verdicts: Sequence[Verdict]
    shown: bool = False

    def as_json(self) -> dict[str, Any]:
        """Shares of the rows."""
        return {"n": len(self.verdicts), **_shares(self.verdicts)}

    def as_table(self) -> str:
        """The same by document and kind of question, with what was not right."""
        groups: dict[str, list[Verdict]] = {"all": list(self.verdicts)}
        for key in ("document", "kind"):
            for each in self.verdicts:
                if each.row.get(key):
                    groups.setdefault(each.row[key], []).append(each)
        lines = ["| rows | n | evidence | right | BM25 |", "|---|---|---|---|---|"]
        for name, some in groups.items():
            cells = ("-" if share is None else f"{share:.3f}" for share in _shares(some).values())
            lines.append(f"| {name} | {len(some)} | {' | '.join(cells)} |")
        if self.shown:
            for each in self.verdicts:
                mark = "right" if each.right else "other"
                lines.append(f"[{mark}] {each.row['question']}\n    {each.reply}")
        return "\n".join(lines)


def _shares(verdicts: Sequence[Verdict]) -> dict[str, float | None]:
    columns = {
        "evidence": [each.evidence for each in verdicts if each.evidence is not None],
        "right": [each.right for each in verdicts],
        "bm25_right": [each.by_bm25 for each in verdicts if each.by_bm25 is not None],
    }
    return {
        name: round(sum(values) / len(values), 4) if values else None
        for name, values in columns.items()
    }


async def measure(folder: Path, rows: Sequence[dict[str, Any]], **flags: Any) -> list[Verdict]:
    """Make each character once, and ask it all its questions."""
    characters: dict[tuple[str, str], str] = {}
    with tempfile.TemporaryDirectory() as home:
        async with await Offbook.open(**{"home": home, **flags}) as book:
            for row in rows:
                key = row["document"], row["character"]
                if key not in characters:
                    characters[key] = await _made(
                        book, folder / key[0], key[1], build="method" in flags
                    )
            return [
                _judged(folder, row, await book.ask(characters[place], row["question"]))
                for row in rows
                for place in [(row["document"], row["character"])]
            ]


async def _made(book: Offbook, document: Path, name: str, *, build: bool) -> str:
    """A new character: of a document about them, or of a book; ``build``: with its whole index."""
    if is_persona(document, name):
        character = (await book.create(name)).id
        await book.ingest(character, [document])
        return character
    character = (await book.create_from(document, name)).character.id
    if build:
        await book.ingest(character)
    return character


def is_persona(document: Path, name: str) -> bool:
    """Whether a document is about one person: headed by their name, and short."""
    text = _text(document)
    head = f"{document.stem} {text.lstrip()[:200].partition(chr(10))[0]}"
    return len(text) <= PERSONA and not set(search_terms(name)).isdisjoint(search_terms(head))


@cache
def _text(document: Path) -> str:
    return read_document(document, document.name).text


def _judged(folder: Path, row: dict[str, Any], reply: Reply) -> Verdict:
    evidence, answers = _list(row.get("evidence")), _list(row["answers"])
    context = "\n".join(item.text for item in reply.recall.context)
    found = covered(evidence, context) >= HALF if evidence else None
    if not answers:
        right = DECLINES.search(reply.text) is not None and "“" not in reply.text
        return Verdict(row, reply.text, found, right, None)
    baseline = " ".join(best_sentences(folder / row["document"], row["question"]))
    return Verdict(row, reply.text, found, holds(reply.text, answers), holds(baseline, answers))


def _list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) and value else list(value or ())


def holds(text: str, answers: Sequence[str]) -> bool:
    """Whether an answer stands in a text; case and accents do not count, ASCII is whole words."""
    whole = f" {' '.join(words(text))} "
    return any(
        f" {' '.join(words(answer))} " in whole if answer.isascii() else fold(answer) in fold(text)
        for answer in answers
        if words(answer)
    )


def best_sentences(document: Path, question: str) -> list[str]:
    """The sentences that BM25 ranks first."""
    index, texts = _sentences(document)
    ranked = index.scores(question).argsort()[::-1][:BASELINE]
    return [texts[int(place)] for place in ranked]


@cache
def _sentences(document: Path) -> tuple[LexicalIndex, list[str]]:
    text = _text(document)
    texts = [re.sub(r"\s+", " ", text[start:end]) for start, end in sentences(text)]
    blobs = [encode_terms(each) for each in texts]
    return LexicalIndex.from_blobs(list(map(str, range(len(texts)))), blobs), texts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``quality.py replies``."""
    parser.add_argument(
        "--method", help="and its index; default: what answers at once, passages for a book"
    )
    parser.add_argument("--half", choices=("dev", "test"), help="rows of this half alone")
    parser.add_argument("--show", action="store_true", help="print every reply")
    parser.add_argument("--model", help="chat.model, and with it the extractor's; see --base-url")
    parser.add_argument("--base-url", help="chat.base_url")
    parser.add_argument("--home", type=Path, help="keep answers here, so that a run can resume")


def run(arguments: argparse.Namespace) -> Report:
    """Ask all rows."""
    file = arguments.file or _FILE
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    rows = [row for row in rows if arguments.half in (None, row.get("half"))]
    missing = sorted({r["document"] for r in rows if not (file.parent / r["document"]).exists()})
    if missing:
        sys.exit(f"no document {missing[0]!r} beside {str(file)!r}")
    chosen = {
        "method": arguments.method,
        "chat__model": arguments.model or "offline",
        "chat__base_url": arguments.base_url,
        "home": arguments.home and str(arguments.home),
    }
    flags = {name: value for name, value in chosen.items() if value}
    return Report(asyncio.run(measure(file.parent, rows, **flags)), arguments.show)
