"""What a report needs of cells and ratings besides their numbers, seen as they go by.

Takes: the streams of a run's cells and ratings.  Gives: the same streams; afterwards what failed,
what is missing and why, and which cells are the worst and the best.

Memory is bounded: no text is kept but the reasons of failures, each of them shortened.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from offbook.evaluation.judging import REPLY_METRICS
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.record import CellKey
from offbook.evaluation.report.material import Counts, FailedCell, Ratings
from offbook.evaluation.report.naming import metric_name, one_line

if TYPE_CHECKING:
    from offbook.evaluation.record import Cell, Rating, Run
    from offbook.evaluation.report.similarity import Nearness

_REASON: Final = 160
_REASONS: Final = 8
_KINDS_OF_REASONS: Final = 200
_OTHER: Final = "other reasons"
_OVERRULED: Final = 20
_MISSING: Final = 5

Extreme = tuple[float, CellKey]


class _Ends:
    """The worst and the best few ratings of a metric and variant."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._low: list[tuple[float, CellKey]] = []
        self._high: list[tuple[float, CellKey]] = []

    def add(self, value: float, key: CellKey) -> None:
        """Note a rating. Of equal ones those with the first keys stay."""
        self._low = heapq.nsmallest(self._most, [*self._low, (value, key)])
        self._high = heapq.nsmallest(self._most, [*self._high, (-value, key)])

    def of(self, *, lowest: bool) -> list[Extreme]:
        """The lowest or the highest, the most extreme first."""
        return list(self._low) if lowest else [(-value, key) for value, key in self._high]


class Watch:
    """Looks at every cell and rating of a run once.

    Args:
        run: The run; ratings of other judges, and repeated samples, go by unseen.
        most: How many of the worst and of the best cells of each metric and variant are kept.
        nearness: Told of every cell, where similarity is measured.
    """

    def __init__(self, run: Run, most: int, nearness: Nearness | None = None) -> None:
        self._run = run
        self._judge = run.models["judge"].model if "judge" in run.models else None
        self._most = most
        self._nearness = nearness
        self._cells = self._forgotten = 0
        self._ends: dict[tuple[str, str], _Ends] = {}
        self._totals: Counter[tuple[str, str]] = Counter()
        self._missing: Counter[tuple[str, str]] = Counter()
        self._reasons: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._overruled: Counter[tuple[str, str]] = Counter()
        self._why: dict[CellKey, list[str]] = defaultdict(list)
        self.failed: list[FailedCell] = []

    def cells(self, stream: Iterable[Cell]) -> Iterator[Cell]:
        """The cells, each looked at."""
        for cell in stream:
            self._see_cell(cell)
            yield cell

    def ratings(self, stream: Iterable[Rating]) -> Iterator[Rating]:
        """The ratings, each looked at."""
        for rating in stream:
            if rating.key.judge == self._judge and rating.key.sample == 0:
                self._see_rating(rating)
            yield rating

    def counts(self, planned: int) -> Counts:
        """How many cells there are."""
        return Counts(planned, self._cells, len(self.failed), self._forgotten)

    def rated(self) -> tuple[Ratings, ...]:
        """How the ratings came out, by metric and variant in the order of the run."""
        order = [
            (metric, variant.label)
            for metric in self._run.metrics
            for variant in self._run.variants
        ]
        return tuple(
            Ratings(
                *place,
                self._totals[place],
                self._missing[place],
                self._overruled[place],
                _most_common(self._reasons[place]),
            )
            for place in order
            if self._totals[place]
        )

    def examples(self) -> dict[CellKey, tuple[str, ...]]:
        """The cells to be shown, and for what: by variant, then as they were found."""
        why: dict[CellKey, list[str]] = defaultdict(list)
        for (metric, _), ends in self._ends.items():
            is_low_worst = SCALES[metric].better == "higher"
            worst, best = ends.of(lowest=is_low_worst), ends.of(lowest=not is_low_worst)
            if not worst or worst[0][0] == best[0][0]:
                continue  # all were rated alike: none is worse than another
            for name, found, other in (("worst", worst, best[0][0]), ("best", best, worst[0][0])):
                for value, key in found:
                    if value != other:
                        why[key].append(f"{name} {metric_name(metric)}: {value:g}")
        for key, reasons in self._why.items():
            why[key] += reasons
        labels = [variant.label for variant in self._run.variants]
        order = {label: place for place, label in enumerate(labels)}
        keys = sorted(why, key=lambda key: (order.get(key.variant, len(order)), key))
        return {key: tuple(why[key]) for key in keys}

    def _see_cell(self, cell: Cell) -> None:
        self._cells += 1
        self._forgotten += cell.forgotten
        if cell.reply is None:
            self.failed.append(FailedCell(cell.key, one_line(cell.error or "", 2 * _REASON)))
        if self._nearness is not None:
            self._nearness.add(cell)

    def _see_rating(self, rating: Rating) -> None:
        key, place = rating.key, (rating.key.metric, rating.key.variant)
        cell = CellKey(key.subject, key.unit, key.variant, key.repeat)
        self._totals[place] += 1
        is_reply = key.metric in REPLY_METRICS
        if rating.person is not None:
            self._overruled[place] += 1
            if is_reply and sum(self._overruled.values()) <= _OVERRULED:
                self._why[cell].append(f"overruled {metric_name(key.metric)}")
        if rating.final is None:
            self._see_missing(rating, cell, is_reply=is_reply)
        elif is_reply and SCALES[key.metric].better is not None:
            self._ends.setdefault(place, _Ends(self._most)).add(rating.final, cell)

    def _see_missing(self, rating: Rating, cell: CellKey, *, is_reply: bool) -> None:
        place = (rating.key.metric, rating.key.variant)
        self._missing[place] += 1
        why = one_line(rating.missing or "no reason is noted", _REASON)
        reasons = self._reasons[place]
        reasons[why if why in reasons or len(reasons) < _KINDS_OF_REASONS else _OTHER] += 1
        if is_reply and self._missing[place] <= _MISSING:
            self._why[cell].append(f"no rating of {metric_name(rating.key.metric)}")


def _most_common(reasons: Counter[str]) -> tuple[tuple[str, int], ...]:
    """The most frequent reasons, those left over together; equal ones by their words."""
    ordered = sorted(reasons.items(), key=lambda each: (-each[1], each[0]))
    left = sum(count for _, count in ordered[_REASONS:])
    return (*ordered[:_REASONS], *(((_OTHER, left),) if left else ()))
