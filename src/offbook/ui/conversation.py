"""A conversation on the page: what was said, replies as they come, swipes, and the composer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.agent.history import SILENCE
from offbook.app.documents import require_index
from offbook.app.home import priced
from offbook.errors import IndexMissing, OffbookError
from offbook.ui.books import show_origin
from offbook.ui.composer import composer
from offbook.ui.elements import (
    MISTAKE,
    button,
    failed,
    icon_button,
    named,
    part,
    plural,
    text,
    told_of_errors,
    warn,
)
from offbook.ui.evidence import Side
from offbook.ui.exchange import Act, Growing, show_editor, show_exchange, show_greeting, show_swipes
from offbook.ui.frame import unread
from offbook.ui.markup import Mark, show_words
from offbook.ui.portrait import portrait
from offbook.ui.preferences import tell_offline
from offbook.ui.story_point import show_story_point
from offbook.ui.talks import Talks, is_made_up, talk_address
from offbook.ui.why import why_of

if TYPE_CHECKING:
    from offbook.agent.session import Session
    from offbook.agent.swipes import Exchange
    from offbook.ui.evidence import Side
    from offbook.ui.frame import CharacterPlace

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
    """The conversation of one page."""

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
        self._wished = talk.as_of
        self._later = 0  # turns that were held later than the point
        self._is_busy = False
        self._is_stopped = False
        self._replying: asyncio.Task[None] | None = None
        self._replies: dict[str, Mapping[str, Any]] = {}
        self._answers: dict[str, ui.element] = {}
        self._marked: tuple[str, str] | None = None  # the turn that the panel is about, its reply
        self.on_busy: Callable[[bool], None] = lambda _: None
        ui.context.client.on_delete(self.stop)

    @property
    def is_busy(self) -> bool:
        """Whether a reply is on its way."""
        return self._is_busy

    async def show(self) -> None:
        """Show what was said before."""
        self._draw_all(await self._exchanges())

    async def stand_at(self, as_of: str | None) -> None:
        """Go on at a point in the story, or at its end; what was said later is not known there."""
        self._wished = as_of
        if self._is_busy:
            return  # it is gone to when what is under way is done
        with self._working():
            while self._talk.as_of != self._wished:  # also while it is shown
                visitor, character = self._place.visitor, self._place.character
                self._talk = await visitor.conversation(character, self._talk.id, self._wished)
                self._replies.clear()
                await self._side.follow(self._talk)
                await self.show()

    async def _exchanges(self) -> list[Exchange]:
        """The exchanges that are known at the point."""
        exchanges = await self._talk.exchanges()
        self._later = 0
        if self._talk.as_of is None:
            return exchanges
        await self._talk.open()
        known = [each for each in exchanges if each.turn.id in self._talk.known]
        self._later = len(exchanges) - len(known)
        return known

    async def tell_last(self) -> None:
        """Show why the last reply is as it is, where there is one."""
        exchanges = await self._exchanges()
        if exchanges and exchanges[-1].turn.said:
            await self._tell(exchanges[-1])

    async def say(self, said: str) -> bool:
        """Say something, and show the reply while it comes; whether it came, and is kept."""
        if self._is_busy:
            return False
        is_kept = False
        with self._working():
            await self._catch_up()
            self._begin()
            with self._log:
                box = part("div", "exchange")
            is_kept = await self._reply(said, self._talk.say(said), box)
            if is_kept:
                await self._replied(box)
        if self._wished != self._talk.as_of:
            await self.stand_at(self._wished)
        return is_kept

    async def go_on(self) -> None:
        """Let the character go on without a word of the person's."""
        await self.say(SILENCE)

    async def again(self, said: str | None = None) -> None:
        """Another reply to what was said last, or to what was to be said instead."""
        if self._is_busy or not self._turns:
            return
        with self._working():
            before = await self._catch_up()
            if before is None:
                return
            box = self._boxes[-1]
            if await self._reply(said or before.turn.said, self._talk.again(said), box):
                await self._replied(box)
            elif not box.is_deleted:
                with self._log:
                    self._boxes[-1] = part("div", "exchange")
                self._draw(self._boxes[-1], before, is_last=True)

    async def choose(self, turn: str) -> None:
        """Go on from another of the replies."""
        if self._is_busy or not self._turns:
            return
        with self._working():
            if await self._catch_up() is None:
                return
            await self._talk.choose(turn)
            exchanges = await self._exchanges()
            self._turns = [exchange.turn.id for exchange in exchanges]
            self._draw(self._boxes[-1], exchanges[-1], is_last=True)
            await self._tell(exchanges[-1])

    def stop(self) -> None:
        """Break a reply off that is on its way; nothing of it is kept."""
        self._is_stopped = True  # it may not have begun yet
        if self._replying is not None:
            self._replying.cancel()

    async def _reply(self, said: str, pieces: AsyncIterator[str], box: ui.element) -> bool:
        """Show a reply while it comes; whether it came."""
        box.clear()
        with box:
            if said != SILENCE:
                with part("div", "mine"):
                    text("div", said, "said")
            with part("div", "answer"):
                portrait(self._place.character.name, self._place.character.id)
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
        book, character = self._place.visitor.book, self._place.character
        async with priced(book, character, with_cost=False), coming:
            async for piece in pieces:
                growing.add(piece)
                if time.monotonic() - drawn > _REDRAW_SECONDS:
                    drawn = time.monotonic()
                    growing.draw()

    async def _replied(self, box: ui.element) -> None:
        """Show a reply that came in its place, and why it is as it is."""
        exchanges = await self._exchanges()
        ids, last = [exchange.turn.id for exchange in exchanges], exchanges[-1]
        if self._talk.last is not None:
            self._replies[last.turn.id] = self._talk.last.as_json()
            self._replies = dict(list(self._replies.items())[-_SHOWN:])
        is_another = box in self._boxes
        expected = self._turns[:-1] if is_another else self._turns
        if ids[:-1] != expected or len(self._boxes) > self._room:
            self._draw_all(exchanges)
        else:
            self._turns = ids
            if not is_another:
                if self._boxes:
                    self._draw(self._boxes[-1], exchanges[-2], is_last=False)
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

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Hear nothing else meanwhile, and tell of what went wrong."""
        self._busy(True)
        try:
            with told_of_errors():
                yield
        finally:
            self._busy(False)

    def _busy(self, now: bool) -> None:
        self._is_busy = now
        self._is_stopped = False
        if not self._log.is_deleted:
            named(self._log, aria_busy="true" if now else "false")
            self.on_busy(now)

    async def _catch_up(self) -> Exchange | None:
        """The last exchange, if the page shows it; if another page went on, that is shown first."""
        exchanges = await self._exchanges()
        if [exchange.turn.id for exchange in exchanges] == self._turns:
            return exchanges[-1] if exchanges else None
        await self._talk.open()
        self._draw_all(exchanges)
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
            self._show_greeting(self._opening, None)
        self._opening = None

    def _draw_all(self, exchanges: Sequence[Exchange]) -> None:
        self._log.clear()
        self._answers.clear()
        self._opening = None
        self._room = 2 * _SHOWN
        self._turns, self._boxes = [exchange.turn.id for exchange in exchanges], []
        with self._log:
            if not exchanges:
                self._open()
            self._offer_earlier(len(exchanges) - _SHOWN)
            if self._later:
                later = plural(self._later, "turn")
                text(
                    "p", f"{later} held later in the story: not shown, and not known here.", "quiet"
                )
            for exchange in exchanges[-_SHOWN:]:
                self._boxes.append(part("div", "exchange"))
                self._draw(self._boxes[-1], exchange, is_last=exchange is exchanges[-1])

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
        with self._working():  # a second click finds what was clicked gone
            if await self._catch_up() is None:
                return
            self._draw_earlier(await self._exchanges(), self._earlier)

    def _draw_earlier(self, exchanges: Sequence[Exchange], offer: ui.element) -> None:
        first = self._boxes[0]
        before = exchanges[: len(exchanges) - len(self._boxes)]
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
            portrait(self._place.character.name, self._place.character.id)
            text("h2", f"Talk to {self._place.character.name}")
            hint = "Beside each reply stands what it rests on, and what was declined."
            text("p", hint, "quiet")

    def _greet(self, number: int) -> None:
        def chooser(other: int) -> Act:
            async def choose() -> None:
                if not self._is_busy:
                    self._greet(other)

            return choose

        self._greeting = number
        if self._opening is not None:
            self._show_greeting(self._opening, chooser)

    def _show_greeting(self, box: ui.element, choose: Callable[[int], Act] | None) -> None:
        greetings, who = self._talk.greetings, self._place.character
        show_greeting(box, greetings, self._greeting or 0, choose, who)

    def _draw(self, box: ui.element, exchange: Exchange, *, is_last: bool) -> None:
        async def why() -> None:
            await self._tell(exchange, is_asked_for=True)

        def chooser(place: int) -> Act:
            async def choose() -> None:
                await self.choose(exchange.swipes[place].id)

            return choose

        who = self._place.character
        drawn = show_exchange(box, exchange, self._reply_of(exchange), why, who)
        if drawn.answered is not None:
            self._answers[exchange.turn.id] = drawn.answered
        if drawn.actions is None or not is_last or self._later:
            return
        here, of = exchange.place, len(exchange.swipes)
        show_swipes(drawn.actions, here, of, chooser, self.again, self.go_on)
        show_editor(drawn, exchange.turn.said, self.again)

    def _reply_of(self, exchange: Exchange) -> Mapping[str, Any]:
        """The reply with all it rests on: as it came, or as far as it is stored."""
        known = self._replies.get(exchange.turn.id)
        if known is not None:
            return known
        return {**(exchange.turn.recall or {}), "reply": exchange.turn.answered}

    async def _tell(self, exchange: Exchange, *, is_asked_for: bool = False) -> None:
        id_ = exchange.turn.id
        is_stored, name = id_ not in self._replies, self._place.character.name
        why = why_of(self._reply_of(exchange), name, is_stored=is_stored)
        self._mark(id_, exchange.turn.answered, why.marks)
        await self._side.tell(why, is_asked_for=is_asked_for)

    def _mark(self, turn: str, answered: str, marks: Sequence[Mark]) -> None:
        """Mark what rests on something in the reply that the panel is about, and no other."""
        if self._marked is not None and self._marked[0] != turn:
            self._show_words(*self._marked, ())
        self._marked = (turn, answered)
        self._show_words(turn, answered, marks)

    def _show_words(self, turn: str, answered: str, marks: Sequence[Mark]) -> None:
        box = self._answers.get(turn)
        if box is not None and not box.is_deleted:
            box.clear()
            show_words(box, answered, marks)


async def show_talk(place: CharacterPlace, session: str | None) -> None:
    """The whole page."""
    visitor = place.visitor
    talks = Talks(place)
    name = session or await talks.latest()
    talk = await visitor.conversation(place.character, name)
    with part("section", "stage", aria_label="Conversation"):
        side = Side(place)
        _head(place, name, talks, side)
        tell_offline(visitor)
        await show_origin(place)
        point = part("div", "story-point")
        log = part("div", "log", role="log", aria_label="What was said", tabindex="0")
        conversation = Conversation(place, talk, log, side)
        await conversation.show()
        await missing(place, log)
        with point:
            await show_story_point(place, conversation.stand_at)
        composer(place.character.name, conversation)
    side.show()
    await side.follow(talk)
    await conversation.tell_last()
    if session != name:
        # The address leads back to this conversation, also when it is loaded anew.
        ui.navigate.history.replace(talk_address(place, name))


def _head(place: CharacterPlace, name: str, talks: Talks, side: Side) -> None:
    with part("div", "stage-head"):
        portrait(place.character.name, place.character.id)
        with part("div", "about"):
            text("h1", place.character.name)
            if not is_made_up(name):
                text("p", name, "quiet")
        fresh = partial(ui.navigate.to, talk_address(place, ""))
        icon_button("New conversation", "add_comment", fresh)
        chosen = partial(talks.open, name)
        button("Conversations", chosen, icon="forum", look="small", label="Conversations")
        icon_button("Mood over the conversation", "mood", side.open_moods).classes("narrow-only")


async def missing(place: CharacterPlace, log: ui.element) -> None:
    """Say before the first question that the character has nothing to answer from."""
    try:
        await require_index(place.visitor.book, place.character, with_cost=False)
    except IndexMissing as error:
        with log:
            unread(place, error)
