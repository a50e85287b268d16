"""How runs and scores are shown to people: no number without its n and interval.

Takes: reports.  Gives: lines and tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.app.evaluation.run_reports import Comparison, RunReport
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.protocol import Score
    from offbook.ingestion.reports import Estimate as CostEstimate

_FIGURES: Final = ".3g"
_GROUPS: Final = ("all", "scope=")


def print_report(report: RunReport, as_json: bool, *, groups: bool = False) -> None:
    """A run with its scores: over all, and in and out of scope; with ``groups`` over each group."""
    from offbook.cli.running import cost, print_json, say, write

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
    write(scores_table(shown, report.run.mark))
    if len(shown) < len(report.scores):
        hidden = len(report.scores) - len(shown)
        say(f"{hidden} scores of smaller groups: offbook eval show {run.id} --groups")


def scores_table(scores: Sequence[Score], mark: str | None) -> str:
    """A line a score; the mark stands on every line."""
    from offbook.cli.running import table

    head = ["method", "metric", "group", "mean", "95 %", "n", "missing", "better"]
    rows = [[s.variant, s.metric, s.group, *_numbers(s.estimate), s.better or "-"] for s in scores]
    return marked(table([head, *rows]), mark)


def print_comparison(found: Comparison, as_json: bool) -> None:
    """Differences, a line each."""
    from offbook.cli.running import print_json, say, table, write

    if as_json:
        print_json(found.as_json())
        return
    head = ["metric", "first", "second", "first - second", "95 %", "n", "missing", "better"]
    rows = [
        [d.metric, d.first, d.second, *_numbers(d.estimate), d.better or "-"]
        for d in found.differences
    ]
    write(marked(table([head, *rows]), found.mark))
    for note in found.notes:
        say(note)


def print_estimate(found: CostEstimate, as_json: bool) -> None:
    """What it would cost: all of it, then by task."""
    from offbook.cli.running import print_json, say, table, write

    for message in found.messages:
        say(f"offbook: {message}")
    if as_json:
        print_json(found.as_json())
        return
    write(found.in_words() + "\n")
    if found.by_task:
        rows = [
            [name, task.calls, task.prompt_tokens, task.completion_tokens]
            for name, task in found.by_task.items()
        ]
        write(table([["task", "calls", "prompt tokens", "completion tokens"], *rows]))


def _numbers(found: Estimate) -> list[str]:
    mean = "-" if found.mean is None else format(found.mean, _FIGURES)
    ends = found.interval
    between = "-" if ends is None else f"{ends[0]:{_FIGURES}} to {ends[1]:{_FIGURES}}"
    return [mean, between, str(found.n), str(found.missing)]


def marked(text: str, mark: str | None) -> str:
    """A table whose every line says what must stand with it."""
    if mark is None:
        return text
    return "".join(f"{row}  [{mark}]\n" for row in text.splitlines())
