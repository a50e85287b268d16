"""``offbook eval check-judge RUN``: does the order of replies sway the judge, or its own name?

Takes: a run of two or more methods.  Gives: position bias, flips and label bias of the judge.
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
    from offbook.app.evaluation.reviewing import CheckReport


def command(
    run: RunName,
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="On how many questions; each costs four calls.")
    ] = 100,
    replies: Annotated[
        int, typer.Option("--replies", min=2, max=26, help="Replies compared at once, at most.")
    ] = 3,
    path: DataPath = None,
    as_json: Json = False,
    model: Model = None,
    base_url: BaseUrl = None,
    judge: Judge = None,
    judge_url: JudgeUrl = None,
    concurrency: Concurrency = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Check a judge: the same replies in two orders, without names and with its own on one."""
    from offbook.cli.evaluation.progress import shown
    from offbook.cli.running import print_json, with_offbook

    settings = evaluation_settings(
        judge=judge,
        judge_url=judge_url,
        model=model,
        base_url=base_url,
        limits__concurrency=concurrency,
        budget_calls=budget_calls,
        budget_usd=budget_usd,
    )

    async def body(book: Offbook) -> CheckReport:
        with shown(book.meter) as progress:
            return await book.evaluation.check_judge(
                run, limit=limit, replies=replies, path=path, progress=progress
            )

    report = with_offbook(settings, body)
    if as_json:
        print_json(report.as_json())
    else:
        _print(report)


def _print(report: CheckReport) -> None:
    from offbook.cli.evaluation.printing import marked
    from offbook.cli.running import cost, say, table, write

    found = report.bias
    same = f"; on {found.identical} more all replies were the same" if found.identical else ""
    say(f"judge {found.judge}: {found.questions} questions{same}; {cost(report.usage)}")
    rows = [
        ["preferred the first place", f"{found.first:.3g}"],
        ["more than chance (position bias)", f"{found.position_bias:.3g}"],
        ["another choice in the other order", f"{found.flips:.3g}"],
        ["more often under its own name", f"{found.label_bias:.3g}"],
    ]
    write(marked(table(rows), report.mark))
