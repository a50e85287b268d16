"""Three ways to a new character: the one that comes along, a file that is dropped, words."""

from __future__ import annotations

import asyncio
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from nicegui import ui

from offbook import registry
from offbook.app.documents import require_index
from offbook.documents.labels import label_of
from offbook.documents.readers import ReadDocument, endings, read_content
from offbook.documents.sections import sections
from offbook.errors import IndexMissing, UsageError
from offbook.foreign_files import SentFile
from offbook.models.beside import worked_out
from offbook.stores import characters, queue
from offbook.ui.books import show_book
from offbook.ui.documents import ENDINGS, begin_reading, create_of_card, is_card
from offbook.ui.elements import (
    busy,
    button,
    live_part,
    named,
    once,
    part,
    text,
    told_of_errors,
    uploader,
)

if TYPE_CHECKING:
    from nicegui import events

    from offbook.types import Character, DocumentKind
    from offbook.ui.visitor import Visitor

_LOOK_SECONDS: Final = 0.2
_PATIENCE_SECONDS: Final = 60.0
"""After a minute the conversation is opened all the same, and says what is missing."""
_LONGEST_NAME: Final = 60
_PASTED: Final = "about.md"
_INTO_SIGHT: Final = 'getHtmlElement({id}).scrollIntoView({{block: "nearest"}})'


def show_new_character(visitor: Visitor, *, has_demo: bool, is_first: bool) -> None:
    """Show the three ways side by side, and below them what becomes of a file."""
    with named(part("section", "begin", id="new"), aria_label="New character"):
        text("h2", "Three ways to begin" if is_first else "New character")
        ways, becomes = part("div", "ways"), part("div", "listed")
        with ways:
            if not has_demo:
                _demo(visitor)
            _drop(visitor, becomes)
            _write(visitor)


def _way(icon: str, title: str, words: str) -> ui.element:
    with part("div", "panel way") as whole:
        with part("div", "way-head"):
            named(ui.icon(icon), aria_hidden="true")
            text("h3", title)
        text("p", words, "quiet")
    return whole


def _demo(visitor: Visitor) -> None:
    async def demo() -> bool:
        await visitor.admit("admin")
        with busy("Edmond Dantès is being read: a few seconds"):
            made, _ = await visitor.commanded(lambda command: command.demo_character())
        ui.navigate.to(_address(made))
        return True

    words = "Edmond Dantès comes with offbook: a sailor, a prisoner, a count. Ask him anything."
    with _way("sailing", "Meet somebody", words):
        button("Talk to Edmond Dantès", once(demo), icon="chat", look="primary")


def _drop(visitor: Visitor, becomes: ui.element) -> None:
    """Show a place for a text, of which is asked what it is, or a card."""
    with becomes:
        news, people = live_part("listed"), part("div", "listed")

    async def take(sent: events.UploadEventArguments) -> None:
        upload.reset()
        upload.disable()
        try:
            with told_of_errors():
                await visitor.admit("admin")
                await _take(visitor, SentFile(sent.file.name, await sent.file.read()), news, people)
        finally:
            upload.enable()

    most = visitor.book.settings.values.server.max_body_bytes
    words = "A novel, notes on somebody, or a card. Nothing in it is obeyed, fetched or run."
    with _way("upload_file", "Drop a text or a card", words):
        label = "Drop a file here (.txt, .md, .epub, .pdf, .docx, PNG, JSON, ...)"
        accepted = (*endings(), *ENDINGS)
        upload = uploader(label, "Choose a file", "", accepted, most, on_upload=take)


async def _take(visitor: Visitor, sent: SentFile, news: ui.element, people: ui.element) -> None:
    news.clear()
    people.clear()
    if is_card(str(sent)):
        await create_of_card(visitor, sent, news)
        return
    reading = await asyncio.to_thread(read_content, str(sent), sent.data)
    name = name_in(reading)
    recognize = registry.load("story", "kind")
    kind = await worked_out(recognize, [reading.text], name, of_cast=False)
    with news:
        _ask_kind(visitor, sent, reading, name, kind, people)
        ui.run_javascript(_INTO_SIGHT.format(id=news.id))


