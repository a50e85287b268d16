"""Histograms of chunk usage: how many chunks were used how often, a panel a method.

Takes: how methods used the characters' chunks.  Gives: pictures of at most twelve panels.
Paper: AMADEUS (003), appendix A and Figure 6; (002), table 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.report.naming import counted, interval, number
from offbook.evaluation.report.pictures.looks import LABELS, QUIET, look
from offbook.evaluation.report.pictures.picture import Heading, Picture, drawn, frame, label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from offbook.evaluation.report.material import ChunkUse

_PANELS: Final = 12
_COLUMNS: Final = 3
_BINS: Final = 16
"""Bars in one panel; more often used chunks share bars."""


def chunk_usage(uses: Sequence[ChunkUse], run: str, mark: str | None) -> Iterator[Picture]:
    """Pictures of these; none where nothing was retrieved."""
    shown = [each for each in uses if each.use.duplication]
    pages = [shown[at : at + _PANELS] for at in range(0, len(shown), _PANELS)]
    for place, page in enumerate(pages, 1):
        heading = Heading(
            run,
            "chunk-usage",
            "How often each chunk was used",
            "Histograms of the times a chunk was used, for " + ", ".join(u.variant for u in page),
            mark,
            place if len(pages) > 1 else 0,
        )
        columns = min(_COLUMNS, len(page))
        rows = -(-len(page) // columns)
        inches = max(5.6, 3.3 * columns), 2.35 * rows + 0.8

        def draw(
            figure: Figure, page: Sequence[ChunkUse] = page, shape: Any = (rows, columns)
        ) -> None:
            grid: Any = figure.subplots(*shape, squeeze=False)
            for at, axes in enumerate(grid.flat):
                if at < len(page):
                    _panel(axes, page[at])
                else:
                    axes.set_visible(False)

        yield drawn(heading, inches, draw)


def bins(duplication: Mapping[int, int], most: int = _BINS) -> list[tuple[int, int, int]]:
    """First and last number of times of each bar, and its chunks; chunks never used stand alone."""
    top = max(duplication, default=0)
    step = max(1, -(-top // (most - 1)))
    found = [(0, 0, duplication[0])] if 0 in duplication else []
    for first in range(1, top + 1, step):
        last = min(top, first + step - 1)
        found.append((first, last, sum(duplication.get(n, 0) for n in range(first, last + 1))))
    return found


def _panel(axes: Any, used: ChunkUse) -> None:
    frame(axes, grid="y")
    bars = bins(used.use.duplication)
    heights = [chunks for _, _, chunks in bars]
    colours = [LABELS if first == 0 else look(0).colour for first, _, _ in bars]
    axes.bar(range(len(bars)), heights, 0.86, color=colours)
    names = [str(a) if a == b else f"{a}-{b}" for a, b, _ in bars]
    step = max(1, -(-sum(map(len, names)) // 16))
    axes.set_xticks(range(0, len(bars), step), names[::step])
    axes.yaxis.get_major_locator().set_params(integer=True, nbins=4)
    rate = used.use.usage_rate
    told = f"{used.use.questions} replies"
    if rate.n:
        used_of = f"{number(rate.mean, 'share')} of {used.chunks} chunks used"
        told = f"{used_of}, {interval(rate, 'share')}, {counted(rate)}\n{told}"
    else:
        told = f"of how many chunks is not known\n{told}"
    axes.set_title(label(used.variant), pad=28)
    axes.text(0, 1.03, told, transform=axes.transAxes, fontsize=7.5, color=QUIET, va="bottom")
    axes.set_xlabel("times used", fontsize=8.5)
    axes.set_ylabel("chunks", fontsize=8.5)
