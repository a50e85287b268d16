"""The start page: the characters that there are, and how to make one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from offbook.demo import CHARACTER_NAME
from offbook.ui.elements import link, named, notice, part, plural, search_field, text
from offbook.ui.new_character import show_new_character
from offbook.ui.portrait import portrait
from offbook.ui.preferences import tell_offline

if TYPE_CHECKING:
    from nicegui import ui

    from offbook.app.documents import CharacterInfo
    from offbook.ui.visitor import Visitor

_AT_A_GLANCE: Final = 12
"""Of more characters one is searched for by name."""


async def show_characters(visitor: Visitor) -> None:
    """All characters, and a field for the name of a new one."""
    with part("div", "hero"):
        text("h1", "Characters")
        text("p", "Each says what its texts say, and declines what it cannot know.", "quiet")
        tell_offline(visitor)
    infos = await visitor.characters()
    if not infos and not visitor.may_administer:
        notice("There is no character yet.")
    cards: list[tuple[str, ui.element]] = []
    if len(infos) > _AT_A_GLANCE:
        _search(visitor, cards)
    with part("ul", "cards"):
        cards += [(info.name.casefold(), _card(info)) for info in infos]
    if visitor.may_administer:
        has_demo = any(info.name == CHARACTER_NAME for info in infos)
        show_new_character(visitor, has_demo=has_demo, is_first=not infos)


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
        portrait(info.name, info.id)
        with part("div", "about"):
            with part("h2"):
                link(info.name, f"/c/{quote(info.id, safe='')}")
            documents = plural(info.documents, "document")
            text("p", f"{documents} · {plural(info.chars, 'letter')}", "quiet")
    return whole
