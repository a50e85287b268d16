"""The panel beside the conversation: why a reply is as it is, and how the mood moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from nicegui import ui

from offbook.text.emotion_names import EMOTIONS
from offbook.ui.elements import icon_button, named, part, table, text
from offbook.ui.why import Why, show_why

if TYPE_CHECKING:
    from offbook.agent.session import Session
    from offbook.ui.frame import CharacterPlace

_COLOURS: Final = (
    "#d9a400", "#4f9d69", "#7b61c9", "#d97742", "#4a7fc1", "#8a9a2b", "#c8423f", "#2a9d9d",
)  # fmt: skip
_GREY: Final = "#8d857b"
_IS_OPEN: Final = "(event) => emit(event.target.open)"

Moods = Sequence[tuple[str, Mapping[str, float]]]
"""What was said, and the mood then."""


def show_moods(moods: Moods, is_unfolded: bool, fold: Callable[[bool], None]) -> None:
    """The chart, and the same numbers as a table for those who do not see it."""
    if not moods:
        text("p", "The mood is known from the first question on.", "quiet")
        return
    # As SVG its words have the colour of the theme.
    chart = ui.echart(_options(moods), renderer="svg").classes("moods")
    named(chart, role="img", aria_label="Mood over the conversation; the table below has it all")
    with part("details", "fold") as whole:
        text("summary", "As a table")

    def toggle(is_open: bool) -> None:
        fold(is_open)
        if is_open and len(whole.default_slot.children) == 1:  # long conversations, long tables
            rows = [(_cut(said), *_levels(levels)) for said, levels in moods]
            with whole:
                table("Mood before each turn", ("before", *EMOTIONS), rows)

    whole.on("toggle", lambda event: toggle(bool(event.args)), js_handler=_IS_OPEN)
    if is_unfolded:
        named(whole, open="open")
        toggle(True)


def _cut(said: str) -> str:
    return said if len(said) < 60 else f"{said[:59]}…"


def _levels(levels: Mapping[str, float]) -> list[str]:
    return [f"{levels.get(name, 1.0):.1f}" for name in EMOTIONS]


def _options(moods: Moods) -> dict[str, Any]:
    last = len(moods)
    ticks = [*(str(number) for number in range(1, last)), "now"]
    grey = {"color": _GREY}
    return {
        "aria": {"enabled": True},
        "animationDuration": 300,
        "color": list(_COLOURS),
        "grid": {"left": 30, "right": 12, "top": 12, "bottom": 92},
        "legend": {"bottom": 0, "textStyle": grey, "itemWidth": 16, "inactiveColor": "#8886"},
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": {"type": "category", "data": ticks, "axisLabel": grey, "name": ""},
        "yAxis": {
            "type": "value",
            "min": 1,
            "max": 10,
            "axisLabel": grey,
            "splitLine": {"lineStyle": {"color": "#8883"}},
        },
        "series": [
            {
                "name": name,
                "type": "line",
                "smooth": True,
                "symbolSize": 7,
                "data": [round(float(levels.get(name, 1.0)), 2) for _, levels in moods],
            }
            for name in EMOTIONS
        ],
    }


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
    """The panel of one page."""

    def __init__(self, place: CharacterPlace) -> None:
        self._place = place
        self._talk: Session | None = None
        self._tab: Tab = "why"
        self._reply: Why | None = None
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

    def _tab_button(self, tab: Tab, label: str) -> ui.button:
        async def choose() -> None:
            await self._choose(tab)

        made = ui.button(label, on_click=choose, color=None)
        return made.props("flat no-caps dense padding='4px 12px'").classes("tab")

    async def follow(self, talk: Session, place: CharacterPlace | None = None) -> None:
        """Tell of the moods of this conversation, and of passages of the character of ``place``."""
        self._talk = talk
        self._place = place or self._place

    async def tell(self, reply: Why, *, is_asked_for: bool = False) -> None:
        """Show why a reply is as it is; when a person asked for it, on a narrow screen as well."""
        self._reply = reply
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
        state = (self._tab, moods if self._tab == "moods" else self._reply)
        # What did not change stays: somebody may be in the middle of it, or have unfolded it.
        if self._body is None or state == self._drawn:
            return
        self._drawn = state
        self._body.clear()
        with self._body:
            if self._tab == "moods":
                text("h2", "Mood over the conversation")
                show_moods(moods, self._is_unfolded, self._fold)
            elif self._reply is not None:
                show_why(self._place, self._reply)
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
