"""How the mood of a character moved through a conversation, as a chart and as a table.

Takes: the turns of a conversation, and the mood now.  Gives: a line for each of eight emotions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from nicegui import ui

from offbook.language.emotion_names import EMOTIONS
from offbook.ui.elements import named, part, scrolling, text

_COLOURS: Final = (
    "#d9a400", "#4f9d69", "#7b61c9", "#d97742", "#4a7fc1", "#8a9a2b", "#c8423f", "#2a9d9d",
)  # fmt: skip
_GREY: Final = "#8d857b"
_IS_OPEN: Final = "(event) => emit(event.target.open)"

Moods = Sequence[tuple[str, Mapping[str, float]]]
"""What was said, and the mood then."""


def show_moods(moods: Moods, is_unfolded: bool, fold: Callable[[bool], None]) -> None:
    """The chart, and the same numbers as a table for those who do not see it.

    Args:
        moods: What is shown.
        is_unfolded: Whether the table is.
        fold: Hears of it when a person folds the table, or unfolds it.
    """
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
            with whole, scrolling("Mood before each turn"):
                _table(moods)

    whole.on("toggle", lambda event: toggle(bool(event.args)), js_handler=_IS_OPEN)
    if is_unfolded:
        named(whole, open="open")
        toggle(True)


def _table(moods: Moods) -> None:
    with part("table", "plain"):
        with part("thead"), part("tr"):
            text("th", "before")
            for name in EMOTIONS:
                text("th", name, "number")
        with part("tbody"):
            for said, levels in moods:
                with part("tr"):
                    text("td", said if len(said) < 60 else f"{said[:59]}…")
                    for name in EMOTIONS:
                        text("td", f"{levels.get(name, 1.0):.1f}", "number")


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
