"""The page on which a person talks to a character.

Takes: a character, and the name of a conversation.  Gives: the conversation, a field to go on with
it, and beside it why the chosen reply is as it is, and how the mood moved.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from nicegui import ui

from offbook.app.missing_index import require_index
from offbook.errors import IndexMissing
from offbook.ui.elements import button, icon_button, named, part, text, warn
from offbook.ui.frame import unread
from offbook.ui.talk.conversation import Conversation
from offbook.ui.talk.side import Side

if TYPE_CHECKING:
    from offbook.ui.frame import CharacterPlace

_NEW: Final = ""
"""Stands for a new conversation in the list."""
_LISTED: Final = 100
"""Conversations in the list, the latest: clients of the API make one for every chat."""
_WORDS: Final = 48
_NAME: Final = 20
_MOST: Final = 100_000
"""Letters that can be said at once: more is no message, and the connection would not carry it."""


_BACK_TO_FIELD: Final = """
const at = document.activeElement;
if (!at || at === document.body || at.closest(".composer"))
  document.querySelector(".composer textarea")?.focus({preventScroll: true});
"""
"""The button that was pressed is gone; whoever has gone on to read elsewhere is left there."""

_UNSAID: Final = 'document.dispatchEvent(new CustomEvent("unsaid", {{detail: {text}}}))'
"""What was said and is not kept goes back to the field, to be said again, or otherwise."""


async def show_talk(place: CharacterPlace, session: str | None) -> None:
    """The whole page."""
    visitor = place.visitor
    known = await visitor.conversations(place.character, _LISTED)
    name = session or (next(iter(known)) if known and session is None else _fresh())
    talk = await visitor.conversation(place.character, name)
    with part("section", "stage", aria_label="Conversation"):
        side = Side(place)
        _head(place, name, known, side)
        log = part("div", "log", role="log", aria_label="What was said", tabindex="0")
        conversation = Conversation(place, talk, log, side)
        await conversation.show()
        await _missing(place, log)
        _composer(place, conversation)
    side.show()
    await side.follow(talk)
    await conversation.tell_last()
    if session != name:
        # The address leads back to this conversation, also when it is loaded anew.
        ui.navigate.history.replace(_address(place, name))


def _head(place: CharacterPlace, name: str, known: Mapping[str, str], side: Side) -> None:
    with part("div", "stage-head"):
        text("h1", place.character.name)
        told = {each: _label(each, said) for each, said in known.items()}
        if name not in known:
            told = {name: "This conversation" if _is_made_up(name) else name, **told}
        is_cut = len(known) == _LISTED
        chosen = ui.select(
            {_NEW: "New conversation", **told},
            value=name,
            label=f"Conversation (latest {_LISTED})" if is_cut else "Conversation",
            on_change=lambda event: ui.navigate.to(_address(place, event.value)),
        )
        chosen.props("outlined dense options-dense")
        icon_button("Mood over the conversation", "mood", side.open_moods).classes("narrow-only")


def _label(name: str, said: str) -> str:
    """How a conversation is listed: by its first words, and its name if somebody chose one."""
    words = " ".join(said.split())
    short = words if len(words) <= _WORDS else f"{words[:_WORDS].rstrip()}…"
    if _is_made_up(name):
        return short or name
    return f"{name}: {short}" if short else name


def _is_made_up(name: str) -> bool:
    """Whether a name tells nobody anything: hexadecimal digits by chance."""
    return len(name) >= len(_fresh()) and all(letter in "0123456789abcdef-" for letter in name)


def _address(place: CharacterPlace, name: str) -> str:
    session = quote(name or _fresh(), safe="")
    return place.address(f"?session={session}")


def _fresh() -> str:
    return uuid.uuid4().hex[:8]


async def _missing(place: CharacterPlace, log: ui.element) -> None:
    """Say before the first question that the character has nothing to answer from."""
    try:
        await require_index(place.visitor.book, place.character)
    except IndexMissing as error:
        with log:
            unread(place, error)


def _composer(place: CharacterPlace, conversation: Conversation) -> None:
    name = place.character.name
    with part("form", "composer") as form:
        # The field grows with what stands in it: a long name would make it high.
        to = name if len(name) <= _NAME else f"{name[:_NAME].rstrip()}…"
        field = ui.textarea(placeholder=f"Say something to {to}")
        field.props("outlined autogrow dense rows=1 autofocus")
        field.props["input-class"] = "composer-field"
        field.props["maxlength"] = _MOST
        named(field, aria_label=f"What you say to {name}")
        send = button("Send", icon="send", look="primary").props("type=submit")
        stop = button("Stop", conversation.stop, icon="stop").props("type=button")
        stop.set_visibility(False)

    async def say() -> None:
        said = (field.value or "").strip()
        if not said or conversation.is_busy:
            return
        if len(said) >= _MOST:
            warn(f"That is longer than {_MOST:,} letters, and was cut; add it as a document")
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
