"""A conversation on the page: what was said, replies as they come, swipes, and the composer."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import quote

from nicegui import ui

from offbook.agent.history import scene_id
from offbook.app.documents import require_index
from offbook.app.home import priced
from offbook.errors import IndexMissing, OffbookError
from offbook.stores.conversations import is_scene
from offbook.ui.books import show_origin
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
from offbook.ui.evidence import Side, facts_of
from offbook.ui.frame import unread
from offbook.ui.portrait import portrait
from offbook.ui.preferences import tell_offline
from offbook.ui.story_point import show_story_point

if TYPE_CHECKING:
    from nicegui.elements.mixins.text_element import TextElement

    from offbook.agent.session import Session
    from offbook.agent.swipes import Exchange
    from offbook.types import Character
    from offbook.ui.evidence import Side
    from offbook.ui.frame import CharacterPlace

Act = Callable[[], Awaitable[None]]

_PIECE: Final = 400
"""A growing text is drawn in pieces of about so many letters: only the last is sent again."""


def show_exchange(
    box: ui.element, exchange: Exchange, reply: Mapping[str, Any], why: Act, who: Character
) -> ui.element | None:
    """Draw an exchange with somebody into its box."""
    box.clear()
    turn = exchange.turn
    named(box, data_turn=turn.id)
    with box:
        if turn.said:
            text("div", f"{turn.speaker}: {turn.said}" if turn.speaker else turn.said, "said")
        if turn.is_unanswered:
            return None
        with part("div", "answer"):
            portrait(who.name, who.id)
            text("div", turn.answered, "answered")
            if not turn.said:
                return None
            with part("div", "under"):
                button("Why", why, icon="help_outline", look="small", label="Why this reply?")
                place = part("div", "swipes")
                if reply.get("context") is not None:
                    text("span", facts_of(reply), "facts")
    return place


def show_swipes(
    place: ui.element, here: int, of: int, choose: Callable[[int], Act], again: Act
) -> None:
    """Buttons that go through the replies to the same words, and one that asks for another."""
    named(place, role="group", aria_label="Replies to the same words")
    with place:
        if of > 1:
            _arrows(("The reply before", "The next reply"), here, of, choose)
        icon_button("Another reply", "refresh", again)


def show_greeting(
    box: ui.element,
    greetings: Sequence[str],
    here: int,
    choose: Callable[[int], Act] | None,
    who: Character,
) -> None:
    """Draw the greeting that a conversation begins with; ``choose`` goes to another, if it may."""
    box.clear()
    with box, part("div", "answer"):
        portrait(who.name, who.id)
        text("div", greetings[here], "answered")
        if choose is not None and len(greetings) > 1:
            with named(part("div", "swipes"), role="group", aria_label="Greetings"):
                named_so = ("The greeting before", "The next greeting")
                _arrows(named_so, here, len(greetings), choose)
                text("span", "to begin with", "facts")


def _arrows(names: tuple[str, str], here: int, of: int, choose: Callable[[int], Act]) -> None:
    back = icon_button(names[0], "chevron_left", choose(max(0, here - 1)))
    back.set_enabled(here > 0)
    text("span", f"{here + 1} of {of}")
    onward = icon_button(names[1], "chevron_right", choose(min(of - 1, here + 1)))
    onward.set_enabled(here < of - 1)


class Growing:
    """A reply while it comes."""

    def __init__(self, answer: TextElement) -> None:
        self._answer = answer
        self._piece: TextElement | None = None
        self._drawn = self._held = ""

    def add(self, piece: str) -> None:
        """Take what came; it is shown with the next ``draw``."""
        self._held += piece

    def draw(self) -> None:
        """Show all that came."""
        if not self._held or self._answer.is_deleted:
            return
        if self._piece is None or len(self._drawn) > _PIECE:
            self._answer.classes(remove="waiting")
            with self._answer:
                self._piece, self._drawn = text("span", ""), ""
        self._drawn += self._held
        self._held = ""
        self._piece.set_text(self._drawn)


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

    async def again(self) -> None:
        """Another reply to what was said last."""
        if self._is_busy or not self._turns:
            return
        with self._working():
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
        swipes = show_exchange(box, exchange, self._reply_of(exchange), why, who)
        if swipes is not None and is_last and not self._later:
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


_NEW: Final = ""
"""Stands for a new conversation in the list."""
_LISTED: Final = 100
"""Conversations in the list, the latest: clients of the API make one for every chat."""
_WORDS: Final = 48
_LONGEST_NAME: Final = 20
_MOST_SAID: Final = 100_000
"""Letters that can be said at once: more is no message, and the connection would not carry it."""


_BACK_TO_FIELD: Final = """
const at = document.activeElement;
if (!at || at === document.body || at.closest(".composer"))
  document.querySelector(".composer textarea")?.focus({preventScroll: true});
