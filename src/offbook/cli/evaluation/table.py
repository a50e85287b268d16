"""``offbook eval table NAME``: a published table, our numbers beside the printed ones.

Takes: a table's name, data, models.  Gives: the table as text, Markdown, LaTeX or JSON, with what
is not as in the paper; with ``--plan`` what it would run and cost.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.evaluation.options import (
    Build,
    Characters,
    Create,
    Judge,
    JudgeUrl,
    Limit,
    Repeats,
    Seed,
    evaluation_settings,
)
from offbook.cli.globals import BaseUrl, BudgetCalls, BudgetUsd, Concurrency, Json, Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.app import Offbook
    from offbook.app.evaluation.tables import TablePlan, TableRequest
    from offbook.evaluation.tables.filling import FilledTable


TableName = Annotated[str, typer.Argument(metavar="NAME", help="The table; see docs/tables.md.")]
Data = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="[DATASET=]PATH",
        help="File or folder of a dataset; may be repeated. Default: what was fetched.",
    ),
]
Labels = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Types of characters: character, mbti, ...")
]
Ratings = Annotated[
    Path | None, typer.Option(metavar="FILE", help="People's ratings, for amadeus-human.")
]
Plan = Annotated[
    bool, typer.Option("--plan", help="Only say what it would run and cost; no call is made.")
]
Stored = Annotated[
    bool, typer.Option("--stored", help="Only what is stored already; nothing is asked.")
]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print it as Markdown.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print it as LaTeX (booktabs).")]
PapersPreset = Annotated[
    str, typer.Option("--preset", help="`faithful`: the papers' settings; or `default`.")
]


def command(
    name: TableName,
    data: Data = None,
    characters: Characters = None,
    labels: Labels = None,
    ratings: Ratings = None,
    limit: Limit = None,
    repeats: Repeats = 1,
    seed: Seed = 0,
    create: Create = False,
    build: Build = False,
    plan: Plan = False,
    stored: Stored = False,
    markdown: Markdown = False,
    latex: Latex = False,
    as_json: Json = False,
    model: Model = None,
    base_url: BaseUrl = None,
    judge: Judge = None,
    judge_url: JudgeUrl = None,
    preset: PapersPreset = "faithful",
    concurrency: Concurrency = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Run a published table and print our numbers beside the printed ones.

    What is stored is not asked again, and tables of one benchmark share it. A part without data or
    characters stays `-`, with the reason below.
    """
    from offbook.app.evaluation.tables import TableRequest
    from offbook.cli.running import with_offbook

    _check_forms(markdown, latex, as_json)
    models: dict[str, Any] = {"model": model, "base_url": base_url, "judge_url": judge_url}
    limits: dict[str, Any] = {"budget_calls": budget_calls, "budget_usd": budget_usd}
    settings = evaluation_settings(
        judge=judge, preset=preset, limits__concurrency=concurrency, **models, **limits
    )
    asked: dict[str, Any] = {"limit": limit, "repeats": repeats, "seed": seed, "stored": stored}
    made: dict[str, Any] = {"create": create, "build": build, "labels": labels, "ratings": ratings}
    request = TableRequest(_paths(data or ()), characters or (), **asked, **made)
    if plan:
        found = with_offbook(settings, lambda book: _plan(book, name, request))
        _print_plan(found, as_json=as_json)
        return
    filled = with_offbook(settings, lambda book: _fill(book, name, request))
    _print_table(filled, markdown=markdown, latex=latex, as_json=as_json)


def _check_forms(*chosen: bool) -> None:
    """At most one form of output."""
    from offbook.errors import UsageError

    if sum(chosen) > 1:
        raise UsageError("--markdown, --latex and --json exclude one another", "choose one")


async def _plan(book: Offbook, name: str, request: TableRequest) -> TablePlan:
    from offbook.app.evaluation.tables import table_plan

    return await table_plan(book, name, request)


async def _fill(book: Offbook, name: str, request: TableRequest) -> FilledTable:
    from offbook.app.evaluation.tables import filled_table
    from offbook.cli.evaluation.progress import shown
    from offbook.cli.running import say

    with shown(book.meter) as progress:
        return await filled_table(book, name, request, progress=progress, told=say)


def _paths(texts: Sequence[str]) -> dict[str, Path]:
    """``DATASET=PATH`` or ``PATH`` by dataset, none under the empty name."""
    from offbook.errors import UsageError

    found: dict[str, Path] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        # A path may hold an equals sign; a dataset's name holds no separator.
        if not equals or "/" in name or "\\" in name:
            name, path = "", text
        if not path.strip():
            raise UsageError(f"--data {text!r} has no path", "write --data DATASET=PATH")
        if name.strip() in found:
            raise UsageError(f"--data names {name.strip() or 'a path'!r} twice", "name each once")
        found[name.strip()] = Path(path).expanduser()
    return found


def _print_table(filled: FilledTable, *, markdown: bool, latex: bool, as_json: bool) -> None:
    from offbook.cli.running import print_json, table, write
    from offbook.evaluation.tables.rendering import as_latex, as_markdown, as_text

    if as_json:
        print_json(filled.as_json())
    elif markdown:
        write(as_markdown(filled))
    elif latex:
        write(as_latex(filled))
    else:
        write(as_text(filled, table))


def _print_plan(plan: TablePlan, *, as_json: bool) -> None:
    from offbook.cli.running import print_json, say, table, write

    if as_json:
        print_json(plan.as_json())
        return
    for note in plan.notes:
        say(f"offbook: {note}")
    rows = [["benchmark", "method", "what"]]
    for each in plan.runs:
        what = f"stored: {each.stored}" if each.stored else f"not run: {each.problem}"
        if each.estimate is not None:
            what = "; ".join((each.estimate.in_words(), *each.estimate.messages))
        rows.append([each.benchmark, each.method, what])
    write(f"{plan.table.title}\n")
    if plan.runs:
        write(table(rows))
        write(f"together: {plan.total.in_words()}\n")
