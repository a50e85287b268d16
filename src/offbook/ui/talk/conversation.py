"""A conversation on the page: what was said, replies as they come, and their swipes.

Takes: what a person says.  Gives: the reply while it streams, then with its swipes and why.  What
another page adds to the same conversation is shown before this one goes on with it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.app.missing_index import priced
from offbook.errors import IndexMissing, OffbookError
from offbook.ui.elements import (
    MISTAKE,
    button,
    failed,
    named,
    part,
    plural,
    text,
    told_of_errors,
    warn,
)
from offbook.ui.frame import unread
from offbook.ui.talk.exchange import Growing, show_exchange, show_greeting, show_swipes

if TYPE_CHECKING:
    from offbook.agent.session import Session
    from offbook.agent.swipes import Exchange
    from offbook.ui.frame import CharacterPlace
    from offbook.ui.talk.exchange import Act
    from offbook.ui.talk.side import Side

_REDRAW_SECONDS: Final = 0.06
"""A reply is drawn anew at most so often while it comes: no reader is faster."""
_SHOWN: Final = 60
"""Turns that are shown of a conversation, and further ones at once for whoever wants to see them; a
page that is open for days keeps at most twice that, and those."""
_BACK_TO: Final = """
const first = getHtmlElement({id});
first?.scrollIntoView({{block: "start"}});
const at = document.activeElement;
if (!at || at === document.body || at.closest(".earlier"))
  first?.closest(".log")?.focus({{preventScroll: true}});
