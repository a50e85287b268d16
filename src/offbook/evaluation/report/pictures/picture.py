"""A picture as files and as part of a page: drawn once, the same bytes every time.

Takes: a function that draws on a figure.  Gives: SVG, PNG, and what could not be shown.

Text is drawn as outlines: the file needs no font, and no text of a model becomes markup.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import ConfigurationError
from offbook.evaluation.report.naming import one_line
from offbook.evaluation.report.pictures.looks import INK, LINE, MARK_INK, PAPER, QUIET

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FONTS: Final = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "PingFang SC",
    "Hiragino Sans",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Arial Unicode MS",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Emoji",
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
            "pip install 'offbook[eval]', or leave pictures out: --no-pictures",
        ) from error


def drawn(heading: Heading, inches: tuple[float, float], draw: Callable[[Figure], None]) -> Picture:
    """A picture of this size.

    Args:
        heading: Over it, beside it, and the mark that is drawn into it.
        inches: Width and height.
        draw: Draws it on a figure that has nothing but the heading yet.

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
    breaks = [at for at, c in enumerate(line[:most]) if c in "[,: "]
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

    own: dict[str, Any] = {
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
    merged: Any = {**plain, **own}
    with mpl.rc_context(merged):
        yield


def _fonts() -> list[str]:
    """The fonts of our list that this machine has; the first is matplotlib's own."""
    from matplotlib import font_manager

    known = {font.name for font in font_manager.fontManager.ttflist}
    return [name for name in _FONTS if name in known] or ["sans-serif"]


def _told(caught: list[warnings.WarningMessage]) -> Iterator[str]:
    """What the person should know of what matplotlib warned of."""
    messages = list(dict.fromkeys(str(each.message) for each in caught))
    lacking = [message for message in messages if message.startswith(_MISSING)]
    if lacking:
        yield f"{len(lacking)} letters are in no font of this machine and are shown as boxes"
    yield from (message for message in messages if "layout" in message)
