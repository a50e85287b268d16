"""Bars of scores with their 95 % intervals: a panel a metric, a bar a method.

Takes: the scores of a run over all of its questions.  Gives: pictures of at most six metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.report.naming import arrow, distinct, metric_name, number
from offbook.evaluation.report.pictures.looks import INK, QUIET, look
from offbook.evaluation.report.pictures.picture import Heading, Picture, drawn, frame, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from offbook.evaluation.protocol import Score

_PANELS: Final = 6
_COLUMNS: Final = 2
_WIDTH: Final = 9.6
_BAR: Final = 0.34


def score_bars(scores: Sequence[Score], run: str, mark: str | None) -> Iterator[Picture]:
    """Pictures of these scores; none without scores."""
    metrics = distinct(score.metric for score in scores)
    pages = [metrics[at : at + _PANELS] for at in range(0, len(metrics), _PANELS)]
    for number_of_page, page in enumerate(pages, 1):
        mine = [score for score in scores if score.metric in page]
        several = f", {number_of_page} of {len(pages)}" if len(pages) > 1 else ""
        names = ", ".join(map(metric_name, page))
        heading = Heading(
            run,
            "scores",
            f"Scores with 95 % intervals{several}",
            f"Bars of {names} by method; the numbers are in the table of scores.",
            mark,
            number_of_page if several else 0,
        )
        bars = len(distinct(score.variant for score in mine))
        rows = -(-len(page) // _COLUMNS)
        height = rows * (_BAR * bars + 0.75) + 0.9

        def draw(figure: Figure, page: list[str] = page, mine: list[Score] = mine) -> None:
            _draw(figure, page, mine)

        yield drawn(heading, (_WIDTH, height), draw)


def _draw(figure: Figure, metrics: Sequence[str], scores: Sequence[Score]) -> None:
    variants = distinct(score.variant for score in scores)
    columns = min(_COLUMNS, len(metrics))
    rows = -(-len(metrics) // columns)
    grid: Any = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for place, axes in enumerate(grid.flat):
        if place >= len(metrics):
            axes.set_visible(False)
            continue
        mine = {score.variant: score for score in scores if score.metric == metrics[place]}
        _panel(axes, metrics[place], [mine.get(variant) for variant in variants])
    grid[0, 0].set_yticks(range(len(variants)), [wrapped(variant) for variant in variants])
    grid[0, 0].set_ylim(len(variants) - 0.4, -0.6)
    for axes in grid[:, 0]:
        axes.tick_params(axis="y", labelcolor=INK)


def _panel(axes: Any, metric: str, scores: Sequence[Score | None]) -> None:
    frame(axes, grid="x")
    present = [score for score in scores if score is not None]
    axes.set_title(metric_name(metric) + arrow(present[0].better if present else None))
    low, high = _ends(metric, present)
    for place, score in enumerate(scores):
        if score is None:
            continue
        estimate = score.estimate
        text = f"{number(estimate.mean, score.unit)}  n {estimate.n}"
        text += f", {estimate.missing} missing" if estimate.missing else ""
        if estimate.mean is not None and estimate.interval is None:
            text += ", no interval"
        axes.text(1.02, place, text, transform=axes.get_yaxis_transform(), va="center",
                  fontsize=8.5, color=QUIET)  # fmt: skip
        if estimate.mean is None:
            continue
        axes.barh(place, estimate.mean - low, 0.62, left=low, color=look(0).colour, alpha=0.85)
        if estimate.interval is not None:
            ends = estimate.interval
            axes.plot(ends, [place, place], color=INK, linewidth=1.4, solid_capstyle="butt")
            axes.plot(ends, [place, place], color=INK, marker="|", linestyle="", markersize=7)
    axes.set_xlim(low, high)
    if metric in SCALES and high - low > 1:
        axes.set_xticks([low + part * (high - low) / 3 for part in range(4)])
    if present and present[0].unit in ("letters", "calls"):
        axes.locator_params(axis="x", nbins=5, integer=True)
    if present and present[0].unit == "share":
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")


def _ends(metric: str, scores: Sequence[Score]) -> tuple[float, float]:
    """Where the axis begins and ends: the scale's own ends where there are any."""
    if metric in SCALES:
        return SCALES[metric].low, SCALES[metric].high
    if scores and scores[0].unit in ("share", "F1"):
        return 0.0, 1.0
    tops = [value for s in scores for value in (s.estimate.mean, s.estimate.high) if value]
    return 0.0, max(tops, default=0.0) * 1.08 or 1.0
