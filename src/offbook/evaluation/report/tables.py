"""The tables of a report, in a shape that Markdown, LaTeX and HTML write alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.evaluation.report.material import (
    arrow,
    direction,
    distinct,
    group_title,
    metric_name,
    metric_title,
    test_title,
)
from offbook.evaluation.scores import ALL, COSTS

if TYPE_CHECKING:
    from offbook.evaluation.comparison import Difference
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.record import Score
    from offbook.evaluation.report.material import (
        FailedCell,
        Interview,
        JointRuns,
        Ratings,
        ReportedRun,
    )

_COLUMNS: Final = 4
"""Columns of numbers, each with interval and n, that fit beside one another."""
_RETRIEVAL: Final = ("chunk_usage", "duplication", "gs_failure")


@dataclass(frozen=True, slots=True)
class Number:
    """An estimate in a table; ``delta``: a difference, whose sign is shown."""

    estimate: Estimate
    unit: str = ""


Entry = str | Number


@dataclass(frozen=True, slots=True)
class Table:
    """A table; ``name`` is that of its files. ``mark`` stands with it wherever it goes."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    mark: str | None = None
    note: str = ""

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers."""
        return tuple(
            any(isinstance(row[place], Number) for row in self.rows)
            for place in range(len(self.columns))
        )


def is_quality(score: Score) -> bool:
    """Whether a score says how good replies are: not what they cost, nor what they used."""
    name = score.metric
    return (
        score.group == ALL
        and score.better is not None
        and name not in (*COSTS, *_RETRIEVAL, "failed")
    )


def tables_of(report: ReportedRun) -> list[Table]:
    """All tables of a run, those that would be empty left out."""
    mark = report.mark
    all_of = [score for score in report.scores if score.group == ALL]
    costs = [score for score in all_of if score.metric in (*COSTS, "failed")]
    retrieval = [
        score
        for score in all_of
        if score.metric in _RETRIEVAL or score.metric.endswith(("_undefined", "_unjudged"))
    ]
    tables = [
        *pivots("scores", "Scores", filter(is_quality, all_of), mark),
        *differences("differences", report.differences, mark),
        *_interviews(report.interviews, mark),
        *pivots("retrieval", "Use of what was retrieved", retrieval, mark),
        *pivots("costs", "What a reply cost", costs, mark),
        *breakdown(report.scores, mark),
        *_ratings(report.ratings, mark),
    ]
    return [table for table in tables if table.rows]


def joint_tables(joint: JointRuns) -> list[Table]:
    """Scores and differences of several runs of the same questions."""
    title = f"{joint.benchmark}: {', '.join(joint.runs)} side by side"
    all_of = [score for score in joint.scores if score.group == ALL]
    return [
        *pivots(f"{joint.name}-scores", title, filter(is_quality, all_of), joint.mark),
        *differences(f"{joint.name}-differences", joint.differences, joint.mark),
    ]


def pivots(name: str, title: str, scores: Iterable[Score], mark: str | None) -> Iterator[Table]:
    """Variants by metrics, a table for every four metrics."""
    listed = list(scores)
    metrics = distinct(score.metric for score in listed)
    variants = distinct(score.variant for score in listed)
    by_place = {(score.metric, score.variant): score for score in listed}
    heads = {score.metric: metric_name(score.metric) + arrow(score.better) for score in listed}
    pieces = [metrics[start : start + _COLUMNS] for start in range(0, len(metrics), _COLUMNS)]
    for place, piece in enumerate(pieces, 1):
        rows = []
        for variant in variants:
            cells = [by_place.get((metric, variant)) for metric in piece]
            if any(cells):
                rows.append((variant, *(Number(s.estimate, s.unit) if s else "" for s in cells)))
        several = len(pieces) > 1
        yield Table(
            f"{name}-{place}" if several else name,
            f"{title}, {place} of {len(pieces)}" if several else title,
            ("Method", *(heads[metric] for metric in piece)),
            tuple(rows),
            mark,
            "; ".join(f"{metric_name(m)}: {metric_title(m)}" for m in piece if _is_short(m)),
        )


def differences(name: str, paired: Sequence[Difference], mark: str | None) -> Iterator[Table]:
    """Paired differences, one a line."""
    rows = tuple(
        (
            metric_name(each.metric),
            f"{each.first} − {each.second}",
            Number(each.estimate, each.unit),
            direction(each.better),
        )
        for each in paired
    )
    note = "On the same questions; those that one of the two has no rating for count as missing."
    columns = ("Metric", "Methods", "Difference", "Direction")
    yield Table(name, "Paired differences", columns, rows, mark, note)


def breakdown(scores: Sequence[Score], mark: str | None) -> Iterator[Table]:
    """Scores by scope, kind, subject or dimension; one table for each of these."""
    grouped = [s for s in scores if s.group != ALL and "/" not in s.group]
    for family in distinct(score.group.partition("=")[0] for score in grouped):
        mine = [score for score in grouped if score.group.partition("=")[0] == family]
        rows = tuple(
            (
                metric_name(score.metric) + arrow(score.better),
                group_title(score.group).partition(": ")[2] or score.group,
                score.variant,
                Number(score.estimate, score.unit),
            )
            for score in mine
        )
        columns = ("Metric", family.capitalize(), "Method", "Score")
        yield Table(f"by-{family}", f"Scores by {family}", columns, rows, mark)


def failed_table(failed: Sequence[FailedCell], most: int | None, mark: str | None) -> Table:
    """Cells without a reply, with the reason."""
    shown = failed if most is None else failed[:most]
    rows = tuple(
        (each.key.subject, each.key.question, each.key.variant, str(each.key.repeat), each.error)
        for each in shown
    )
    left = len(failed) - len(shown)
    note = f"{left} more are in tables/failed.csv." if left else ""
    columns = ("Subject", "Question", "Method", "Repeat", "Why")
    return Table("failed", "Cells without a reply", columns, rows, mark, note)


def _is_short(metric: str) -> bool:
    return metric_name(metric) != metric_title(metric) and "." not in metric


def _interviews(interviews: Sequence[Interview], mark: str | None) -> Iterator[Table]:
    """One table a test: letters beside labels, and the dimensions with their scores."""
    for metric in distinct(each.metric for each in interviews):
        mine = [each for each in interviews if each.metric == metric]
        names = [trait.dimension for trait in mine[0].traits]
        unit = "percent" if mine[0].traits[0].high > 10 else ""
        rows: tuple[tuple[Entry, ...], ...] = tuple(
            (
                each.subject,
                each.variant,
                each.letters,
                each.labels,
                f"{each.wrong} of {each.compared}",
                *(Number(trait.score, unit) for trait in each.traits),
            )
            for each in mine
        )
        columns = ("Subject", "Method", "Letters", "Label", "Wrong", *names)
        note = "In a label X is undecided, and - means that nobody has said."
        title = f"Interviews: {test_title(metric)}"
        yield Table(f"interviews-{metric}", title, columns, rows, mark, note)


def _ratings(ratings: Sequence[Ratings], mark: str | None) -> Iterator[Table]:
    """How many ratings are missing, and why; how many a person overruled."""
    rows = tuple(
        (
            metric_name(each.metric),
            each.variant,
            str(each.total),
            str(each.missing),
            str(each.overruled),
            "; ".join(f"{why} ({count})" for why, count in each.reasons),
        )
        for each in ratings
    )
    columns = ("Metric", "Method", "Ratings", "Missing", "Overruled", "Why missing")
    note = "A missing rating is excluded and counted; it is never replaced by another value."
    yield Table("ratings", "Ratings, missing and overruled", columns, rows, mark, note)
