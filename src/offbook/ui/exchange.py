"""An exchange on the page: what was said, the reply, and what can be done with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.agent.history import SILENCE
from offbook.ui.composer import MOST_SAID
from offbook.ui.elements import button, icon_button, named, part, text
from offbook.ui.markup import show_words
from offbook.ui.portrait import portrait
from offbook.ui.why import facts_of

if TYPE_CHECKING:
    from nicegui.elements.mixins.text_element import TextElement

    from offbook.agent.swipes import Exchange
    from offbook.types import Character

Act = Callable[[], Awaitable[None]]

_PIECE: Final = 400
"""A growing text is drawn in pieces of about so many letters: only the last is sent again."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """An exchange as it stands on the page.

    ``said`` holds what was said, ``answered`` the reply, ``actions`` the buttons of a last one.
    """

    said: ui.element | None = None
    answered: ui.element | None = None
    actions: ui.element | None = None


def show_exchange(
    box: ui.element, exchange: Exchange, reply: Mapping[str, Any], why: Act, who: Character
) -> Drawn:
    """Draw an exchange with somebody into its box."""
    box.clear()
    turn = exchange.turn
    named(box, data_turn=turn.id)
    said: ui.element | None = None
    with box:
        if turn.said and turn.said != SILENCE:
            with part("div", "mine") as said:
                text("div", f"{turn.speaker}: {turn.said}" if turn.speaker else turn.said, "said")
        if turn.is_unanswered:
            return Drawn(said)
        with part("div", "answer"):
            portrait(who.name, who.id)
            answered = part("div", "answered")
            show_words(answered, turn.answered)
            if not turn.said:
                return Drawn(answered=answered)
            with part("div", "under"):
                button("Why", why, icon="help_outline", look="small", label="Why this reply?")
                copy_button()
                actions = part("div", "swipes")
                if reply.get("context") is not None:
                    text("span", facts_of(reply), "facts")
    return Drawn(said, answered, actions)


def copy_button() -> None:
    """Put the reply on the clipboard; the browser does that by itself."""
    icon_button("Copy the reply", "content_copy").props("data-copy")


def show_editor(drawn: Drawn, words: str, edit: Callable[[str], Awaitable[None]]) -> None:
    """Put a button below what was said, which opens it to be said otherwise."""
    if drawn.said is None:
        return

    def open_() -> None:
        offer.set_visibility(False)
        with drawn.said or offer, part("form", "editor") as form:
            field = ui.textarea(value=words).props("outlined autogrow dense rows=1 autofocus")
            named(field, aria_label="What you say instead").props["maxlength"] = MOST_SAID
            with part("div", "bar end"):
                cancel = button("Cancel", look="small").props("type=button")
                button("Say this instead", icon="send", look="small primary").props("type=submit")

        def close() -> None:
            form.delete()
            offer.set_visibility(True)

        async def submit() -> None:
            said = (field.value or "").strip()
            close()
            if said and said != words:
                await edit(said)

        cancel.on_click(close)
        form.on("submit.prevent", submit)

    with drawn.said:
        offer = icon_button("Edit what you said", "edit", open_)


def show_swipes(
    place: ui.element, here: int, of: int, choose: Callable[[int], Act], again: Act, go_on: Act
) -> None:
    """Buttons that go through the replies to the same words, and one that asks for another."""
    named(place, role="group", aria_label="Replies to the same words")
    with place:
        if of > 1:
            _arrows(("The reply before", "The next reply"), here, of, choose)
        icon_button("Another reply", "refresh", again)
        icon_button("Let them go on", "keyboard_double_arrow_right", go_on)


def show_greeting(
    box: ui.element,
    greetings: Sequence[str],
    here: int,
    choose: Callable[[int], Act] | None,
    who: Character,
) -> None:
    """Draw the greeting that a conversation begins with; ``choose`` goes to another, if it may."""
    box.clear()
    with box, part("div", "answer"):
        portrait(who.name, who.id)
        show_words(part("div", "answered"), greetings[here])
        if choose is not None and len(greetings) > 1:
            with named(part("div", "swipes"), role="group", aria_label="Greetings"):
                named_so = ("The greeting before", "The next greeting")
                _arrows(named_so, here, len(greetings), choose)
                text("span", "to begin with", "facts")


def _arrows(names: tuple[str, str], here: int, of: int, choose: Callable[[int], Act]) -> None:
    back = icon_button(names[0], "chevron_left", choose(max(0, here - 1)))
    back.set_enabled(here > 0)
    text("span", f"{here + 1} of {of}")
    onward = icon_button(names[1], "chevron_right", choose(min(of - 1, here + 1)))
    onward.set_enabled(here < of - 1)


class Growing:
    """A reply while it comes."""

    def __init__(self, answer: TextElement) -> None:
        self._answer = answer
        self._piece: TextElement | None = None
        self._drawn = self._held = ""

    def add(self, piece: str) -> None:
        """Take what came; it is shown with the next ``draw``."""
        self._held += piece

    def draw(self) -> None:
        """Show all that came."""
        if not self._held or self._answer.is_deleted:
            return
        if self._piece is None or len(self._drawn) > _PIECE:
            self._answer.classes(remove="waiting")
            with self._answer:
                self._piece, self._drawn = text("span", ""), ""
        self._drawn += self._held
        self._held = ""
        self._piece.set_text(self._drawn)
