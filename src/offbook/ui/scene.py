"""Several characters in one conversation on a page: each reply under its name, with its why."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.app.commands import command_of
from offbook.app.scenes import scene_of
from offbook.errors import OffbookError
from offbook.server.dependencies import require_remembered
from offbook.ui.books import scene_address
from offbook.ui.composer import composer
from offbook.ui.conversation import missing
from offbook.ui.elements import button, failed, named, part, plural, text, told_of_errors, warn
from offbook.ui.evidence import Side
from offbook.ui.exchange import Growing, copy_button
from offbook.ui.frame import CharacterPlace
from offbook.ui.markup import show_words
from offbook.ui.portrait import portrait
from offbook.ui.why import facts_of, why_of

if TYPE_CHECKING:
    from offbook.agent.next_speaker import Line
    from offbook.agent.scene import Participant, Scene, ScenePiece
    from offbook.types import Reply
    from offbook.ui.visitor import Visitor

_SHOWN: Final = 120
"""Lines that are shown, the last ones."""
_REDRAW_SECONDS: Final = 0.06
_ANYBODY: Final = "Whoever is addressed, or next"


async def show_scene(visitor: Visitor, who: Sequence[str], session: str | None) -> None:
    """The whole page.

    Raises:
        RequestRefused: nothing may be kept of what the visitor says.
    """
    require_remembered(visitor.caller.remember)
    cast = [await visitor.character(name) for name in who]
    scene = await scene_of(
        visitor.book,
        cast,
        visitor.principal,
        session,
        # It stays open for many replies: each is a command of its own.
        turn=lambda each: command_of(visitor.book).turn(each),
    )
    places = {
        each.id: CharacterPlace(visitor, each, await visitor.may_change(each)) for each in cast
    }
    names = " and ".join(each.name for each in cast)
    with part("section", "stage", aria_label="Conversation"):
        with part("div", "stage-head"):
            for each in cast:
                portrait(each.name, each.id)
            text("h1", names)
            options = {"": _ANYBODY, **{each.id: each.name for each in cast}}
            chosen = ui.select(options, value="", label="Who answers")
            chosen.props("outlined dense options-dense")
        log = part("div", "log", role="log", aria_label="What was said", tabindex="0")
        side = Side(places[cast[0].id])
        talk = SceneTalk(scene, places, log, side, lambda: chosen.value or None)
        await talk.show()
        for place in places.values():
            await missing(place, log)
        with part("div", "bar between"):
            go_on = button("Let them go on", talk.go_on, icon="forum", look="small")
        composer("them", talk)
    follow = talk.on_busy

    def busy(now: bool) -> None:
        follow(now)
        go_on.set_enabled(not now)

    talk.on_busy = busy
    side.show()
    await talk.tell_last()
    if session is None:
        ui.navigate.history.replace(scene_address(who, scene.id))


class SceneTalk:
    """The conversation of one page.

    Args:
        scene: Who talks.
        places: Their pages, by id.
        log: Where it is shown.
        side: Where is told what a reply rests on.
        by: Who is to answer; None: whoever is addressed, or next.
    """

    def __init__(
        self,
        scene: Scene,
        places: Mapping[str, CharacterPlace],
        log: ui.element,
        side: Side,
        by: Callable[[], str | None],
    ) -> None:
        self._scene, self._places, self._log, self._side, self._by = scene, places, log, side, by
        self._shown = 0
        self._boxes: list[ui.element] = []
        self._replying: asyncio.Task[None] | None = None
        self._is_busy = False
        self._last: tuple[Participant, Mapping[str, Any]] | None = None
        self.on_busy: Callable[[bool], None] = lambda _: None
        ui.context.client.on_delete(self.stop)

    @property
    def is_busy(self) -> bool:
        """Whether a reply is on its way."""
        return self._is_busy

    async def show(self) -> None:
        """Show what was said before, each reply with what it rested on as far as that is kept."""
        await self._scene.open()
        stored: dict[tuple[str, str], Mapping[str, Any]] = {}
        for member in self._scene.members:
            for exchange in await member.exchanges():
                turn = exchange.turn
                stored[member.character.id, turn.answered] = turn.recall or {}
        lines = self._scene.history
        self._log.clear()
        self._shown = len(lines)
        with self._log:
            if not lines:
                with part("div", "empty"):
                    text("h2", "Talk to them together")
                    hint = "Each answers from what they alone know, and hears what the others say."
                    text("p", hint, "quiet")
            if len(lines) > _SHOWN:
                text("p", f"{plural(len(lines) - _SHOWN, 'earlier line')} not shown", "quiet")
            for line in lines[-_SHOWN:]:
                self._draw(line, stored)

    def _draw(self, line: Line, stored: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
        with part("div", "exchange"):
            if line.character is None:
                with part("div", "mine"):
                    text("div", f"{line.name}: {line.text}" if line.name else line.text, "said")
                return
            with part("div", "answer") as box:
                portrait(line.name, line.character)
                text("p", line.name, "speaker")
                show_words(part("div", "answered"), line.text)
            recall = stored.get((line.character, line.text), {})
            self._why(box, line.character, {**recall, "reply": line.text}, is_stored=True)

    def _why(
        self, box: ui.element, character: str, reply: Mapping[str, Any], *, is_stored: bool
    ) -> None:
        """The button under a reply that tells why."""
        member = next((m for m in self._scene.members if m.character.id == character), None)
        if member is None:
            return  # they are no longer present
        self._last = member, reply

        async def why() -> None:
            await self._tell(member, reply, is_stored=is_stored, is_asked_for=True)

        label = f"Why this reply? {member.character.name}"
        with box, part("div", "under"):
            button("Why", why, icon="help_outline", look="small", label=label)
            copy_button()
            if reply.get("context") is not None:
                text("span", facts_of(reply), "facts")

    async def tell_last(self) -> None:
        """Show why the last reply is as it is, where there is one."""
        if self._last is not None:
            await self._tell(*self._last, is_stored=True, is_asked_for=False)

    async def _tell(
        self,
        member: Participant,
        reply: Mapping[str, Any],
        *,
        is_stored: bool,
        is_asked_for: bool,
    ) -> None:
        await self._side.follow(member, self._places[member.character.id])
        why = why_of(reply, member.character.name, is_stored=is_stored)
        await self._side.tell(why, is_asked_for=is_asked_for)

    async def say(self, said: str) -> bool:
        """Say something, and show the replies while they come; whether all is kept."""
        return await self._reply(said)

    async def go_on(self) -> None:
        """Let one of them speak."""
        await self._reply(None)

    def stop(self) -> None:
        """Break a reply off that is on its way; nothing of it is kept."""
        if self._replying is not None:
            self._replying.cancel()

    async def _reply(self, said: str | None) -> bool:
        made: list[Reply] = []
        if self._is_busy:
            return False
        with self._working():
            await self._catch_up()
            before, self._boxes = len(self._scene.replies), []
            line = None if said is None else self._say(said)
            why = await self._replied(said)
            made = self._scene.replies[before:]
            if self._log.is_deleted:
                return bool(made)
            for box in self._boxes[len(made) :]:
                box.delete()
            if line is not None and not made:
                line.delete()
            self._gone(why)
            for box, reply in zip(self._boxes, made, strict=False):
                id_ = reply.recall.character_id
                self._why(box, id_, reply.as_json(), is_stored=False)
            self._shown = len(self._scene.history)
            if made and self._last is not None:
                await self._tell(*self._last, is_stored=False, is_asked_for=False)
                await self._side.moved()
        return bool(made)

    async def _catch_up(self) -> None:
        """If another page went on, that is shown first."""
        await self._scene.open()
        if len(self._scene.history) == self._shown:
            if not self._shown:
                self._log.clear()
            return
        await self.show()
        with self._log:
            warn("The conversation went on elsewhere; this is where it is now.")

    def _say(self, said: str) -> ui.element:
        with self._log, part("div", "exchange") as line, part("div", "mine"):
            text("div", said, "said")
        return line

    async def _replied(self, said: str | None) -> str | OffbookError:
        """Show the replies while they come; why not all did."""
        by = self._by()
        pieces = self._scene.go_on(by) if said is None else self._scene.say(said, by)
        self._replying = asyncio.create_task(self._stream(pieces))
        try:
            await self._replying
        except asyncio.CancelledError:
            return "Stopped; nothing of the last reply is kept."
        except OffbookError as error:
            return error
        finally:
            self._replying = None
        return ""

    async def _stream(self, pieces: AsyncGenerator[ScenePiece]) -> None:
        speaker, drawn, growing = "", 0.0, None
        first = next(iter(self._places.values()))
        await first.visitor.admit()
        async with aclosing(pieces) as coming:
            async for piece in coming:
                if piece.character != speaker:
                    if growing is not None:
                        growing.draw()
                    speaker, growing = piece.character, self._open(piece.name, piece.character)
                if growing is not None:
                    growing.add(piece.text)
                if growing is not None and time.monotonic() - drawn > _REDRAW_SECONDS:
                    drawn = time.monotonic()
                    growing.draw()
        if growing is not None:
            growing.draw()

    def _open(self, name: str, character: str) -> Growing:
        """A place for a reply that comes."""
        with self._log, part("div", "exchange"), part("div", "answer") as box:
            portrait(name, character)
            text("p", name, "speaker")
            growing = Growing(text("div", "", "answered waiting"))
        self._boxes.append(box)
        return growing

    def _gone(self, why: str | OffbookError) -> None:
        """Say why a reply did not come whole, if one did not."""
        with self._log:
            if isinstance(why, OffbookError):
                failed(why)
            elif why:
                text("p", why, "quiet")

    @contextmanager
    def _working(self) -> Iterator[None]:
        self._busy(True)
        try:
            with told_of_errors():
                yield
        finally:
            self._busy(False)

    def _busy(self, now: bool) -> None:
        self._is_busy = now
        if not self._log.is_deleted:
            named(self._log, aria_busy="true" if now else "false")
            self.on_busy(now)
