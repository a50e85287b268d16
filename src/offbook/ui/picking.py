"""The start page: the characters that there are, and how to make one.

Takes: a visitor.  Gives: a card a character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from offbook.ui.cards import show_import
from offbook.ui.elements import button, link, notice, part, plural, text, told_of_errors

if TYPE_CHECKING:
    from offbook.app.reports import CharacterInfo
    from offbook.ui.visitor import Visitor


async def show_characters(visitor: Visitor) -> None:
    """All characters, and a field for the name of a new one."""
    with part("div", "hero"):
        text("h1", "Characters")
        text("p", "Each says what its texts say, and declines what it cannot know.", "quiet")
    found = await visitor.characters()
    if not found:
        hint = "Begin with the one that comes with offbook." if visitor.may_administer else ""
        notice("There is no character yet.", hint)
    with part("ul", "cards"):
        for info in found:
            _card(info)
    if visitor.may_administer:
        _new(visitor, is_first=not found)
        show_import(visitor)


def _card(info: CharacterInfo) -> None:
    with part("li", "card"):
        with part("div", "initial", aria_hidden="true"):
            text("span", next((c for c in info.name if c.isalnum()), "?").upper())
        with part("div", "about"):
            with part("h2"):
                link(info.name, f"/c/{quote(info.id, safe='')}")
            told = plural(info.documents, "document")
            text("p", f"{told} · {info.chars:,} letters of text", "quiet")


def _new(visitor: Visitor, *, is_first: bool) -> None:
    async def create() -> None:
        with told_of_errors():
            await visitor.admit("admin")
            made = await visitor.book.create(name.value or "")
            ui.navigate.to(f"/c/{quote(made.id, safe='')}/documents")

    async def demo() -> None:
        show.disable()
        with told_of_errors():
            await visitor.admit("admin")
            made, _ = await visitor.command().demo_character()
            ui.navigate.to(f"/c/{quote(made.id, safe='')}")
        show.enable()

    with part("form", "new") as form:
        name = ui.input("Name of a new character").props("outlined dense").classes("grow")
        button("Create", icon="add", look="primary").props("type=submit")
        show = button("Edmond Dantès, who comes with offbook", demo, look="plain")
        show.set_visibility(is_first)
    form.on("submit.prevent", create)
