"""The field in which something is said, and its buttons."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, Protocol

from nicegui import ui

from offbook.ui.elements import button, named, part, warn

_LONGEST_NAME: Final = 20
MOST_SAID: Final = 100_000
"""Letters that can be said at once: more is no message, and the connection would not carry it."""


_BACK_TO_FIELD: Final = """
const at = document.activeElement;
if (!at || at === document.body || at.closest(".composer"))
  document.querySelector(".composer textarea")?.focus({preventScroll: true});
"""
"""The button that was pressed is gone; whoever has gone on to read elsewhere is left there."""

_UNSAID: Final = 'document.dispatchEvent(new CustomEvent("unsaid", {{detail: {text}}}))'
"""What was said and is not kept goes back to the field, to be said again, or otherwise."""


class Talking(Protocol):
    """What a composer says something to."""

    on_busy: Callable[[bool], None]

    @property
    def is_busy(self) -> bool:
        """Whether a reply is on its way."""

    async def say(self, said: str) -> bool:
        """Say something; whether it was answered, and is kept."""

    def stop(self) -> None:
        """Break a reply off."""


def composer(name: str, conversation: Talking) -> None:
    """The field in which something is said to somebody of this name, and its buttons."""
    with part("form", "composer") as form:
        # The field grows with what stands in it: a long name would make it high.
        to = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME].rstrip()}…"
        field = ui.textarea(placeholder=f"Say something to {to}")
        field.props("outlined autogrow dense rows=1 autofocus")
        field.props["input-class"] = "composer-field"
        field.props["maxlength"] = MOST_SAID
        named(field, aria_label=f"What you say to {name}")
        send = button("Send", icon="send", look="primary").props("type=submit")
        stop = button("Stop", conversation.stop, icon="stop").props("type=button")
        stop.set_visibility(False)

    async def say() -> None:
        said = (field.value or "").strip()
        if not said or conversation.is_busy:
            return
        if len(said) >= MOST_SAID:
            warn(f"That is longer than {MOST_SAID:,} letters, and was cut; add it as a document")
            return
        field.value = ""
        if not await conversation.say(said):
            # In the browser: it may not have emptied the field yet, and would say so afterwards.
            ui.run_javascript(_UNSAID.format(text=json.dumps(said)))
        ui.run_javascript(_BACK_TO_FIELD)

    def busy(now: bool) -> None:
        send.set_visibility(not now)
        stop.set_visibility(now)

    conversation.on_busy = busy
    form.on("submit.prevent", say)
