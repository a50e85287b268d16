"""``offbook eval``: the group of commands around benchmarks; one file a command.

Takes: the command's name.  Gives: the command.
"""

from __future__ import annotations

import typer

from offbook.cli.evaluation import (
    check_judge,
    compare,
    delete,
    estimate,
    export,
    fetch,
    list_runs,
    report,
    review,
    run,
    score,
    show,
    splitters,
    table,
)
from offbook.cli.globals import help_without_command

app = typer.Typer(
    help="Run benchmarks, score and compare the replies.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@app.callback()
def _group(context: typer.Context) -> None:
    """Run benchmarks, score and compare the replies."""
    help_without_command(context)


app.command("list")(list_runs.command)
app.command("estimate")(estimate.command)
app.command("run")(run.command)
app.command("score")(score.command)
app.command("show")(show.command)
app.command("compare")(compare.command)
app.command("report")(report.command)
app.command("table")(table.command)
app.command("splitters")(splitters.command)
app.command("check-judge")(check_judge.command)
app.add_typer(review.app, name="review")
app.command("export")(export.command)
app.command("fetch")(fetch.command)
app.command("delete")(delete.command)
