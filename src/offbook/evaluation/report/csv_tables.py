"""A report as CSV: every number in a line of its own, with n, missing, interval and mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.frames import require_pandas
from offbook.evaluation.report.material import metric_title, printable
from offbook.evaluation.spreadsheets import guarded

if TYPE_CHECKING:
    from offbook.evaluation.comparison import Difference
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.report.material import Report, ReportedRun

_RUN: Final = ("run", "benchmark", "dataset_checksum", "judge", "mark")
_ESTIMATE: Final = ("value", "low", "high", "n", "missing")
_SCORES: Final = ("metric", "title", "method", "group", *_ESTIMATE, "better", "unit")

Row = dict[str, Any]


def write_csv(report: Report) -> dict[str, str]:
    """The text of each file by its name; a kind without any line is left out."""
    # The scores are there even when there are none: whoever reads them finds the file.
    rows: dict[str, list[Row]] = {"scores": []}
    for each in report.runs:
        for name, row in _rows(each):
            rows.setdefault(name, []).append({**_head(each), **row})
    for joint in report.joint:
        head = {**_head(report.runs[0]), "run": " ".join(joint.runs), "dataset_checksum": ""}
        rows.setdefault("differences", []).extend(
            {**head, **_difference(d)} for d in joint.differences
        )
    return {f"{name}.csv": _text(some) for name, some in rows.items()}


def _head(report: ReportedRun) -> Row:
    run = report.run
    values = (run.id, run.benchmark, run.dataset_checksum, _judge(report), run.mark)
    return dict(zip(_RUN, values, strict=True))


def _judge(report: ReportedRun) -> str:
    judge = report.run.models.get("judge")
    return judge.model if judge else ""


def _rows(report: ReportedRun) -> Iterator[tuple[str, Row]]:
    for score in report.scores:
        head = {"metric": score.metric, "title": metric_title(score.metric)}
        head |= {"method": score.variant, "group": score.group, **_estimate(score.estimate)}
        yield "scores", {**head, "better": score.better, "unit": score.unit}
    for each in report.differences:
        yield "differences", _difference(each)
    for interview in report.interviews:
        head = {"test": interview.metric, "method": interview.variant, "subject": interview.subject}
        for trait in interview.traits:
            said = {"letter": trait.letter, "label": trait.label, "label_score": trait.label_score}
            yield (
                "interviews",
                {**head, "dimension": trait.dimension, **_estimate(trait.score), **said},
            )
    for rated in report.ratings:
        counts = {"metric": rated.metric, "method": rated.variant, "ratings": rated.total}
        counts |= {"missing": rated.missing, "overruled": rated.overruled}
        for why, count in rated.reasons or ((None, None),):
            yield "ratings", {**counts, "reason": why, "of_this_reason": count}
    for failed in report.failed:
        key = failed.key
        place = {"subject": key.subject, "question": key.question, "method": key.variant}
        yield "failed", {**place, "repeat": key.repeat, "error": failed.error}
    yield from _of_retrieval(report)
    yield from _matrix(report)


def _matrix(report: ReportedRun) -> Iterator[tuple[str, Row]]:
    """Questions by methods: a line a question and metric, a column a method."""
    measured = report.measured
    if measured is None:
        return
    for metric in report.run.metrics:
        values = {variant: measured.values(variant, metric) for variant in measured.variants}
        for place in dict.fromkeys(place for each in values.values() for place in each):
            subject, question, repeat = place
            head = {"metric": metric, "subject": subject, "question": question, "repeat": repeat}
            yield "questions", {**head, **{name: each.get(place) for name, each in values.items()}}


def _of_retrieval(report: ReportedRun) -> Iterator[tuple[str, Row]]:
    for used in report.use:
        for times, chunks in used.use.duplication.items():
            counts = {"method": used.variant, "times_used": times, "chunks": chunks}
            whole = {"questions": used.use.questions, "characters": used.use.characters}
            yield "chunk_use", {**counts, **whole}
    for near in report.cosines:
        counts = {"pairs": len(near.values), "without_vector": near.unmatched}
        yield "similarity", {"method": near.name, **_estimate(near.mean), **counts}


def _difference(each: Difference) -> Row:
    head = {"metric": each.metric, "first": each.first, "second": each.second}
    return {**head, **_estimate(each.estimate), "better": each.better, "unit": each.unit}


def _estimate(estimate: Estimate) -> Row:
    values = (estimate.mean, estimate.low, estimate.high, estimate.n, estimate.missing)
    return dict(zip(_ESTIMATE, values, strict=True))


def _text(rows: Sequence[Row]) -> str:
    columns = None if rows else [*_RUN, *_SCORES]
    # Of type object, or pandas would turn whole numbers beside an empty field into floats.
    frame = require_pandas().DataFrame(rows, columns=columns, dtype=object).map(_entry)
    text: str = frame.to_csv(index=False, lineterminator="\n")
    return text


def _entry(value: Any) -> Any:
    """A value as a spreadsheet may read it: text never begins a formula."""
    return guarded(printable(value)) if isinstance(value, str) else value
