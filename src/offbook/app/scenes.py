"""Scenes: people of a book, or any characters, brought together in one conversation.

Takes: a book and names of its people, or names of characters; a point in the story, an occasion.
Gives: an open scene. People that are no characters yet are made, as ``create --from`` makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from offbook.agent.scene import Scene
from offbook.app.books import cast_of, choose, create_from, find_book
from offbook.app.documents import require_index
from offbook.errors import UnknownName, UsageError
from offbook.ingestion.reports import ProgressListener, unheard
from offbook.retrieval.point import known_points, parse_point
from offbook.stores import characters, documents
from offbook.text.words import fold

if TYPE_CHECKING:
    from offbook.app.books import Book, GivenBook
    from offbook.app.home import Home
    from offbook.models.metering import Meter
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection
    from offbook.types import Character


async def scene_of(
    book: Home,
    cast: Sequence[Character],
    principal: str,
    session: str | None = None,
    *,
    at: str | None = None,
    about: str = "",
    turn: Callable[[Character], tuple[Runtime, Meter]] | None = None,
) -> Scene:
    """Open a scene of characters, gone on with where ``session`` names one.

    Args:
        book: Home, or a command of it.
        cast: Who is present.
        principal: Whose it is.
        session: The scene's name; None: a new one.
        at: The point in the story; a heading alone will do where one text has it.
        about: The occasion.
        turn: Makes what a reply runs with; None: ``book`` does.

    Raises:
        UsageError: a story has no such point, or the scene belongs to somebody else.
    """

    def points(conn: Connection) -> list[str | None]:
        return [None if at is None else point_named(conn, each.id, at) for each in cast]

    scene = Scene(
        book.store,
        cast,
        turn or book.turn,
        session,
        principal=principal,
        at=await book.store.read(points),
        about=about,
        learning=book.learning,
    )
    return await scene.open()


def point_named(conn: Connection, character: str, text: str) -> str:
    """A point in the story in full: a heading alone is one where one text has it.

    Raises:
        UsageError: there is no such point, or several.
    """
    try:
        parse_point(conn, character, text)
    except UsageError:
        names = [info.name for info in documents.list_all(conn, character)]
        headed = list(known_points(conn, character, [f"{name}#{text}" for name in names]))
        if len(headed) == 1:
            return headed[0]
        if len(names) == 1:
            parse_point(conn, character, f"{names[0]}#{text}")  # its hint names the headings
        raise
    return text


async def people_of(
    home: Home,
    book: GivenBook | None,
    names: Sequence[str],
    progress: ProgressListener = unheard,
) -> list[Character]:
    """Who is meant, in this order: of a book where it has the name, else of the home.

    Raises:
        UnknownName: nobody has the name; the hint names the nearest.
        UsageError: several have it.
        IndexMissing: the configured method cannot answer for one of them yet.
    """
    people = []
    for name in names:
        one = await (home.find(name) if book is None else _of_book(home, book, name, progress))
        await require_index(home, one)
        people.append(one)
    return people


async def _of_book(home: Home, book: GivenBook, name: str, progress: ProgressListener) -> Character:
    reading = await find_book(home, book)
    cast = await cast_of(home, reading)
    try:
        member, _ = choose(cast, reading, name)
    except UnknownName:
        try:
            return await home.find(name)
        except UnknownName:
            pass
        raise
    names = {fold(each) for each in (name, member.name, *member.aliases)}
    for each in await _on(home, reading):
        if fold(each.name) in names or each.id == name:
            return each
    return (await create_from(home, replace(reading, cast=cast), name, progress)).character


async def _on(home: Home, book: Book) -> list[Character]:
    """The characters on the source of a book."""

    def read(conn: Connection) -> list[Character]:
        ids = characters.sharing(conn, book.on) if book.on is not None else []
        return [characters.require(conn, each) for each in ids]

    read_now: list[Character] = await home.store.read(read)
    return read_now
