"""Commands for memories: ``remember`` a file, and ``memories`` to search, forget and explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from offbook.cli.options import (
    BUDGET,
    CharacterName,
    Json,
    UserSeen,
    Yes,
    confirm,
    require_words,
    settings_for,
    settings_of,
    with_options,
)
from offbook.cli.output import (
    answer,
    cost,
    counted,
    felt,
    print_json,
    say,
    shortened,
    with_offbook,
    with_progress,
    write,
)

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.settings import Settings


@with_options(settings=settings_of("model", "base_url", "preset", "concurrency", *BUDGET))
def remember_command(
    name: CharacterName,
    settings: Settings,
    file: str | None = typer.Argument(
        None, metavar="FILE", help="Memories, one a line; none: only score what waits."
    ),
    strict: bool = typer.Option(
        False, "--strict", help="End with 1 when something could not be scored."
    ),
    as_json: Json = False,
) -> int:
    """Add memories: what was said to the character, and what it answered.

    What is stored already is not stored or paid for again.
    """
    report = with_progress(
        settings, lambda book, progress: book.memories.remember(name, file, progress=progress)
    )
    for message in report.messages:
        say(f"offbook: warning: {message}")
    known = f", {report.known} known already" if report.known else ""
    added = f"{counted(report.added, 'memory')} added{known}"
    done = f"{added}; {report.scored} scored, {report.embedded} embedded\n{cost(report.usage)}"
    answer(as_json, report.as_json(), done)
    return 1 if strict and report.waiting else 0


_TAKES = {"search": ("TEXT...",), "forget": ("ID...",), "kept-out": ()}


def memories_command(
    name: CharacterName,
    action: str = typer.Argument(..., metavar="search|forget|kept-out", help="What to do."),
    words: list[str] | None = typer.Argument(
        None, metavar="TEXT | ID...", help="What to search, or ids of memories."
    ),
    most: int = typer.Option(10, "-k", min=1, help="The most memories that are found."),
    user: UserSeen = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Search or forget memories, or see which turns are none.

    Of a conversation, `forget` takes the memory; the conversation keeps its words.
    """
    arguments = words or []
    require_words("memories NAME", action, _TAKES, arguments)
    if action == "forget":
        confirm(f"forget of {name!r}: {', '.join(arguments)}", yes=yes)

    async def body(book: Offbook) -> Any:
        if action == "search":
            return await book.memories.search(name, " ".join(arguments), k=most, user=user)
        if action == "forget":
            return await book.memories.forget(name, arguments, user=user)
        return await book.memories.kept_out(name, user=user)

    result = with_offbook(settings_for(), body)
    if action == "forget":
        if as_json:
            print_json({"forgotten": result})
        say(f"forgot {counted(len(result), 'memory')}")
    elif as_json:
        print_json(result)
    else:
        write(memories(result))


def memories(rows: list[dict[str, Any]]) -> str:
    """Memories for people, two or three lines each; the strongest emotions with their levels."""
    lines = []
    for row in rows:
        details = [row["id"]] if "id" in row else []
        if "score" in row:
            details.append(f"({row['score']:.2f})")
        details += [row[key] for key in ("at", "why") if row.get(key)]
        if row["session"] is not None:
            details.append(f"session {row['session']!r}")
        if row["user"] is not None:
            details.append(f"user {row['user']!r}")
        if "emotion" in row:
            details.append("not scored yet" if row["emotion"] is None else felt(row["emotion"]))
        if row.get("superseded_by"):
            details.append(f"superseded by {row['superseded_by']}")
        lines.append(", ".join(details))
        if row.get("kind"):
            text = shortened(row["said"] or row["answered"], 140)
            turns = counted(len(row["evidence"]), "turn")
            lines.append(f"    {row['kind'].replace('_', ' ')}: {text} ({turns})")
            continue
        said = f"{row['speaker']} said" if row.get("speaker") else "said"
        lines.append(f"    {said}: {shortened(row['said'], 140)}")
        if row["answered"]:
            lines.append(f"    answered: {shortened(row['answered'], 140)}")
    return "".join(f"{line}\n" for line in lines)
