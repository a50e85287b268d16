"""The passage that something is from, in a dialog.

Takes: a source as ``ask --json`` names it.  Gives: the document's text around it, the sentence that
counts marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.app.passages import Passage, read_passage
from offbook.types import Source
from offbook.ui.elements import icon_button, named, part, text, told_of_errors

if TYPE_CHECKING:
    from offbook.ui.frame import CharacterPlace


_TO_THE_MARK: Final = 'document.querySelector(".passage mark")?.scrollIntoView({block: "center"})'


async def open_passage(place: CharacterPlace, source: Mapping[str, Any], about: str) -> None:
    """Open the passage of a source; ``about`` says which sentence of it counts."""
    with told_of_errors():
        where = Source(source["document"], source["chunk"], source["start"], source["end"])
        found = await read_passage(place.visitor.book, place.character, where, about)
        _dialog(found)


def _dialog(found: Passage) -> None:
    # On the page itself: what asks may be drawn anew, and would take the dialog along.
    with ui.context.client.content, ui.dialog() as dialog, ui.card().classes("dialog"):
        named(dialog, aria_label=f"Passage of {found.document}")
        with part("div", "dialog-head"):
            with part("div"):
                text("h2", found.document)
                if found.headings:
                    text("p", " › ".join(found.headings), "quiet")
            icon_button("Close", "close", dialog.close).props("autofocus")
        with part("div", "dialog-body"), named(part("div", "passage"), tabindex="0"):
            text("span", found.before, "around")
            text("span", found.opening, "span")
            text("mark", found.marked)
            text("span", found.closing + ("…" if found.cut else ""), "span")
            text("span", found.after, "around")
    dialog.on("hide", dialog.delete)
    dialog.on("show", lambda: ui.run_javascript(_TO_THE_MARK))
    dialog.open()
