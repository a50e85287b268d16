"""A book on the page: dropped, its cast with pictures of who appears when, and ways to talk."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, urlencode

from nicegui import ui

from offbook.app.books import book_of, cast_of, find_book
from offbook.app.casts import rows_of
from offbook.documents.readers import read_content
from offbook.stores import characters, documents, queue
from offbook.types import traits_of
from offbook.ui.documents import begin_reading
from offbook.ui.elements import (
    button,
    link,
    live_part,
    named,
    notice,
    once,
    part,
    plural,
    search_field,
    text,
    told_of_errors,
)
from offbook.ui.portrait import portrait

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.app.books import Book
    from offbook.app.casts import CastRow
    from offbook.app.documents import CharacterInfo
    from offbook.foreign_files import SentFile
    from offbook.ingestion.reports import Progress, ProgressListener
    from offbook.stores.connection import Connection
    from offbook.types import Character
    from offbook.ui.frame import CharacterPlace
    from offbook.ui.visitor import Visitor

_SHOWN: Final = 20
"""People at first; the others are searched for, or shown on demand."""
_ALIASES, _MET = 6, 4
"""Names, and people that somebody meets, in a row of the list."""
_HEIGHT: Final = 20.0
_LEAST: Final = 2.5
"""Of a bar, so that somebody who is named once is seen."""
_TELL_SECONDS: Final = 0.5
_ADD: Final = "Add names, relations and a profile"
_MEANWHILE: Final = "Until it is done, replies rest on passages of the book, as they do now."
_INTO_SIGHT: Final = 'getHtmlElement({id}).scrollIntoView({{block: "start"}})'

_CHECKED: Final = "(event) => emit(event.target.checked)"
_ON: Final = """
getHtmlElement({id}).children[{row}].querySelector("button, a")?.focus();
"""
"""The button that was pressed is gone; whoever pressed it by keyboard goes on with the next row."""


async def show_book(visitor: Visitor, sent: SentFile, here: ui.element) -> None:
    """Read a file that was dropped, and show its cast; nothing of it is stored yet."""
    with here:
        size = f"{max(1, len(sent.data) // 1000):,} KB"
        with live_part("panel") as status:
            text("p", f"Reading {sent} ({size}) for who is in it: a novel takes some seconds.")
            bar = ui.linear_progress(0, show_value=False, size="8px").props("indeterminate")
            named(bar, aria_label="Progress")
    try:
        reading = await asyncio.to_thread(read_content, str(sent), sent.data)
        listing = await visitor.commanded(lambda book: _read(book, find_book(book, [reading])))
    finally:
        if not status.is_deleted:
            status.delete()
    if here.is_deleted:
        return
    with here, named(part("section", "listed in-sight"), aria_label=f"Cast of {sent}") as whole:
        text("h2", f"Who is in {sent}?")
        await _List(visitor, str(sent), listing).show()
        ui.run_javascript(_INTO_SIGHT.format(id=whole.id))


async def show_cast(place: CharacterPlace) -> None:
    """Who is in the texts of a character."""
    visitor, id_ = place.visitor, place.character.id
    names = await visitor.book.store.read(_documents, id_)
    if not names:
        notice("There is no document yet.", "The cast is of the documents.")
        return
    text("p", f"Who is in {_in_short(names)}?", "quiet")
    listing = await visitor.commanded(lambda book: _read(book, book_of(book, id_)))
    await _List(visitor, _in_short(names), listing).show()


class _Read(NamedTuple):
    """A book with its cast, its people, and the ids of the characters on its source."""

    book: Book
    rows: list[CastRow]
    sharing: list[str]


async def _read(command: Offbook, finding: Awaitable[Book]) -> _Read:
    book = await finding
    cast = await cast_of(command, book)
    rows = await asyncio.to_thread(rows_of, cast, book.texts)
    on = book.on
    sharing = [] if on is None else await command.store.read(characters.sharing, on)
    return _Read(replace(book, cast=cast), rows, sharing)


def _documents(conn: Connection, character: str) -> list[str]:
    return [info.name for info in documents.list_all(conn, character)]


class _List:
    """The people of a book, and a search among them.

    Args:
        called: What the book is called.
        read: It, and its people.
    """

    def __init__(self, visitor: Visitor, called: str, read: _Read) -> None:
        self._visitor, self._called = visitor, called
        self._book, self._rows, self._sharing = read
        self._most = max((times for row in self._rows for times in row.appears), default=0)
        self._start = shared_start([place for row in self._rows for place in (row.first, row.last)])
        self._made: dict[str, CharacterInfo] = {}
        self._is_making = False
        self._together: dict[str, CastRow] = {}

    async def show(self) -> None:
        """Build it where it stands."""
        if not self._rows:
            hint = "Make a character by its name instead, and give it this file as a document."
            notice(f"Nobody is named in {self._called}.", hint, "warn")
            return
        for info in await self._visitor.characters():
            rows = [row for row in self._rows if info.name in _names(row)]
            if info.id in self._sharing and rows:  # who is called so in full goes first
                row = next((row for row in rows if row.name == info.name), rows[0])
                self._made[row.name] = info
        with part("div", "bar"):
            if len(self._rows) > _SHOWN:
                search_field("Search people", self._draw).classes("grow")
            self._count = text("span", "", "quiet")
            named(self._count, role="status", aria_live="polite")
            self._gather = button("", self._bring_together, icon="forum", look="small")
            self._gather.set_visibility(False)
        self._list = part("ul", "rows cast")
        self._more = part("div", "bar")
        self._draw()

    def _draw(self, words: str = "", most: int = _SHOWN) -> None:
        """Those whose names have what is typed, the most named first."""
        rows = [row for row in self._rows if words in "\n".join(_names(row)).casefold()]
        self._count.set_text(f"{len(rows):,} {'person' if len(rows) == 1 else 'people'}")
        self._list.clear()
        with self._list:
            for row in rows[:most]:
                self._row(row)
        self._list.set_visibility(bool(rows))
        self._more.clear()
        if len(rows) > most:
            with self._more:
                all_ = partial(self._show_all, words, len(rows))
                button(f"Show all {len(rows):,}", all_, icon="expand_more", look="small")

    def _show_all(self, words: str, most: int) -> None:
        self._draw(words, most)
        ui.run_javascript(_ON.format(id=self._list.id, row=_SHOWN))

    def _row(self, row: CastRow) -> None:
        with part("li"):
            made = self._made.get(row.name)
            portrait(row.name, None if made is None else made.id)
            with part("div", "main"):
                text("h2", row.name)
                said = f" · {plural(row.lines, 'line')}" if row.lines else ""
                text("p", f"{plural(row.mentions, 'mention')}{said}", "quiet")
                if row.aliases:
                    text("p", f"also {_in_short(row.aliases, _ALIASES)}", "quiet")
                if row.meets:
                    met = _in_short([each.name for each in row.meets], _MET)
                    text("p", f"meets {met}", "quiet")
            if row.mentions:
                self._picture(row)
            self._way_to(row)

    def _picture(self, row: CastRow) -> None:
        box = f"0 0 {10 * len(row.appears) - 2} {_HEIGHT:g}"
        with part("figure"):
            with part("svg", viewBox=box, preserveAspectRatio="none", aria_hidden="true"):
                part("path", d=bars(row.appears, self._most))
            text("figcaption", when(row, self._start))

    def _way_to(self, row: CastRow) -> None:
        """The way to talk to somebody: to who was made already, or to be made now."""
        words = f"Talk to {row.name}"
        if row.name in self._made or self._visitor.may_administer:
            box = named(part("input"), type="checkbox")
            named(box, aria_label=f"Talk to {row.name} together with others")
            if row.name in self._together:
                named(box, checked="checked")
            box.on("change", lambda e: self._choose(row, bool(e.args)), js_handler=_CHECKED)
        if (made := self._made.get(row.name)) is not None:
            named(link("Talk", _address(made.id), "talk"), aria_label=words)
        elif self._visitor.may_administer:
            button("Talk", partial(self._make, row), icon="chat", look="small", label=words)

    def _choose(self, row: CastRow, is_chosen: bool) -> None:
        """Let somebody take part in a conversation of several, or not."""
        self._together.pop(row.name, None)
        if is_chosen:
            self._together[row.name] = row
        self._gather.set_text(f"Talk to these {len(self._together)} together")
        self._gather.set_visibility(len(self._together) > 1)

    async def _bring_together(self) -> None:
        """Go to the conversation of all who are chosen; who is no character yet is made."""
        ids = []
        for row in list(self._together.values()):
            made = self._made.get(row.name)
            id_ = made.id if made is not None else await self._make(row, stays=True)
            if id_ is None:
                return
            ids.append(id_)
        ui.navigate.to(scene_address(ids))

    async def _make(self, row: CastRow, *, stays: bool = False) -> str | None:
        """Make a character of somebody, and go to the conversation, unless one ``stays`` here."""
        if self._is_making:
            return None
        id_: str | None = None
        self._is_making, leaves = True, False
        words = f"{row.name} is being made of {self._called}"
        note = ui.notification(words, spinner=True, timeout=None, position="top")
        steps: deque[Progress] = deque(maxlen=1)  # filled by another thread

        def tell() -> None:
            if steps:
                note.message = f"{words}: {steps[0].stage}, {steps[0].done:,} of {steps[0].total:,}"

        timer = ui.timer(_TELL_SECONDS, tell)
        try:
            with told_of_errors():
                await self._visitor.admit("admin")
                made = await self._visitor.commanded(
                    partial(_create, book=self._book, of=row.name, progress=steps.append)
                )
                if not stays:
                    ui.navigate.to(_address(made.id))
                    leaves = True
                id_ = made.id
        finally:
            self._is_making = leaves
            timer.cancel()
            note.dismiss()
        return id_


async def _create(command: Offbook, book: Book, of: str, progress: ProgressListener) -> Character:
    if book.on is None:  # another page may have made a character of it meanwhile
        book = replace(await find_book(command, book.texts), cast=book.cast)
    return (await command.create_from(book, of, progress=progress)).character


def _address(character: str) -> str:
    return f"/c/{quote(character, safe='')}"


def scene_address(ids: Sequence[str], session: str | None = None) -> str:
    """The page on which these characters talk together."""
    named_in = [("who", id_) for id_ in ids] + ([("session", session)] if session else [])
    return f"/scene?{urlencode(named_in)}"


def _names(row: CastRow) -> tuple[str, ...]:
    return (row.name, *row.aliases)


def _in_short(names: Sequence[str], most: int = 3) -> str:
    """The first names, and how many others there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def bars(appears: Sequence[int], most: int) -> str:
    """The path of an SVG that shows how often somebody is named in each stretch of a book.

    A bar grows with the square root of the times, ``most`` is as high as any: who is named a few
    times is seen beside who is named hundreds of times.
    """
    drawn = []
    for place, times in enumerate(appears):
        if times:
            height = max(_LEAST, _HEIGHT * sqrt(times / most))
            drawn.append(f"M{10 * place} {_HEIGHT:g}v-{height:.1f}h8v{height:.1f}z")
    return "".join(drawn)