"""
"""The button that was pressed is gone; whoever has gone on to read elsewhere is left there."""

_UNSAID: Final = 'document.dispatchEvent(new CustomEvent("unsaid", {{detail: {text}}}))'
"""What was said and is not kept goes back to the field, to be said again, or otherwise."""


async def show_talk(place: CharacterPlace, session: str | None) -> None:
    """The whole page."""
    visitor = place.visitor
    known = await visitor.conversations(place.character, _LISTED)
    alone = [each for each in known if not is_scene(each)]
    name = session or (alone[0] if alone and session is None else _fresh())
    talk = await visitor.conversation(place.character, name)
    with part("section", "stage", aria_label="Conversation"):
        side = Side(place)
        _head(place, name, known, side)
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
        ui.navigate.history.replace(_address(place, name))


def _head(place: CharacterPlace, name: str, known: Mapping[str, str], side: Side) -> None:
    with part("div", "stage-head"):
        portrait(place.character.name, place.character.id)
        text("h1", place.character.name)
        labels = {each: _label(each, said) for each, said in known.items()}
        if name not in known:
            labels = {name: "This conversation" if _is_made_up(name) else name, **labels}
        is_cut = len(known) == _LISTED
        chosen = ui.select(
            {_NEW: "New conversation", **labels},
            value=name,
            label=f"Conversation (latest {_LISTED})" if is_cut else "Conversation",
            on_change=lambda event: ui.navigate.to(_address(place, event.value)),
        )
        chosen.props("outlined dense options-dense")
        icon_button("Mood over the conversation", "mood", side.open_moods).classes("narrow-only")


def _label(name: str, said: str) -> str:
    """How a conversation is listed: by its first words, and its name if somebody chose one."""
    words = " ".join(said.split())
    short = words if len(words) <= _WORDS else f"{words[:_WORDS].rstrip()}…"
    if is_scene(name):
        return f"Together: {short or scene_id(name, bare=True)}"
    if _is_made_up(name):
        return short or name
    return f"{name}: {short}" if short else name


def _is_made_up(name: str) -> bool:
    """Whether a name tells nobody anything: hexadecimal digits by chance."""
    return len(name) >= len(_fresh()) and all(letter in "0123456789abcdef-" for letter in name)


def _address(place: CharacterPlace, name: str) -> str:
    session = quote(name or _fresh(), safe="")
    return place.address(f"?session={session}")


def _fresh() -> str:
    return uuid.uuid4().hex[:8]


async def missing(place: CharacterPlace, log: ui.element) -> None:
    """Say before the first question that the character has nothing to answer from."""
    try:
        await require_index(place.visitor.book, place.character, with_cost=False)
    except IndexMissing as error:
        with log:
            unread(place, error)


class Talking(Protocol):
    """What a composer says something to."""

    on_busy: Callable[[bool], None]

    @property
    def is_busy(self) -> bool:
        """Whether a reply is on its way."""

    async def say(self, said: str) -> bool:
        """Say something; whether it was answered, and is kept."""

    def stop(self) -> None:
        """Break a reply off."""


def composer(name: str, conversation: Talking) -> None:
    """The field in which something is said to somebody of this name, and its buttons."""
    with part("form", "composer") as form:
        # The field grows with what stands in it: a long name would make it high.
        to = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME].rstrip()}…"
        field = ui.textarea(placeholder=f"Say something to {to}")
        field.props("outlined autogrow dense rows=1 autofocus")
        field.props["input-class"] = "composer-field"
        field.props["maxlength"] = _MOST_SAID
        named(field, aria_label=f"What you say to {name}")
        send = button("Send", icon="send", look="primary").props("type=submit")
        stop = button("Stop", conversation.stop, icon="stop").props("type=button")
        stop.set_visibility(False)

    async def say() -> None:
        said = (field.value or "").strip()
        if not said or conversation.is_busy:
            return
        if len(said) >= _MOST_SAID:
            warn(f"That is longer than {_MOST_SAID:,} letters, and was cut; add it as a document")
            return
        field.value = ""
        if not await conversation.say(said):
            # In the browser: it may not have emptied the field yet, and would say so afterwards.
            ui.run_javascript(_UNSAID.format(text=json.dumps(said)))
        ui.run_javascript(_BACK_TO_FIELD)

    def busy(now: bool) -> None:
        send.set_visibility(not now)
        stop.set_visibility(now)

    conversation.on_busy = busy
    form.on("submit.prevent", say)
