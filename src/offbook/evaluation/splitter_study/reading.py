"""A dataset as the splitter study needs it, with gold passages from a file.

Takes: a dataset, documents of the user's, a file of gold passages.  Gives: characters with
documents and questions; what is left out is noted. A row of the file has a question, its character,
and ``gold_paragraphs`` (ids in ``profile_paragraphs.jsonl`` beside it) or ``evidence`` (quotes of
the documents); quotes may differ from the text in white space.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from offbook.errors import UsageError
from offbook.evaluation.datasets.columns import Columns, Fields, Notes
from offbook.evaluation.datasets.reading import read_rows
from offbook.evaluation.splitter_study.evidence import Evidence
from offbook.evaluation.splitter_study.measures import StudyCharacter, StudyQuestion
from offbook.types import Document

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset, Subject

PARAGRAPHS: Final = "profile_paragraphs.jsonl"
GOLD_COLUMNS: Final = "question, character, and gold_paragraphs (ids) or evidence (quotes)"

_COLUMNS: Final = {
    "id": ("question_id", "id"),
    "character": ("character", "subject", "role"),
    "question": ("question",),
    "paragraphs": ("gold_paragraphs",),
    "quotes": ("evidence", "gold", "passages"),
}
_IGNORED: Final = ("entities", "answer", "answers", "scope", "kind", "topic", "flags")

Documents = Mapping[str, Sequence[Document]]
"""Documents by the name of their character."""


def documents_of(subjects: Sequence[Subject]) -> dict[str, tuple[Document, ...]]:
    """The documents that a dataset brings, as splitters take them."""
    return {
        subject.name: tuple(as_document(each.name, each.text) for each in subject.documents)
        for subject in subjects
    }


def as_document(name: str, text: str) -> Document:
    """A text as a document that is not stored."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Document(id=name, name=name, text=text, digest=digest)


def characters_of(
    dataset: Dataset, documents: Documents, gold: Path | None = None
) -> tuple[list[StudyCharacter], list[str]]:
    """The characters that have documents, with the questions that lie within their knowledge.

    Args:
        dataset: Who is asked what; questions out of scope have no passage to be found, and are
            left out.
        documents: What is cut, by character.
        gold: The file of gold passages; its questions that the dataset lacks are added.

    Raises:
        UsageError: nobody is left.
        UnreadableDocument: the file cannot be read.
    """
    notes = Notes()
    found = {} if gold is None else _gold(gold, documents, notes)
    characters: list[StudyCharacter] = []
    for name in dict.fromkeys((*(s.name for s in dataset.subjects), *documents)):
        own = tuple(each for each in documents.get(name, ()) if each.text.strip())
        if not own:
            notes.at("characters without a document, left out", name)
            continue
        questions = tuple(_questions(dataset, name, found))
        if questions:
            characters.append(StudyCharacter(name, own, questions))
        else:
            notes.at("characters without a question, left out", name)
    told = list(notes.told(len(dataset.questions)))
    if not characters:
        raise UsageError(
            f"the dataset {dataset.name!r} has no character with a document and a question",
            "; ".join(told) or "give documents: --document CHARACTER=FILE",
        )
    return characters, told


def _questions(
    dataset: Dataset, name: str, gold: Mapping[tuple[str, str], StudyQuestion]
) -> Iterator[StudyQuestion]:
    left = {key: question for key, question in gold.items() if key[0] == name}
    for question in dataset.asked(name):
        if question.scope != "out":
            passages = left.pop((name, question.text), None)
            yield StudyQuestion(
                question.id, question.text, () if passages is None else passages.gold
            )
    yield from left.values()


def _gold(path: Path, documents: Documents, notes: Notes) -> dict[tuple[str, str], StudyQuestion]:
    """Questions with gold passages, by character and text."""
    columns = Columns(_COLUMNS, notes, _IGNORED)
    paragraphs: dict[str, str] | None = None
    only = next(iter(documents)) if len(documents) == 1 else ""
    found: dict[tuple[str, str], StudyQuestion] = {}
    for row in read_rows(path):
        fields = columns.of(row)
        name = fields.text("character") or only
        place = f"{path.name}:{row.number}"
        if not fields.text("question") or not name:
            raise UsageError(f"{row.place} lacks a column", f"columns: {GOLD_COLUMNS}")
        quotes = list(fields.texts("quotes"))
        if "paragraphs" in fields:
            paragraphs = paragraphs if paragraphs is not None else _paragraphs(path)
            quotes += _texts(fields, paragraphs)
        places = [_find(documents.get(name, ()), quote) for quote in quotes]
        for _ in range(places.count(None)):
            notes.at("gold passages that stand in no document, left out", place)
        gold = tuple(dict.fromkeys(each for each in places if each is not None))
        if gold:
            text = fields.text("question")
            found[name, text] = StudyQuestion(fields.text("id") or place, text, gold)
        else:
            notes.at("questions without a gold passage in the documents, left out", place)
    return found


def _paragraphs(gold: Path) -> dict[str, str]:
    path = gold.parent / PARAGRAPHS
    return {str(row.values.get("id")): str(row.values.get("text", "")) for row in read_rows(path)}


def _texts(fields: Fields, paragraphs: Mapping[str, str]) -> Iterator[str]:
    for name in fields.texts("paragraphs"):
        if name not in paragraphs:
            raise UsageError(
                f"{fields.row.place} names the paragraph {name!r}", f"{PARAGRAPHS} has none such"
            )
        yield paragraphs[name]


def _find(documents: Sequence[Document], quote: str) -> Evidence | None:
    """Where a quote stands first; white space may differ."""
    for document in documents:
        start = document.text.find(quote)
        if start >= 0:
            return Evidence(document.id, start, start + len(quote))
    pattern = re.compile(r"\s+".join(map(re.escape, quote.split())))
    for document in documents:
        match = pattern.search(document.text) if quote.strip() else None
        if match is not None:
            return Evidence(document.id, *match.span())
    return None
