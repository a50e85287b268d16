"""The pictures of a report: radars, similarity, scores, use of chunks, cost against quality.

Paper: AMADEUS (003), section 5.3 (personalities, similarity), appendix A and Figure 6 (chunks).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeVar

from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.report.material import (
    arrow,
    counted,
    distinct,
    interval,
    metric_name,
    number,
    test_title,
)
from offbook.evaluation.report.picture import (
    INK,
    LABELS,
    LINE,
    PAPER,
    QUIET,
    Heading,
    Look,
    Picture,
    drawn,
    frame,
    label,
    look,
    wrapped,
)
from offbook.evaluation.report.tables import is_quality

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.record import Score
    from offbook.evaluation.report.material import ChunkUse, Cosines, Interview, Trait

T = TypeVar("T")
_COLUMNS: Final = 3


def _paged(items: Sequence[T], most: int) -> Iterator[tuple[int, Sequence[T]]]:
    """Items a picture, with the picture's number: 0 where there is only one."""
    several = len(items) > most
    for number_of_page, start in enumerate(range(0, len(items), most), 1):
        yield (number_of_page if several else 0), items[start : start + most]


def _rows(panels: int, most: int = _COLUMNS) -> tuple[int, int]:
    """How many rows and columns of panels there are."""
    columns = min(most, panels)
    return -(-panels // columns), columns


def _axes(figure: Figure, panels: int, most: int = _COLUMNS, **options: Any) -> list[Any]:
    """The axes of each panel, in rows and columns."""
    rows, columns = _rows(panels, most)
    grid: Any = figure.subplots(rows, columns, squeeze=False, **options)
    for axes in grid.flat[panels:]:
        axes.set_visible(False)
    return list(grid.flat[:panels])


_PANELS: Final = 9
_METHODS: Final = 6
_PANEL: Final = (3.7, 3.0)
"""Width and height of a panel, in inches."""


def radars(interviews: Sequence[Interview], run: str, mark: str | None) -> Iterator[Picture]:
    """Draw these interviews, each test apart; what nobody rated is left out.

    A panel has one character with at most six methods.
    """
    rated = [each for each in interviews if any(t.score.mean is not None for t in each.traits)]
    for metric in distinct(each.metric for each in rated):
        mine = [each for each in rated if each.metric == metric]
        variants = distinct(each.variant for each in mine)
        looks = {variant: look(place) for place, variant in enumerate(variants)}
        panels = [
            some
            for subject in distinct(each.subject for each in mine)
            for _, some in _paged([each for each in mine if each.subject == subject], _METHODS)
        ]
        for page, some_panels in _paged(panels, _PANELS):
            yield _page(some_panels, looks, run, mark, page)


def _page(
    panels: Sequence[Sequence[Interview]],
    looks: dict[str, Look],
    run: str,
    mark: str | None,
    page: int,
) -> Picture:
    metric = panels[0][0].metric
    shown = [interview for panel in panels for interview in panel]
    title, subjects = test_title(metric), ", ".join(distinct(each.subject for each in shown))
    heading = Heading(
        run,
        f"radar-{metric}",
        f"{title}: answers and labels",
        f"Radar of {title} for {subjects}; the numbers are in the table of interviews.",
        mark,
        page,
    )
    rows, columns = _rows(len(panels))
    legend_rows = -(-(len(distinct(each.variant for each in shown)) + 2) // 3)
    height = rows * _PANEL[1] + 0.6 + 0.24 * legend_rows
    inches = max(6.4, columns * _PANEL[0]), height + (1.0 if rows == 1 else 0.0)

    def draw(figure: Figure) -> None:
        all_axes = _axes(figure, len(panels), subplot_kw={"projection": "polar"})
        for axes, panel in zip(all_axes, panels, strict=True):
            _draw_panel(axes, panel, looks)
        handles = _handles(shown, looks)
        figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=9)

    return drawn(heading, inches, draw)


def _draw_panel(axes: Any, panel: Sequence[Interview], looks: dict[str, Look]) -> None:
    traits = panel[0].traits
    angles = [2 * math.pi * place / len(traits) for place in range(len(traits))]
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1)
    axes.set_yticks([0.5], [""])
    axes.yaxis.grid(color=LINE)
    axes.xaxis.grid(color=LINE)
    axes.spines["polar"].set_color(LINE)
    axes.set_xticks(angles, ["" for _ in traits])
    for angle, trait in zip(angles, traits, strict=True):
        _name(axes, angle, trait)
    axes.set_title(label(panel[0].subject), pad=34, loc="center")
    _labels(axes, angles, traits)
    for each in panel:
        _polygon(axes, angles, each, looks[each.variant])