def when(row: CastRow, start: int) -> str:
    """From where to where somebody is named, and where most: what the bars show, in words.

    Args:
        row: Somebody who is named.
        start: How many letters of a heading say nothing: ``shared_start``.
    """
    whole = len(row.appears)
    named_in = [place for place, times in enumerate(row.appears) if times]
    peak = row.appears.index(max(row.appears))
    shares = named_in[0] / whole, (named_in[-1] + 1) / whole, (peak + 0.5) / whole
    places = (row.first, row.last, row.most)
    first, last, most = map(_told, (name[start:] for name in places), shares)
    if first == last:
        return f"in {first}"
    return f"{first} to {last}, most {'at' if '@' in row.most else 'in'} {most}"


def _told(place: str, share: float) -> str:
    """A heading, or the share of the book where none stands before."""
    name, mark, _ = place.partition("@")
    return f"{name} {share:.0%}".strip() if mark else name


def shared_start(places: Sequence[str]) -> int:
    """How many letters in front all headings have in common: a title, a document's name."""
    known = [place for place in places if place]
    first, last = min(known, default=""), max(known, default="")
    letters = zip(first, last, strict=False)
    differ = next((n for n, (one, other) in enumerate(letters) if one != other), len(first))
    same = first[:differ]
    return max(same.rfind(", ") + 2 if ", " in same else 0, same.rfind("#") + 1)


