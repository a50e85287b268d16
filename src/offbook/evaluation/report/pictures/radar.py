"""Radar of Big Five and MBTI: each method's scores of a character, and what people say of it.

Takes: interviews.  Gives: pictures of at most nine panels, one a character.
Paper: AMADEUS (003), section 5.3 shows personalities by dimension; the drawing is ours.

A label without a score cannot be drawn as a point: the half of the axis on which people put the
character is drawn as a broad line, and a method that ends on it agrees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.report.naming import distinct, number, test_title
from offbook.evaluation.report.pictures.looks import INK, LABELS, LINE, QUIET, Look, look
from offbook.evaluation.report.pictures.picture import Heading, Picture, drawn, label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from offbook.evaluation.report.material import Interview, Trait

_PANELS: Final = 9
_COLUMNS: Final = 3
_METHODS: Final = 6
_PANEL: Final = (3.7, 3.0)
"""Width and height of a panel, in inches."""


@dataclass(frozen=True, slots=True)
class _Panel:
    """One character with at most six methods."""

    subject: str
    interviews: tuple[Interview, ...]


def radars(interviews: Sequence[Interview], run: str, mark: str | None) -> Iterator[Picture]:
    """Pictures of these interviews, each test apart; what nobody rated is left out."""
    rated = [each for each in interviews if any(t.score.mean is not None for t in each.traits)]
    for metric in distinct(each.metric for each in rated):
        mine = [each for each in rated if each.metric == metric]
        variants = distinct(each.variant for each in mine)
        looks = {variant: look(place) for place, variant in enumerate(variants)}
        panels = list(_panels(mine))
        pages = [panels[at : at + _PANELS] for at in range(0, len(panels), _PANELS)]
        for place, page in enumerate(pages, 1):
            yield _page(page, looks, metric, run, mark, place if len(pages) > 1 else 0)


def _panels(interviews: Sequence[Interview]) -> Iterator[_Panel]:
    for subject in distinct(each.subject for each in interviews):
        mine = [each for each in interviews if each.subject == subject]
        for at in range(0, len(mine), _METHODS):
            yield _Panel(subject, tuple(mine[at : at + _METHODS]))


def _page(
    panels: Sequence[_Panel],
    looks: dict[str, Look],
    metric: str,
    run: str,
    mark: str | None,
    page: int,
) -> Picture:
    shown = ", ".join(distinct(panel.subject for panel in panels))
    heading = Heading(
        run,
        f"radar-{metric}",
        f"{test_title(metric)}: answers and labels",
        f"Radar of {test_title(metric)} for {shown}; the numbers are in the table of interviews.",
        mark,
        page,
    )
    columns = min(_COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    legend_rows = -(-(len(distinct(i.variant for p in panels for i in p.interviews)) + 2) // 3)
    height = rows * _PANEL[1] + 0.6 + 0.24 * legend_rows
    inches = max(6.4, columns * _PANEL[0]), height + (1.0 if rows == 1 else 0.0)

    def draw(figure: Figure) -> None:
        grid: Any = figure.subplots(
            rows, columns, squeeze=False, subplot_kw={"projection": "polar"}
        )
        for place, axes in enumerate(grid.flat):
            if place < len(panels):
                _draw_panel(axes, panels[place], looks)
            else:
                axes.set_visible(False)
        figure.legend(
            handles=_handles(panels, looks), loc="outside lower center", ncols=3, fontsize=9
        )

    return drawn(heading, inches, draw)


def _draw_panel(axes: Any, panel: _Panel, looks: dict[str, Look]) -> None:
    traits = panel.interviews[0].traits
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
    axes.set_title(label(panel.subject), pad=34, loc="center")
    _labels(axes, angles, traits)
    for each in panel.interviews:
        own = looks[each.variant]
        _polygon(axes, angles, each, own)


def _polygon(axes: Any, angles: Sequence[float], interview: Interview, own: Look) -> None:
    """Lines between neighbours that both have a score, and a mark at each score."""
    parts = [None if t.score.mean is None else t.part(t.score.mean) for t in interview.traits]
    closed = list(zip([*angles, angles[0]], [*parts, parts[0]], strict=True))
    for (angle, part), (next_angle, next_part) in pairwise(closed):
        if part is not None and next_part is not None:
            end = next_angle if next_angle > angle else next_angle + 2 * math.pi
            axes.plot([angle, end], [part, next_part], color=own.colour, linestyle=own.dash,
                      linewidth=1.5)  # fmt: skip
    for angle, part, trait in zip(angles, parts, interview.traits, strict=True):
        if part is None:
            continue
        axes.plot(angle, part, marker=own.marker, color=own.colour, markersize=5, linestyle="")
        if trait.score.interval is not None:
            ends = [min(1.0, max(0.0, trait.part(end))) for end in trait.score.interval]
            axes.plot([angle, angle], ends, color=own.colour, linewidth=1, alpha=0.6)


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
    said = f"label {trait.label}" if trait.label else "no label"
    # Outwards is the first letter: E of E/I says so itself.
    said = said if "/" in trait.dimension else f"{trait.first}, {said}"
    text = f"{label(trait.dimension, 20)}\n{said}"
    across = math.sin(angle)
    side = "center" if abs(across) < 0.2 else "left" if across > 0 else "right"
    up = math.cos(angle)
    rise = "bottom" if up > 0.5 else "top" if up < -0.5 else "center"
    axes.text(angle, 1.07, text, ha=side, va=rise, fontsize=7.5, color=QUIET, linespacing=1.15)


def _handles(panels: Sequence[_Panel], looks: dict[str, Look]) -> list[Any]:
    from matplotlib.lines import Line2D

    shown = distinct(each.variant for panel in panels for each in panel.interviews)
    found: list[Any] = []
    for variant in shown:
        own = looks[variant]
        rated = [t.score for p in panels for i in p.interviews if i.variant == variant
                 for t in i.traits]  # fmt: skip
        n, missing = sum(s.n for s in rated), sum(s.missing for s in rated)
        told = f"{label(variant)}, n {number(n, 'letters')}"
        told += f", {missing} missing" if missing else ""
        found.append(
            Line2D([], [], color=own.colour, marker=own.marker, linestyle=own.dash, label=told)
        )
    traits = [t for p in panels for i in p.interviews for t in i.traits]
    if any(t.label not in ("", "X") for t in traits):
        found.append(
            Line2D([], [], color=LABELS, linewidth=7, alpha=0.4, label="side of the label")
        )
    if any(t.label_score is not None and t.label != "X" for t in traits):
        found.append(Line2D([], [], color=INK, marker="_", markersize=11, markeredgewidth=2,
                            linestyle="", label="score of the label"))  # fmt: skip
    return found
