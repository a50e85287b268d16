"""``offbook eval`` run, estimate, score, show, list, delete and fetch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from offbook.cli.evaluation.options import (
    CELLS,
    LIMITS,
    MODELS,
    BenchmarkName,
    DataPath,
    RatedBy,
    RunName,
    loader_options,
)
from offbook.cli.evaluation.output import print_report
from offbook.cli.options import Csv, Json, Yes, confirm, settings_for, settings_of, with_options
from offbook.cli.output import (
    answer,
    print_estimate,
    print_json,
    say,
    table,
    with_offbook,
    with_progress,
    write,
)

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.evaluation.benchmark import Benchmark
    from offbook.evaluation.comparison import RunLine
    from offbook.settings import Settings


@with_options(cells=CELLS, settings=settings_of(*MODELS, "preset", *LIMITS))
def run(
    benchmark: BenchmarkName,
    cells: dict[str, Any],
    settings: Settings,
    resume: str | None = typer.Option(
        None, metavar="RUN", help="Go on with this run, or say why not."
    ),
    new: bool = typer.Option(False, "--new", help="Begin another run."),
    retry_failed: bool = typer.Option(
        False, "--retry-failed", help="Ask again where no reply could be got."
    ),
    as_json: Json = False,
) -> None:
    """Run a benchmark.

    The same command again goes on with the run: no reply and no rating is asked for twice.
    """
    report = with_progress(
        settings,
        lambda book, progress: book.evaluation.run(
            benchmark,
            **cells,
            resume=resume,
            new=new,
            retry_failed=retry_failed,
            progress=progress,
            notify=say,
        ),
    )
    print_report(report, as_json)


@with_options(cells=CELLS, settings=settings_of(*MODELS, "preset"))
def estimate(
    benchmark: BenchmarkName, cells: dict[str, Any], settings: Settings, as_json: Json = False
) -> None:
    """Say what a run would cost: calls, tokens, money.

    What is stored of such a run already is not counted.
    """
    estimated = with_offbook(settings, lambda book: book.evaluation.estimate(benchmark, **cells))
    print_estimate(estimated, as_json, by_task=True)


@with_options(settings=settings_of(*MODELS, *LIMITS))
def score(
    run: RunName,
    settings: Settings,
    path: DataPath = None,
    retry_missing: bool = typer.Option(
        False, "--retry-missing", help="Ask again for missing ratings."
    ),
    as_json: Json = False,
) -> None:
    """Score stored replies, asking only for ratings that are not there.

    Another judge rates under its own name: ratings of two judges are never mixed.
    """
    report = with_progress(
        settings,
        lambda book, progress: book.evaluation.score(
            run, path=path, retry_missing=retry_missing, progress=progress
        ),
    )
    print_report(report, as_json)


def import_run(
    benchmark: BenchmarkName,
    file: str = typer.Argument(
        ..., metavar="FILE", help="JSON Lines: character, question, method, reply, ratings."
    ),
    path: DataPath = None,
    option: list[str] | None = typer.Option(
        None, metavar="NAME=VALUE", help="An option of the dataset's loader."
    ),
    character: list[str] | None = typer.Option(
        None, "--character", "-c", metavar="SUBJECT=CHARACTER", help="Who stands for a subject."
    ),
    create: bool = typer.Option(
        False, "--create", help="Make characters of the texts that the dataset brings."
    ),
    as_json: Json = False,
) -> None:
    """Make a run of recorded replies, and of ratings that came with them; no model is asked.

    `offbook eval score` has a judge rate them, `report` and `compare` treat them as any others.
    """
    report = with_offbook(
        settings_for(),
        lambda book: book.evaluation.import_(
            benchmark,
            file,
            path=path,
            options=loader_options(option),
            characters=character or (),
            create=create,
        ),
    )
    print_report(report, as_json)


def show(
    run: RunName,
    judge: RatedBy = None,
    groups: bool = typer.Option(False, "--groups", help="Also by kind, dimension and character."),
    path: DataPath = None,
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Show a run with its scores; no model is asked."""
    report = with_offbook(
        settings_for(), lambda book: book.evaluation.show(run, judge=judge, path=path)
    )
    print_report(report, as_json, groups=groups, as_csv=csv)


def list_runs(as_json: Json = False) -> None:
    """List benchmarks and runs."""

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
    rows = [
        [b.name, b.title, ", ".join(b.metrics), "yours (--path)" if b.needs_path else "shipped"]
        for b in benchmarks
    ]
    write(table([["benchmark", "what", "metrics", "data"], *rows]))
    if runs:
        head = ["run", "benchmark", "status", "cells", "methods", "judge"]
        write("\n" + table([head, *map(_line, runs)]))


def _line(run: RunLine) -> list[str]:
    failed = f" ({run.failed} failed)" if run.failed else ""
    judge = run.judge if run.mark is None else f"{run.judge} [{run.mark}]"
    methods = run.problem or ", ".join(run.methods)
    return [run.id, run.benchmark, run.status, f"{run.cells}{failed}", methods, judge]


def delete(run: RunName, yes: Yes = False, as_json: Json = False) -> None:
    """Delete a run with its replies and ratings.

    Answers of the judge stay in the call cache, as all calls do.
    """
    confirm(f"delete the run {run!r} with its replies and ratings", yes=yes)
    with_offbook(settings_for(), lambda book: book.evaluation.delete(run))
    answer(as_json, {"deleted": run}, f"deleted {run}")


def fetch(
    dataset: str | None = typer.Argument(
        None, metavar="[DATASET]", help="Its name; none: what can be fetched."
    ),
    as_json: Json = False,
) -> None:
    """Fetch a dataset; what is there already is checked instead."""
    from offbook.evaluation.datasets.sources import SOURCES, source

    if dataset is None:
        rows = [
            {"dataset": each.name, "licence": each.licence, "page": each.page}
            for each in SOURCES.values()
        ]
        if as_json:
            print_json(rows)
        else:
            write(table([["dataset", "licence", "from"], *([*row.values()] for row in rows)]))
        return
    name = dataset

    async def body(book: Offbook) -> Any:
        known = source(name)
        say(f"{known.name}: {known.page}")
        say(f"licence: {known.licence}")
        if known.note:
            say(f"note: {known.note}")
        return await book.evaluation.fetch(name, notify=say)

    fetched = with_offbook(settings_for(), body)
    if as_json:
        print_json(fetched.as_json())
        return
    rows_of_files = [[f.path, f"{f.size:,}", f.sha256] for f in fetched.files]
    write(table([["file", "bytes", "sha256"], *rows_of_files]))
    say(f"commit {fetched.commit}; in {fetched.folder}")