async def show_origin(place: CharacterPlace) -> None:
    """Of which book a character was made, who else is in it, and what a model would add."""
    character, visitor = place.character, place.visitor
    if characters.NAMES not in character.settings:
        return
    names = await visitor.book.store.read(_documents, character.id)
    with part("div", "origin"):
        text("span", f"From {_in_short(names)}", "quiet")
        link("Cast", place.address("/cast"))
        free = traits_of(visitor.command().runtime(character.dimension).extractor).free
        if characters.BY_PASSAGES not in character.settings or free:
            return
        ingestions = await visitor.book.store.read(queue.list_ingestions, character.id)
        if any(not each.has_ended for each in ingestions):
            _goes_on(place)
        elif place.may_change:
            _offer(place)


def _offer(place: CharacterPlace) -> None:
    """A button for what a model would add; its price is told, and agreed to, first."""

    async def add() -> None:
        await place.admit_change()
        offer.set_text("Counting what that would take")  # of a novel this takes some seconds
        try:
            begun = await begin_reading(place.visitor, place.character, without=_MEANWHILE)
        finally:
            offer.set_text(_ADD)
        if begun:
            here.clear()
            with here:
                _goes_on(place)

    with live_part() as here:
        offer = button(_ADD, once(add), icon="auto_stories", look="small")


def _goes_on(place: CharacterPlace) -> None:
    text("span", "A model reads the book behind the conversation: ", "quiet")
    link("how far it is", place.address("/documents"))
