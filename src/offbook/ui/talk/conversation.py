"""A conversation on the page: what was said, replies as they come, and their swipes.

Takes: what a person says.  Gives: the reply while it streams, then with its swipes and why.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.app.missing_index import priced
from offbook.errors import OffbookError
from offbook.ui.elements import button, failed, icon_button, named, part, plural, text
from offbook.ui.talk.why import facts_of
from offbook.ui.visitor import told_of_errors

if TYPE_CHECKING:
    from nicegui.elements.mixins.text_element import TextElement

    from offbook.agent.session import Session
    from offbook.agent.swipes import Exchange
    from offbook.ui.frame import CharacterPlace
    from offbook.ui.talk.side import Side

_REDRAW_SECONDS: Final = 0.06
"""A reply is drawn anew at most so often while it comes: no reader is faster."""
_SHOWN: Final = 60
"""Turns that are shown of a conversation that was gone on with."""


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
        self._greeting: ui.element | None = None
        self._last: ui.element | None = None
        self._replying: asyncio.Task[None] | None = None
        self._replies: dict[str, Mapping[str, Any]] = {}
        self.on_busy: Callable[[bool], None] = lambda _: None
        ui.context.client.on_delete(self.stop)

    @property
    def is_busy(self) -> bool:
        """Whether a reply is on its way."""
        return self._replying is not None

    async def show(self) -> None:
        """Show what was said before."""
        found = await self._talk.exchanges()
        with self._log:
            if not found:
                with part("div", "empty") as self._greeting:
                    text("h2", f"Talk to {self._place.character.name}")
                    told = "Beside each reply stands what it rests on, and what was declined."
                    text("p", told, "quiet")
            if len(found) > _SHOWN:
                told = plural(len(found) - _SHOWN, "earlier turn")
                text("p", f"{told} of this conversation, which the character knows of", "quiet")
            for exchange in found[-_SHOWN:]:
                self._last = part("div", "exchange")
                self._draw(self._last, exchange, is_last=exchange is found[-1])

    async def tell_last(self) -> None:
        """Show why the last reply is as it is, where there is one."""
        if self._last is not None:
            await self._tell(await self._end())

    async def say(self, said: str) -> None:
        """Say something, and show the reply while it comes."""
        if self._greeting is not None:
            self._greeting.delete()
            self._greeting = None
        with self._log:
            box = part("div", "exchange")
        before = self._last
        if not await self._reply(said, self._talk.say(said), box):
            return
        self._last = box
        if before is not None:
            self._draw(before, (await self._talk.exchanges())[-2], is_last=False)

    async def again(self) -> None:
        """Another reply to what was said last."""
        if self.is_busy or self._last is None:
            return
        before = await self._end()
        if not await self._reply(before.turn.said, self._talk.again(), self._last):
            with self._log:
                box = self._last = part("div", "exchange")
            self._draw(box, before, is_last=True)

    async def choose(self, turn: str) -> None:
        """Go on from another of the replies."""
        if self.is_busy or self._last is None:
            return
        with told_of_errors():
            await self._talk.choose(turn)
            now = await self._end()
            self._draw(self._last, now, is_last=True)
            await self._tell(now)

    def stop(self) -> None:
        """Break a reply off that is on its way; nothing of it is kept."""
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
        self._replying = asyncio.create_task(self._stream(pieces, answer))
        self.on_busy(True)
        try:
            await self._replying
        except asyncio.CancelledError:
            self._gone(box, answer, None)
            return False
        except OffbookError as error:
            self._gone(box, answer, error)
            return False
        finally:
            self._replying = None
            self.on_busy(False)
        now = await self._end()
        if self._talk.last is not None:
            self._replies[now.turn.id] = self._talk.last.as_json()
        self._draw(box, now, is_last=True)
        await self._tell(now)
        await self._side.moved()
        return True

    async def _stream(self, pieces: AsyncIterator[str], answer: TextElement) -> None:
        whole, drawn = "", 0.0
        coming = aclosing(pieces)  # type: ignore[type-var]
        async with priced(self._place.visitor.book, self._place.character), coming:
            async for piece in pieces:
                whole += piece
                if time.monotonic() - drawn > _REDRAW_SECONDS:
                    drawn = time.monotonic()
                    answer.classes(remove="waiting")
                    answer.set_text(whole)

    def _gone(self, box: ui.element, answer: TextElement, error: OffbookError | None) -> None:
        """A reply did not come: nothing of it is kept, and the same can be said again."""
        if box.is_deleted:
            return
        answer.delete()
        with box:
            if error is None:
                text("p", "Stopped; nothing of it is kept.", "quiet")
            else:
                failed(error)

    async def _end(self) -> Exchange:
        return (await self._talk.exchanges())[-1]

    # -- one exchange --------------------------------------------------------------------------

    def _draw(self, box: ui.element, exchange: Exchange, *, is_last: bool) -> None:
        reply = self._reply_of(exchange)
        box.clear()
        with box:
            text("div", exchange.turn.said, "said")
            with part("div", "answer"):
                text("div", exchange.turn.answered, "answered")
                with part("div", "under"):
                    self._why_button(exchange)
                    if is_last:
                        self._swipes(exchange)
                    if reply.get("context") is not None:
                        text("span", facts_of(reply), "facts")

    def _why_button(self, exchange: Exchange) -> None:
        async def why() -> None:
            await self._tell(exchange, is_asked_for=True)

        named(button("Why", why, icon="help_outline", look="small"), aria_label="Why this reply?")

    def _swipes(self, exchange: Exchange) -> None:
        """Buttons that go through the replies to what was said last, and ask for another."""
        here, all_ = exchange.place, exchange.swipes

        def chooser(place: int) -> Callable[[], Any]:
            async def choose() -> None:
                await self.choose(all_[place].id)

            return choose

        with named(part("div", "swipes"), role="group", aria_label="Replies to the same words"):
            if len(all_) > 1:
                back = icon_button("The reply before", "chevron_left", chooser(max(0, here - 1)))
                back.set_enabled(here > 0)
                text("span", f"{here + 1} of {len(all_)}")
                onward = icon_button(
                    "The next reply", "chevron_right", chooser(min(len(all_) - 1, here + 1))
                )
                onward.set_enabled(here < len(all_) - 1)
            icon_button("Another reply", "refresh", self.again)

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
