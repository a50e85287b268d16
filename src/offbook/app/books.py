"""Books: who is in one, and characters made of its people, who share it.

Takes: a book: files, texts in memory, or the name of one that the home knows; a name of one of its
people.  Gives: its cast, and characters on one source. No chat model is asked.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook import pipeline
from offbook.app.casts import CastRow, rows_of
from offbook.app.documents import read_files, told_on_stderr
from offbook.app.home import find_character
from offbook.documents.readers import ReadDocument
from offbook.errors import UnknownName, UnreadableDocument, UsageError
from offbook.graph.mentions import find_mention
from offbook.ingestion.cast import (
    basis_of,
    cast_reader,
    keep_cast,
    kept_cast,
    stored_texts,
    who_bears,
)
from offbook.ingestion.documents import put_texts, text_digest
from offbook.ingestion.reports import DocumentReport, ProgressListener, tally, unheard
from offbook.ingestion.story import follow_texts
from offbook.names.cast import CastMember
from offbook.stores import casts, characters

if TYPE_CHECKING:
    from offbook.app.home import Home
    from offbook.names.cast import Cast
    from offbook.stores.connection import Connection
    from offbook.types import Character

_NEAREST: Final = 6


@dataclass(frozen=True, slots=True)
class Book:
    """A book: its texts, and a character on its source where the home has one.

    ``called`` is what its source is or would be called, ``typed`` what leads to it on a command
    line, and ``left`` are files that were not read. ``cast`` is its cast, where it was read before.
    """

    called: str
    texts: Sequence[ReadDocument]
    on: str | None = None
    typed: str = "BOOK"
    left: tuple[str, ...] = ()
    cast: Cast | None = None


GivenBook = Path | str | Sequence[ReadDocument] | Book
"""A file or folder, or the name of what the home has; texts; or a book that was found before."""


@dataclass(frozen=True, slots=True)
class BookCharacter:
    """A character that was made of a book.

    ``book`` is the id of the source, ``others`` are the ids of who else looks at it, ``names`` what
    the book calls the character.
    """

    character: Character
    book: str
    names: tuple[str, ...]
    others: tuple[str, ...]
    messages: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The shape of ``create --from --json``."""
        who = self.character
        made = {"id": who.id, "name": who.name, "created": who.created, "book": self.book}
        return {**made, "names": list(self.names), "messages": list(self.messages)}


# -- a book ------------------------------------------------------------------------------------


async def known_book(home: Home, name: str) -> Book:
    """Find the book of this id or name that the home has, or that of a character.

    Raises:
        UnknownName: there is none; the hint names the nearest.
    """
    return await book_of(home, await home.store.read(_known, name))


async def book_of(home: Home, character: str) -> Book:
    """Return the source of a character as a book.

    Raises:
        UsageError: it has no documents.
    """
    texts, called = await home.store.read(stored_texts, character)
    return Book(called, texts, character, called)


async def find_book(home: Home, book: GivenBook) -> Book:
    """Find a book: files or a folder, texts, or the name of a book or character of the home.

    Raises:
        UnknownName: there is neither; the hint names the nearest.
        UnreadableDocument: a file cannot be read.
    """
    left: tuple[str, ...] = ()
    if isinstance(book, Book):
        return book
    if isinstance(book, Path | str):
        path = Path(book)
        if not str(book).strip() or not os.path.exists(path):  # noqa: PTH110  (of any length)
            return await known_book(home, str(book))
        texts, failed, unknown = await asyncio.to_thread(read_files, [path], None)
        left = (*(f"{row.name}: {row.messages[0]}" for row in failed), *unknown)
        called = path.resolve().name if path.is_dir() else path.stem
    else:
        texts, called = list(book), Path(book[0].name).stem if book else ""
    if not texts:
        raise UnreadableDocument(
            f"there is nothing to read in {str(book)!r}", "name a book: a file, or a folder of them"
        )
    on = await home.store.read(casts.holding, [text_digest(text.text) for text in texts])
    if on is not None:
        texts, called = await home.store.read(stored_texts, on)
    typed = shlex.quote(str(book)) if isinstance(book, Path | str) else "BOOK"
    return Book(called, texts, on, typed, left)


def _known(conn: Connection, name: str) -> str:
    """The id of a character on the book of this name, or of this name itself."""
    books = casts.sources_by_id(conn)
    try:
        return books.get(name) or books.get(characters.character_id(name)) or _named(conn, name)
    except UsageError:
        raise _no_book(conn, name) from None


def _named(conn: Connection, name: str) -> str:
    try:
        return find_character(conn, name).id
    except UnknownName:
        raise _no_book(conn, name) from None


def _no_book(conn: Connection, name: str) -> UnknownName:
    known = [*casts.sources_by_id(conn), *(each.name for each in characters.list_all(conn))]
    return UnknownName(
        f"there is no file {name!r}, and no book or character of that name",
        characters.nearest(name, known, "name a file or a folder; see that the path is right"),
    )


async def cast_of(home: Home, book: Book) -> Cast:
    """Read the cast of a book; that of a source of the home is kept."""
    if book.on is not None:
        return await kept_cast(home.store, book.on)
    if book.cast is not None:
        return book.cast
    return await asyncio.to_thread(cast_reader(), [text.text for text in book.texts])


async def list_cast(home: Home, book: GivenBook) -> list[CastRow]:
    """List the people of a book, the most named first."""
    reading = await find_book(home, book)
    cast = await cast_of(home, reading)
    return await asyncio.to_thread(rows_of, cast, reading.texts)


# -- a character of it -------------------------------------------------------------------------


