"""The documents of a character: added with progress, forgotten with all that rests on them.

Takes: files that a person chooses.  Gives: what became of each; reading them goes on behind the
page, also when it is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.app.missing_index import require_index
from offbook.app.sent_files import SentFile
from offbook.documents.readers import ReadDocument, read_content
from offbook.errors import IndexMissing, OffbookError
from offbook.stores import ingestions
from offbook.ui import cards
from offbook.ui.asking import confirmed
from offbook.ui.elements import (
    button,
    complain,
    named,
    notice,
    part,
    plural,
    tell_of_uploads,
    text,
    told_of_errors,
)
from offbook.ui.progress import Progress
from offbook.ui.reading import begin_reading

if TYPE_CHECKING:
    from nicegui import events

    from offbook.stores.ingestions import Ingestion
    from offbook.ui.frame import CharacterPlace

_POLL_SECONDS: Final = 0.5
_TEXTS: Final = (".txt", ".md", ".markdown", ".html", ".htm", ".pdf", "text/*")


async def show_documents(place: CharacterPlace) -> None:
    """The list, how far ingestions are, and a place for new files."""
    page = _Documents(place)
    await page.show()


class _Documents:
    """The documents on one page.

    Args:
        place: The character.
    """

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
        if self._visitor.may_write:
            self._uploader()
        self._progress = Progress(self._place, self._look)
        self._notices = part("div", "listed")
        self._list = part("ul", "rows")
        self._cards = part("div", "listed")
        await self._look()
        await self._draw()

    # -- adding --------------------------------------------------------------------------------

    def _uploader(self) -> None:
        told = "Drop files here: .txt, .md, .html, .pdf; cards and lorebooks: .json, .png, .charx"
        most = self._visitor.book.settings.values.server.max_body_bytes
        upload = ui.upload(
            multiple=True, auto_upload=True, on_multi_upload=self._take, label=told,
            max_file_size=most, max_total_size=most,
        )  # fmt: skip
        endings = ",".join((*_TEXTS, *cards.ENDINGS))
        tell_of_uploads(upload, most).props(f"flat bordered accept='{endings}'")
        upload.classes("uploader")
        self._upload = upload
        with part("div", "bar"):
            choose = button("Choose files", icon="upload_file", look="primary")
            # In the browser alone: it opens the list of files only while a click is fresh.
            choose.on("click", js_handler=f"() => runMethod({upload.id}, 'pickFiles', [])")
            text("p", "A file of the same name takes the place of the one before.", "quiet")

    async def _take(self, given: events.MultiUploadEventArguments) -> None:
        with told_of_errors():
            await self._visitor.admit("write")
            files = [SentFile(file.name, await file.read()) for file in given.files]
            self._upload.reset()
            texts = [file for file in files if not cards.is_card(str(file))]
            readings = await asyncio.to_thread(_readings, texts)
            try:
                if len(texts) < len(files):
                    sent = [file for file in files if cards.is_card(str(file))]
                    await cards.attach(self._place, sent, self._list)
            finally:  # what cannot be read holds back nothing else
                await self._draw()
                await self._read(readings)

    async def _read(self, readings: list[ReadDocument]) -> None:
        if await begin_reading(self._visitor, self._place.character, readings):
            await self._look()
            await self._draw()

    async def _read_those(self) -> None:
        """Have the documents that are there read for the configured method."""
        with told_of_errors():
            await self._visitor.admit("write")
            await self._read([])

    # -- how far ingestions are ---------------------------------------------------------------

    async def _look(self) -> None:
        """Show how far ingestions are, and look again until all have ended."""
        async with self._looking:
            character = self._place.character.id
            found: list[Ingestion] = await self._visitor.book.store.read(
                lambda conn: ingestions.list_all(conn, character)
            )
            has_ended = self._show(found)
        if has_ended:
            await self._draw()

    def _show(self, found: list[Ingestion]) -> bool:
        """Show how far they are; whether one has ended that was under way."""
        under_way = {each.id for each in found if not each.has_ended}
        has_ended = bool(self._under_way - under_way)
        self._under_way = under_way
        if not under_way:
            self._stop_looking()
        elif self._timer is None:
            with self._progress.whole:
                self._timer = ui.timer(_POLL_SECONDS, self._look_again, immediate=False)
        self._progress.show(found)
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

    # -- the list ------------------------------------------------------------------------------

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
        if self._files != (wanted := (bool(rows), files)):
            self._files = wanted
            self._cards.clear()
            with self._cards:
                cards.show_files(self._place, files, has_texts=bool(rows))

    def _draw_notices(self, *, has_texts: bool, is_unread: bool) -> None:
        if self._above == (wanted := (has_texts, is_unread)):
            return
        self._above = wanted
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
                    self._rows[name] = _Row(name, self._forget if self._visitor.may_write else None)
            drawn = self._rows[name]
            if self._list.default_slot.children[place] is not drawn.whole:
                drawn.whole.move(self._list, place)
            drawn.tell(row)
        self._list.set_visibility(bool(rows))

    async def _is_index_missing(self) -> bool:
        book = self._visitor.book
        now = await book.find(self._place.character.id)  # reading has changed it since
        try:
            await require_index(book, now)
        except IndexMissing:
            return True
        return False

    def _unread(self) -> None:
        """The texts are stored, and the configured method has not read all of them."""
        with part("div", "notice warn", role="status"):
            text("p", "These texts are not read yet for the method that replies.")
            if self._visitor.may_write:
                button("Read them", self._read_those, icon="auto_stories", look="small")

    async def _forget(self, name: str) -> None:
        told = "It goes with all that only it supports: chunks, vectors, entities, cached answers."
        page = ui.context.client.content  # its row may be gone before the answer comes
        if not await confirmed(f"Delete {name}?", told, "Delete"):
            return
        with page, told_of_errors():
            await self._visitor.admit("write")
            report = await self._visitor.command().forget(self._place.character.id, name)
            turns, memories = plural(report.turns, "turn"), f"{report.memories} memories"
            ui.notify(
                f"{name} is deleted. {turns} and {memories} rested on it.",
                type="positive",
                position="top",
            )
            await self._draw()


class _Row:
    """One document of the list.

    Args:
        name: Its name.
        forget: Deletes the document of a name; None where the visitor may not.
    """

    def __init__(self, name: str, forget: Callable[[str], Awaitable[None]] | None) -> None:
        with part("li") as self.whole:
            with part("div", "main"):
                text("h2", name)
                self._facts = text("p", "", "quiet")
            self._status = text("span", "", "chip")
            if forget is not None:
                made = button(
                    "Delete",
                    partial(forget, name),
                    icon="delete_outline",
                    look="small danger",
                )
                named(made, aria_label=f"Delete {name}")

    def tell(self, row: Mapping[str, Any]) -> None:
        """What is known of it now."""
        told = f"{row['chars']:,} letters · {plural(row['chunks'], 'chunk')}"
        self._facts.set_text(f"{told} · version {row['version']} · {row['added'][:10]}")
        self._status.set_text(row["status"])
        now, before = ("good", "warn") if row["status"] == "complete" else ("warn", "good")
        self._status.classes(add=now, remove=before)


def _readings(files: list[SentFile]) -> list[ReadDocument]:
    return [read_content(str(file), file.data) for file in files]
