"""The passage that a piece of context is from, with the sentence that counts in it.

Takes: a source, and what it was used for.  Gives: the text around it in pieces, of which one is
marked. What is shown is cut from the stored document; a source that fits it no more says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.errors import UnknownName, UsageError
from offbook.language.sentences import sentences
from offbook.language.words import search_terms
from offbook.stores import chunks, documents

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.types import Character, Document, Source

_AROUND: Final = 600
_WHOLE: Final = 4_000
"""A source that is longer than this is a document rather than a passage; its head is shown."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a document, in reading order: before, source, marked part of it, source, after.

    ``before + opening + marked + closing + after`` is ``document.text[start:end]``. ``opening``,
    ``marked`` and ``closing`` are the source; ``cut`` says that the source goes on.
    """

    document: str
    headings: tuple[str, ...]
    start: int
    before: str
    opening: str
    marked: str
    closing: str
    after: str
    cut: bool = False


async def read_passage(
    book: Offbook, character: Character, source: Source, about: str = ""
) -> Passage:
    """The passage of a source.

    Args:
        book: Offbook.
        character: Whose document it is.
        source: Where it stands.
        about: What it was used for, such as the question and the reply: the sentence that has most
            of its words is marked. A source that is one sentence, or a part of one, is all marked.

    Raises:
        UnknownName: the document is there no more.
        UsageError: the document has changed since, and has no such place.
    """

    def read(conn: Connection) -> tuple[Document | None, tuple[str, ...]]:
        found = documents.get(conn, character.id, source.document)
        held = chunks.list_chunks(conn, character.id, document=source.document)
        paths = (chunk.headings for chunk in held if chunk.id == source.chunk)
        return found, next(paths, ())

    document, headings = await book.store.read(read)
    if document is None:
        raise UnknownName(
            f"the document {source.document!r} is there no more", "it was forgotten since"
        )
    if not 0 <= source.start < source.end <= len(document.text):
        raise UsageError(
            f"{document.name!r} has no place {source.start} to {source.end}",
            "it has changed since; ask again",
        )
    return _passage(document, headings, source.start, source.end, about)


def _passage(
    document: Document, headings: tuple[str, ...], start: int, end: int, about: str
) -> Passage:
    text = document.text
    stop = min(end, start + _WHOLE)
    low, high = _marked(text, start, stop, about)
    first = _at_a_line(text, max(0, start - _AROUND), start)
    last = min(len(text), stop + _AROUND)
    return Passage(
        document.name,
        headings,
        first,
        text[first:start],
        text[start:low],
        text[low:high],
        text[high:stop],
        text[stop:last],
        cut=stop < end,
    )


def _marked(text: str, start: int, stop: int, about: str) -> tuple[int, int]:
    """The sentence of the source that has most words of ``about``; the first of equal ones."""
    wanted = _content(about)
    spans = [(start + low, start + high) for low, high in sentences(text[start:stop])]
    if len(spans) < 2 or not wanted:
        return start, stop
    best = max(spans, key=lambda span: len(wanted & _content(text[span[0] : span[1]])))
    return best if wanted & _content(text[best[0] : best[1]]) else (start, stop)


def _content(text: str) -> set[str]:
    return set(search_terms(text))


def _at_a_line(text: str, low: int, high: int) -> int:
    """The first beginning of a line between the two, or ``low``."""
    if low == 0:
        return 0
    found = text.find("\n", low, high)
    return low if found < 0 else found + 1
