"""Several runs in one report: refused where their judges differ, side by side where they may be.

Takes: what was collected of runs.  Gives: a `Report`; runs that were asked and judged alike stand
in joint tables, with their paired differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from offbook.errors import UsageError
from offbook.evaluation.comparing import Difference, comparable, differences
from offbook.evaluation.report.material import JointRuns, Report, ReportedRun

if TYPE_CHECKING:
    from collections.abc import Hashable

    from offbook.evaluation.record import Run


def check_judges(runs: Sequence[Run]) -> None:
    """Refuse runs that were rated by different judges: their scores say nothing of one another.

    Raises:
        UsageError: two of them were.
    """
    first = runs[0]
    for other in runs[1:]:
        judges = first.models.get("judge"), other.models.get("judge")
        if judges[0] == judges[1]:
            continue
        told = [f"{judge.model!r} at {judge.base_url}" if judge else "none" for judge in judges]
        name = judges[0].model if judges[0] else ""
        raise UsageError(
            f"{first.id!r} and {other.id!r} have different judges, {told[0]} and {told[1]}:"
            " they do not belong into one report",
            f"have one judge rate both: offbook eval score {other.id} --judge {name};"
            " or write a report of each",
        )


def joined(runs: Sequence[ReportedRun]) -> Report:
    """One report of these runs.

    Raises:
        UsageError: they were rated by different judges.
    """
    check_judges([each.run for each in runs])
    groups: dict[Hashable, list[ReportedRun]] = {}
    for each in runs:
        groups.setdefault(_asked_alike(each.run), []).append(each)
    several = [group for group in groups.values() if len(group) > 1]
    joint = tuple(_side_by_side(f"joint-{place}", group) for place, group in enumerate(several, 1))
    return Report(tuple(runs), joint)


def _asked_alike(run: Run) -> Hashable:
    """What must be equal for scores to stand in one table: questions, metrics, judge's words."""
    from offbook.prompts.catalogue import ALL

    judging = {prompt.name for prompt in ALL if prompt.role == "judge"}
    versions = tuple(sorted((n, v) for n, v in run.prompts.items() if n in judging))
    asked = (run.benchmark, run.benchmark_version, run.dataset_checksum, run.protocol)
    return asked, run.limit, run.seed if run.limit is not None else None, versions


def _side_by_side(name: str, runs: Sequence[ReportedRun]) -> JointRuns:
    scores = tuple(
        replace(score, variant=_variant(each, score.variant))
        for each in runs
        for score in each.scores
        if score.group == "all"
    )
    return JointRuns(
        name=name,
        runs=tuple(each.run.id for each in runs),
        benchmark=runs[0].run.benchmark,
        scores=scores,
        differences=tuple(_differences(runs)),
        mark=runs[0].mark,
    )


def _differences(runs: Sequence[ReportedRun]) -> Iterator[Difference]:
    """Each later run less the first: variants of one name, or the only ones that they have."""
    base = runs[0]
    for other in runs[1:]:
        if base.measured is None or other.measured is None:
            continue
        for mine, theirs in comparable(base.run, other.run):
            names = _variant(other, theirs), _variant(base, mine)
            for found in differences(other.measured, theirs, base.measured, mine):
                yield replace(found, first=names[0], second=names[1])


def _variant(report: ReportedRun, label: str) -> str:
    return f"{report.run.id}: {label}"
