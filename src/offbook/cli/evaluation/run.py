"""``offbook eval run BENCHMARK``: ask, judge, score; again, it goes on where it stopped.

Takes: a benchmark, characters, methods.  Gives: the scores, and the run in the store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.evaluation.options import (
    BenchmarkName,
    Build,
    Characters,
    Create,
    DataPath,
    Judge,
    JudgeUrl,
    Limit,
    LoaderOptions,
    Methods,
    Metrics,
    Repeats,
    Seed,
    evaluation_settings,
    what,
    whom,
)
from offbook.cli.globals import BaseUrl, BudgetCalls, BudgetUsd, Concurrency, Json, Model, Preset

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.app.evaluation.asked import Wanted
    from offbook.app.evaluation.run_reports import RunReport
    from offbook.settings import Settings


def command(
    benchmark: BenchmarkName,
    characters: Characters = None,
    methods: Methods = None,
    path: DataPath = None,
    option: LoaderOptions = None,
    metrics: Metrics = None,
    limit: Limit = None,
    repeats: Repeats = 1,
    seed: Seed = 0,
    resume: Annotated[
        str | None, typer.Option(metavar="RUN", help="Go on with this run, or say why not.")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="Begin another run.")] = False,
    create: Create = False,
    build: Build = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again where no reply could be got.")
    ] = False,
    as_json: Json = False,
    model: Model = None,
    base_url: BaseUrl = None,
    judge: Judge = None,
    judge_url: JudgeUrl = None,
    preset: Preset = None,
    concurrency: Concurrency = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Run a benchmark.

    The same command again goes on with the run: no reply and no rating is asked for twice.
    """
    who = {"model": model, "base_url": base_url, "judge": judge, "judge_url": judge_url}
    most: dict[str, Any] = {"budget_calls": budget_calls, "budget_usd": budget_usd}
    settings = evaluation_settings(**who, **most, preset=preset, limits__concurrency=concurrency)
    how = {"build": build, "retry_failed": retry_failed, "resume": resume, "new": new}
    much: Wanted = {"limit": limit, "repeats": repeats, "seed": seed, "create": create}
    asked: Wanted = {**whom(characters, methods, metrics), **what(path, option), **much}
    _run(settings, benchmark, asked, how, as_json)


def _run(
    settings: Settings, benchmark: str, asked: Wanted, how: dict[str, Any], as_json: bool
) -> None:
    from offbook.cli.evaluation.printing import print_report
    from offbook.cli.evaluation.progress import shown
    from offbook.cli.running import say, with_offbook

    async def body(book: Offbook) -> RunReport:
        with shown(book.meter) as progress:
            told = {**how, "progress": progress, "told": say}
            return await book.evaluation.run(benchmark, **told, **asked)

    print_report(with_offbook(settings, body), as_json)
