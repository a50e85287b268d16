"""The documents of a character: added with progress, forgotten with all that rests on them.

Takes: files that a person chooses.  Gives: what became of each; reading them goes on behind the
page, also when it is closed.
"""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.documents.readers import ReadDocument, read_content
from offbook.ingestion.estimating import estimate_ingestion
from offbook.stores import ingestions
from offbook.ui.asking import confirmed
from offbook.ui.elements import button, named, notice, part, plural, text
from offbook.ui.visitor import told_of_errors

if TYPE_CHECKING:
    from nicegui import events

    from offbook.stores.ingestions import Ingestion
    from offbook.ui.frame import CharacterPlace

_POLL_SECONDS: Final = 0.5
_OFFLINE: Final = "offline:"


async def show_documents(place: CharacterPlace) -> None:
    """The list, how far the last ingestion is, and a place for new files."""
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

    async def show(self) -> None:
        if self._visitor.may_write:
            self._uploader()
        self._progress = named(part("div", "ingestion"), role="status", aria_live="polite")
        self._list = part("div", "listed")
        await self._draw()
        await self._look()

    # -- adding --------------------------------------------------------------------------------

    def _uploader(self) -> None:
        told = "Drop files here: .txt, .md, .html, .pdf"
        most = self._visitor.book.settings.values.server.max_body_bytes
        upload = ui.upload(
            multiple=True, auto_upload=True, on_multi_upload=self._take, label=told,
            max_file_size=most, max_total_size=most,
            on_rejected=lambda: ui.notify(f"A file is larger than {most:,} bytes", type="negative"),
        )  # fmt: skip
        upload.props("flat bordered accept='.txt,.md,.markdown,.html,.htm,.pdf,text/*'")
        upload.classes("uploader")
        self._upload = upload
        with part("div", "bar"):
            choose = button("Choose files", icon="upload_file", look="primary")
            # In the browser alone: it opens the list of files only while a click is fresh.
            choose.on("click", js_handler=f"() => runMethod({upload.id}, 'pickFiles', [])")
            text("p", "A file of the same name takes the place of the one before.", "quiet")

    async def _take(self, given: events.MultiUploadEventArguments) -> None:
        with told_of_errors():
            files = [(file.name, await file.read()) for file in given.files]
            self._upload.reset()
            readings = await asyncio.to_thread(_readings, files)
            if await self._is_wanted(readings):
                await self._begin(readings)

    async def _is_wanted(self, readings: list[ReadDocument]) -> bool:
        """Nothing is spent unasked: what costs calls to an endpoint is confirmed first."""
        stage = self._visitor.command().stage(self._place.character.dimension)
        if stage.extractor.base_url == _OFFLINE:
            return True
        found = await estimate_ingestion(stage, self._place.character, readings)
        if not found.calls and not found.embed_calls:
            return True
        told = f"This takes about {found.in_words()}."
        return await confirmed(f"Add {plural(len(readings), 'document')}?", told, "Add")

    async def _begin(self, readings: list[ReadDocument]) -> None:
        asked = {"documents": [asdict(each) for each in readings], "method": None, "order": None}
        id_, character = uuid.uuid4().hex[:12], self._place.character.id
        await self._visitor.book.store.write(
            lambda conn: ingestions.add(conn, character, id_, asked)
        )
        if self._visitor.wake is not None:
            self._visitor.wake()
        await self._look()

    async def _look(self) -> None:
        """Show how far the last ingestion is, and look again until it has ended."""
        character = self._place.character.id
        found: list[Ingestion] = await self._visitor.book.store.read(
            lambda conn: ingestions.list_all(conn, character)
        )
        if not found:
            return
        runs = found[0].status not in ("done", "failed")
        if runs and self._timer is None:
            with self._progress:
                self._timer = ui.timer(_POLL_SECONDS, self._look, immediate=False)
        elif not runs and self._timer is not None:
            self._timer.deactivate()
            self._timer = None
            await self._draw()
        self._tell(found[0])

    def _tell(self, last: Ingestion) -> None:
        kept = [child for child in self._progress.default_slot.children if child is not self._timer]
        for child in kept:
            child.delete()
        with self._progress:
            if last.status == "failed" and last.error:
                error = last.error.get("error", last.error)
                notice(str(error.get("message", "")), str(error.get("hint", "")), "bad")
            elif last.status == "done":
                _report(last.report or {})
            else:
                _steps(last)

    # -- the list ------------------------------------------------------------------------------

    async def _draw(self) -> None:
        rows = await self._visitor.book.show(self._place.character.id, "documents")
        self._list.clear()
        with self._list:
            if not rows:
                notice("There is no document yet.", "The character says what its texts say.")
                return
            with part("ul", "rows"):
                for row in rows:
                    self._row(row)

    def _row(self, row: dict[str, Any]) -> None:
        async def forget() -> None:
            await self._forget(row["name"])

        with part("li"):
            with part("div", "main"):
                text("h2", row["name"])
                told = f"{row['chars']:,} characters · {plural(row['chunks'], 'chunk')}"
                text("p", f"{told} · version {row['version']} · {row['added'][:10]}", "quiet")
            look = "good" if row["status"] == "complete" else "warn"
            text("span", row["status"], f"chip {look}")
            if self._visitor.may_write:
                made = button("Delete", forget, icon="delete_outline", look="small danger")
                named(made, aria_label=f"Delete {row['name']}")

    async def _forget(self, name: str) -> None:
        told = "It goes with all that only it supports: chunks, vectors, entities, cached answers."
        if not await confirmed(f"Delete {name}?", told, "Delete"):
            return
        with told_of_errors():
            report = await self._visitor.command().forget(self._place.character.id, name)
            rest = f"{plural(report.turns, 'turn')} and {report.memories} memories rested on it"
            ui.notify(f"{name} is deleted. {rest}.", type="positive", position="top")
            await self._draw()


def _readings(files: list[tuple[str, bytes]]) -> list[ReadDocument]:
    return [read_content(name.replace("\\", "/").rpartition("/")[2], data) for name, data in files]


def _steps(running: Ingestion) -> None:
    stage = str(running.progress.get("stage") or running.status)
    done, total = running.progress.get("done") or 0, running.progress.get("total") or 0
    with part("div", "panel"):
        text("p", f"Reading: {stage}" + (f", {done} of {total}" if total else ""))
        bar = ui.linear_progress(done / total if total else 0, show_value=False, size="8px")
        named(bar, aria_label="Progress")
        if not total:
            bar.props("indeterminate")


def _report(report: dict[str, Any] | Any) -> None:
    with part("ul", "chips"):
        for row in report.get("documents") or ():
            bad = row["status"] in ("failed", "partial")
            with part("li"):
                text("span", f"{row['name']}: {row['status']}", f"chip {'bad' if bad else 'good'}")
    for row in report.get("documents") or ():
        for message in row.get("messages") or ():
            text("p", f"{row['name']}: {message}", "quiet")
