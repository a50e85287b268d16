"""The picture of a character wherever it stands: its card's, or a monogram made of its name."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final
from urllib.parse import quote
from xml.sax.saxutils import escape

from fastapi import Request, Response

from offbook.errors import OffbookError
from offbook.server.failures import failure_response
from offbook.stores import cards
from offbook.ui.elements import named, part
from offbook.ui.visitor import Visitor

if TYPE_CHECKING:
    from nicegui import ui

    from offbook.stores.connection import Connection

_KINDS: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"RIFF", "image/webp"),
    (b"GIF8", "image/gif"),
)
"""How pictures begin that a browser shows; nothing else of a card is served."""
_ICON: Final = "icon"
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
_KEPT: Final = "private, max-age=300"
"""A browser asks again after five minutes: a card may be attached or forgotten meanwhile."""


def portrait(name: str, character: str | None = None) -> ui.element:
    """Show the picture beside a name, which says whose it is; without an id it is a monogram."""
    source = (
        f"data:image/svg+xml,{quote(monogram(name))}"
        if character is None
        else f"/c/{quote(character, safe='')}/portrait"
    )
    made = part("img", "portrait", loading="lazy", alt="", width="52", height="52")
    return named(made, src=source)


def monogram(name: str) -> str:
    """Draw the initials of a name as SVG; the same name has the same colours everywhere."""
    words = [word for word in name.split() if word[:1].isalnum()] or ["?"]
    letters = words[0][0] + (words[-1][0] if len(words) > 1 else "")
    hue = int.from_bytes(hashlib.sha256(name.encode()).digest()[:2]) % 360
    # So dark that white letters are read on any hue: a contrast of 4.9 and more.
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
        f'<rect width="64" height="64" fill="hsl({hue} 42% 32%)"/>'
        f'<circle cx="50" cy="12" r="30" fill="hsl({(hue + 40) % 360} 45% 37%)" opacity=".55"/>'
        '<text x="32" y="33" fill="#fff" font-family="Georgia,serif" font-size="26" '
        'font-weight="600" text-anchor="middle" dominant-baseline="central">'
        f"{escape(letters.upper())}</text></svg>"
    )


def picture_of(conn: Connection, character: str) -> bytes | None:
    """Return the picture that a card came in or brought along as its icon; None: there is none."""
    card = next((f for f in cards.list_files(conn, character) if f.kind == "card"), None)
    if card is None:
        return None
    assets = cards.assets(conn, character, card.document)
    # The card's own picture goes first, then its icons, then whatever picture lies in its file.
    places = sorted(assets, key=lambda place: (place != "", _ICON not in place, place))
    return next((assets[place] for place in places if media_of(assets[place])), None)


def media_of(data: bytes) -> str | None:
    """Return what kind of picture a file is by its first bytes; None: none that is shown."""
    return next((media for start, media in _KINDS if data.startswith(start)), None)


async def portrait_file(request: Request, name: str) -> Response:
    """Serve the picture of a character."""
    visitor = Visitor.of(request)
    try:
        character = await visitor.character(name)
        data = await visitor.book.store.read(picture_of, character.id)
    except OffbookError as error:
        return failure_response(error, request.url.path)
    headers = {
        "cache-control": _KEPT,
        "content-security-policy": _POLICY,
        "x-content-type-options": "nosniff",
    }
    if data is not None and (media := media_of(data)) is not None:
        return Response(data, media_type=media, headers=headers)
    return Response(monogram(character.name), media_type="image/svg+xml", headers=headers)
