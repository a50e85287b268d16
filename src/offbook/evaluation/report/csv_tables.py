"""A report as CSV: every number in a line of its own, with n, missing, interval and mark.

Takes: a report.  Gives: files by name; values are neither rounded nor turned into percent.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.report.naming import metric_title, printable

if TYPE_CHECKING:
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.report.material import Report, ReportedRun

_RUN: Final = ("run", "benchmark", "dataset_checksum", "judge", "mark")
_ESTIMATE: Final = ("value", "low", "high", "n", "missing")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""

_COLUMNS: Final = {
    "scores": ("metric", "title", "method", "group", *_ESTIMATE, "better", "unit"),
    "differences": ("metric", "first", "second", *_ESTIMATE, "better", "unit"),
    "interviews": (
        "test", "method", "subject", "dimension", *_ESTIMATE, "letter", "label", "label_score",
    ),
    "ratings": ("metric", "method", "ratings", "missing", "overruled", "reason", "of_this_reason"),
    "failed": ("subject", "question", "method", "repeat", "error"),
    "chunk_use": ("method", "times_used", "chunks", "questions", "characters"),
    "similarity": ("method", *_ESTIMATE, "pairs", "without_vector"),
}  # fmt: skip


def write_csv(report: Report) -> dict[str, str]:
    """The text of each file by its name; a kind without any line is left out."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for each in report.runs:
        head = _head(each)
        for name, row in _rows(each):
            found.setdefault(name, []).append((*head, *row))
    for joint in report.joint:
        for difference in joint.differences:
            head = (" ".join(joint.runs), joint.benchmark, "", _judge(report.runs[0]), joint.mark)
            row = (difference.metric, difference.first, difference.second)
            tail = (*_estimate(difference.estimate), difference.better, difference.unit)
            found.setdefault("differences", []).append((*head, *row, *tail))
    columns = {name: (*_RUN, *_COLUMNS[name]) for name in _COLUMNS}
    # The scores are there even when there are none: whoever reads them finds the file.
    found.setdefault("scores", [])
    return {f"{name}.csv": _text(columns[name], found[name]) for name in columns if name in found}


def _head(report: ReportedRun) -> tuple[Any, ...]:
    run = report.run
    return run.id, run.benchmark, run.dataset_checksum, _judge(report), run.mark


def _judge(report: ReportedRun) -> str:
    judge = report.run.models.get("judge")
    return judge.model if judge else ""


def _rows(report: ReportedRun) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for score in report.scores:
        head = (score.metric, metric_title(score.metric), score.variant, score.group)
        yield "scores", (*head, *_estimate(score.estimate), score.better, score.unit)
    for each in report.differences:
        row = (each.metric, each.first, each.second, *_estimate(each.estimate))
        yield "differences", (*row, each.better, each.unit)
    for interview in report.interviews:
        for trait in interview.traits:
            place = (interview.metric, interview.variant, interview.subject, trait.dimension)
            said = (trait.letter, trait.label, trait.label_score)
            yield "interviews", (*place, *_estimate(trait.score), *said)
    for rated in report.ratings:
        counts = (rated.metric, rated.variant, rated.total, rated.missing, rated.overruled)
        for why, count in rated.reasons or ((None, None),):
            yield "ratings", (*counts, why, count)
    for failed in report.failed:
        key = failed.key
        yield "failed", (key.subject, key.question, key.variant, key.repeat, failed.error)
    yield from _of_retrieval(report)


def _of_retrieval(report: ReportedRun) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for used in report.use:
        for times, chunks in used.use.duplication.items():
            told = (used.use.questions, used.use.characters)
            yield "chunk_use", (used.variant, times, chunks, *told)
    for near in report.cosines:
        told = (len(near.values), near.unmatched)
        yield "similarity", (near.name, *_estimate(near.mean), *told)


def _estimate(estimate: Estimate) -> tuple[Any, ...]:
    return estimate.mean, estimate.low, estimate.high, estimate.n, estimate.missing


def _text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_entry(value) for value in row] for row in rows)
    return buffer.getvalue()


def _entry(value: Any) -> Any:
    """A value as a spreadsheet may read it: text never begins a formula."""
    if isinstance(value, str):
        text = printable(value)
        return f"'{text}" if text.startswith(_FORMULA) else text
    return value
