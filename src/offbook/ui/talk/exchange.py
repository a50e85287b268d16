"""One exchange of a conversation as it is shown: what was said, the reply, and what can be done.

Takes: a turn with its swipes, or the greetings of a card.  Gives: elements; clicks on them go to
whoever draws.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from offbook.ui.elements import button, icon_button, named, part, text
from offbook.ui.talk.why import facts_of

if TYPE_CHECKING:
    from nicegui import ui
    from nicegui.elements.mixins.text_element import TextElement

    from offbook.agent.swipes import Exchange

Act = Callable[[], Awaitable[None]]

_PIECE: Final = 400
"""A growing text is drawn in pieces of about so many letters: only the last is sent again."""


def show_exchange(
    box: ui.element, exchange: Exchange, reply: Mapping[str, Any], why: Act
) -> ui.element | None:
    """Draw an exchange into its box.

    Args:
        box: Its place; what stood there is gone.
        exchange: What was said and answered.
        reply: What the answer rests on, as far as it is known.
        why: Tells why the reply is as it is.

    Returns:
        Where swipes have their place; None: a greeting has none, nothing was said before it.
    """
    box.clear()
    turn = exchange.turn
    named(box, data_turn=turn.id)
    with box:
        if turn.said:
            text("div", turn.said, "said")
        with part("div", "answer"):
            text("div", turn.answered, "answered")
            if not turn.said:
                return None
            with part("div", "under"):
                asked = button("Why", why, icon="help_outline", look="small")
                named(asked, aria_label="Why this reply?")
                place = part("div", "swipes")
                if reply.get("context") is not None:
                    text("span", facts_of(reply), "facts")
    return place


def show_swipes(
    place: ui.element, here: int, of: int, choose: Callable[[int], Act], again: Act
) -> None:
    """Buttons that go through the replies to the same words, and one that asks for another.

    Args:
        place: Where they stand.
        here: Which of them is shown, from 0 on.
        of: How many there are.
        choose: Gives what goes to one of them.
        again: Asks for another.
    """
    named(place, role="group", aria_label="Replies to the same words")
    with place:
        if of > 1:
            _arrows(("The reply before", "The next reply"), here, of, choose)
        icon_button("Another reply", "refresh", again)


def show_greeting(
    box: ui.element, greetings: Sequence[str], here: int, choose: Callable[[int], Act] | None
) -> None:
    """Draw the greeting that a conversation begins with; ``choose`` goes to another, if it may."""
    box.clear()
    with box, part("div", "answer"):
        text("div", greetings[here], "answered")
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
    """A reply while it comes.

    Args:
        answer: Where it is shown.
    """

    def __init__(self, answer: TextElement) -> None:
        self._answer = answer
        self._piece: TextElement | None = None
        self._drawn = self._held = ""

    def add(self, told: str) -> None:
        """Take what came; it is shown with the next ``draw``."""
        self._held += told

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
