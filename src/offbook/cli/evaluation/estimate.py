"""``offbook eval estimate BENCHMARK``: what a run would cost, without a call.

Takes: what ``eval run`` takes.  Gives: calls, tokens and money by task.
"""

from __future__ import annotations

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
    loader_options,
)
from offbook.cli.globals import BaseUrl, Json, Model, Preset


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

    settings = evaluation_settings(
        judge=judge, judge_url=judge_url, preset=preset, model=model, base_url=base_url
    )
    options = loader_options(option)
    found = with_offbook(
        settings,
        lambda book: book.evaluation.estimate(
            benchmark,
            characters=characters or (),
            methods=methods or (),
            path=path,
            options=options,
            metrics=metrics or (),
            limit=limit,
            repeats=repeats,
            seed=seed,
            create=create,
            build=build,
        ),
    )
    print_estimate(found, as_json)