"""


class Conversation:
    """The conversation of one page.

    Args:
        place: The character.
        talk: The conversation.
        log: Where it is shown.
        side: Where it is told why.
    """

    def __init__(self, place: CharacterPlace, talk: Session, log: ui.element, side: Side) -> None:
        self._place = place
        self._talk = talk
        self._log = log
        self._side = side
        self._turns: list[str] = []  # ids of those that the page knows of
        self._boxes: list[ui.element] = []
        self._room = 2 * _SHOWN
        self._earlier: ui.element | None = None
        self._opening: ui.element | None = None
        self._greeting: int | None = 0 if talk.greetings else None  # None: nothing to begin with
        self._is_busy = False
        self._is_stopped = False
        self._replying: asyncio.Task[None] | None = None
        self._replies: dict[str, Mapping[str, Any]] = {}
        self.on_busy: Callable[[bool], None] = lambda _: None
        ui.context.client.on_delete(self.stop)

    @property
    def is_busy(self) -> bool:
        """Whether a reply is on its way."""
        return self._is_busy

    async def show(self) -> None:
        """Show what was said before."""
        self._draw_all(await self._talk.exchanges())

    async def tell_last(self) -> None:
        """Show why the last reply is as it is, where there is one."""
        found = await self._talk.exchanges()
        if found and found[-1].turn.said:
            await self._tell(found[-1])

    async def say(self, said: str) -> bool:
        """Say something, and show the reply while it comes; whether it came, and is kept."""
        if self._is_busy:
            return False
        self._busy(True)
        is_kept = False
        try:
            with told_of_errors():
                await self._catch_up()
                self._begin()
                with self._log:
                    box = part("div", "exchange")
                is_kept = await self._reply(said, self._talk.say(said), box)
                if is_kept:
                    await self._replied(box)
        finally:
            self._busy(False)
        return is_kept

    async def again(self) -> None:
        """Another reply to what was said last."""
        if self._is_busy or not self._turns:
            return
        self._busy(True)
        try:
            with told_of_errors():
                before = await self._catch_up()
                if before is None:
                    return
                box = self._boxes[-1]
                if await self._reply(before.turn.said, self._talk.again(), box):
                    await self._replied(box)
                elif not box.is_deleted:
                    with self._log:
                        self._boxes[-1] = part("div", "exchange")
                    self._draw(self._boxes[-1], before, is_last=True)
        finally:
            self._busy(False)

    async def choose(self, turn: str) -> None:
        """Go on from another of the replies."""
        if self._is_busy or not self._turns:
            return
        self._busy(True)
        try:
            with told_of_errors():
                if await self._catch_up() is None:
                    return
                await self._talk.choose(turn)
                found = await self._talk.exchanges()
                self._turns = [exchange.turn.id for exchange in found]
                self._draw(self._boxes[-1], found[-1], is_last=True)
                await self._tell(found[-1])
        finally:
            self._busy(False)

    def stop(self) -> None:
        """Break a reply off that is on its way; nothing of it is kept."""
        self._is_stopped = True  # it may not have begun yet
        if self._replying is not None:
            self._replying.cancel()

    # -- replies -------------------------------------------------------------------------------

    async def _reply(self, said: str, pieces: AsyncIterator[str], box: ui.element) -> bool:
        """Show a reply while it comes; whether it came."""
        box.clear()
        with box:
            text("div", said, "said")
            with part("div", "answer"):
                answer = text("div", "", "answered waiting")
        self._replying = asyncio.create_task(self._stream(pieces, Growing(answer)))
        if self._is_stopped:
            self._replying.cancel()
        try:
            await self._replying
        except asyncio.CancelledError:
            self._gone(box, None)
            return False
        except OffbookError as error:
            self._gone(box, error)
            return False
        except Exception:
            self._gone(box, MISTAKE)
            raise
        finally:
            self._replying = None
        return not box.is_deleted

    async def _stream(self, pieces: AsyncIterator[str], growing: Growing) -> None:
        await self._place.visitor.admit()
        drawn = 0.0
        coming = aclosing(pieces)  # type: ignore[type-var]
        async with priced(self._place.visitor.book, self._place.character), coming:
            async for piece in pieces:
                growing.add(piece)
                if time.monotonic() - drawn > _REDRAW_SECONDS:
                    drawn = time.monotonic()
                    growing.draw()

    async def _replied(self, box: ui.element) -> None:
        """Show a reply that came in its place, and why it is as it is."""
        found = await self._talk.exchanges()
        ids, last = [exchange.turn.id for exchange in found], found[-1]
        if self._talk.last is not None:
            self._replies[last.turn.id] = self._talk.last.as_json()
            self._replies = dict(list(self._replies.items())[-_SHOWN:])
        is_another = box in self._boxes
        expected = self._turns[:-1] if is_another else self._turns
        if ids[:-1] != expected or len(self._boxes) > self._room:
            self._draw_all(found)
        else:
            self._turns = ids
            if not is_another:
                if self._boxes:
                    self._draw(self._boxes[-1], found[-2], is_last=False)
                self._boxes.append(box)
            self._draw(box, last, is_last=True)
        await self._tell(last)
        await self._side.moved()

    def _gone(self, box: ui.element, error: OffbookError | None) -> None:
        """A reply did not come: nothing of it is kept, and the same can be said again."""
        if box.is_deleted:
            return
        box.default_slot.children[-1].delete()
        with box:
            if error is None:
                text("p", "Stopped; nothing of it is kept.", "quiet")
            elif isinstance(error, IndexMissing):
                unread(self._place, error)
            else:
                failed(error)

    def _busy(self, now: bool) -> None:
        self._is_busy = now
        self._is_stopped = False
        if not self._log.is_deleted:
            named(self._log, aria_busy="true" if now else "false")
            self.on_busy(now)

    # -- where the conversation is ---------------------------------------------------------------

    async def _catch_up(self) -> Exchange | None:
        """The last exchange, if the page shows it; if another page went on, that is shown first."""
        found = await self._talk.exchanges()
        if [exchange.turn.id for exchange in found] == self._turns:
            return found[-1] if found else None
        await self._talk.open()
        self._draw_all(found)
        with self._log:  # what was clicked is gone
            warn("The conversation went on elsewhere; this is where it is now.")
        return None

    def _begin(self) -> None:
        """Let the chosen greeting be the first turn of a new conversation."""
        if self._opening is None:
            return
        if self._greeting is None:
            self._opening.delete()
        elif not self._talk.history:
            self._talk.greet(self._greeting + 1)
            show_greeting(self._opening, self._talk.greetings, self._greeting, None)
        self._opening = None

    # -- what is shown -------------------------------------------------------------------------

    def _draw_all(self, found: Sequence[Exchange]) -> None:
        self._log.clear()
        self._opening = None
        self._room = 2 * _SHOWN
        self._turns, self._boxes = [exchange.turn.id for exchange in found], []
        with self._log:
            if not found:
                self._open()
            self._offer_earlier(len(found) - _SHOWN)
            for exchange in found[-_SHOWN:]:
                self._boxes.append(part("div", "exchange"))
                self._draw(self._boxes[-1], exchange, is_last=exchange is found[-1])

    def _offer_earlier(self, turns: int) -> None:
        """A way to the turns of a long conversation that are not shown."""
        self._earlier = None
        if turns <= 0:
            return
        with part("div", "bar earlier") as self._earlier:
            text("p", f"{plural(turns, 'earlier turn')} of this conversation", "quiet")
            button("Show earlier", self._show_earlier, icon="expand_less", look="small")

    async def _show_earlier(self) -> None:
        """Put further turns above those that are shown, which stay where they are."""
        if self._is_busy or self._earlier is None:
            return
        self._busy(True)  # a second click finds what was clicked gone
        try:
            with told_of_errors():
                if await self._catch_up() is None:
                    return
                self._draw_earlier(await self._talk.exchanges(), self._earlier)
        finally:
            self._busy(False)

    def _draw_earlier(self, found: Sequence[Exchange], offer: ui.element) -> None:
        first = self._boxes[0]
        before = found[: len(found) - len(self._boxes)]
        offer.delete()
        added: list[ui.element] = []
        with self._log:
            self._offer_earlier(len(before) - _SHOWN)
            for exchange in before[-_SHOWN:]:
                added.append(part("div", "exchange"))
                self._draw(added[-1], exchange, is_last=False)
        above = added if self._earlier is None else [self._earlier, *added]
        for index, element in enumerate(above):
            element.move(self._log, index)
        self._boxes[:0] = added
        self._room += len(added)
        with self._log:  # what was clicked is gone
            ui.run_javascript(_BACK_TO.format(id=first.id))

    def _open(self) -> None:
        """What stands there before anything was said: the greetings of a card, or a hint."""
        if self._greeting is not None:
            self._opening = part("div", "exchange greeting")
            self._greet(self._greeting)
            return
        with part("div", "empty") as self._opening:
            text("h2", f"Talk to {self._place.character.name}")
            told = "Beside each reply stands what it rests on, and what was declined."
            text("p", told, "quiet")

    def _greet(self, number: int) -> None:
        def chooser(other: int) -> Act:
            async def choose() -> None:
                if not self._is_busy:
                    self._greet(other)

            return choose

        self._greeting = number
        if self._opening is not None:
            show_greeting(self._opening, self._talk.greetings, number, chooser)

    def _draw(self, box: ui.element, exchange: Exchange, *, is_last: bool) -> None:
        async def why() -> None:
            await self._tell(exchange, is_asked_for=True)

        def chooser(place: int) -> Act:
            async def choose() -> None:
                await self.choose(exchange.swipes[place].id)

            return choose

        swipes = show_exchange(box, exchange, self._reply_of(exchange), why)
        if swipes is not None and is_last:
            show_swipes(swipes, exchange.place, len(exchange.swipes), chooser, self.again)

    def _reply_of(self, exchange: Exchange) -> Mapping[str, Any]:
        """The reply with all it rests on: as it came, or as far as it is stored."""
        known = self._replies.get(exchange.turn.id)
        if known is not None:
            return known
        return {**(exchange.turn.recall or {}), "reply": exchange.turn.answered}

    async def _tell(self, exchange: Exchange, *, is_asked_for: bool = False) -> None:
        is_stored = exchange.turn.id not in self._replies
        reply = self._reply_of(exchange)
        await self._side.tell(reply, is_stored=is_stored, is_asked_for=is_asked_for)
