"""What all pages have around them: the way to the content, to other pages, and the theme."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from nicegui import ui

from offbook import __version__
from offbook.errors import IndexMissing, OffbookError
from offbook.ui.elements import (
    MISTAKE,
    complain,
    link,
    named,
    notice,
    part,
    text,
    words_of,
)
from offbook.ui.visitor import Visitor

if TYPE_CHECKING:
    from offbook.types import Character

_PARTS: Final = (
    ("talk", "Talk", ""),
    ("cast", "Cast", "/cast"),
    ("graph", "Graph", "/graph"),
    ("documents", "Documents", "/documents"),
    ("names", "Names", "/names"),
    ("memories", "Memories", "/memories"),
    ("compare", "Compare", "/compare"),
)
_ASK: Final = "A key with the right `write` can add documents, and have them read."


@dataclass(frozen=True, slots=True)
class CharacterPlace:
    """The pages of one character, for one visitor."""

    visitor: Visitor
    character: Character
    may_change: bool
    """Whether its texts, and what is made of them, are the visitor's to change."""

    def address(self, part: str = "") -> str:
        """The address of one of its pages."""
        return f"/c/{quote(self.character.id, safe='')}{part}"

    async def admit_change(self) -> None:
        """Count a change of its texts, or of what is made of them, if they may still make it."""
        await self.visitor.admit("write", changing=self.character)


@contextmanager
def framed(title: str, place: CharacterPlace | None = None, current: str = "") -> Iterator[None]:
    """The frame of a page; what is built inside is its content."""
    whole = ui.context.client.content.parent_slot
    if whole is not None:
        named(whole.parent, role="none")  # it is a `main` otherwise, around the header as well
    ui.on_exception(_tell)
    ui.page_title(f"{title} · offbook")
    ui.add_head_html(
        f'<link rel="stylesheet" href="/_page/page.css?{__version__}">'
        f'<script defer src="/_page/page.js?{__version__}"></script>'
    )
    link("To the content", "#main", "skip")
    with part("header", "top"):
        named(link("offbook", "/", "brand"), aria_label="offbook, all characters")
        if place is not None:
            _parts(place, current)
        with part("div", "tools"):
            visitor = Visitor.of_this_page()
            if visitor.may_administer:
                link("Reviews", "/reviews", "quiet-link")
            if visitor.is_owner:
                link("Settings", "/settings", "quiet-link")
            # Its name changes with the theme, in the browser; a tooltip would not.
            theme = ui.button(icon="contrast", color=None).classes("icon-button")
            theme.props("flat round dense data-theme-switch")
            named(theme, aria_label="Theme: as the system has it")
    with named(part("main", f"content {current}"), id="main", tabindex="-1"):
        if place is not None and current != "talk":
            with part("div", "hero"):
                text("p", title, "eyebrow")
                text("h1", next(label for name, label, _ in _PARTS if name == current))
        yield


def unread(place: CharacterPlace, error: IndexMissing) -> None:
    """Say that texts are missing, or were not read, and where that is mended."""
    may_change = place.may_change
    hint = "Texts are added, and read, under Documents." if may_change else _ASK
    notice(words_of(error)[0], hint, "bad")
    if may_change:
        link("To the documents", place.address("/documents"))


def _tell(error: Exception) -> None:
    """Say that something was not done that nobody thought of; the log has the rest."""
    if isinstance(error, OffbookError):
        complain(error)
    else:
        complain(MISTAKE)


def _parts(place: CharacterPlace, current: str) -> None:
    with part("nav", "parts", aria_label=place.character.name):
        for name, label, tail in _PARTS:
            entry = link(label, place.address(tail))
            if name == current:
                named(entry, aria_current="page")
