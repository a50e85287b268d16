"""``offbook demo book``: two people of the shipped novella answer one question at two chapters.

Takes: an open home.  Gives: who is in the novella, the replies, and what each of them rests on.
"""

from __future__ import annotations

import asyncio
import shlex
from typing import TYPE_CHECKING, Any, Final

from offbook.cli.output import called, cost, counted, say_offline, shortened, table, write
from offbook.cli.prose import Prose, note_line
from offbook.demo import (
    NOVELLA_FILE,
    NOVELLA_PEOPLE,
    NOVELLA_POINTS,
    NOVELLA_QUESTION,
    NOVELLA_TITLE,
    novella_text,
)

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.app.casts import CastRow
    from offbook.types import Character, Reply

_MOST: Final = 6
"""People who are listed: all of it goes on two screens."""
_REPLY: Final = 330


async def talk(home: Offbook) -> None:
    """Show it to a person, on two screens."""
    from offbook.types import traits_of

    say_offline(home.runtime().actor)
    people = await home.demo_people()
    rows = await home.cast(people[0].id)
    write(f"{NOVELLA_TITLE}, {len(novella_text().encode()) // 1000} KB; who is in it:\n")
    write(table([_columns(row) for row in rows[:_MOST]]))
    write(f"and {len(rows) - _MOST} more: {called()} cast {people[0].id}\n")
    if not traits_of(home.runtime().extractor).free:
        estimate = await home.estimate(people[0].id)
        adds = f"{called()} ingest {people[0].id} would add names, relations and a profile"
        write(f"{adds}, for both: {estimate.in_words()}\n")
    write(f"\n> {NOVELLA_QUESTION}\n")
    await _show(home, people)
    write(f"\n{cost(home.meter.usage())}\n")
    point = shlex.quote(_point(NOVELLA_POINTS[0]))
    write(f"Now talk yourself: {called()} chat {people[0].id} --as-of {point}\n")


async def standing(home: Offbook) -> None:
    """Show it as the last of several questions: the same people know more as the story goes on."""
    people = await home.demo_people()
    write(f"\n[standing in a story: {NOVELLA_TITLE}]\n> {NOVELLA_QUESTION}\n")
    await _show(home, people)


async def _show(home: Offbook, people: list[Character]) -> None:
    """Show what each of them answers, point by point."""
    from offbook.cli.evidence import in_line

    replies = await _asked(home, people)
    for point, at_point in zip(NOVELLA_POINTS, replies, strict=True):
        write(f"At the end of {point}\n")
        for reply in at_point:
            prose = Prose(reply.recall.character, is_data=False)
            prose.write(shortened(reply.text, _REPLY))
            prose.end()
            write(note_line(f"rests on: {in_line(reply)}"))


async def collect(home: Offbook) -> dict[str, Any]:
    """The same as one document: each reply in the shape of ``ask``, with its point."""
    people = await home.demo_people()
    replies = [
        {"point": point, **reply.as_json()}
        for point, at_point in zip(NOVELLA_POINTS, await _asked(home, people), strict=True)
        for reply in at_point
    ]
    cast = [row.as_json() for row in await home.cast(people[0].id)]
    return {"model": home.settings.values.chat.model, "cast": cast, "replies": replies}


async def _asked(home: Offbook, people: list[Character]) -> list[list[Reply]]:
    """What each of them answers, point by point; all of it is asked side by side."""
    return await asyncio.gather(
        *(
            asyncio.gather(
                *(home.ask(who.id, NOVELLA_QUESTION, as_of=_point(point)) for who in people)
            )
            for point in NOVELLA_POINTS
        )
    )


def _point(chapter: str) -> str:
    return f"{NOVELLA_FILE}#{chapter}"


def _columns(row: CastRow) -> tuple[str, ...]:
    chosen = "asked below" if row.name in NOVELLA_PEOPLE else ""
    return row.name, counted(row.mentions, "mention"), counted(row.lines, "line"), chosen
