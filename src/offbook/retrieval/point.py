"""A point in the story: the text that names it, and what lies before it.

Takes: what a person typed, documents and chunks.  Gives: a position, and texts cut at it. A point
is a document's name, ``document#heading path``, ``document@offset`` or a chunk's id: the end of
the document, of the section or of the chunk, or the very offset. Source: ours;
docs/boundary.md, "At a point in the story".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from offbook.documents.labels import label_of, same_part
from offbook.documents.sections import Section, highest, sections
from offbook.errors import UsageError
from offbook.stores import characters, documents
from offbook.stores import chunks as chunk_rows
from offbook.text.words import fold
from offbook.types import Position

if TYPE_CHECKING:
    from offbook.names.story import Reach
    from offbook.stores.connection import Connection
    from offbook.stores.documents import DocumentInfo
    from offbook.types import Chunk, Document

_FORMS: Final = "a document, document#heading path, document@offset or a chunk's id"
_SEPARATORS: Final = re.compile(r"\s*(?:[,/>»›|]|::)\s*")
_CANDIDATES: Final = 5
_DIGITS: Final = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class Point:
    """A point in the story, as a person named it and as a position."""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of the story; ``point`` names its end, as a person would."""

    title: str
    point: str


def chapters_of(conn: Connection, character: str) -> list[Chapter]:
    """The chapters of a character's texts, in the order of the story.

    They are the highest headings of which a text has several. Those of texts about one person are
    none, unless most of them say that they are, as "Chapter 3" does.
    """
    chapters: list[Chapter] = []
    labelled = 0
    for info in documents.list_all(conn, character):
        text = documents.require(conn, character, info.id).text
        headed = [section for section in sections(text) if section.headings]
        chief = set(highest(text))
        paths = Counter(map(_whole, headed))
        for place, section in enumerate(headed):
            if section not in chief:
                continue
            whole = ", ".join(section.headings)
            end = f"{info.name}@{_end(headed, place, len(text))}"
            point = f"{info.name}#{whole}" if paths[_whole(section)] == 1 else end
            chapters.append(Chapter(section.headings[-1], point))
            labelled += label_of(section.headings[-1]) is not None
    is_story = characters.NAMES in characters.require(conn, character).settings
    return chapters if is_story or 2 * labelled > len(chapters) else []


def parse_point(conn: Connection, character: str, text: str) -> Position:
    """The position that a person names.

    Args:
        conn: Connection of a read.
        character: Id of the character.
        text: A document's name or id, one of the two with ``#heading path`` or ``@offset``, or a
            chunk's id. A heading path is the titles root to leaf, or the last of them.

    Raises:
        UsageError: there is no such point, or several; the hint names the nearest.
    """
    infos = documents.list_all(conn, character)
    order = {info.id: place for place, info in enumerate(infos)}
    if (document := _document(infos, text)) is not None:
        return Position(order[document.id], document.chars)
    for mark in ("#", "@"):
        for name, rest in _splits(text, mark):
            if (document := _document(infos, name)) is not None:
                whole = documents.require(conn, character, document.id)
                read = _end_of_section if mark == "#" else _offset
                return Position(order[document.id], read(whole, rest.strip()))
    for chunk in chunk_rows.get_chunks(conn, character, [text.strip()]):
        return Position(order[chunk.document], chunk.end)
    raise UsageError(f"no point {text!r} in the story of {character!r}", _nearest(infos, text))


def known_points(conn: Connection, character: str, texts: Iterable[str]) -> dict[str, Position]:
    """The positions of those texts that name a point; the others are left out."""
    positions: dict[str, Position] = {}
    for text in dict.fromkeys(texts):
        with suppress(UsageError):
            positions[text] = parse_point(conn, character, text)
    return positions


def order_of(conn: Connection, character: str) -> dict[str, int]:
    """Document id -> its place in the order of the story, counted without gaps."""
    return {info.id: place for place, info in enumerate(documents.list_all(conn, character))}


def known_parts(chunk: Chunk, order: dict[str, int], reach: Reach) -> list[Chunk]:
    """What of a chunk is known: all, stretches of it, or nothing."""
    ordinal = order.get(chunk.document)
    if ordinal is None:
        return []
    parts = []
    for start, end in reach.parts(chunk.document, ordinal, chunk.start, chunk.end):
        if (start, end) == (chunk.start, chunk.end):
            return [chunk]
        text = chunk.text[start - chunk.start : end - chunk.start]
        if bare := text.strip():
            first = start + len(text) - len(text.lstrip())
            parts.append(replace(chunk, text=bare, start=first, end=first + len(bare)))
    return parts