def _polygon(axes: Any, angles: Sequence[float], interview: Interview, style: Look) -> None:
    """Lines between neighbours that both have a score, and a mark at each score."""
    parts = [None if t.score.mean is None else t.part(t.score.mean) for t in interview.traits]
    closed = list(zip([*angles, angles[0]], [*parts, parts[0]], strict=True))
    for (angle, part), (next_angle, next_part) in pairwise(closed):
        if part is not None and next_part is not None:
            end = next_angle if next_angle > angle else next_angle + 2 * math.pi
            axes.plot([angle, end], [part, next_part], color=style.colour, linestyle=style.dash,
                      linewidth=1.5)  # fmt: skip
    for angle, part, trait in zip(angles, parts, interview.traits, strict=True):
        if part is None:
            continue
        axes.plot(angle, part, marker=style.marker, color=style.colour, markersize=5, linestyle="")
        if trait.score.interval is not None:
            ends = [min(1.0, max(0.0, trait.part(end))) for end in trait.score.interval]
            axes.plot([angle, angle], ends, color=style.colour, linewidth=1, alpha=0.6)


def _labels(axes: Any, angles: Sequence[float], traits: Sequence[Trait]) -> None:
    for angle, trait in zip(angles, traits, strict=True):
        if trait.label in ("", "X"):
            continue
        half = (0.5, 1.0) if trait.label == trait.first else (0.0, 0.5)
        axes.plot([angle, angle], half, color=LABELS, linewidth=7, alpha=0.4,
                  solid_capstyle="butt", zorder=1)  # fmt: skip
        if trait.label_score is not None:
            axes.plot(angle, trait.part(trait.label_score), marker="_", color=INK, markersize=11,
                      markeredgewidth=2, linestyle="", zorder=4)  # fmt: skip


def _name(axes: Any, angle: float, trait: Trait) -> None:
    """The dimension at the end of its axis, with the label; outwards is its first letter."""
    labelled = f"label {trait.label}" if trait.label else "no label"
    # Outwards is the first letter: E of E/I says so itself.
    labelled = labelled if "/" in trait.dimension else f"{trait.first}, {labelled}"
    text = f"{label(trait.dimension, 20)}\n{labelled}"
    across = math.sin(angle)
    side = "center" if abs(across) < 0.2 else "left" if across > 0 else "right"
    up = math.cos(angle)
    rise = "bottom" if up > 0.5 else "top" if up < -0.5 else "center"
    axes.text(angle, 1.07, text, ha=side, va=rise, fontsize=7.5, color=QUIET, linespacing=1.15)


def _handles(interviews: Sequence[Interview], looks: dict[str, Look]) -> list[Any]:
    from matplotlib.lines import Line2D

    handles: list[Any] = []
    for variant in distinct(each.variant for each in interviews):
        style = looks[variant]
        rated = [t.score for each in interviews if each.variant == variant for t in each.traits]
        n, missing = sum(s.n for s in rated), sum(s.missing for s in rated)
        text = f"{label(variant)}, n {number(n, 'letters')}"
        text += f", {missing} missing" if missing else ""
        handles.append(
            Line2D(
                [], [], color=style.colour, marker=style.marker, linestyle=style.dash, label=text
            )
        )
    labelled = [t for each in interviews for t in each.traits if t.label != "X"]
    if any(t.label for t in labelled):
        handles.append(
            Line2D([], [], color=LABELS, linewidth=7, alpha=0.4, label="side of the label")
        )
    if any(t.label_score is not None for t in labelled):
        handles.append(Line2D([], [], color=INK, marker="_", markersize=11, markeredgewidth=2,
                            linestyle="", label="score of the label"))  # fmt: skip
    return handles


_HEIGHT: Final = 0.92
"""Of the highest ridge, in steps from one to the next."""
_NARROWEST: Final = 0.012
_POINTS: Final = 320
_WIDTH: Final = 9.0


def ridgelines(groups: Sequence[Cosines], run: str, mark: str | None) -> Iterator[Picture]:
    """The picture of these groups; none where no cosine is known."""
    shown = [group for group in groups if group.values]
    if not shown:
        return
    title = "Similarity of questions and the chunks found for them"
    names = ", ".join(group.name for group in shown)
    alt = f"Densities of cosines, question by chunk, for {names}"
    heading = Heading(run, "similarity", title, alt, mark)
    yield drawn(heading, (_WIDTH, 0.62 * len(shown) + 1.5), partial(_draw_ridges, groups=shown))


