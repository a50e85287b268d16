"""``offbook eval estimate BENCHMARK``: what a run would cost, without a call.

Takes: what ``eval run`` takes.  Gives: calls, tokens and money by task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from offbook.cli.globals import BaseUrl, Json, Model, Preset

if TYPE_CHECKING:
    from offbook.app.evaluation.asked import Wanted


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
    create: Create = False,
    build: Build = False,
    as_json: Json = False,
    model: Model = None,
    base_url: BaseUrl = None,
    judge: Judge = None,
    judge_url: JudgeUrl = None,
    preset: Preset = None,
) -> None:
    """Say what a run would cost: calls, tokens, money.

    What is stored of such a run already is not counted.
    """
    from offbook.cli.evaluation.printing import print_estimate
    from offbook.cli.running import with_offbook

    who = {"model": model, "base_url": base_url, "judge": judge, "judge_url": judge_url}
    settings = evaluation_settings(**who, preset=preset)
    much: Wanted = {"limit": limit, "repeats": repeats, "seed": seed, "create": create}
    asked: Wanted = {**whom(characters, methods, metrics), **what(path, option), **much}
    found = with_offbook(
        settings, lambda book: book.evaluation.estimate(benchmark, build=build, **asked)
    )
    print_estimate(found, as_json)
