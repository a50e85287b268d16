"""The documents, cards and ingestions of a character: added, read with progress, forgotten."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from nicegui import ui

from offbook.app.documents import require_index
from offbook.app.estimate import estimate_ingestion
from offbook.documents.readers import ReadDocument, endings, read_content
from offbook.errors import IndexMissing, OffbookError
from offbook.foreign_files import SentFile
from offbook.server.native.documents import shown_to
from offbook.stores import characters, queue
from offbook.types import traits_of
from offbook.ui.elements import (
    button,
    complain,
    confirmed,
    link,
    live_part,
    named,
    notice,
    once,
    part,
    plural,
    text,
    told_of_errors,
    uploader,
)

if TYPE_CHECKING:
    from nicegui import events
    from nicegui.elements.mixins.text_element import TextElement

    from offbook.app.book import Offbook
    from offbook.app.cards import CardReport
    from offbook.documents.readers import ReadDocument
    from offbook.ingestion.reports import Estimate
    from offbook.stores.queue import Ingestion
    from offbook.types import Character, Finding
    from offbook.ui.frame import CharacterPlace
    from offbook.ui.visitor import Visitor

ENDINGS: Final = (".json", ".png", ".charx", ".jpg", ".jpeg", ".webp", ".yaml", ".yml",
           ".byaf", ".scenario", ".story")  # fmt: skip
"""Of files that are cards or lorebooks, and no texts."""

_FORMATS: Final = (("PNG", "png"), ("JSON", "json"), ("CHARX", "charx"))
_SHOWN: Final = 12


def is_card(name: str) -> bool:
    """Whether a file of this name is taken for a card or a lorebook."""
    return PurePosixPath(name).suffix.lower() in ENDINGS


async def create_of_card(visitor: Visitor, sent: SentFile, said: ui.element) -> None:
    """Make a new character of a card; what was mended is told before the page is left."""
    report = await visitor.command().cards.create(sent)
    await begin_reading(visitor, report.character)
    address = f"/c/{quote(report.character.id, safe='')}"
    if not report.warnings:
        ui.navigate.to(address)
        return
    with said:
        _mended(report)
        link(f"Go on to {report.character.name}", address)


async def attach_cards(place: CharacterPlace, files: Sequence[SentFile], here: ui.element) -> None:
    """Give a character lorebooks, or a card if it has none; what was mended is told."""
    for sent in files:
        report = await place.visitor.command().cards.attach(place.character.id, sent)
        if here.is_deleted:
            continue
        news = f"{sent} is attached"
        if report.warnings:
            news += f"; mended: {_in_words(report.warnings)}"
        with here:
            ui.notify(news, type="positive", multi_line=True, position="top")


def show_cards(
    place: CharacterPlace, files: Sequence[Mapping[str, Any]], *, has_texts: bool
) -> None:
    """The cards and lorebooks that a character has, and its card as a file to keep."""
    may_take = has_texts and place.visitor.may_take_away
    if not files and not may_take:
        return
    with named(part("section", "panel"), aria_label="Cards"):
        text("h2", "Cards")
        for row in files:
            text("p", f"{row['kind'].replace('_', ' of the ')}: {row['file']} ({row['format']})")
        if may_take:
            text("p", "The character as a card, for other programs:", "quiet")
            with part("div", "bar"):
                for label, ending in _FORMATS:
                    _export_button(place, label, ending)


def _export_button(place: CharacterPlace, label: str, ending: str) -> None:
    async def export() -> None:
        with told_of_errors():
            await _export(place, f"{place.character.id}.{ending}")

    button(
        label,
        export,
        icon="download",
        look="small",
        label=f"Card of {place.character.name} as {label}",
    )


async def _export(place: CharacterPlace, name: str) -> None:
    page = ui.context.client.content  # the button may be drawn anew meanwhile
    await place.visitor.admit("admin")
    written = await place.visitor.command().cards.written(place.character.id, name)
    with page:
        if written.losses:
            news = f"Not in the card: {_in_words(written.losses)}"
            ui.notify(news, type="warning", multi_line=True, position="top", close_button="Close")
        ui.download.content(written.data, name)


def _mended(report: CardReport) -> None:
    made = f"{report.character.name} is made"
    notice(f"{made}; {plural(len(report.warnings), 'thing')} in its card to know of:", look="warn")
    with part("ul", "panel"):
        for finding in report.warnings[:_SHOWN]:
            text("li", f"{finding.path}: {finding.message}" if finding.path else finding.message)
        if len(report.warnings) > _SHOWN:
            text("li", f"and {len(report.warnings) - _SHOWN} more: offbook card lint shows all")


def _in_words(findings: Sequence[Finding]) -> str:
    words = "; ".join(finding.message for finding in findings[:_SHOWN])
    more = len(findings) - _SHOWN
    return f"{words}; and {more} more" if more > 0 else words


_WITHOUT: Final = "Without that, replies may miss what they would rest on."


async def begin_reading(
    visitor: Visitor,
    character: Character,
    readings: Sequence[ReadDocument] = (),
    *,
    without: str = _WITHOUT,
) -> bool:
    """Queue an ingestion, unless it costs and the person does not want it.

    Args:
        visitor: The person.
        character: For whom it is.
        readings: Texts to be added; none: those that are there are read.
        without: What becomes of replies until then.
    """
    if not await _is_wanted(visitor, character, readings, without):
        return False
    request = {"documents": [asdict(each) for each in readings], "method": None, "order": None}
    id_ = uuid.uuid4().hex[:12]
    await visitor.book.store.write(queue.add, id_, "ingestion", request, character=character.id)
    visitor.background.wake()
    return True


async def _is_wanted(
    visitor: Visitor, character: Character, readings: Sequence[ReadDocument], without: str
) -> bool:
    """Nothing is spent unasked: what costs calls to an endpoint is confirmed first."""
    if traits_of(visitor.command().runtime(character.dimension).extractor).free:
        return True

    async def estimated(command: Offbook) -> Estimate:
        runtime = command.runtime(character.dimension)
        return await estimate_ingestion(runtime, character, readings)

    estimate = await visitor.commanded(estimated)
    if not estimate.calls and not estimate.embed_calls:
        return True
    cost = f"This takes about {estimate.in_words()}."
    if readings:
        return await confirmed(f"Add {plural(len(readings), 'document')}?", cost, "Add")
    return await confirmed(f"Read the texts of {character.name}?", f"{cost} {without}", "Read")


_WAITING: Final = "Waiting for its turn"
_ENDING: Final = "Reading is being cancelled"


class Progress:
    """The ingestions of one page."""

    def __init__(self, place: CharacterPlace, look: Callable[[], Any]) -> None:
        self._place = place
        self._look = look
        self._running: dict[str, _Running] = {}
        self._seen: set[str] = set()  # those that were under way on this page
        self._told: list[str] = []
        with part("div", "listed ingestion") as self.whole:
            self._under_way = part("div", "listed")
            # Only what became of one is read aloud, not each step on the way.
            self._ended = live_part("listed")

    def show(self, stored: Sequence[Ingestion]) -> None:
        """Show how far they are."""
        under_way = {each.id: each for each in reversed(stored) if not each.has_ended}
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
        self._tell([each for each in stored if each.has_ended], is_at_rest=not under_way)

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
            notice(ended.error["message"], ended.error["hint"], "bad")
        elif ended.status == "cancelled":
            notice("Reading was cancelled.", "What was read by then is kept.", "warn")
        else:
            _report(ended.report or {})


class _Running:
    """One ingestion that has not ended."""

    def __init__(self, place: CharacterPlace, id_: str, look: Callable[[], Any]) -> None:
        self._place, self._id, self._look = place, id_, look
        self._is_ending = False
        self._shown: tuple[str, float | None] | None = None
        with part("div", "panel") as self.whole:
            with part("div", "bar"):
                self._told: TextElement = text("p", "", "grow")
                if place.may_change:
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
        visitor = self._place.visitor
        with told_of_errors():
            await self._place.admit_change()
            await visitor.book.store.write(queue.cancel, self._id)
            self._is_ending = True
            if not self._cancel.is_deleted:  # it may have ended meanwhile
                self._cancel.disable()
            visitor.background.wake()
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


def _report(report: Mapping[str, Any]) -> None:
    documents: Sequence[Mapping[str, Any]] = report.get("documents") or ()
    with part("div"):
        with part("ul", "chips"):
            for row in documents:
                bad = row["status"] in ("failed", "partial")
                with part("li"):
                    status = f"{row['name']}: {row['status']}"
                    text("span", status, f"chip {'bad' if bad else 'good'}")
        for row in documents:
            for message in row["messages"]:
                text("p", f"{row['name']}: {message}", "quiet")


_POLL_SECONDS: Final = 0.5


async def show_documents(place: CharacterPlace) -> None:
    """The list, how far ingestions are, and a place for new files."""
    await _Documents(place).show()


class _Documents:
    """The documents on one page."""

    def __init__(self, place: CharacterPlace) -> None:
        self._place = place
        self._visitor = place.visitor
        self._timer: ui.timer | None = None
        self._under_way: set[str] = set()  # ids of the ingestions that have not ended
        self._looking = asyncio.Lock()  # what is shown last is what is so now
        self._drawing = asyncio.Lock()
        self._rows: dict[str, _Row] = {}  # by their names
        self._above: object = None
        self._files: object = None

    async def show(self) -> None:
        if self._place.may_change:
            self._uploader()
        self._progress = Progress(self._place, self._look)
        self._notices = part("div", "listed")
        self._list = part("ul", "rows")
        self._cards = part("div", "listed")
        await self._look()
        await self._draw()

    def _uploader(self) -> None:
        label = (
            "Drop files here: texts and books (.txt, .md, .epub, .pdf, .docx); cards and lorebooks"
        )
        most = self._visitor.book.settings.values.server.max_body_bytes
        hint = "A file of the same name takes the place of the one before."
        how = {"multiple": True, "on_multi_upload": self._take, "max_total_size": most}
        accepted = (*endings(), "text/*", *ENDINGS)
        self._upload = uploader(label, "Choose files", hint, accepted, most, **how)

    async def _take(self, uploads: events.MultiUploadEventArguments) -> None:
        with told_of_errors():
            await self._place.admit_change()
            files = [SentFile(file.name, await file.read()) for file in uploads.files]
            self._upload.reset()
            texts = [file for file in files if not is_card(str(file))]
            readings = await asyncio.to_thread(_readings, texts)
            try:
                if len(texts) < len(files):
                    sent = [file for file in files if is_card(str(file))]
                    await attach_cards(self._place, sent, self._list)
            finally:  # what cannot be read holds back nothing else
                await self._draw()
                await self._read(readings)

    async def _read(self, readings: list[ReadDocument]) -> None:
        if await begin_reading(self._visitor, self._place.character, readings):
            await self._look()
            await self._draw()

    async def _read_those(self) -> None:
        """Have the documents that are there read for the configured method."""
        await self._place.admit_change()
        await self._read([])

    async def _look(self) -> None:
        """Show how far ingestions are, and look again until all have ended."""
        async with self._looking:
            character = self._place.character.id
            stored: list[Ingestion] = await self._visitor.book.store.read(
                queue.list_ingestions, character
            )
            has_ended = self._show([shown_to(each, self._visitor.caller) for each in stored])
        if has_ended:
            await self._draw()

    def _show(self, stored: list[Ingestion]) -> bool:
        """Show how far they are; whether one has ended that was under way."""
        under_way = {each.id for each in stored if not each.has_ended}
        has_ended = bool(self._under_way - under_way)
        self._under_way = under_way
        if not under_way:
            self._stop_looking()
        elif self._timer is None:
            with self._progress.whole:
                self._timer = ui.timer(_POLL_SECONDS, self._look_again, immediate=False)
        self._progress.show(stored)
        return has_ended

    async def _look_again(self) -> None:
        """Nobody clicked: the key may have ended since."""
        try:
            await self._visitor.recognize()
            await self._look()
        except OffbookError as error:
            self._stop_looking()
            complain(error)

    def _stop_looking(self) -> None:
        if self._timer is not None:
            self._timer.cancel()  # it goes by itself: this may be what it has called
            self._timer = None

    async def _draw(self) -> None:
        async with self._drawing:
            await self._draw_now()

    async def _draw_now(self) -> None:
        """What did not change stays: a button drawn anew while it is pressed does nothing."""
        rows = await self._visitor.book.show(self._place.character.id, "documents")
        is_missing = bool(rows) and await self._is_index_missing()
        files = await self._visitor.book.cards.files(self._place.character.id)
        if self._list.is_deleted:  # the page is closed, and what was sent is read all the same
            return
        self._draw_notices(has_texts=bool(rows), is_unread=is_missing and self._timer is None)
        self._draw_rows(rows)
        if self._files != (state := (bool(rows), files)):
            self._files = state
            self._cards.clear()
            with self._cards:
                show_cards(self._place, files, has_texts=bool(rows))

    def _draw_notices(self, *, has_texts: bool, is_unread: bool) -> None:
        if self._above == (state := (has_texts, is_unread)):
            return
        self._above = state
        self._notices.clear()
        with self._notices:
            if not has_texts:
                notice("There is no document yet.", "The character says what its texts say.")
            if is_unread:
                self._unread()
        self._notices.set_visibility(is_unread or not has_texts)

    def _draw_rows(self, rows: list[dict[str, Any]]) -> None:
        """The documents in their order, each where it stands if it was there before."""
        for name in self._rows.keys() - {row["name"] for row in rows}:
            self._rows.pop(name).whole.delete()
        for place, row in enumerate(rows):
            name = row["name"]
            if name not in self._rows:
                with self._list:
                    self._rows[name] = _Row(name, self._forget if self._place.may_change else None)
            drawn = self._rows[name]
            if self._list.default_slot.children[place] is not drawn.whole:
                drawn.whole.move(self._list, place)
            drawn.tell(row)
        self._list.set_visibility(bool(rows))

    async def _is_index_missing(self) -> bool:
        book = self._visitor.book
        now = await book.find(self._place.character.id)  # reading has changed it since
        try:
            await require_index(book, now, with_cost=False)
        except IndexMissing:
            return True
        return False

    def _unread(self) -> None:
        """The texts are stored, and the configured method has not read all of them."""
        with part("div", "notice warn", role="status"):
            text("p", "These texts are not read yet for the method that replies.")
            if self._place.may_change:
                button("Read them", once(self._read_those), icon="auto_stories", look="small")

    async def _forget(self, name: str) -> None:
        consequence = (
            "It goes with all that only it supports: chunks, vectors, entities, cached answers."
        )
        if others := await self._others():
            consequence = f"It goes for {', '.join(others)} as well, who share it. {consequence}"
        page = ui.context.client.content  # its row may be gone before the answer comes
        if not await confirmed(f"Delete {name}?", consequence, "Delete"):
            return
        with page, told_of_errors():
            await self._place.admit_change()
            id_ = self._place.character.id
            report = await self._visitor.commanded(
                lambda command: command.forget(id_, name, for_all=True)
            )
            turns, memories = plural(report.turns, "turn"), f"{report.memories} memories"
            ui.notify(
                f"{name} is deleted. {turns} and {memories} rested on it.",
                type="positive",
                position="top",
            )
            await self._draw()

    async def _others(self) -> list[str]:
        """The names of the other characters that look at the same documents."""
        own_id = self._place.character.id
        sharing = await self._visitor.book.store.read(characters.sharing, own_id)
        visible = await self._visitor.characters()
        return [info.name for info in visible if info.id in sharing and info.id != own_id]


class _Row:
    """One document of the list."""

    def __init__(self, name: str, forget: Callable[[str], Awaitable[None]] | None) -> None:
        with part("li") as self.whole:
            with part("div", "main"):
                text("h2", name)
                self._facts = text("p", "", "quiet")
            self._status = text("span", "", "chip")
            if forget is not None:
                button(
                    "Delete",
                    partial(forget, name),
                    icon="delete_outline",
                    look="small danger",
                    label=f"Delete {name}",
                )

    def tell(self, row: Mapping[str, Any]) -> None:
        """What is known of it now."""
        facts = f"{row['chars']:,} letters · {plural(row['chunks'], 'chunk')}"
        self._facts.set_text(f"{facts} · version {row['version']} · {row['added'][:10]}")
        self._status.set_text(row["status"])
        now, before = ("good", "warn") if row["status"] == "complete" else ("warn", "good")
        self._status.classes(add=now, remove=before)


def _readings(files: list[SentFile]) -> list[ReadDocument]:
    return [read_content(str(file), file.data) for file in files]
