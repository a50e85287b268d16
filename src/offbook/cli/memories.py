"""``offbook memories NAME search TEXT``, ``forget ID...``, ``kept-out``: what is remembered.

Takes: a text, or ids of memories.  Gives: memories, best first; or what was forgotten; or the turns
that the write gate kept out, and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.globals import CharacterName, Json, UserSeen, settings_for
from offbook.errors import UsageError

if TYPE_CHECKING:
    from offbook.app import Offbook

_TAKES = {"search": "TEXT", "forget": "ID...", "kept-out": ""}


def command(
    name: CharacterName,
    action: Annotated[str, typer.Argument(metavar="search|forget|kept-out", help="What to do.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT | ID...", help="What to search, or ids of memories."),
    ] = None,
    most: Annotated[int, typer.Option("-k", min=1, help="The most memories that are found.")] = 10,
    user: UserSeen = None,
    as_json: Json = False,
) -> None:
    """Search or forget memories, or see which turns are none.

    Of a conversation, `forget` takes the memory; the conversation keeps its words.
    """
    from offbook.cli.running import print_json, say, with_offbook, write

    given = _checked(action, words or [])

    async def body(book: Offbook) -> Any:
        if action == "search":
            return await book.memories.search(name, " ".join(given), k=most, user=user)
        if action == "forget":
            return await book.memories.forget(name, given, user=user)
        return await book.memories.kept_out(name, user=user)

    found = with_offbook(settings_for(), body)
    if action == "forget":
        from offbook.retrieval.memories import counted

        if as_json:
            print_json({"forgotten": found})
        say(f"forgot {counted(len(found))}")
    elif as_json:
        print_json(found)
    else:
        write(memories(found))


def _checked(action: str, words: list[str]) -> list[str]:
    if action not in _TAKES:
        raise UsageError(f"{action!r} is nothing to do with memories", ", ".join(_TAKES))
    takes = _TAKES[action]
    if bool(takes) != bool(words):
        raise UsageError(
            f"memories {action} takes {takes or 'nothing'}",
            f"offbook memories NAME {action} {takes}".rstrip(),
        )
    return words


def memories(rows: list[dict[str, Any]]) -> str:
    """Memories for people, three lines each; the strongest emotions with their levels."""
    from offbook.cli.running import felt, shortened

    lines = []
    for row in rows:
        told = [row["id"]] if "id" in row else []
        if "score" in row:
            told.append(f"({row['score']:.2f})")
        told += [row[key] for key in ("at", "why") if row.get(key)]
        if row["session"] is not None:
            told.append(f"session {row['session']!r}")
        if row["user"] is not None:
            told.append(f"user {row['user']!r}")
        if "emotion" in row:
            told.append("not scored yet" if row["emotion"] is None else felt(row["emotion"]))
        lines.append(", ".join(told))
        lines.append(f"    said: {shortened(row['said'], 140)}")
        lines.append(f"    answered: {shortened(row['answered'], 140)}")
    return "".join(f"{line}\n" for line in lines)