async def create_from(
    home: Home,
    book: GivenBook,
    name: str,
    progress: ProgressListener = unheard,
) -> BookCharacter:
    """Make a character of one of a book's people; it can be talked to at once.

    Where the home has the book, the character is a further view of that source. What is built is
    what answers from passages; no chat model is asked.

    Raises:
        UnknownName: the book has no such name; the hint names the nearest.
        UsageError: several of its people have it; the hint names them.
    """
    reading = await find_book(home, book)
    cast = await cast_of(home, reading)
    member, messages = choose(cast, reading, name)
    overrides = {
        characters.NAMES: list(member.aliases),
        characters.BY_PASSAGES: True,
        characters.UNFINISHED: True,
    }
    character, reports, beside = await home.store.write(_begin, reading, name, overrides)
    try:
        notes = await _index(home, character, reports, progress)
        stored, _ = await home.store.read(stored_texts, character.id)
        if [text.text for text in stored] == [text.text for text in reading.texts]:
            basis = await home.store.read(basis_of, character.id)
            await home.store.write(keep_cast, character.id, basis.built_from, cast)
        else:  # a folder held a text twice, which is stored once
            await kept_cast(home.store, character.id)
        await follow_texts(home.store, await home.find(character.id), home.settings.values)
        begun = characters.UNFINISHED
        await home.store.write(characters.set_setting, character.id, begun, None)
    except BaseException:
        await home.store.write(characters.remove, character.id)
        raise
    character = await home.find(character.id)
    sharing = await home.store.read(characters.sharing, character.id)
    return BookCharacter(
        character=character,
        book=await home.store.read(casts.source_id, character.id),
        names=tuple(character.settings[characters.NAMES]),
        others=tuple(each for each in sharing if each != character.id),
        messages=(*(f"not read: {file}" for file in reading.left), *beside, *notes, *messages),
    )


def _begin(
    conn: Connection, book: Book, name: str, settings: dict[str, Any]
) -> tuple[Character, list[DocumentReport], list[str]]:
    """Store a character with its texts at once: a second process shares them, or stores them.

    One that a run began and did not finish, as it was killed, is gone on with. What is to be said
    is that there is another text of that name.
    """
    on = book.on or casts.holding(conn, [text_digest(text.text) for text in book.texts])
    for each in characters.sharing(conn, on) if on else ():
        begun = characters.require(conn, each)
        if begun.name == name and characters.UNFINISHED in begun.settings:
            return begun, [], []
    base = _source_base(book.called)
    before = None if on else casts.sources_by_id(conn).get(base)
    made = characters.create(conn, name, settings=settings, on_source_of=on, source=base)
    beside = []
    if before is not None:
        source = casts.source_id(conn, made.id)
        update = f"offbook delete {made.id}; offbook ingest {before} {book.typed}"
        beside.append(
            f"{before!r} is made of another text called {base!r}: this one is kept beside it, as"
            f" {source!r}; if it is a new edition of that book, update that instead: {update}"
        )
    return made, put_texts(conn, made.id, () if on else book.texts), beside


async def _index(
    home: Home, character: Character, reports: list[DocumentReport], progress: ProgressListener
) -> list[str]:
    """Build what answers from passages, whatever method is configured; what is to be said of it."""
    runtime = home.runtime(character.dimension)
    settings = runtime.settings.model_copy(update={"method": "naive"})
    waiting = told_on_stderr(character.name)
    passages = replace(runtime, settings=settings)
    await pipeline.ingest(passages, character.id, (), progress, waiting)
    rows = await tally(home.store, character.id, reports, passages.needs.chunkings)
    return [f"{row.name}: {message}" for row in rows for message in row.messages]


def _source_base(called: str) -> str:
    try:
        return characters.character_id(called[: characters.MAX_NAME_CHARS])
    except UsageError:
        return "book"


def choose(cast: Cast, book: Book, name: str) -> tuple[CastMember, tuple[str, ...]]:
    """Find who of a book is meant by a name, and what is to be said about that.

    Raises:
        UnknownName: the name stands nowhere in the book, or is a word there and no name.
        UsageError: several people have it.
    """
    bearing = who_bears(cast, name)
    listing = f"list who is in it: offbook cast {book.typed}"
    if len(bearing) == 1:
        return bearing[0], ()
    named = Counter(mention.member for mention in cast.mentions)
    counts = {member.name: named[place] for place, member in enumerate(cast.members)}
    if bearing:
        first = sorted(bearing, key=lambda member: -counts[member.name])[:_NEAREST]
        each = ", ".join(f"{one.name!r} (named {counts[one.name]} times)" for one in first)
        raise UsageError(
            f"{len(bearing)} people of {book.called!r} may be called {name!r}: {each}",
            f"write the one that you mean in full, such as {first[0].name!r}; {listing}",
        )
    stands = any(find_mention(text.text, name) for text in book.texts if name.strip())
    if stands and _is_name(name, book.texts):
        message = f"{name!r} stands in the book, but is not in its cast: known by that name alone"
        return CastMember(name, (name,)), (message,)
    known = [alias for member in cast.members for alias in member.aliases]
    foremost = ", ".join(map(repr, sorted(counts, key=lambda one: -counts[one])[:_NEAREST]))
    most = f"most named are {foremost};" if foremost else ""
    near = most if stands else characters.nearest(name, known, most)
    word = ": it stands there as a word, not as a name" if stands else ""
    raise UnknownName(
        f"nobody in {book.called!r} is called {name!r}{word}", f"{near} {listing}".strip()
    )


def _is_name(name: str, texts: Sequence[ReadDocument]) -> bool:
    """Whether a word of a name is mostly written with a capital, or has a script without any."""
    for word in name.split():
        pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
        spellings = [match[0][0] for text in texts for match in pattern.finditer(text.text)]
        if (
            sum(map(str.isupper, spellings)) > sum(map(str.islower, spellings))
            or word.lower() == word.upper()
        ):
            return True
    return False
