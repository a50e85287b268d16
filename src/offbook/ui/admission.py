"""Whoever acts on an open page is recognized anew before anything of it happens.

Takes: events of browsers, as they come over the pages' connection.  Gives: them to the page, in
their order, while its visitor's key is open; where it has ended, the page is taken away.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs
from weakref import WeakKeyDictionary

from nicegui import Client, core
from starlette.requests import HTTPConnection

from offbook.errors import OffbookError
from offbook.server.failures import RequestRefused, asked_by_owner
from offbook.server.principal import OWNER, Caller
from offbook.ui.elements import complain, link, named, notice, part, text

if TYPE_CHECKING:
    from starlette.types import Scope

_LOG: Final = logging.getLogger("offbook.ui")
_UPLOADS: Final = "/_nicegui/client/"
_CONNECTIONS: Final = "/_nicegui_ws/"
_ENDED: Final = "Your key does not open this page any more."

_turns: WeakKeyDictionary[Client, asyncio.Lock] = WeakKeyDictionary()
"""One event of a page at a time, as they came: what was typed stands before what sends it."""


def register() -> None:
    """Put the check before NiceGUI's own handling of events."""
    core.sio.on("event", handler=_on_event)


async def _on_event(socket: str, message: dict[str, Any]) -> None:
    client = Client.instances.get(str(message.get("client_id")))
    if client is None or not client.has_socket_connection:
        return
    async with _turns.setdefault(client, asyncio.Lock()):
        if not client.is_deleted and await _is_admitted(client, socket):
            client.handle_event(message)


async def _is_admitted(client: Client, socket: str) -> bool:
    """Whether the page's visitor may still act, and it is their own connection that says so."""
    state = client.request.state
    try:
        caller: Caller = await state.authenticate(HTTPConnection(client.request.scope))
    except RequestRefused as refused:
        take_away(client, refused.message)
        return False
    except OffbookError as error:  # nobody can say who it is now: it may be pressed again
        with client.content:
            complain(error)
        return False
    environ = core.sio.get_environ(socket) or {}
    connected: Any = environ.get("asgi.scope", {}).get("state", {}).get("caller")
    if not isinstance(connected, Caller) or connected.principal != caller.principal:
        _LOG.warning("an event for a page came over somebody else's connection: not heard")
        return False
    asked_by_owner.set(caller.principal == OWNER.principal)
    return True


def take_away(client: Client, why: str) -> None:
    """Leave nothing on a page but why, and the way to sign in again.

    Args:
        client: The page.
        why: What is the matter with the key.
    """
    for leave in client.delete_handlers:
        client.safe_invoke(leave)  # what was under way for this page ends
    address = client.request.scope["path"]
    with client.content as content:
        content.clear()
        with named(part("main", "content"), id="main", tabindex="-1", role="alert"):
            text("h1", "Signed out")
            notice(_ENDED, f"What is the matter: {why}.", "bad")
            link("Sign in with a key", address)


def is_for_own_page(scope: Scope) -> bool:
    """Whether a file or a connection is for a page of the visitor who sends it.

    NiceGUI names pages by a number that nobody guesses; whoever learns it is still somebody else.
    """
    path: str = scope["path"]
    if path.startswith(_UPLOADS):
        page = path.removeprefix(_UPLOADS).partition("/")[0]
    elif path.startswith(_CONNECTIONS):
        # Without a name here a connection could ask for any page later on.
        page = next(
            iter(parse_qs(scope["query_string"].decode("latin-1")).get("client_id", ())), ""
        )
        if not page:
            return False
    else:
        return True
    client = Client.instances.get(page)
    if client is None:
        return True  # NiceGUI answers that there is none, and the page is loaded anew
    made_for: Caller = client.request.state.caller
    caller: Caller = scope["state"]["caller"]
    return made_for.principal == caller.principal
