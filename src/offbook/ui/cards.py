"""Cards and lorebooks on the page: a character made of a card, or given a lorebook; cards to keep.

Takes: files that a person sends, or a character.  Gives: characters, and files. What of a file was
mended, or cannot be carried, is told.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from nicegui import ui

from offbook.app.sent_files import SentFile
from offbook.ui.elements import (
    button,
    link,
    named,
    notice,
    part,
    plural,
    tell_of_uploads,
    text,
    told_of_errors,
)
from offbook.ui.reading import begin_reading

if TYPE_CHECKING:
    from nicegui import events

    from offbook.app.cards import CardReport
    from offbook.cards import Finding
    from offbook.ui.frame import CharacterPlace
    from offbook.ui.visitor import Visitor

ENDINGS: Final = (".json", ".png", ".charx", ".jpg", ".jpeg", ".webp", ".yaml", ".yml")
"""Of files that are cards or lorebooks, and no texts."""

_FORMATS: Final = (("PNG", "png"), ("JSON", "json"), ("CHARX", "charx"))
_SHOWN: Final = 12


def is_card(name: str) -> bool:
    """Whether a file of this name is taken for a card or a lorebook."""
    return PurePosixPath(name).suffix.lower() in ENDINGS


def show_import(visitor: Visitor) -> None:
    """A place for a card, of which a new character is made.

    Args:
        visitor: Who may make characters.
    """

    async def take(given: events.UploadEventArguments) -> None:
        upload.reset()
        await _create(visitor, given, said)

    most = visitor.book.settings.values.server.max_body_bytes
    upload = ui.upload(
        auto_upload=True,
        on_upload=take,
        label="Or drop a character card here: PNG, JSON or CHARX",
        max_file_size=most,
    )
    tell_of_uploads(upload, most).props(f"flat bordered accept='{','.join(ENDINGS)}'").classes(
        "uploader"
    )
    with part("div", "bar"):
        choose = button("Choose a card", icon="badge")
        # In the browser alone: it opens the list of files only while a click is fresh.
        choose.on("click", js_handler=f"() => runMethod({upload.id}, 'pickFiles', [])")
        text("p", "Nothing in it is obeyed, fetched or run.", "quiet")
    said = named(part("div"), role="status", aria_live="polite")


async def _create(visitor: Visitor, given: events.UploadEventArguments, said: ui.element) -> None:
    with told_of_errors():
        await visitor.admit("admin")
        sent = SentFile(given.file.name, await given.file.read())
        report = await visitor.command().cards.create(sent)
        await begin_reading(visitor, report.character)
        address = f"/c/{quote(report.character.id, safe='')}/documents"
        if not report.warnings:
            ui.navigate.to(address)
            return
        said.clear()
        with said:
            _mended(report)
            link(f"Go on to {report.character.name}", address)


async def attach(place: CharacterPlace, files: Sequence[SentFile], here: ui.element) -> None:
    """Give a character lorebooks, or a card if it has none; what was mended is told.

    Args:
        place: The character.
        files: What was sent; all of it is attached, also when the page is closed meanwhile.
        here: A part of the page.

    Raises:
        UnreadableCard: there is neither in a file; those before it are attached.
        UsageError: the character has another card.
    """
    for sent in files:
        report = await place.visitor.command().cards.attach(place.character.id, sent)
        if here.is_deleted:
            continue
        told = f"{sent} is attached"
        if report.warnings:
            told += f"; mended: {_in_words(report.warnings)}"
        with here:
            ui.notify(told, type="positive", multi_line=True, position="top")


def show_files(
    place: CharacterPlace, found: Sequence[Mapping[str, Any]], *, has_texts: bool
) -> None:
    """The cards and lorebooks that a character has, and its card as a file to keep."""
    may_take = has_texts and place.visitor.may_take_away
    if not found and not may_take:
        return
    with named(part("section", "panel"), aria_label="Cards"):
        text("h2", "Cards")
        for row in found:
            text("p", f"{row['kind'].replace('_', ' of the ')}: {row['file']} ({row['format']})")
        if may_take:
            text("p", "The character as a card, for other programs:", "quiet")
            with part("div", "bar"):
                for told, ending in _FORMATS:
                    _export_button(place, told, ending)


def _export_button(place: CharacterPlace, told: str, ending: str) -> None:
    async def export() -> None:
        with told_of_errors():
            await _export(place, f"{place.character.id}.{ending}")

    made = button(told, export, icon="download", look="small")
    named(made, aria_label=f"Card of {place.character.name} as {told}")


async def _export(place: CharacterPlace, name: str) -> None:
    page = ui.context.client.content  # the button may be drawn anew meanwhile
    await place.visitor.admit("admin")
    with tempfile.TemporaryDirectory(prefix="offbook-card-") as folder:
        # The name may be too long for a file.
        file = Path(folder, "card").with_suffix(Path(name).suffix)
        written = await place.visitor.command().cards.export(place.character.id, file)
        content = await asyncio.to_thread(file.read_bytes)
    with page:
        if written.losses:
            told = f"Not in the card: {_in_words(written.losses)}"
            ui.notify(told, type="warning", multi_line=True, position="top", close_button="Close")
        ui.download.content(content, name)


def _mended(report: CardReport) -> None:
    made = f"{report.character.name} is made"
    notice(f"{made}; {plural(len(report.warnings), 'thing')} in its card to know of:", look="warn")
    with part("ul", "panel"):
        for finding in report.warnings[:_SHOWN]:
            text("li", f"{finding.path}: {finding.message}" if finding.path else finding.message)
        if len(report.warnings) > _SHOWN:
            text("li", f"and {len(report.warnings) - _SHOWN} more: offbook card lint shows all")


def _in_words(findings: Sequence[Finding]) -> str:
    told = "; ".join(finding.message for finding in findings[:_SHOWN])
    more = len(findings) - _SHOWN
    return f"{told}; and {more} more" if more > 0 else told
