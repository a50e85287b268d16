"""``offbook eval review export RUN FILE`` and ``import RUN FILE``: people beside the judge.

Takes: a run, a CSV file.  Gives: ratings to look over; or what a person overruled, taken in, and
how far judge and people agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from offbook.cli.evaluation.options import DataPath, RatedBy, RunName
from offbook.cli.globals import Json, help_without_command, settings_for

if TYPE_CHECKING:
    from offbook.app.evaluation.reviewing import ReviewReport
    from offbook.evaluation.metrics.statistics import Estimate

app = typer.Typer(
    help="Have people look over the judge's ratings.",
    invoke_without_command=True,
    rich_markup_mode=None,
)
ReviewFile = Annotated[str, typer.Argument(metavar="FILE", help="A CSV file.")]


@app.callback()
def _group(context: typer.Context) -> None:
    """Have people look over the judge's ratings."""
    help_without_command(context)


@app.command("export")
def export(
    run: RunName,
    file: ReviewFile,
    judge: RatedBy = None,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="Only ratings of this metric; repeatable.")
    ] = None,
    semicolon: Annotated[
        bool, typer.Option("--semicolon", help="For spreadsheets with a decimal comma.")
    ] = False,
    path: DataPath = None,
    as_json: Json = False,
) -> None:
    """Write ratings into a CSV file; a person fills in person_value."""
    from offbook.cli.running import print_json, say, with_offbook

    count = with_offbook(
        settings_for(),
        lambda book: book.evaluation.reviews.export(
            run,
            file,
            judge=judge,
            metrics=metric or (),
            separator=";" if semicolon else ",",
            path=path,
        ),
    )
    if as_json:
        print_json({"run": run, "file": file, "ratings": count})
        return
    say(f"{count} ratings in {file}; fill in person_value, then: offbook eval review import {run}")


@app.command("import")
def import_(
    run: RunName,
    file: ReviewFile,
    judge: RatedBy = None,
    name: Annotated[str, typer.Option("--name", help="Who reviewed.")] = "",
    as_json: Json = False,
) -> None:
    """Take over a person's values; the judge's own stay beside them."""
    from offbook.cli.running import print_json, with_offbook

    report = with_offbook(
        settings_for(),
        lambda book: book.evaluation.reviews.import_(run, file, judge=judge, name=name),
    )
    if as_json:
        print_json(report.as_json())
    else:
        _print(report)


def _print(report: ReviewReport) -> None:
    from offbook.cli.evaluation.printing import marked
    from offbook.cli.running import say, table, write

    say(f"{report.overruled} ratings by people taken over, {report.blank} rows left blank")
    if not report.agreement:
        return
    head = ["metric", "n", "kappa", "quadratic kappa", "alpha", "changed"]
    rows = [
        [a.metric, a.n, *map(_told, (a.kappa, a.quadratic_kappa, a.alpha, a.changed))]
        for a in report.agreement
    ]
    write(marked(table([head, *rows]), report.mark))


def _told(found: Estimate) -> str:
    return format(found, ".3g")
