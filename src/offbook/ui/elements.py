"""Small parts of pages: text under a tag, buttons with a name, notices.

Takes: texts of anybody.  Gives: elements that hold them as text; no text becomes markup, or a
property that the browser would run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from offbook.errors import OffbookError
from offbook.server.failures import native_error

MISTAKE: Final = OffbookError("a mistake in offbook: this was not done", "the log has more")
"""Of what nobody foresaw: the rest is for the log alone."""

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


def scrolling(told: str) -> ui.element:
    """A place for what may be wider than the window, to be scrolled by keyboard as well."""
    return named(part("div", "table-scroll", role="region", tabindex="0"), aria_label=told)


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


def tell_of_uploads(upload: ui.upload, most_bytes: int) -> ui.upload:
    """Have a person told of files that do not arrive, and why."""
    large = f"A file is larger than {most_bytes:,} bytes, or of another kind"
    upload.on_rejected(lambda: ui.notify(large, type="negative", position="top"))
    lost = OffbookError("the file did not arrive", "try again; all files together may be too large")
    upload.on("failed", lambda: complain(lost), args=[])
    return upload


def notice(told: str, hint: str = "", look: str = "") -> None:
    """Something a person should know before they go on."""
    with part("div", f"notice {look}", role="status"):
        text("p", told)
        if hint:
            text("p", hint, "quiet")


def failed(error: OffbookError) -> None:
    """What went wrong, and how it can be mended, in the place of what was wanted."""
    notice(*words_of(error), "bad")


def words_of(error: OffbookError) -> tuple[str, str]:
    """What is told of an error, and the hint.

    To others than the owner nothing of prompts and folders, and no secret to anybody.
    """
    told = native_error(error)["error"]
    return told["message"], told["hint"]


def warn(told: str) -> None:
    """Say what is missing before something can be done."""
    ui.notify(told, type="warning", position="top")


def complain(error: OffbookError) -> None:
    """Tell of an error above the page, until it is closed."""
    message, hint = words_of(error)
    ui.notify(
        f"{message}\n{hint}" if hint else message,
        type="negative",
        multi_line=True,
        timeout=0,
        close_button="Close",
        position="top",
    )


@contextmanager
def told_of_errors() -> Iterator[None]:
    """Tell the visitor what went wrong, and how it can be mended, rather than a log."""
    page = ui.context.client.content  # what was clicked may be drawn anew meanwhile
    try:
        yield
    except OffbookError as error:
        if not page.is_deleted:
            with page:
                complain(error)


def plural(number: int, noun: str) -> str:
    """``1 call``, ``2,000 calls``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
