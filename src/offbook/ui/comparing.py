"""Two methods side by side: the same question, each with its reply and why.

Takes: two methods and a question.  Gives: two replies; nothing of them is kept.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from nicegui import ui

from offbook import registry
from offbook.app.commands import conversation_of
from offbook.app.missing_index import priced
from offbook.errors import OffbookError
from offbook.ui.elements import button, failed, named, part, text, told_of_errors, warn
from offbook.ui.talk.why import facts_of, show_why

if TYPE_CHECKING:
    from offbook.types import Reply
    from offbook.ui.frame import CharacterPlace

_USUAL: Final = ("naive", "ensemble")


async def show_comparison(place: CharacterPlace) -> None:
    """Two lists of methods, a question, and a column for each reply."""
    methods = registry.names("method")
    text("p", "One question, two methods; nothing of it is kept.", "quiet")
    with part("form", "panel") as form:
        with part("div", "pair"):
            chosen = [
                ui.select(methods, value=name, label=label).props("outlined dense options-dense")
                for label, name in zip(("First method", "Second method"), _USUAL, strict=True)
            ]
        with part("div", "pair"):
            field = ui.input("Question").props("outlined dense")
            ask = button("Compare", icon="compare_arrows", look="primary").props("type=submit")
    columns = named(part("div", "columns"), aria_live="polite")
    asking: list[asyncio.Task[None]] = []

    async def compare() -> None:
        question = (field.value or "").strip()
        if not question:
            warn("Ask something")
            return
        columns.clear()
        ask.disable()
        try:
            with told_of_errors():
                await place.visitor.admit()
                with columns:
                    boxes = [(select.value, _column(select.value)) for select in chosen]
                asking.extend(
                    asyncio.create_task(_fill(place, name, question, box)) for name, box in boxes
                )
                await asyncio.gather(*asking)
        finally:
            asking.clear()
            if not ask.is_deleted:
                ask.enable()

    def leave() -> None:
        for task in asking:  # nobody waits for the answers any more
            task.cancel()

    form.on("submit.prevent", compare)
    ui.context.client.on_delete(leave)


def _column(method: str) -> ui.element:
    with named(part("section", "panel"), aria_label=method) as whole:
        text("h2", method)
        ui.spinner(size="2em")
    return whole


async def _fill(place: CharacterPlace, method: str, question: str, box: ui.element) -> None:
    """Ask by one method; a failure stands in its column."""
    found: Reply | OffbookError
    try:
        found = await _ask(place, method, question)
    except OffbookError as error:
        found = error
    box.clear()
    with box:
        text("h2", method)
        if isinstance(found, OffbookError):
            failed(found)
            return
        reply = found.as_json()
        text("div", found.text, "answered")
        text("p", facts_of(reply), "quiet")
        show_why(place, reply, is_stored=False)


async def _ask(place: CharacterPlace, method: str, question: str) -> Reply:
    command = place.visitor.command(method=method)
    async with priced(command, place.character):
        talk = await conversation_of(command, place.character, place.visitor.principal)
        return await talk.ask(question)
