"""Small parts of pages: text under a tag, buttons with a name, notices, a question in a dialog."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from offbook.errors import OffbookError
from offbook.server.failures import native_error

MISTAKE: Final = OffbookError("a mistake in offbook: this was not done", "the log has more")
"""Of what nobody foresaw: the rest is for the log alone."""

_Element = TypeVar("_Element", bound=ui.element)
_Row = TypeVar("_Row")


def text(tag: str, words: str, classes: str = "") -> TextElement:
    """An element that holds a text."""
    return TextElement(tag=tag, text=words).classes(classes)


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


def scrolling(label: str) -> ui.element:
    """A place for what may be wider than the window, to be scrolled by keyboard as well."""
    return named(part("div", "table-scroll", role="region", tabindex="0"), aria_label=label)


def button(
    words: str,
    act: Callable[..., Any] | None = None,
    *,
    icon: str = "",
    look: str = "",
    label: str = "",
) -> ui.button:
    """A button with a text; ``label`` is read aloud instead, where the text alone is not clear."""
    made = ui.button(words, on_click=act, icon=icon or None, color=None)
    if label:
        named(made, aria_label=label)
    return made.props("no-caps unelevated").classes(f"button {look}")


def icon_button(words: str, icon: str, act: Callable[..., Any] | None = None) -> ui.button:
    """A button with an icon, whose name is read aloud and shown when pointed at."""
    made = ui.button(on_click=act, icon=icon, color=None).props("flat round dense")
    with named(made.classes("icon-button"), aria_label=words):
        ui.tooltip(words)
    return made


def once(act: Callable[[], Awaitable[bool | None]]) -> Callable[[], Awaitable[None]]:
    """Hear nothing of the same until it is done, and tell of errors.

    Who presses twice wants it once.

    Args:
        act: True: it leads to another page, and nothing more is heard on this one.
    """
    is_under_way = False

    async def heard() -> None:
        nonlocal is_under_way
        if is_under_way:
            return
        is_under_way, leaves = True, False
        try:
            with told_of_errors():
                leaves = bool(await act())
        finally:
            is_under_way = leaves

    return heard


def link(words: str, address: str, classes: str = "") -> ui.element:
    """A link to a page of ours."""
    return named(text("a", words, classes), href=address)


def uploader(
    label: str, choosing: str, hint: str, endings: Iterable[str], most_bytes: int, **how: Any
) -> ui.upload:
    """A place for files, and a button that chooses them; a person is told which do not arrive."""
    upload = ui.upload(auto_upload=True, label=label, max_file_size=most_bytes, **how)
    upload.props(f"flat bordered accept='{','.join(endings)}'").classes("uploader")
    large = f"A file is larger than {most_bytes:,} bytes, or of another kind"
    upload.on_rejected(lambda: ui.notify(large, type="negative", position="top"))
    lost = OffbookError("the file did not arrive", "try again; all files together may be too large")
    upload.on("failed", lambda: complain(lost), args=[])
    with part("div", "bar"):
        choose = button(choosing, icon="upload_file", look="primary")
        # In the browser alone: it opens the list of files only while a click is fresh.
        choose.on("click", js_handler=f"() => runMethod({upload.id}, 'pickFiles', [])")
        if hint:
            text("p", hint, "quiet")
    return upload


def live_part(classes: str = "") -> ui.element:
    """A place whose news are read aloud."""
    return part("div", classes, role="status", aria_live="polite")


def search_field(label: str, search: Callable[[str], Any]) -> ui.input:
    """A field that hears of the words in it, in small letters, while they are typed."""
    field = ui.input(label, on_change=lambda e: search((e.value or "").casefold().strip()))
    return field.props("outlined dense clearable debounce=200 type=search").classes("search")


def listed(rows: Sequence[_Row], most: int, draw: Callable[[_Row], Any], more: str = "") -> None:
    """The first of many rows, each drawn into its item, and how many there are beside them."""
    with part("ul", "rows"):
        for row in rows[:most]:
            with part("li"):
                draw(row)
    if len(rows) > most:
        text("p", f"and {len(rows) - most} more{more}", "quiet")


def table(label: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table whose first column names what the numbers in the others are of."""
    with scrolling(label), part("table", "plain"):
        with part("thead"), part("tr"):
            for place, head in enumerate(heads):
                text("th", head, "number" if place else "")
        with part("tbody"):
            for row in rows:
                with part("tr"):
                    for place, cell in enumerate(row):
                        text("td", cell, "number" if place else "")


def notice(words: str, hint: str = "", look: str = "") -> None:
    """Something a person should know before they go on."""
    with part("div", f"notice {look}", role="status"):
        text("p", words)
        if hint:
            text("p", hint, "quiet")


def failed(error: OffbookError) -> None:
    """What went wrong, and how it can be mended, in the place of what was wanted."""
    words, hint = words_of(error)
    notice(words, hint, "bad")


def words_of(error: OffbookError) -> tuple[str, str]:
    """What is told of an error, and the hint.

    To others than the owner nothing of prompts and folders, and no secret to anybody.
    """
    shown = native_error(error)["error"]
    return shown["message"], shown["hint"]


def warn(words: str) -> None:
    """Say what is missing before something can be done."""
    ui.notify(words, type="warning", position="top")


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


@contextmanager
def busy(words: str) -> Iterator[None]:
    """Say above the page what it waits for."""
    note = ui.notification(words, spinner=True, timeout=None, position="top")
    try:
        yield
    finally:
        note.dismiss()


def plural(number: int, noun: str) -> str:
    """``1 call``, ``2,000 calls``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


async def confirmed(title: str, words: str, yes: str) -> bool:
    """Ask in a dialog; closed without a word it means no."""
    # On the page itself: what asks may be drawn anew, and would take the dialog along.
    with ui.context.client.content, ui.dialog() as dialog, ui.card().classes("dialog narrow"):
        named(dialog, aria_label=title)
        with part("div", "dialog-head"), part("div"):
            text("h2", title)
        with part("div", "dialog-body"):
            text("p", words)
            with part("div", "bar end"):
                button("Cancel", lambda: dialog.submit(False)).props("autofocus")
                button(yes, lambda: dialog.submit(True), look="primary")
    dialog.on("hide", dialog.delete)  # by then the focus is back where it was
    return bool(await dialog)
