"""``offbook eval list``: the benchmarks that there are, and the runs that were made.

Takes: nothing.  Gives: a line each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.cli.globals import Json, settings_for

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.app.evaluation.run_reports import RunLine
    from offbook.evaluation.benchmark import Benchmark


def command(as_json: Json = False) -> None:
    """List benchmarks and runs."""
    from offbook.cli.running import print_json, table, with_offbook, write

    async def body(book: Offbook) -> tuple[list[Benchmark], list[RunLine]]:
        return book.evaluation.benchmarks(), await book.evaluation.runs()

    benchmarks, runs = with_offbook(settings_for(), body)
    if as_json:
        print_json(
            {
                "benchmarks": [benchmark.as_json() for benchmark in benchmarks],
                "runs": [run.as_json() for run in runs],
            }
        )
        return
    rows = [[b.name, b.title, ", ".join(b.metrics), _reads(b)] for b in benchmarks]
    write(table([["benchmark", "what", "metrics", "data"], *rows]))
    if runs:
        write(
            "\n"
            + table(
                [["run", "benchmark", "status", "cells", "methods", "judge"]]
                + [_line(run) for run in runs]
            )
        )


def _reads(benchmark: Benchmark) -> str:
    return "yours (--path)" if benchmark.needs_path else "shipped"


def _line(run: RunLine) -> list[str]:
    failed = f" ({run.failed} failed)" if run.failed else ""
    judge = run.judge if run.mark is None else f"{run.judge} [{run.mark}]"
    told = run.problem or ", ".join(run.methods)
    return [run.id, run.benchmark, run.status, f"{run.cells}{failed}", told, judge]
