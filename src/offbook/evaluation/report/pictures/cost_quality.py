"""Cost against quality: a point a method, with the intervals of both.

Takes: the scores of a run.  Gives: a picture with a panel a metric; the cost is money where prices
are configured, else tokens, else calls, else seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.report.naming import arrow, distinct, metric_name
from offbook.evaluation.report.pictures.looks import PAPER, QUIET, Look, look
from offbook.evaluation.report.pictures.picture import Heading, Picture, drawn, frame, label
from offbook.evaluation.report.tables import is_quality

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.protocol import Score

_COSTS: Final = (
    ("cost_usd", "USD a reply"),
    ("prompt_tokens", "prompt tokens a reply"),
    ("calls", "calls a reply"),
    ("seconds", "seconds a reply"),
)
_PANELS: Final = 6
_COLUMNS: Final = 3


def cost_quality(scores: Sequence[Score], run: str, mark: str | None) -> Iterator[Picture]:
    """The picture of these scores; none where no cost or no quality is known."""
    whole = [score for score in scores if score.group == "all" and score.estimate.mean is not None]
    quality = [score for score in whole if is_quality(score)]
    cost = next((each for each in _COSTS if _is_told(whole, each[0])), None)
    if cost is None or not quality:
        return
    spent = {score.variant: score.estimate for score in whole if score.metric == cost[0]}
    metrics = distinct(score.metric for score in quality if score.variant in spent)[:_PANELS]
    variants = distinct(score.variant for score in quality if score.variant in spent)
    looks = {variant: look(place) for place, variant in enumerate(variants)}
    if not metrics:
        return
    heading = Heading(
        run,
        "cost-quality",
        "Cost against quality, with 95 % intervals",
        f"{cost[1].capitalize()} against {', '.join(map(metric_name, metrics))}, a point a method",
        mark,
    )
    columns = min(_COLUMNS, len(metrics))
    rows = -(-len(metrics) // columns)
    legend_rows = -(-len(variants) // 3)
    inches = max(6.4, 3.3 * columns), 2.8 * rows + 0.9 + 0.24 * legend_rows

    def draw(figure: Figure) -> None:
        grid: Any = figure.subplots(rows, columns, squeeze=False, sharex=True)
        for place, axes in enumerate(grid.flat):
            if place >= len(metrics):
                axes.set_visible(False)
                continue
            mine = [s for s in quality if s.metric == metrics[place] and s.variant in spent]
            _panel(axes, mine, spent, looks)
            axes.set_xlabel(cost[1], fontsize=8.5)
            # The panels of a column share their axis, and the last row may be short.
            axes.tick_params(labelbottom=True)
        handles = [_handle(v, looks[v], quality, spent[v]) for v in variants]
        figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=8.5)

    yield drawn(heading, inches, draw)


def _is_told(scores: Sequence[Score], metric: str) -> bool:
    return any(score.metric == metric and score.estimate.mean for score in scores)


def _panel(
    axes: Any, scores: Sequence[Score], spent: dict[str, Estimate], looks: dict[str, Look]
) -> None:
    frame(axes, grid="both")
    axes.set_title(metric_name(scores[0].metric) + arrow(scores[0].better))
    for score in scores:
        own, cost = looks[score.variant], spent[score.variant]
        x, y = cost.mean, score.estimate.mean
        if cost.interval is not None:
            axes.plot(cost.interval, [y, y], color=own.colour, linewidth=1.3, alpha=0.7)
        if score.estimate.interval is not None:
            axes.plot([x, x], score.estimate.interval, color=own.colour, linewidth=1.3, alpha=0.7)
        axes.plot(x, y, marker=own.marker, color=own.colour, markersize=7, linestyle="",
                  markeredgecolor=PAPER, markeredgewidth=0.8, clip_on=False)  # fmt: skip
    axes.set_xlim(left=0)
    axes.margins(y=0.12)
    _widen(axes, scores[0].metric)
    axes.locator_params(nbins=5)
    if scores[0].unit == "share":
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    axes.tick_params(colors=QUIET)


def _widen(axes: Any, metric: str) -> None:
    """A fifth of the scale at least: small differences must not look large."""
    scale = SCALES.get(metric)
    low, high = axes.get_ylim()
    if scale is not None and high - low < scale.span / 5:
        middle = (low + high) / 2
        axes.set_ylim(middle - scale.span / 10, middle + scale.span / 10)


def _handle(variant: str, own: Look, quality: Sequence[Score], cost: Estimate) -> Any:
    from matplotlib.lines import Line2D

    rated = [score.estimate.n for score in quality if score.variant == variant]
    few, many = min(rated), max(rated)
    n = str(few) if few == many else f"{few} to {many}"
    cost_n = "" if n == str(cost.n) else f", of the cost {cost.n}"
    told = f"{label(variant, 26)}, n {n}{cost_n}"
    return Line2D([], [], color=own.colour, marker=own.marker, linestyle="", label=told)
