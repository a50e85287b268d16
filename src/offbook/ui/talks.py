"""The conversations with a character by date: found again, renamed, deleted; one's own in front."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from nicegui import ui

from offbook.agent.history import scene_id
from offbook.stores.conversations import is_scene
from offbook.ui.elements import (
    button,
    confirmed,
    icon_button,
    link,
    named,
    part,
    search_field,
    text,
    told_of_errors,
)

if TYPE_CHECKING:
    from offbook.ui.frame import CharacterPlace
    from offbook.ui.visitor import ListedTalk

_MOST: Final = 200
"""Conversations in the list, the latest: clients of the API make one for every chat."""
_WORDS: Final = 60
_HERE: Final = "page-"
"""Begins the names of conversations that were begun on the page."""
_BY_CHANCE: Final = re.compile(r"[0-9a-f]{8,}(-[0-9a-f]{4,})*")
"""The start of a UUID, or all of one; a date has a year in front."""
_WEEK: Final = 7
_LONGEST: Final = 120


def fresh_name() -> str:
    """Make the name of a new conversation."""
    return f"{_HERE}{uuid.uuid4().hex[:8]}"


def talk_address(place: CharacterPlace, name: str) -> str:
    """Return the address of a conversation; without a name, of a new one."""
    return place.address(f"?session={quote(name or fresh_name(), safe='')}")


def title_of(name: str, said: str) -> str:
    """Say how a conversation is listed: by its name if somebody chose one, else its first words."""
    words = " ".join(said.split())
    short = words if len(words) <= _WORDS else f"{words[:_WORDS].rstrip()}…"
    if is_scene(name):
        return f"Together: {short or scene_id(name, bare=True)}"
    return (short or "New conversation") if is_made_up(name) else name


def is_made_up(name: str) -> bool:
    """Tell whether a name tells nobody anything: hexadecimal digits by chance."""
    return _BY_CHANCE.fullmatch(name.removeprefix(_HERE)) is not None


def is_of_others(name: str) -> bool:
    """Tell whether a program made a conversation rather than a person at the page."""
    return is_made_up(name) and not name.startswith(_HERE)


def day_of(updated: str, today: datetime) -> str:
    """Say in words on which day, or in which month, a conversation went on last."""
    then = datetime.fromisoformat(updated).astimezone(today.tzinfo)
    days = (today.date() - then.date()).days
    if days <= 0:
        return "Today"
    if days == 1:
        return "Yesterday"
    if days < _WEEK:
        return f"{then:%A}"
    return f"{then:%B %Y}" if today.date() - then.date() > timedelta(31) else "This month"


class Talks:
    """The conversations with one character, as the page lists them.

    Args:
        place: The character, and who looks.
    """

    def __init__(self, place: CharacterPlace) -> None:
        self._place = place
        self._current = ""

    async def latest(self) -> str:
        """Return the conversation that a person goes on with here: their last one, or a new one."""
        known = await self._place.visitor.conversations(self._place.character, _MOST)
        mine = [each.name for each in known if not is_of_others(each.name)]
        return next((name for name in mine if not is_scene(name)), fresh_name())

    async def open(self, current: str) -> None:
        """Show the list in a dialog."""
        self._current = current
        with ui.context.client.content, ui.dialog() as dialog, ui.card().classes("dialog talks"):
            named(dialog, aria_label="Conversations")
            with part("div", "dialog-head"):
                with part("div"):
                    text("h2", f"Conversations with {self._place.character.name}")
                icon_button("Close", "close", dialog.close)
            with part("div", "dialog-body"):
                with part("div", "bar"):
                    search_field("Search what was said", self._draw).classes("grow")
                    new = link("New conversation", talk_address(self._place, ""), "talk")
                    named(new, role="button")
                self._list = part("div", "listed")
        dialog.on("hide", dialog.delete)
        await self._draw()
        dialog.open()

    async def _draw(self, words: str = "") -> None:
        place = self._place
        known = await place.visitor.conversations(place.character, _MOST, words)
        if self._list.is_deleted:
            return
        self._list.clear()
        with self._list:
            if not known:
                text("p", "No conversation has that." if words else "None yet.", "quiet")
            others = [t for t in known if is_of_others(t.name) and t.name != self._current]
            self._by_day([talk for talk in known if talk not in others])
            if others:
                with named(part("details", "fold"), **({"open": "open"} if words else {})):
                    text("summary", f"Begun by other programs: {len(others)}")
                    self._by_day(others)

    def _by_day(self, talks: Sequence[ListedTalk]) -> None:
        now = datetime.now(UTC).astimezone()
        for day, group in groupby(talks, lambda each: day_of(each.updated, now)):
            text("h3", day, "day")
            with part("ul", "rows"):
                for talk in group:
                    with part("li"):
                        self._row(talk)

    def _row(self, talk: ListedTalk) -> None:
        title = title_of(talk.name, talk.said)
        with part("div", "main"):
            named_so = link(title, talk_address(self._place, talk.name))
            if talk.name == self._current:
                named(named_so, aria_current="page")
            if not is_made_up(talk.name) and talk.said and not is_scene(talk.name):
                text("p", " ".join(talk.said.split())[:_WORDS], "quiet")
        if not is_scene(talk.name):
            icon_button(f"Rename: {title}", "edit", partial(self._rename, talk))
        icon_button(f"Delete: {title}", "delete_outline", partial(self._delete, talk))

    async def _rename(self, talk: ListedTalk) -> None:
        title = "" if is_made_up(talk.name) else talk.name
        with ui.context.client.content, ui.dialog() as dialog, ui.card().classes("dialog narrow"):
            named(dialog, aria_label="Rename")
            with part("form", "dialog-body") as form:
                field = ui.input("Name of the conversation", value=title)
                field.props(f"outlined dense autofocus maxlength={_LONGEST}")
                with part("div", "bar end"):
                    button("Cancel", lambda: dialog.submit(None)).props("type=button")
                    button("Rename", look="primary").props("type=submit")
            form.on("submit.prevent", lambda: dialog.submit((field.value or "").strip()))
        dialog.on("hide", dialog.delete)
        new = await dialog
        if not new or new == talk.name:
            return
        with told_of_errors():
            await self._place.visitor.admit()
            await self._place.visitor.rename(self._place.character, talk.name, new)
            if talk.name == self._current:
                ui.navigate.to(talk_address(self._place, new))
                return
            await self._draw()

    async def _delete(self, talk: ListedTalk) -> None:
        consequence = "It goes with what it taught the character. There is no way back."
        title = title_of(talk.name, talk.said)
        if not await confirmed(f"Delete “{title}”?", consequence, "Delete"):
            return
        with told_of_errors():
            await self._place.visitor.admit()
            await self._place.visitor.remove(self._place.character, talk.name)
            if talk.name == self._current:
                ui.navigate.to(talk_address(self._place, ""))
                return
            await self._draw()