def _ask_kind(
    visitor: Visitor,
    sent: SentFile,
    reading: ReadDocument,
    name: str,
    kind: DocumentKind,
    people: ui.element,
) -> None:
    """Ask what a text is; what the rules take it for is offered first."""

    async def one() -> bool:
        return await _begin(visitor, field.value or "", reading)

    async def many() -> None:
        people.clear()
        await show_book(visitor, sent, people)

    with named(part("form", "panel"), aria_label=f"What {sent} is") as form:
        text("h3", f"Is {sent} one person's document or a book?")
        guess = "a book with several people in it" if kind == "story" else "about one person"
        text("p", f"It seems to be {guess}.", "quiet")
        with part("div", "bar"):
            field = ui.input("Name of the person", value=name).props("outlined dense")
            field.classes("grow").props["maxlength"] = _LONGEST_NAME
            looks = ("", "primary") if kind == "story" else ("primary", "")
            person = button("One person's document", icon="person", look=looks[0])
            person.props("type=submit")
            book = button("A book: show who is in it", once(many), icon="menu_book", look=looks[1])
            book.props("type=button")
    form.on("submit.prevent", once(one))


def _write(visitor: Visitor) -> None:
    """Show a name, and a field for what is known of it."""

    async def create() -> bool:
        words = (about.value or "").strip()
        if not words:
            await visitor.admit("admin")
            made = await visitor.book.create(name.value or "")
            ui.navigate.to(_address(made, "/documents"))
            return True
        return await _begin(
            visitor, name.value or "", ReadDocument(_PASTED, words, "text/markdown")
        )

    title = "Write or paste one"
    with _way("edit", title, "A name, and some sentences about who they are and what they say."):
        with part("form", "new listed") as form:
            name = ui.input("Name of a new character").props("outlined dense")
            about = ui.textarea("About them").props("outlined autogrow rows=3")
            button("Create", icon="add", look="primary").props("type=submit")
        form.on("submit.prevent", once(create))


async def _begin(visitor: Visitor, name: str, reading: ReadDocument) -> bool:
    """Make a character of one text, and go to the conversation as soon as it can answer."""
    await visitor.admit("admin")
    if not name.strip():
        raise UsageError("the character has no name", "say what they are called")
    page, store = ui.context.client.content, visitor.book.store
    made = await visitor.book.create(name)
    is_begun = False
    try:
        await store.write(characters.set_setting, made.id, characters.KIND_SAID, "persona")
        is_begun = await begin_reading(visitor, made, [reading])
    finally:
        if not is_begun:  # it failed, or would cost and is not wanted: nothing stays behind
            await store.write(characters.remove, made.id)
    if is_begun:
        with page:
            await go_to_talk(visitor, made)
    return is_begun


async def go_to_talk(visitor: Visitor, character: Character) -> None:
    """Open the conversation once the character can answer; the rest is read behind it."""
    with busy(f"{character.name} is being read"):
        for _ in range(int(_PATIENCE_SECONDS / _LOOK_SECONDS)):
            if await _is_ready(visitor, character):
                break
            await asyncio.sleep(_LOOK_SECONDS)
    ui.navigate.to(_address(character))


async def _is_ready(visitor: Visitor, character: Character) -> bool:
    book = visitor.book
    now = await book.find(character.id)
    try:
        await require_index(book, now, with_cost=False)
    except IndexMissing:
        waiting = await book.store.read(queue.list_ingestions, character.id)
        return all(each.has_ended for each in waiting)
    return True


def name_in(reading: ReadDocument) -> str:
    """Guess whom a document is about: by its first heading if that is short, else by its file."""
    title = next((s.headings[-1] for s in sections(reading.text) if s.level), "")
    title = re.split(r"[:(|]|\s[-–—]\s", re.sub(r"[*_`]", "", title))[0].strip()
    if title and label_of(title) is None and len(title.split()) <= 4 and len(title) < _LONGEST_NAME:
        return title
    stem = re.sub(r"[\W_]+", " ", PurePosixPath(reading.name).stem).strip()
    return " ".join(word[:1].upper() + word[1:] for word in stem.split())[:_LONGEST_NAME]


def _address(character: Character, tail: str = "") -> str:
    return f"/c/{quote(character.id, safe='')}{tail}"
