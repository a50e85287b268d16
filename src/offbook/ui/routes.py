"""Which page stands where, and the page and files of the graph."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import Query, Request, Response
from fastapi.responses import RedirectResponse
from nicegui import app, ui

from offbook.agent.history import scene_id
from offbook.app.documents import require_graph
from offbook.errors import IndexMissing, OffbookError
from offbook.server.failures import failure_response
from offbook.stores.conversations import is_scene
from offbook.ui.books import scene_address, show_cast
from offbook.ui.characters import show_characters
from offbook.ui.conversation import show_talk
from offbook.ui.documents import show_documents
from offbook.ui.elements import failed, link, named, notice, part, text
from offbook.ui.evaluation import show_comparison, show_review, show_runs
from offbook.ui.frame import CharacterPlace, framed, unread
from offbook.ui.knowledge import show_memories, show_names
from offbook.ui.portrait import portrait_file
from offbook.ui.preferences import ADDRESS, show_preferences
from offbook.ui.scene import show_scene
from offbook.ui.visitor import Visitor
from offbook.ui.why import open_passage

if TYPE_CHECKING:
    from offbook.ui.frame import CharacterPlace

_MEDIA: Final = {
    "graph.html": "text/html",
    "graph.graphml": "application/graphml+xml",
    "graph.json": "application/json",
}
_FRAMED: Final = {"x-frame-options": "SAMEORIGIN"}
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "frame-ancestors 'self'; sandbox allow-scripts allow-downloads"
)
"""The page has a policy of its own, which allows its one script by hash; both hold. In a sandbox it
is of no origin, and cannot reach the server."""


async def show_graph(place: CharacterPlace) -> None:
    """The drawing, and links to its files."""
    await require_graph(place.visitor.book, place.character)
    address = place.address("/graph/graph.html")
    with part("div", "bar"):
        text("p", "Who and what there is, and how they relate.", "quiet")
        link("Open by itself", address)
        for name, label in (("graph.graphml", "GraphML"), ("graph.json", "JSON")):
            named(link(label, place.address(f"/graph/{name}")), download=name)
    named(
        part("iframe", "drawing"),
        src=address,
        title=f"Graph of {place.character.name}",
        sandbox="allow-scripts allow-downloads",
    )


async def graph_file(request: Request, name: str, file: str) -> Response:
    """One of the files of the graph."""
    visitor = Visitor.of(request)
    if file not in _MEDIA:
        return Response(status_code=404)
    try:
        character = await visitor.character(name)
        with tempfile.TemporaryDirectory(prefix="offbook-graph-") as folder:
            place = Path(folder) / file
            await visitor.book.graph(character.id, place)
            content = await asyncio.to_thread(place.read_bytes)
    except OffbookError as error:
        return failure_response(error, request.url.path)
    headers = {**_FRAMED, "content-security-policy": _POLICY} if file == "graph.html" else {}
    return Response(content, media_type=_MEDIA[file], headers=headers)


ASSETS: Final = Path(__file__).parent / "assets"
_BUILD_SECONDS: Final = 60.0
"""How long a page may take to be built; large characters have large graphs."""


_PARTS: Final[dict[str, Callable[[CharacterPlace], Awaitable[None]]]] = {
    "cast": show_cast,
    "graph": show_graph,
    "documents": show_documents,
    "names": show_names,
    "memories": show_memories,
    "compare": show_comparison,
}


def register() -> None:
    """Register all pages."""
    pages: dict[str, Callable[..., Awaitable[Response | None]]] = {
        "/": _start,
        "/c/{name}": _talk,
        "/scene": _scene,
        **{f"/c/{{name}}/{part}": _page_of(part) for part in _PARTS},
        ADDRESS: _preferences,
        "/reviews": _reviews,
        "/reviews/{run}": _review,
    }
    for path, build in pages.items():
        ui.page(path, response_timeout=_BUILD_SECONDS)(build)
    app.get("/c/{name}/graph/{file}")(graph_file)
    app.get("/c/{name}/portrait")(portrait_file)
    app.on_page_exception(_mistake)


async def _start() -> None:
    with framed("Characters"):
        await show_characters(Visitor.of_this_page())


async def _talk(
    name: str,
    session: str | None = None,
    document: str | None = None,
    chunk: str = "",
    start: int = 0,
    end: int = 0,
) -> Response | None:
    if session is not None and is_scene(session):
        together = await Visitor.of_this_page().participants(session)
        if len(together) > 1:
            return RedirectResponse(scene_address(together, scene_id(session, bare=True)))

    async def talk(place: CharacterPlace) -> None:
        await show_talk(place, session)
        if document is not None:  # what a reply rests on, as another program was given the link
            source = {"document": document, "chunk": chunk, "start": start, "end": end}
            await open_passage(place, source, "")

    await _of_character(name, "talk", talk)
    return None


async def _scene(
    who: Annotated[list[str], Query(default_factory=list)], session: str | None = None
) -> None:
    with framed("Together", current="talk"):
        try:
            await show_scene(Visitor.of_this_page(), who, session)
        except OffbookError as error:
            failed(error)
            link("All characters", "/")


def _page_of(part: str) -> Callable[[str], Awaitable[None]]:
    async def build(name: str) -> None:
        await _of_character(name, part, _PARTS[part])

    return build


async def _preferences() -> None:
    with framed("Settings"):
        try:
            await show_preferences(Visitor.of_this_page())
        except OffbookError as error:
            failed(error)


async def _reviews() -> None:
    with framed("Reviews"):
        await show_runs(Visitor.of_this_page())


async def _review(run: str) -> None:
    with framed("Review"):
        try:
            await show_review(Visitor.of_this_page(), run)
        except OffbookError as error:
            failed(error)


def _mistake() -> None:
    """In the place of a page that cannot be built; what went wrong is for the log alone."""
    with framed("Not shown"):
        text("h1", "Not shown")
        words = "This page cannot be shown: a mistake in offbook."
        notice(words, "The server's log has more. Load the page again, or go back.", "bad")


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
    place = CharacterPlace(visitor, character, await visitor.may_change(character))
    with framed(character.name, place, part):
        try:
            await build(place)
        except IndexMissing as error:
            unread(place, error)
        except OffbookError as error:
            failed(error)
