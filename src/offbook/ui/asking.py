"""A question to the person before something that cannot be undone, or costs money.

Takes: the question.  Gives: whether they said yes.
"""

from __future__ import annotations

from nicegui import ui

from offbook.ui.elements import button, named, part, text


async def confirmed(title: str, told: str, yes: str) -> bool:
    """Ask in a dialog; closed without a word it means no.

    Args:
        title: The question.
        told: What would happen.
        yes: The word on the button that does it.
    """
    # On the page itself: what asks may be drawn anew, and would take the dialog along.
    with ui.context.client.content, ui.dialog() as dialog, ui.card().classes("dialog narrow"):
        named(dialog, aria_label=title)
        with part("div", "dialog-head"), part("div"):
            text("h2", title)
        with part("div", "dialog-body"):
            text("p", told)
            with part("div", "bar end"):
                button("Cancel", lambda: dialog.submit(False)).props("autofocus")
                button(yes, lambda: dialog.submit(True), look="primary")
    dialog.on("hide", dialog.delete)  # by then the focus is back where it was
    return bool(await dialog)
