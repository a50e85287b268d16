"""Which page stands where.

Takes: nothing.  Gives: the pages, registered; each is built anew for whoever asks for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from fastapi import Request, Response
from nicegui import ui

from offbook.errors import IndexMissing, OffbookError
from offbook.ui.elements import failed, link, notice, text
from offbook.ui.frame import CharacterPlace, framed, unread
from offbook.ui.visitor import Visitor

ASSETS: Final = Path(__file__).parent / "assets"
_BUILD_SECONDS: Final = 60.0
"""How long a page may take to be built; large characters have large graphs."""


def register() -> None:
    """Register all pages."""
    _page("/", _start)
    _page("/c/{name}", _talk)
    _page("/c/{name}/graph", _graph)
    _page("/c/{name}/documents", _documents)
    _page("/c/{name}/names", _names)
    _page("/c/{name}/memories", _memories)
    _page("/c/{name}/compare", _compare)
    _page("/reviews", _reviews)
    _page("/reviews/{run}", _review)
    from nicegui import app

    app.get("/c/{name}/graph/{file}")(_graph_file)
    app.on_page_exception(_mistake)


def _page(path: str, build: Callable[..., Awaitable[None]]) -> None:
    ui.page(path, response_timeout=_BUILD_SECONDS)(build)


async def _start() -> None:
    from offbook.ui.picking import show_characters

    with framed("Characters"):
        await show_characters(Visitor.of_this_page())


async def _talk(name: str, session: str | None = None) -> None:
    from offbook.ui.talk.page import show_talk

    await _of_character(name, "talk", lambda place: show_talk(place, session))


async def _graph(name: str) -> None:
    from offbook.ui.graph import show_graph

    await _of_character(name, "graph", show_graph)


async def _graph_file(request: Request, name: str, file: str) -> Response:
    from offbook.ui.graph import graph_file

    return await graph_file(request, name, file)


async def _documents(name: str) -> None:
    from offbook.ui.documents import show_documents

    await _of_character(name, "documents", show_documents)


async def _names(name: str) -> None:
    from offbook.ui.names import show_names

    await _of_character(name, "names", show_names)


async def _memories(name: str) -> None:
    from offbook.ui.memories import show_memories

    await _of_character(name, "memories", show_memories)


async def _compare(name: str) -> None:
    from offbook.ui.comparing import show_comparison

    await _of_character(name, "compare", show_comparison)


async def _reviews() -> None:
    from offbook.ui.reviews import show_runs

    with framed("Reviews"):
        await show_runs(Visitor.of_this_page())


async def _review(run: str) -> None:
    from offbook.ui.reviews import show_review

    with framed("Review"):
        try:
            await show_review(Visitor.of_this_page(), run)
        except OffbookError as error:
            failed(error)


def _mistake() -> None:
    """In the place of a page that cannot be built; what went wrong is for the log alone."""
    with framed("Not shown"):
        text("h1", "Not shown")
        told = "This page cannot be shown: a mistake in offbook."
        notice(told, "The server's log has more. Load the page again, or go back.", "bad")


async def _of_character(
    name: str, part: str, build: Callable[[CharacterPlace], Awaitable[None]]
) -> None:
    """A page of a character; a failure is told in its place."""
    visitor = Visitor.of_this_page()
    try:
        character = await visitor.character(name)
    except OffbookError as error:
        ui.context.client.status_code = 404
        with framed("Not found"):
            text("h1", "Not found")
            failed(error)
            link("All characters", "/")
        return
    place = CharacterPlace(visitor, character)
    with framed(character.name, place, part):
        try:
            await build(place)
        except IndexMissing as error:
            unread(place, error)
        except OffbookError as error:
            failed(error)
