"""``offbook key add LABEL``, ``list``, ``revoke ID``: who may use the server.

Takes: what a key may do, or its id.  Gives: the key, once; or the keys without their secrets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.globals import Json, settings_for
from offbook.errors import UsageError

if TYPE_CHECKING:
    from offbook.app import Offbook

_TAKES = {"add": "LABEL", "list": "", "revoke": "ID"}


def command(
    action: Annotated[str, typer.Argument(metavar="add|list|revoke", help="What to do.")],
    word: Annotated[
        str | None, typer.Argument(metavar="LABEL | ID", help="For whom it is, or the key's id.")
    ] = None,
    right: Annotated[
        str,
        typer.Option(
            help="What it may do: `chat`, `write` (documents, memories, aliases as well) or "
            "`admin` (everything)."
        ),
    ] = "chat",
    character: Annotated[
        list[str] | None,
        typer.Option("--character", metavar="NAME", help="Only this one; may be repeated."),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="`90d`, `12h`, `4w` or a date; default: never."),
    ] = None,
    rpm: Annotated[
        int | None, typer.Option(help="Requests a minute; default: what `server.rpm` says.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make, list or revoke keys of `offbook serve`.

    A key is shown once, when it is made; what is stored is its hash.
    """
    from offbook.app.keys import Keys, key_row
    from offbook.cli.running import print_json, with_offbook

    given = _checked(action, word)

    async def body(book: Offbook) -> Any:
        keys = Keys(book)
        if action == "add":
            made = await keys.add(
                given, right=right, characters=character or (), expires=expires, rpm=rpm
            )
            return made.as_json()
        if action == "revoke":
            return key_row(await keys.revoke(given))
        return [key_row(key) for key in await keys.list()]

    done = with_offbook(settings_for(), body)
    if as_json:
        print_json(done)
    else:
        _tell(action, done)


def _tell(action: str, done: Any) -> None:
    from offbook.cli.running import say, write

    if action == "list":
        write(_rows(done))
    elif action == "revoke":
        say(f"revoked {done['id']} ({done['label']}); its conversations stay")
    else:
        write(f"{done['key']}\n")
        say(f"key {done['id']} for {done['label']!r}; it is shown this once: keep it safe")


def _checked(action: str, word: str | None) -> str:
    """The word that the action takes; empty where it takes none."""
    if action not in _TAKES:
        raise UsageError(f"{action!r} is nothing to do with a key", "add, list or revoke")
    takes = _TAKES[action]
    if bool(takes) != (word is not None):
        raise UsageError(
            f"key {action} takes {takes or 'nothing'}", f"offbook key {action} {takes}".rstrip()
        )
    return word or ""


def _rows(keys: list[dict[str, Any]]) -> str:
    from offbook.cli.running import table

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
