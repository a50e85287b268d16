"""A picture of a report: colours, frame and marks, and the same inlined into a page as SVG."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal
from xml.etree import ElementTree as ET

from offbook.errors import ConfigurationError
from offbook.evaluation.report.material import one_line
from offbook.extras import install_command

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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


_FONTS: Final = (
    "DejaVu Sans,Noto Sans CJK SC,Noto Sans CJK JP,Noto Sans SC,Source Han Sans SC,"
    "WenQuanYi Zen Hei,WenQuanYi Micro Hei,PingFang SC,Hiragino Sans,Apple SD Gothic Neo,"
    "Microsoft YaHei,Malgun Gothic,Arial Unicode MS,Noto Sans,Noto Sans Arabic,Noto Sans Hebrew,"
    "Noto Sans Devanagari,Noto Sans Thai,Noto Emoji"
)
"""Fonts that are looked in for a letter, in this order, as far as the machine has them."""

_DPI: Final = 150
_LABEL: Final = 30
_MARGIN: Final = 0.08
"""Above and below the heading, in inches."""
_MISSING: Final = "Glyph"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture; ``alt`` says in words what it shows, ``run`` is empty where it shows several.

    ``notes`` say what it could not show.
    """

    run: str
    kind: str
    name: str
    title: str
    alt: str
    svg: str
    png: bytes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands over a picture and beside it; ``mark`` is drawn into it."""

    run: str
    kind: str
    title: str
    alt: str
    mark: str | None = None
    page: int = 0

    @property
    def name(self) -> str:
        """The name of its files."""
        run = "".join(c if c.isalnum() or c in "-." else "-" for c in self.run).strip("-.")
        number = f"-{self.page}" if self.page else ""
        return "-".join(filter(None, (run, self.kind))) + number


def require_matplotlib() -> None:
    """See that pictures can be drawn.

    Raises:
        ConfigurationError: the extra ``eval`` is not installed.
    """
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise ConfigurationError(
            "pictures need matplotlib, of the extra 'eval', which is not installed",
            f"{install_command('eval')}, or leave pictures out: --no-pictures",
        ) from error


def drawn(heading: Heading, inches: tuple[float, float], draw: Callable[[Figure], None]) -> Picture:
    """A picture of this size.

    Raises:
        ConfigurationError: matplotlib is not installed.
    """
    require_matplotlib()
    with _style(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=inches, layout="constrained", facecolor=PAPER)
        FigureCanvasAgg(figure)
        _head(figure, heading, inches[1])
        draw(figure)
        svg, png = _saved(figure, "svg").decode(), _saved(figure, "png")
    return Picture(
        heading.run,
        heading.kind,
        heading.name,
        heading.title,
        f"{heading.alt} ({heading.mark})" if heading.mark else heading.alt,
        svg,
        png,
        tuple(_told(caught)),
    )


def label(text: str, most: int = _LABEL) -> str:
    """A text as it may stand in a picture: short, in one line, without control characters."""
    return one_line(text, most) or "(no name)"


def wrapped(text: str, most: int = _LABEL) -> str:
    """A text in at most two lines, broken where a variant's settings begin or are parted."""
    line = label(text, 2 * most)
    if len(line) <= most:
        return line
    breaks = [place for place, c in enumerate(line[:most]) if c in "[,: "]
    cut = breaks[-1] + 1 if breaks and breaks[-1] >= most // 3 else most
    return f"{line[:cut]}\n{label(line[cut:], most)}"


