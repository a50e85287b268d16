"""Small parts of pages: text under a tag, buttons with a name, notices.

Takes: texts of anybody.  Gives: elements that hold them as text; no text becomes markup, or a
property that the browser would run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

if TYPE_CHECKING:
    from offbook.errors import OffbookError

_Element = TypeVar("_Element", bound=ui.element)


def text(tag: str, told: str, classes: str = "") -> TextElement:
    """An element that holds a text."""
    return TextElement(tag=tag, text=told).classes(classes)


def part(tag: str, classes: str = "", **properties: str) -> ui.element:
    """An element that holds others; properties are attributes, ``_`` in their names a ``-``."""
    made = ui.element(tag).classes(classes)
    named(made, **properties)
    return made


def named(element: _Element, **properties: str) -> _Element:
    """An element with attributes of any text: ``props(...)`` would read quotes and colons."""
    for name, value in properties.items():
        element.props[name.rstrip("_").replace("_", "-")] = value
    return element


def button(
    told: str, act: Callable[..., Any] | None = None, *, icon: str = "", look: str = ""
) -> ui.button:
    """A button with a text."""
    made = ui.button(told, on_click=act, icon=icon or None, color=None)
    return made.props("no-caps unelevated").classes(f"button {look}")


def icon_button(told: str, icon: str, act: Callable[..., Any] | None = None) -> ui.button:
    """A button with an icon, whose name is read aloud and shown when pointed at."""
    made = ui.button(on_click=act, icon=icon, color=None).props("flat round dense")
    with named(made.classes("icon-button"), aria_label=told):
        ui.tooltip(told)
    return made


def link(told: str, address: str, classes: str = "") -> ui.element:
    """A link to a page of ours."""
    return named(text("a", told, classes), href=address)


def notice(told: str, hint: str = "", look: str = "") -> None:
    """Something a person should know before they go on."""
    with part("div", f"notice {look}", role="status"):
        text("p", told)
        if hint:
            text("p", hint, "quiet")


def failed(error: OffbookError) -> None:
    """What went wrong, and how it can be mended, in the place of what was wanted."""
    notice(error.message, error.hint, "bad")


def plural(number: int, noun: str) -> str:
    """``1 call``, ``2,000 calls``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
