"""``offbook eval score RUN``: rate stored replies, and score them; no reply is asked for.

Takes: a run, perhaps another judge.  Gives: the scores by that judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from offbook.cli.evaluation.options import (
    DataPath,
    Judge,
    JudgeUrl,
    RunName,
    evaluation_settings,
)
from offbook.cli.globals import BaseUrl, BudgetCalls, BudgetUsd, Concurrency, Json, Model

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.app.evaluation.run_reports import RunReport


def command(
    run: RunName,
    path: DataPath = None,
    retry_missing: Annotated[
        bool, typer.Option("--retry-missing", help="Ask again for missing ratings.")
    ] = False,
    as_json: Json = False,
    model: Model = None,
    base_url: BaseUrl = None,
    judge: Judge = None,
    judge_url: JudgeUrl = None,
    concurrency: Concurrency = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Score stored replies, asking only for ratings that are not there.

    Another judge rates under its own name: ratings of two judges are never mixed.
    """
    from offbook.cli.evaluation.printing import print_report
    from offbook.cli.evaluation.progress import shown
    from offbook.cli.running import with_offbook

    settings = evaluation_settings(
        judge=judge,
        judge_url=judge_url,
        model=model,
        base_url=base_url,
        limits__concurrency=concurrency,
        budget_calls=budget_calls,
        budget_usd=budget_usd,
    )

    async def body(book: Offbook) -> RunReport:
        with shown(book.meter) as progress:
            return await book.evaluation.score(
                run, path=path, retry_missing=retry_missing, progress=progress
            )

    print_report(with_offbook(settings, body), as_json)