def documents_until(in_order: Sequence[Document], until: Position) -> list[Document]:
    """The documents up to a point, the one that it lies in cut there."""
    known = list(in_order[: until.document_ordinal])
    for document in in_order[until.document_ordinal :][: 1 if until.offset > 0 else 0]:
        known.append(replace(document, text=document.text[: until.offset]))  # noqa: PERF401
    return known


def _document(infos: Sequence[DocumentInfo], name: str) -> DocumentInfo | None:
    """The document of this name or id, else the only one that is so but for case or its ending."""
    name = name.strip()
    exact = [info for info in infos if name in (info.name, info.id)]
    close = [
        info
        for info in infos
        if fold(name) in (fold(info.name), fold(info.id), fold(PurePath(info.name).stem))
    ]
    if exact:
        return exact[0]
    return close[0] if len(close) == 1 else None


def _splits(text: str, mark: str) -> Iterator[tuple[str, str]]:
    """``text`` in front of and behind each ``mark``: names of documents may hold one, too."""
    place = text.rfind(mark)
    while place >= 0:
        yield text[:place], text[place + 1 :]
        place = text.rfind(mark, 0, place)


def _offset(document: Document, text: str) -> int:
    if not _DIGITS.fullmatch(text):
        raise UsageError(
            f"{text!r} is no offset in {document.name!r}",
            f"write {document.name}@N, with N from 0 to {document.chars}",
        )
    if int(text) > document.chars:
        raise UsageError(
            f"{document.name!r} has {document.chars} characters, {text!r} lies behind them",
            f"write {document.name}@N, with N from 0 to {document.chars}",
        )
    return int(text)


def _end_of_section(document: Document, heading: str) -> int:
    """Where the section under a heading path ends, with the sections inside it.

    Raises:
        UsageError: there is none, or several.
    """
    headed = [section for section in sections(document.text) if section.headings]
    want = _path(heading)
    exact = [place for place, section in enumerate(headed) if _whole(section) == want]
    ends = [place for place, section in enumerate(headed) if want and _ends_with(section, want)]
    chosen = (
        exact
        or ends
        or [place for place, section in enumerate(headed) if _is_labelled(section, want)]
    )
    if len(chosen) == 1:
        return _end(headed, chosen[0], len(document.text))
    if chosen:
        places = "; ".join(
            f"{document.name}@{_end(headed, place, len(document.text))}"
            f" ({', '.join(headed[place].headings)})"
            for place in chosen[:_CANDIDATES]
        )
        raise UsageError(
            f"{document.name!r} has {len(chosen)} sections {heading!r}", f"give the place: {places}"
        )
    known = [", ".join(section.headings) for section in headed]
    otherwise = f"its headings: {'; '.join(known[:_CANDIDATES])}" if known else "it has no headings"
    raise UsageError(
        f"{document.name!r} has no heading {heading!r}",
        characters.nearest(heading, [*known, *(s.headings[-1] for s in headed)], otherwise),
    )


def _path(text: str) -> tuple[str, ...]:
    """The parts of a heading path, folded; every usual way to separate them will do."""
    parts = _SEPARATORS.split(" ".join(fold(text).split()))
    return tuple(part for part in parts if part)


def _whole(section: Section) -> tuple[str, ...]:
    # Titles may hold a comma: both sides are taken apart alike.
    return tuple(part for title in section.headings for part in _path(title))


def _ends_with(section: Section, want: tuple[str, ...]) -> bool:
    """Whether ``want`` is one or more of the section's own titles, up to the last."""
    tails = (section.headings[place:] for place in range(len(section.headings)))
    return any(tuple(p for title in tail for p in _path(title)) == want for tail in tails)


def _is_labelled(section: Section, want: tuple[str, ...]) -> bool:
    """Whether ``want`` is what stands behind the number of the section's title, or numbers it.

    The kinds and numbers of several titles are those up to the last.
    """
    label = label_of(section.headings[-1])
    if want and label is not None and _path(label.title.rstrip(".")) == want:
        return True
    titles = section.headings[-len(want) :] if want else ()
    return len(titles) == len(want) > 0 and all(map(same_part, want, titles))


def _end(headed: Sequence[Section], place: int, length: int) -> int:
    """The end of a section with its subsections; the last one's is that of the document."""
    last = place
    while last + 1 < len(headed) and headed[last + 1].level > headed[place].level:
        last += 1
    if last + 1 == len(headed):
        return length
    return max(headed[last].body_end, headed[last].title_end)


def _nearest(infos: Sequence[DocumentInfo], text: str) -> str:
    names = [info.name for info in infos]
    otherwise = f"name {_FORMS}"
    if names:
        otherwise += f"; documents: {', '.join(map(repr, names[:5]))}"
    name = re.split("[#@]", text, maxsplit=1)[0]
    return characters.nearest(name, names, otherwise)
