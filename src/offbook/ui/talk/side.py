"""Beside the conversation: why the chosen reply is as it is, or how the mood moved.

Takes: replies as they come or are chosen.  Gives: a panel; on a narrow screen it lies over the
conversation until it is closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from nicegui import ui

from offbook.ui.elements import icon_button, named, part, text
from offbook.ui.talk.moods import show_moods
from offbook.ui.talk.why import show_why

if TYPE_CHECKING:
    from offbook.agent.session import Session
    from offbook.ui.frame import CharacterPlace

_LATER_SECONDS = 1.5
"""Feelings of a reply are scored behind the conversation: then the mood is looked at again."""

_INTO: Final = """
const body = getHtmlElement({body});
if (!body?.contains(document.activeElement)) body?.focus({{preventScroll: true}});
"""
"""Whoever was faster than the connection, and reads there by now, is left where they are."""
_BACK: Final = 'document.dispatchEvent(new Event("panel-closed"))'
"""Whoever opened the panel by keyboard is back where they were when it is closed."""

Tab = Literal["why", "moods"]


class Side:
    """The panel of one page.

    Args:
        place: The character.
    """

    def __init__(self, place: CharacterPlace) -> None:
        self._place = place
        self._talk: Session | None = None
        self._tab: Tab = "why"
        self._reply: tuple[Mapping[str, Any], bool] | None = None
        self._drawn: object = None
        self._is_unfolded = False
        self._panel: ui.element | None = None
        self._body: ui.element | None = None
        self._tabs: dict[Tab, ui.button] = {}

    def show(self) -> None:
        """Build the panel where it stands."""
        with named(part("aside", "side"), aria_label="Why") as self._panel:
            with part("div", "side-head"):
                self._tabs = {
                    "why": self._tab_button("why", "Why"),
                    "moods": self._tab_button("moods", "Mood"),
                }
                icon_button("Back to the conversation", "close", self.close).props("data-close")
            self._body = part("div", "side-body", tabindex="0", aria_label="Details", role="region")
        with self._body:
            text("p", "Ask something: what the reply rests on will stand here.", "quiet")
        self._press()

    def _tab_button(self, tab: Tab, told: str) -> ui.button:
        async def choose() -> None:
            await self._choose(tab)

        made = ui.button(told, on_click=choose, color=None)
        return made.props("flat no-caps dense padding='4px 12px'").classes("tab")

    async def follow(self, talk: Session) -> None:
        """Tell of the moods of this conversation."""
        self._talk = talk

    async def tell(
        self, reply: Mapping[str, Any], *, is_stored: bool, is_asked_for: bool = False
    ) -> None:
        """Show why a reply is as it is; when a person asked for it, on a narrow screen as well."""
        self._reply = (reply, is_stored)
        if is_asked_for:
            await self._choose("why")
            self._open()
        elif self._tab == "why":
            await self._draw()

    async def moved(self) -> None:
        """A reply was given: the mood has moved, or will have soon."""
        if self._tab == "moods":
            await self._draw()
            if self._panel is not None:
                with self._panel:
                    ui.timer(_LATER_SECONDS, self._draw_moods, once=True)

    async def open_moods(self) -> None:
        """Show how the mood moved."""
        await self._choose("moods")
        self._open()

    def close(self) -> None:
        """Back to the conversation, on a narrow screen."""
        if self._panel is not None:
            self._panel.classes(remove="open")
            ui.run_javascript(_BACK)

    def _open(self) -> None:
        if self._panel is not None and self._body is not None:
            self._panel.classes(add="open")
            ui.run_javascript(_INTO.format(body=self._body.id))

    async def _choose(self, tab: Tab) -> None:
        self._tab = tab
        self._press()
        await self._draw()

    def _press(self) -> None:
        for tab, made in self._tabs.items():
            named(made, aria_pressed="true" if tab == self._tab else "false")

    def _fold(self, is_open: bool) -> None:
        """The table of moods stays as a person left it when there is more to it."""
        self._is_unfolded = is_open

    async def _draw_moods(self) -> None:
        if self._tab == "moods":
            await self._draw()

    async def _draw(self) -> None:
        moods = await self._moods() if self._tab == "moods" else []
        wanted = (self._tab, moods if self._tab == "moods" else self._reply)
        # What did not change stays: somebody may be in the middle of it, or have unfolded it.
        if self._body is None or wanted == self._drawn:
            return
        self._drawn = wanted
        self._body.clear()
        with self._body:
            if self._tab == "moods":
                text("h2", "Mood over the conversation")
                show_moods(moods, self._is_unfolded, self._fold)
            elif self._reply is not None:
                show_why(self._place, self._reply[0], is_stored=self._reply[1])
            else:
                text("p", "Ask something: what the reply rests on will stand here.", "quiet")

    async def _moods(self) -> list[tuple[str, Mapping[str, float]]]:
        """The mood before each turn, and the one now."""
        if self._talk is None:
            return []
        then = [
            (exchange.turn.said, exchange.turn.recall["mood"])
            for exchange in await self._talk.exchanges()
            if exchange.turn.recall and exchange.turn.recall.get("mood")
        ]
        now = await self._talk.mood()
        return then if now is None else [*then, ("now", now)]
