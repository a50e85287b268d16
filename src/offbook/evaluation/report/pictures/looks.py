"""Colours, marks and lines of the pictures: told apart without colour, too.

Takes: the place of a method in its run.  Gives: its look, the same in every picture; and for each
colour the name by which a page replaces it where the page is dark.

The colours are of Okabe and Ito, and of Tol, made for eyes that confuse some of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

INK: Final = "#1d1f23"
QUIET: Final = "#5b6068"
LINE: Final = "#dcdcd6"
SOFT: Final = "#eeeeea"
PAPER: Final = "#ffffff"
MARK_INK: Final = "#b91c1c"
LABELS: Final = "#8b9099"
"""What people say of a character, beside what was measured."""

SERIES: Final = (
    ("#0072b2", "#5db5ee"),
    ("#d55e00", "#ff9a57"),
    ("#009e73", "#45cfa5"),
    ("#b8528f", "#e79ac8"),
    ("#b07a00", "#f0bd4d"),
    ("#4a9fd0", "#a3d8f7"),
    ("#882255", "#d978a8"),
    ("#666633", "#c3c37d"),
)
"""Colours of methods, on a light and on a dark page."""

_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
Dash = Literal["-", "--", ":", "-."]
_DASHES: Final[tuple[Dash, ...]] = ("-", "--", ":", "-.")

VARIABLES: Final = {
    INK: "ink",
    QUIET: "quiet",
    LINE: "line",
    SOFT: "soft",
    PAPER: "paper",
    MARK_INK: "mark",
    LABELS: "labels",
    **{light: f"series-{place}" for place, (light, _) in enumerate(SERIES)},
}
"""Colour in the picture -> CSS variable of the page, without the two dashes."""


@dataclass(frozen=True, slots=True)
class Look:
    """How one method looks."""

    colour: str
    marker: str
    dash: Dash


def look(place: int) -> Look:
    """The look of the method at this place; the first 88 differ."""
    return Look(
        SERIES[place % len(SERIES)][0],
        _MARKERS[place % len(_MARKERS)],
        _DASHES[(place // len(SERIES)) % len(_DASHES)],
    )
