"""The graph of a character: the page that ``offbook graph`` writes, and files to take away.

Takes: a character.  Gives: an interactive drawing with search, quotations and a list for the
keyboard; the same as GraphML and JSON.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fastapi import Request, Response

from offbook.app.rebuilding import require_graph
from offbook.errors import OffbookError
from offbook.server.failures import failure_response
from offbook.ui.elements import link, named, part, text
from offbook.ui.visitor import Visitor

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
        link("On its own", address)
        for name, told in (("graph.graphml", "GraphML"), ("graph.json", "JSON")):
            named(link(told, place.address(f"/graph/{name}")), download=name)
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