def density(values: NDArray[Any], points: NDArray[Any]) -> NDArray[Any]:
    """A Gaussian kernel density, its width by Silverman's rule of thumb."""
    import numpy as np

    spread = float(values.std())
    quartiles = np.percentile(values, [25, 75])
    narrow = min(filter(None, (spread, float(quartiles[1] - quartiles[0]) / 1.34)), default=0.0)
    width = max(0.9 * narrow * len(values) ** -0.2, _NARROWEST)
    total = np.zeros(len(points))
    for block in np.array_split(values, max(1, len(values) // 2_000)):
        total += np.exp(-0.5 * ((points[:, None] - block) / width) ** 2).sum(axis=1)
    densities: NDArray[Any] = total / (len(values) * width * np.sqrt(2 * np.pi))
    return densities


def _draw_ridges(figure: Figure, groups: Sequence[Cosines]) -> None:
    import numpy as np

    axes: Any = figure.subplots()
    frame(axes, grid="x")
    arrays = [np.asarray(group.values) for group in groups]
    low = min(float(each.min()) for each in arrays) - 0.06
    high = max(float(each.max()) for each in arrays) + 0.06
    points = np.linspace(low, high, _POINTS)
    curves = [density(each, points) for each in arrays]
    peak = max(float(curve.max()) for curve in curves)
    for place, (group, curve) in enumerate(zip(groups, curves, strict=True)):
        base = float(len(groups) - 1 - place)
        colour = look(place).colour
        top = base + curve / peak * _HEIGHT
        axes.fill_between(
            points, base, top, color=colour, alpha=0.35, linewidth=0, zorder=place + 2
        )
        axes.plot(points, top, color=colour, linewidth=1.5, zorder=place + 2)
        axes.axhline(base, color=LINE, linewidth=0.8, zorder=1)
        _mean(axes, group, base)
    axes.set_xlim(low, high)
    axes.set_ylim(-0.3, len(groups) + 0.05)
    names = [wrapped(group.name) for group in reversed(groups)]
    axes.set_yticks(range(len(groups)), names)
    axes.tick_params(axis="y", labelcolor=INK)
    axes.set_xlabel("cosine of question and chunk")


def _mean(axes: Any, group: Cosines, base: float) -> None:
    mean = group.mean
    if mean.mean is None:
        return
    axes.plot([mean.mean], [base], marker="o", color=INK, markersize=4.5, zorder=30)
    if mean.interval is not None:
        axes.plot(mean.interval, [base, base], color=INK, linewidth=2.2, zorder=30)
    text = f"{number(mean.mean, 'cosine')}  n {mean.n}"
    text += f", {mean.missing} missing" if mean.missing else ""
    axes.text(1.01, base + 0.08, text, transform=axes.get_yaxis_transform(), va="bottom",
              fontsize=8.5, color=QUIET)  # fmt: skip


_BARS: Final = 6
_BAR_COLUMNS: Final = 2
_BAR: Final = 0.34


def score_bars(scores: Sequence[Score], run: str, mark: str | None) -> Iterator[Picture]:
    """Draw these scores; none without scores."""
    metrics = distinct(score.metric for score in scores)
    for page, some in _paged(metrics, _BARS):
        mine = [score for score in scores if score.metric in some]
        several = f", {page} of {-(-len(metrics) // _BARS)}" if page else ""
        names = ", ".join(map(metric_name, some))
        heading = Heading(
            run,
            "scores",
            f"Scores with 95 % intervals{several}",
            f"Bars of {names} by method; the numbers are in the table of scores.",
            mark,
            page,
        )
        bars = len(distinct(score.variant for score in mine))
        height = _rows(len(some), _BAR_COLUMNS)[0] * (_BAR * bars + 0.75) + 0.9
        yield drawn(heading, (9.6, height), partial(_draw_bars, metrics=some, scores=mine))


def _draw_bars(figure: Figure, metrics: Sequence[str], scores: Sequence[Score]) -> None:
    variants = distinct(score.variant for score in scores)
    all_axes = _axes(figure, len(metrics), _BAR_COLUMNS, sharey=True)
    for axes, metric in zip(all_axes, metrics, strict=True):
        mine = {score.variant: score for score in scores if score.metric == metric}
        _panel(axes, metric, [mine.get(variant) for variant in variants])
    all_axes[0].set_yticks(range(len(variants)), [wrapped(variant) for variant in variants])
    all_axes[0].set_ylim(len(variants) - 0.4, -0.6)
    for axes in all_axes[::_BAR_COLUMNS]:
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


_HISTOGRAMS: Final = 12
_BINS: Final = 16
"""Bars in one panel; more often used chunks share bars."""


def chunk_usage(uses: Sequence[ChunkUse], run: str, mark: str | None) -> Iterator[Picture]:
    """Draw how often chunks were used; none where nothing was retrieved."""
    for page, some in _paged([each for each in uses if each.use.duplication], _HISTOGRAMS):
        title, names = "How often each chunk was used", ", ".join(each.variant for each in some)
        alt = f"Histograms of the times a chunk was used, for {names}"
        heading = Heading(run, "chunk-usage", title, alt, mark, page)
        rows, columns = _rows(len(some))
        inches = max(5.6, 3.3 * columns), 2.35 * rows + 0.8
        yield drawn(heading, inches, partial(_draw_histograms, uses=some))


def _draw_histograms(figure: Figure, uses: Sequence[ChunkUse]) -> None:
    for axes, used in zip(_axes(figure, len(uses)), uses, strict=True):
        _histogram(axes, used)


def bins(duplication: Mapping[int, int], most: int = _BINS) -> list[tuple[int, int, int]]:
    """First and last number of times of each bar, and its chunks; chunks never used stand alone."""
    top = max(duplication, default=0)
    step = max(1, -(-top // (most - 1)))
    bars = [(0, 0, duplication[0])] if 0 in duplication else []
    for first in range(1, top + 1, step):
        last = min(top, first + step - 1)
        bars.append((first, last, sum(duplication.get(n, 0) for n in range(first, last + 1))))
    return bars


def _histogram(axes: Any, used: ChunkUse) -> None:
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
    text = f"{used.use.questions} replies"
    if rate.n:
        used_of = f"{number(rate.mean, 'share')} of {used.chunks} chunks used"
        text = f"{used_of}, {interval(rate, 'share')}, {counted(rate)}\n{text}"
    else:
        text = f"of how many chunks is not known\n{text}"
    axes.set_title(label(used.variant), pad=28)
    axes.text(0, 1.03, text, transform=axes.transAxes, fontsize=7.5, color=QUIET, va="bottom")
    axes.set_xlabel("times used", fontsize=8.5)
    axes.set_ylabel("chunks", fontsize=8.5)


_COSTS: Final = (
    ("cost_usd", "USD a reply"),
    ("prompt_tokens", "prompt tokens a reply"),
    ("calls", "calls a reply"),
    ("seconds", "seconds a reply"),
)


def cost_quality(scores: Sequence[Score], run: str, mark: str | None) -> Iterator[Picture]:
    """The picture of these scores; none where no cost or no quality is known."""
    whole = [score for score in scores if score.group == "all" and score.estimate.mean is not None]
    quality = [score for score in whole if is_quality(score)]
    known = {score.metric for score in whole if score.estimate.mean}
    cost = next((each for each in _COSTS if each[0] in known), None)
    if cost is None or not quality:
        return
    spent = {score.variant: score.estimate for score in whole if score.metric == cost[0]}
    metrics = distinct(score.metric for score in quality if score.variant in spent)[:_BARS]
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
    rows, columns = _rows(len(metrics))
    legend_rows = -(-len(variants) // 3)
    inches = max(6.4, 3.3 * columns), 2.8 * rows + 0.9 + 0.24 * legend_rows

    def draw(figure: Figure) -> None:
        all_axes = _axes(figure, len(metrics), sharex=True)
        for axes, metric in zip(all_axes, metrics, strict=True):
            mine = [s for s in quality if s.metric == metric and s.variant in spent]
            _cost_quality_panel(axes, mine, spent, looks)
            axes.set_xlabel(cost[1], fontsize=8.5)
            # The panels of a column share their axis, and the last row may be short.
            axes.tick_params(labelbottom=True)
        handles = [_handle(v, looks[v], quality, spent[v]) for v in variants]
        figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=8.5)

    yield drawn(heading, inches, draw)


def _cost_quality_panel(
    axes: Any, scores: Sequence[Score], spent: dict[str, Estimate], looks: dict[str, Look]
) -> None:
    frame(axes, grid="both")
    axes.set_title(metric_name(scores[0].metric) + arrow(scores[0].better))
    for score in scores:
        style, cost = looks[score.variant], spent[score.variant]
        x, y = cost.mean, score.estimate.mean
        if cost.interval is not None:
            axes.plot(cost.interval, [y, y], color=style.colour, linewidth=1.3, alpha=0.7)
        if score.estimate.interval is not None:
            axes.plot([x, x], score.estimate.interval, color=style.colour, linewidth=1.3, alpha=0.7)
        axes.plot(x, y, marker=style.marker, color=style.colour, markersize=7, linestyle="",
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


def _handle(variant: str, style: Look, quality: Sequence[Score], cost: Estimate) -> Any:
    from matplotlib.lines import Line2D

    rated = [score.estimate.n for score in quality if score.variant == variant]
    few, many = min(rated), max(rated)
    n = str(few) if few == many else f"{few} to {many}"
    cost_n = "" if n == str(cost.n) else f", of the cost {cost.n}"
    text = f"{label(variant, 26)}, n {n}{cost_n}"
    return Line2D([], [], color=style.colour, marker=style.marker, linestyle="", label=text)
