"""Ingestions on the page: how far each is that goes on, a way to end it, and what became of others.

Takes: ingestions as they are stored, time and again.  Gives: a panel for each, which changes where
it stands: a button in it can be pressed at any moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.server.native.access import readable
from offbook.stores import ingestions
from offbook.ui.elements import button, named, notice, part, text, told_of_errors

if TYPE_CHECKING:
    from nicegui.elements.mixins.text_element import TextElement

    from offbook.stores.ingestions import Ingestion
    from offbook.ui.frame import CharacterPlace

_WAITING: Final = "Waiting for its turn"
_ENDING: Final = "Reading is being cancelled"


class Progress:
    """The ingestions of one page.

    Args:
        place: The character.
        look: Looks at them anew, after something was done.
    """

    def __init__(self, place: CharacterPlace, look: Callable[[], Any]) -> None:
        self._place = place
        self._look = look
        self._running: dict[str, _Running] = {}
        self._seen: set[str] = set()  # those that were under way on this page
        self._told: list[str] = []
        with part("div", "listed ingestion") as self.whole:
            self._under_way = part("div", "listed")
            # Only what became of one is read aloud, not each step on the way.
            self._ended = named(part("div", "listed"), role="status", aria_live="polite")

    def show(self, found: Sequence[Ingestion]) -> None:
        """Show how far they are.

        Args:
            found: All of them, newest first.
        """
        under_way = {each.id: each for each in reversed(found) if not each.has_ended}
        if not self._running and under_way:
            self._seen.clear()  # what is told of others was there to be read until now
        for id_ in self._running.keys() - under_way.keys():
            self._running.pop(id_).whole.delete()
        for id_, each in under_way.items():
            if id_ not in self._running:
                with self._under_way:
                    self._running[id_] = _Running(self._place, id_, self._look)
            self._running[id_].tell(each)
        self._seen |= under_way.keys()
        self._tell([each for each in found if each.has_ended], is_at_rest=not under_way)

    def _tell(self, ended: Sequence[Ingestion], *, is_at_rest: bool) -> None:
        """What became of those that the page saw, or of the last one."""
        shown = [each for each in ended if each.id in self._seen]
        if not shown and is_at_rest:
            shown = list(ended[:1])
        if [each.id for each in shown] == self._told:
            return
        self._told = [each.id for each in shown]
        self._ended.clear()
        with self._ended:
            for each in shown:
                self._outcome(each)

    def _outcome(self, ended: Ingestion) -> None:
        if ended.status == "failed" and ended.error:
            self._failed(ended.error.get("error", ended.error))
        elif ended.status == "cancelled":
            notice("Reading was cancelled.", "What was read by then is kept.", "warn")
        else:
            _report(ended.report or {}, whole=self._place.visitor.may_administer)

    def _failed(self, error: Mapping[str, Any]) -> None:
        """What stopped it; the whole of it is for who may administer: it may quote texts."""
        message, hint = str(error.get("message", "")), str(error.get("hint", ""))
        if not self._place.visitor.may_administer:
            message, hint = "Reading the documents failed", "ask whoever runs this server"
        notice(message, hint, "bad")


class _Running:
    """One ingestion that has not ended."""

    def __init__(self, place: CharacterPlace, id_: str, look: Callable[[], Any]) -> None:
        self._place, self._id, self._look = place, id_, look
        self._is_ending = False
        self._shown: tuple[str, float | None] | None = None
        with part("div", "panel") as self.whole:
            with part("div", "bar"):
                self._told: TextElement = text("p", "", "grow")
                if place.visitor.may_write:
                    self._cancel = button("Cancel", self._end, icon="close", look="small")
                    named(self._cancel, aria_label="Cancel reading")
            self._bar = ui.linear_progress(0, show_value=False, size="8px")
            named(self._bar, aria_label="Progress")

    def tell(self, now: Ingestion) -> None:
        """How far it is."""
        words, share = _step(now)
        if self._is_ending:
            words = _ENDING
        if (words, share) == self._shown:
            return
        self._shown = (words, share)
        self._told.set_text(words)
        self._bar.set_value(share or 0.0)
        if share is None:
            self._bar.props("indeterminate")
        else:
            self._bar.props(remove="indeterminate")

    async def _end(self) -> None:
        visitor, character = self._place.visitor, self._place.character.id
        with told_of_errors():
            await visitor.admit("write")
            await visitor.book.store.write(
                lambda conn: ingestions.cancel(conn, character, self._id)
            )
            self._is_ending = True
            if not self._cancel.is_deleted:  # it may have ended meanwhile
                self._cancel.disable()
            if visitor.wake is not None:
                visitor.wake()
            await self._look()


def _step(now: Ingestion) -> tuple[str, float | None]:
    """What is being done, in words and as a share of all of it where that is known."""
    stages: Sequence[Mapping[str, Any]] = now.progress.get("stages") or ()
    if now.status == "queued" or not stages:
        return (_WAITING if now.status == "queued" else "Reading begins"), None
    # They overlap: one that began later may be through before.
    stage = next((each for each in stages if each["done"] < each["total"]), stages[-1])
    name, done, total = (stage[key] for key in ("stage", "done", "total"))
    if not total:
        return f"Reading: {name}", None
    return f"Reading: {name}, {done:,} of {total:,}", done / total if done < total else None


def _report(report: Mapping[str, Any], *, whole: bool) -> None:
    documents: Sequence[Mapping[str, Any]] = report.get("documents") or ()
    with part("div"):
        with part("ul", "chips"):
            for row in documents:
                bad = row["status"] in ("failed", "partial")
                with part("li"):
                    told = f"{row['name']}: {row['status']}"
                    text("span", told, f"chip {'bad' if bad else 'good'}")
        for row in documents:
            for message in readable(row.get("messages") or (), whole=whole):
                text("p", f"{row['name']}: {message}", "quiet")
