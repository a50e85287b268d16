"""The start page: the characters that there are, and how to make one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from nicegui import ui

from offbook.documents.readers import endings
from offbook.foreign_files import SentFile
from offbook.ui.books import show_book
from offbook.ui.documents import ENDINGS, create_of_card, is_card
from offbook.ui.elements import (
    button,
    link,
    live_part,
    named,
    notice,
    once,
    part,
    plural,
    search_field,
    text,
    told_of_errors,
    uploader,
)

if TYPE_CHECKING:
    from nicegui import events

    from offbook.app.documents import CharacterInfo
    from offbook.ui.visitor import Visitor

_AT_A_GLANCE: Final = 12
"""Of more characters one is searched for by name."""


async def show_characters(visitor: Visitor) -> None:
    """All characters, and a field for the name of a new one."""
    with part("div", "hero"):
        text("h1", "Characters")
        text("p", "Each says what its texts say, and declines what it cannot know.", "quiet")
    infos = await visitor.characters()
    if not infos:
        begin = "Begin with the one that comes with offbook, or drop a book."
        hint = begin if visitor.may_administer else ""
        notice("There is no character yet.", hint)
    cards: list[tuple[str, ui.element]] = []
    if len(infos) > _AT_A_GLANCE:
        _search(visitor, cards)
    with part("ul", "cards"):
        cards += [(info.name.casefold(), _card(info)) for info in infos]
    if visitor.may_administer:
        _new(visitor, is_first=not infos)
        _drop(visitor)


def _search(visitor: Visitor, cards: list[tuple[str, ui.element]]) -> None:
    """A field that leaves those characters whose names have what is typed in them."""

    def find(words: str) -> None:
        shown = [card for name, card in cards if words in name]
        for _, card in cards:
            card.set_visibility(card in shown)
        count.set_text(plural(len(shown), "character"))

    with part("div", "bar"):
        search_field("Search characters", find).classes("grow")
        count = text("span", "", "quiet")
        named(count, role="status", aria_live="polite")
        if visitor.may_administer:
            link("New character", "#new")


def _card(info: CharacterInfo) -> ui.element:
    with part("li", "card") as whole:
        with part("div", "initial", aria_hidden="true"):
            text("span", next((c for c in info.name if c.isalnum()), "?").upper())
        with part("div", "about"):
            with part("h2"):
                link(info.name, f"/c/{quote(info.id, safe='')}")
            documents = plural(info.documents, "document")
            text("p", f"{documents} · {plural(info.chars, 'letter')}", "quiet")
    return whole


def _new(visitor: Visitor, *, is_first: bool) -> None:
    async def create() -> bool:
        await visitor.admit("admin")
        made = await visitor.book.create(name.value or "")
        ui.navigate.to(f"/c/{quote(made.id, safe='')}/documents")
        return True

    async def demo() -> bool:
        await visitor.admit("admin")
        made, _ = await visitor.commanded(lambda command: command.demo_character())
        ui.navigate.to(f"/c/{quote(made.id, safe='')}")
        return True

    with part("form", "new", id="new") as form:
        name = ui.input("Name of a new character").props("outlined dense").classes("grow")
        button("Create", icon="add", look="primary").props("type=submit")
        show = button("Edmond Dantès, who comes with offbook", once(demo), look="plain")
        show.set_visibility(is_first)
    form.on("submit.prevent", once(create))


def _drop(visitor: Visitor) -> None:
    """A place for a book, whose cast is shown, or a card, of which a character is made."""

    async def take(given: events.UploadEventArguments) -> None:
        upload.reset()
        upload.disable()
        try:
            with told_of_errors():
                await visitor.admit("admin")
                sent = SentFile(given.file.name, await given.file.read())
                said.clear()
                people.clear()
                if is_card(str(sent)):
                    await create_of_card(visitor, sent, said)
                else:
                    await show_book(visitor, sent, people)
        finally:
            upload.enable()

    most = visitor.book.settings.values.server.max_body_bytes
    label = (
        "Drop a book here (.txt, .epub, .pdf, .docx, ...), or a character card (PNG, JSON, CHARX)"
    )
    hint = "Of a book, its cast is read, without a model. Nothing in it is obeyed, fetched or run."
    upload = uploader(label, "Choose a file", hint, (*endings(), *ENDINGS), most, on_upload=take)
    said, people = live_part(), part("div", "listed")
