"""Commands for the server: ``serve`` runs it, ``key`` manages its API keys."""

from __future__ import annotations

import math
import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import typer

from offbook.cli.options import (
    REPLYING,
    Json,
    Yes,
    confirm,
    require_words,
    settings_for,
    settings_of,
    with_options,
)
from offbook.cli.output import print_json, say, table, with_offbook, write
from offbook.cli.process import INTERRUPTED, patience
from offbook.errors import ConfigurationError
from offbook.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from offbook.app import Offbook
    from offbook.settings import Settings

_NEEDED = ("fastapi", "uvicorn", "prometheus_client")


@with_options(settings=settings_of("host", "port", *REPLYING))
def serve_command(settings: Settings) -> None:
    """Serve the characters over HTTP: each is a model of an OpenAI-compatible API."""
    require_server()

    async def body(book: Offbook) -> None:
        from offbook.server.serving import serve
        from offbook.ui.mounting import is_installed, mount_page

        pages = mount_page if is_installed() else None
        names = ", ".join(character.id for character in await book.characters())

        def listening(address: str) -> None:
            say(f"models: {names or 'none yet; make one with: offbook create NAME'}")
            if pages is not None:
                say(f"the page is at {address}")
            say(f"serving at {address}/v1, documentation at {address}/docs; Ctrl-C ends it")

        await _until_told(serve(book, listening, pages))

    from offbook.server.serving import for_serving

    with patience(math.inf):  # what is under way may end, which takes longer
        with_offbook(for_serving(settings), body)


async def _until_told(serving: Awaitable[None]) -> None:
    """Serve; told twice to stop, leave without waiting for what computes, or closes.

    The database takes no harm by that, as it takes none when the process is killed.
    """
    try:
        await serving
    except KeyboardInterrupt:
        sys.stderr.write("offbook: interrupted; what was done is kept\n")
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(INTERRUPTED)


def require_server() -> None:
    """Refuse, naming the extra, where the server was not installed.

    Raises:
        ConfigurationError: it was not.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ConfigurationError(
            f"the server needs {' and '.join(missing)}, which the base install leaves out",
            install_command("server"),
        )


_TAKES = {"add": ("LABEL",), "list": (), "revoke": ("ID",)}


def key_command(
    action: str = typer.Argument(..., metavar="add|list|revoke", help="What to do."),
    word: str | None = typer.Argument(
        None, metavar="LABEL | ID", help="For whom it is, or the key's id."
    ),
    right: str = typer.Option(
        "chat",
        help="What it may do: `chat`, `write` (documents, memories, aliases as well) or "
        "`admin` (everything).",
    ),
    character: list[str] | None = typer.Option(
        None, metavar="NAME", help="Only this one; may be repeated."
    ),
    expires: str | None = typer.Option(
        None, metavar="WHEN", help="`90d`, `12h`, `4w` or a date; default: never."
    ),
    rpm: int | None = typer.Option(
        None, help="Requests a minute; default: what `server.rpm` says."
    ),
    remember: bool = typer.Option(
        True, "--remember/--no-remember", help="Whether what is said with it is kept."
    ),
    tools: bool = typer.Option(
        False, "--tools", help="Pass tools that come with it on to the model."
    ),
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Make, list or revoke keys of `offbook serve`.

    A key is shown once, when it is made; what is stored is its hash.
    """
    from offbook.app.api_keys import Keys, key_row

    require_words("key", action, _TAKES, [] if word is None else [word])
    argument = word or ""
    if action == "revoke":
        confirm(f"revoke the key {argument}", yes=yes)

    async def body(book: Offbook) -> Any:
        keys = Keys(book)
        if action == "add":
            made = await keys.add(
                argument,
                right=right,
                characters=character or (),
                expires=expires,
                rpm=rpm,
                remember=remember,
                tools=tools,
            )
            return made.as_json()
        if action == "revoke":
            return key_row(await keys.revoke(argument))
        return [key_row(key) for key in await keys.list()]

    _show(action, with_offbook(settings_for(), body), as_json=as_json)


def _show(action: str, done: Any, *, as_json: bool) -> None:
    if as_json:
        print_json(done)
    elif action == "list":
        write(_rows(done))
    elif action == "revoke":
        say(f"revoked {done['id']} ({done['label']}); its conversations stay")
    else:
        write(f"{done['key']}\n")
        say(f"key {done['id']} for {done['label']!r}; it is shown this once: keep it safe")


def _rows(keys: list[dict[str, Any]]) -> str:
    if not keys:
        return ""
    head = ("ID", "RIGHT", "CHARACTERS", "EXPIRES", "STATUS", "LABEL")
    rows = [
        (
            key["id"],
            key["right"],
            "all" if key["characters"] is None else ",".join(key["characters"]),
            key["expires"] or "never",
            "revoked" if key["revoked"] else "open",
            key["label"],
        )
        for key in keys
    ]
    return table([head, *rows])
