"""How runs, scores and progress are shown to people: no number without its n and interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from offbook.cli.output import as_csv as csv_of
from offbook.cli.output import cost, print_json, say, table, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.evaluation.comparison import Comparison, RunReport
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.record import Score


_FIGURES: Final = ".3g"
_GROUPS: Final = ("all", "scope=")


def print_report(
    report: RunReport, as_json: bool, *, groups: bool = False, as_csv: bool = False
) -> None:
    """A run with its scores: over all, and in and out of scope; with ``groups`` over each group."""
    if as_json:
        print_json(report.as_json())
        return
    run = report.run
    say(f"run {run.id}: {run.benchmark}, {run.status}")
    failed = f", {report.failed} of them without a reply" if report.failed else ""
    say(f"{report.cells} of {report.planned} cells{failed}; all so far: {cost(report.usage)}")
    for judge, counts in report.judges.items():
        here = " (shown)" if judge == run.models["judge"].model else ""
        more = f", {counts.missing} missing" if counts.missing else ""
        more += f", {counts.overruled} overruled by people" if counts.overruled else ""
        say(f"judge {judge}{here}: {counts.ratings} ratings{more}")
    for note in report.notes:
        say(f"dataset: {note}")
    if not report.scores:
        say("no scores yet")
        return
    shown = [s for s in report.scores if groups or s.group.startswith(_GROUPS)]
    write(scores_table(shown, report.run.mark, as_csv=as_csv))
    if len(shown) < len(report.scores):
        hidden = len(report.scores) - len(shown)
        say(f"{hidden} scores of smaller groups: offbook eval show {run.id} --groups")


def scores_table(scores: Sequence[Score], mark: str | None, *, as_csv: bool = False) -> str:
    """A line a score; the mark stands on every line."""
    head = ["method", "metric", "group", "mean", "95 %", "n", "missing", "better"]
    rows = [[s.variant, s.metric, s.group, *_numbers(s.estimate), s.better or "-"] for s in scores]
    return _printed([head, *rows], mark, as_csv=as_csv)


def print_comparison(comparison: Comparison, as_json: bool, *, as_csv: bool = False) -> None:
    """Differences, a line each."""
    if as_json:
        print_json(comparison.as_json())
        return
    head = ["metric", "first", "second", "first - second", "95 %", "n", "missing", "better"]
    rows = [
        [d.metric, d.first, d.second, *_numbers(d.estimate), d.better or "-"]
        for d in comparison.differences
    ]
    write(_printed([head, *rows], comparison.mark, as_csv=as_csv))
    for note in comparison.notes:
        say(note)


def _numbers(estimate: Estimate) -> list[str]:
    mean = "-" if estimate.mean is None else format(estimate.mean, _FIGURES)
    ends = estimate.interval
    between = "-" if ends is None else f"{ends[0]:{_FIGURES}} to {ends[1]:{_FIGURES}}"
    return [mean, between, str(estimate.n), str(estimate.missing)]


def _printed(rows: list[list[str]], mark: str | None, *, as_csv: bool) -> str:
    """A table for people, or for further work with the mark in a column of its own."""
    if not as_csv:
        return marked(table(rows), mark)
    if mark is not None:
        rows = [[*row, "mark" if number == 0 else mark] for number, row in enumerate(rows)]
    return csv_of(rows)


def marked(text: str, mark: str | None) -> str:
    """A table whose every line says what must stand with it."""
    if mark is None:
        return text
    return "".join(f"{row}  [{mark}]\n" for row in text.splitlines())