def frame(axes: Any, *, grid: str | None = None) -> None:
    """Quiet axes: a line below, and a grid across where values are read."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(LINE)
    axes.tick_params(length=0, colors=QUIET, labelsize=9)
    if grid:
        axes.grid(axis=grid, color=LINE, linewidth=0.8)
        axes.set_axisbelow(True)


def _head(figure: Figure, heading: Heading, height: float) -> None:
    """The title, and the mark in a line of its own; the layout leaves room for them."""
    below = 1 - _MARGIN / height
    for text, size, colour in ((heading.title, 12, INK), (heading.mark, 10, MARK_INK)):
        if text:
            figure.text(0.01, below, label(text, 90), ha="left", va="top", fontsize=size,
                        fontweight="bold", color=colour)  # fmt: skip
            below -= 1.4 * size / 72 / height
    engine: Any = figure.get_layout_engine()
    engine.set(rect=(0, 0, 1, below - _MARGIN / height))


def _saved(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    # Nothing that differs from one day or version to the next.
    metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    figure.savefig(buffer, format=kind, dpi=_DPI, metadata=metadata)
    return buffer.getvalue()


@contextmanager
def _style() -> Iterator[None]:
    """Matplotlib as it comes, whatever the person's own style files say, and our look on top."""
    import matplotlib as mpl

    look: dict[str, Any] = {
        "font.family": _fonts(),
        "font.size": 10,
        "svg.hashsalt": "offbook",
        "svg.fonttype": "path",
        "text.color": INK,
        "text.parse_math": False,
        "text.usetex": False,
        "axes.edgecolor": LINE,
        "axes.labelcolor": QUIET,
        "axes.titlesize": 10,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.facecolor": PAPER,
        "axes.unicode_minus": False,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "legend.frameon": False,
        "legend.fontsize": 9,
        "path.simplify": False,
    }
    # Which window system would show it is no concern of ours, and naming one would load it.
    plain: dict[Any, Any] = {
        name: value for name, value in mpl.rcParamsDefault.items() if name != "backend"
    }
    merged: Any = {**plain, **look}
    with mpl.rc_context(merged):
        yield


def _fonts() -> list[str]:
    """The fonts of our list that this machine has; the first is matplotlib's own."""
    from matplotlib import font_manager

    known = {font.name for font in font_manager.fontManager.ttflist}
    return [name for name in _FONTS.split(",") if name in known] or ["sans-serif"]


def _told(caught: list[warnings.WarningMessage]) -> Iterator[str]:
    """What the person should know of what matplotlib warned of."""
    messages = list(dict.fromkeys(str(each.message) for each in caught))
    lacking = [message for message in messages if message.startswith(_MISSING)]
    if lacking:
        yield f"{len(lacking)} letters are in no font of this machine and are shown as boxes"
    yield from (message for message in messages if "layout" in message)


_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "http://www.w3.org/1999/xlink"
_KEPT_PROPERTIES: Final = ("fill", "opacity", "stroke")
"""How the names of properties begin that become attributes."""
_DROPPED: Final = frozenset({"metadata", "style"})
_LONG: Final = re.compile(r"-?\d+\.\d{3,}")
"""Places behind the point that no screen shows."""
_URL: Final = re.compile(r"url\(#([^)]+)\)")


def inlined(svg: str, prefix: str, alt: str) -> str:
    """The picture as markup."""
    root = ET.fromstring(svg)  # noqa: S314 - it is our own, written a moment ago
    prefix = re.sub(r"[^a-zA-Z0-9-]", "-", prefix)
    _clean(root, prefix)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", alt)
    return _written(root)


def _clean(element: ET.Element, prefix: str) -> None:
    for child in list(element):
        name = child.tag.rpartition("}")[2]
        if name in _DROPPED:
            element.remove(child)
        else:
            _clean(child, prefix)
    style = element.attrib.pop("style", "")
    for declared in filter(None, map(str.strip, style.split(";"))):
        name, _, value = declared.partition(":")
        if name.strip().startswith(_KEPT_PROPERTIES):
            element.set(name.strip(), value.strip())
    for name, value in list(element.attrib.items()):
        element.set(name, _value(name, value, prefix))
    reference = element.attrib.pop(f"{{{_XLINK}}}href", None)
    if reference is not None:
        element.set("href", f"#{prefix}-{reference.removeprefix('#')}")


def _value(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}-{value}"
    if name in ("fill", "stroke"):
        variable = VARIABLES.get(value.lower())
        return f"var(--{variable}, {value})" if variable else value
    if name == "d":
        return _LONG.sub(lambda match: f"{float(match.group()):.2f}", value)
    return _URL.sub(rf"url(#{prefix}-\1)", value)


def _written(root: ET.Element) -> str:
    """Markup without name spaces: within a page of HTML there are none."""
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    return ET.tostring(root, encoding="unicode", short_empty_elements=False)
