"""Ridgelines of similarity: how near the chunks lie that are found for a question.

Takes: cosines of questions with their nearest chunks, by method or splitter.  Gives: a picture of
their densities, one over another, each with its mean, interval and n.
Paper: AMADEUS (003), section 5.3, whose table 1 compares splitters by these cosines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.report.naming import number
from offbook.evaluation.report.pictures.looks import INK, LINE, QUIET, look
from offbook.evaluation.report.pictures.picture import Heading, Picture, drawn, frame, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from offbook.evaluation.report.material import Cosines

_HEIGHT: Final = 0.92
"""Of the highest ridge, in steps from one to the next."""
_NARROWEST: Final = 0.012
_POINTS: Final = 320
_WIDTH: Final = 9.0


def ridgelines(
    groups: Sequence[Cosines],
    run: str,
    mark: str | None = None,
    title: str = "Similarity of questions and the chunks found for them",
) -> Iterator[Picture]:
    """The picture of these groups; none where no cosine is known."""
    shown = [group for group in groups if group.values]
    if not shown:
        return
    heading = Heading(
        run,
        "similarity",
        title,
        "Densities of cosines, question by chunk, for " + ", ".join(g.name for g in shown),
        mark,
    )
    height = 0.62 * len(shown) + 1.5

    def draw(figure: Figure) -> None:
        _draw(figure, shown)

    yield drawn(heading, (_WIDTH, height), draw)


def density(values: NDArray[Any], at: NDArray[Any]) -> NDArray[Any]:
    """A Gaussian kernel density, its width by Silverman's rule of thumb."""
    import numpy as np

    spread = float(values.std())
    quartiles = np.percentile(values, [25, 75])
    narrow = min(filter(None, (spread, float(quartiles[1] - quartiles[0]) / 1.34)), default=0.0)
    width = max(0.9 * narrow * len(values) ** -0.2, _NARROWEST)
    total = np.zeros(len(at))
    for block in np.array_split(values, max(1, len(values) // 2_000)):
        total += np.exp(-0.5 * ((at[:, None] - block) / width) ** 2).sum(axis=1)
    found: NDArray[Any] = total / (len(values) * width * np.sqrt(2 * np.pi))
    return found


def _draw(figure: Figure, groups: Sequence[Cosines]) -> None:
    import numpy as np

    axes: Any = figure.subplots()
    frame(axes, grid="x")
    arrays = [np.asarray(group.values) for group in groups]
    low = min(float(each.min()) for each in arrays) - 0.06
    high = max(float(each.max()) for each in arrays) + 0.06
    at = np.linspace(low, high, _POINTS)
    curves = [density(each, at) for each in arrays]
    peak = max(float(curve.max()) for curve in curves)
    for place, (group, curve) in enumerate(zip(groups, curves, strict=True)):
        base = float(len(groups) - 1 - place)
        colour = look(place).colour
        top = base + curve / peak * _HEIGHT
        axes.fill_between(at, base, top, color=colour, alpha=0.35, linewidth=0, zorder=place + 2)
        axes.plot(at, top, color=colour, linewidth=1.5, zorder=place + 2)
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
