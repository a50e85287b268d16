"""``offbook eval`` compare, report, table, export, check-judge and review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.evaluation.options import LIMITS, MODELS, SAMPLE, DataPath, RatedBy, RunName
from offbook.cli.evaluation.output import marked, print_comparison
from offbook.cli.options import (
    Csv,
    Group,
    Json,
    command_group,
    option,
    settings_for,
    settings_of,
    with_options,
)
from offbook.cli.output import (
    answer,
    as_csv,
    cost,
    print_json,
    say,
    with_offbook,
    with_progress,
    write,
)
from offbook.cli.output import table as in_columns
from offbook.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.evaluation.pairwise import Preferences
    from offbook.evaluation.reviews import CheckReport, ReviewReport
    from offbook.evaluation.tables.filling import FilledTable
    from offbook.evaluation.tables.request import TablePlan
    from offbook.evaluation.tables.runs import TableRequest
    from offbook.settings import Settings


def compare(
    run: RunName,
    other: str | None = typer.Argument(
        None, metavar="[RUN]", help="Another; none: the methods of the one."
    ),
    judge: RatedBy = None,
    path: DataPath = None,
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Compare two runs of the same questions, or the methods of one run.

    Runs with different judges are not compared.
    """
    comparison = with_offbook(
        settings_for(),
        lambda book: book.evaluation.compare(run, other or run, judge=judge, path=path),
    )
    print_comparison(comparison, as_json, as_csv=csv)


def report(
    runs: list[str] = typer.Argument(..., metavar="RUN...", help="Ids of runs."),
    output: Path = typer.Option(
        ..., "--output", "-o", metavar="DIR", help="The folder; made where it is missing."
    ),
    judge: RatedBy = None,
    path: DataPath = None,
    pictures: bool = typer.Option(True, help="Pictures; they need the extra `eval` (matplotlib)."),
    embed: bool = typer.Option(
        False, "--embed", help="Let the embedding endpoint embed questions, for similarity."
    ),
    examples: int = typer.Option(
        2, min=0, max=50, help="Worst and best replies shown, by metric and method."
    ),
    as_json: Json = False,
) -> None:
    """Write a report of runs; no chat model is asked."""
    from offbook.evaluation.report.writing import write_report

    written = with_offbook(
        settings_for(),
        lambda book: write_report(
            book,
            runs,
            output,
            judge=judge,
            path=path,
            with_pictures=pictures,
            embed=embed,
            examples=examples,
        ),
    )
    if as_json:
        print_json(written.as_json())
        return
    for note in written.notes:
        say(note)
    if written.mark:
        say(f"its scores are marked: {written.mark}")
    say(f"wrote {len(written.files)} files to {written.folder}; begin with report.html")


def _request(**values: Any) -> TableRequest:
    from offbook.evaluation.tables.runs import TableRequest

    characters, paths = values.pop("characters") or (), _paths(values.pop("data") or ())
    return TableRequest(paths=paths, characters=characters, **values)


_TABLE = Group(
    {
        "data": option(
            list[str],
            "File or folder of a dataset; may be repeated. Default: what was fetched.",
            metavar="[DATASET=]PATH",
        ),
        **SAMPLE,
        "labels": option(Path, "Types of characters: character, mbti, ...", metavar="FILE"),
        "ratings": option(Path, "People's ratings, for amadeus-human.", metavar="FILE"),
        "stored": option(
            bool, "Only what is stored already; nothing is asked.", "--stored", default=False
        ),
    },
    _request,
)


@with_options(request=_TABLE, settings=settings_of(*MODELS, "papers_preset", *LIMITS))
def table(
    request: TableRequest,
    settings: Settings,
    name: str | None = typer.Argument(
        None, metavar="[NAME]", help="The table; none: those there are."
    ),
    plan: bool = typer.Option(
        False, "--plan", help="Only say what it would run and cost; no call is made."
    ),
    markdown: bool = typer.Option(False, "--markdown", help="Print it as Markdown."),
    latex: bool = typer.Option(False, "--latex", help="Print it as LaTeX (booktabs)."),
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Run a published table and print our numbers beside the printed ones.

    What is stored is not asked again, and tables of one benchmark share it. A part without data or
    characters stays `-`, with the reason below.
    """
    from offbook.evaluation.tables.request import filled_table, table_plan

    if markdown + latex + csv + as_json > 1:
        raise UsageError("--markdown, --latex, --csv and --json exclude one another", "choose one")
    if name is None:
        _print_names(csv=csv, as_json=as_json)
        return
    if plan:
        planned = with_offbook(settings, lambda book: table_plan(book, name, request))
        _print_plan(planned, as_json=as_json)
        return
    filled = with_progress(
        settings,
        lambda book, progress: filled_table(book, name, request, progress=progress, notify=say),
    )
    _print_table(filled, markdown=markdown, latex=latex, csv=csv, as_json=as_json)


def _print_names(*, csv: bool, as_json: bool) -> None:
    """The tables that there are."""
    from offbook.evaluation.tables.catalogue import TABLES

    rows = [
        {"table": each.name, "title": each.title, "from": each.source} for each in TABLES.values()
    ]
    if as_json:
        print_json(rows)
    else:
        cells = [["table", "what", "printed in"], *([*row.values()] for row in rows)]
        write(as_csv(cells) if csv else in_columns(cells))


def _paths(texts: Sequence[str]) -> dict[str, Path]:
    """``DATASET=PATH`` or ``PATH`` by dataset, none under the empty name."""
    paths: dict[str, Path] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        # A path may hold an equals sign; a dataset's name holds no separator.
        if not equals or "/" in name or "\\" in name:
            name, path = "", text
        if not path.strip():
            raise UsageError(f"--data {text!r} has no path", "write --data DATASET=PATH")
        if name.strip() in paths:
            raise UsageError(f"--data names {name.strip() or 'a path'!r} twice", "name each once")
        paths[name.strip()] = Path(path).expanduser()
    return paths


def _print_table(
    filled: FilledTable, *, markdown: bool, latex: bool, csv: bool, as_json: bool
) -> None:
    from offbook.evaluation.tables.rendering import as_latex, as_markdown, as_text, rows_of

    if as_json:
        print_json(filled.as_json())
    elif markdown:
        write(as_markdown(filled))
    elif latex:
        write(as_latex(filled))
    elif csv:
        write(as_csv(rows_of(filled)))
    else:
        write(as_text(filled, in_columns))


def _print_plan(plan: TablePlan, *, as_json: bool) -> None:
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
        write(in_columns(rows))
        write(f"together: {plan.total.in_words()}\n")


def export_run(
    run: RunName,
    output: str = typer.Option(
        ...,
        "--output",
        "-o",
        metavar="FILE",
        help="Where to: .jsonl (a cell a line) or .eval.json (a log of inspect_ai).",
    ),
    path: DataPath = None,
    as_json: Json = False,
) -> None:
    """Write a run into a file: its record, its cells, the ratings of all judges."""
    file = with_offbook(settings_for(), lambda book: book.evaluation.export(run, output, path=path))
    answer(as_json, {"run": run, "file": str(file)}, f"exported {run} to {file}")


@with_options(settings=settings_of(*MODELS, *LIMITS))
def check_judge(
    run: RunName,
    settings: Settings,
    limit: int = typer.Option(100, min=1, help="On how many questions; each costs four calls."),
    replies: int = typer.Option(3, min=2, max=26, help="Replies compared at once, at most."),
    path: DataPath = None,
    as_json: Json = False,
) -> None:
    """Check a judge: the same replies in two orders, without names and with its own on one."""
    report: CheckReport = with_progress(
        settings,
        lambda book, progress: book.evaluation.check_judge(
            run, limit=limit, replies=replies, path=path, progress=progress
        ),
    )
    if as_json:
        print_json(report.as_json())
        return
    bias = report.bias
    same = f"; on {bias.identical} more all replies were the same" if bias.identical else ""
    say(f"judge {bias.judge}: {bias.questions} questions{same}; {cost(report.usage)}")
    rows = [
        ["preferred the first place", f"{bias.first:.3g}"],
        ["more than chance (position bias)", f"{bias.position_bias:.3g}"],
        ["another choice in the other order", f"{bias.flips:.3g}"],
        ["more often under its own name", f"{bias.label_bias:.3g}"],
    ]
    write(marked(in_columns(rows), report.mark))


@with_options(settings=settings_of(*MODELS, *LIMITS))
def pairwise(
    run: RunName,
    settings: Settings,
    first: str = typer.Option("", help="A method of the run; none: its first."),
    second: str = typer.Option("", help="The other one; none: the next."),
    path: DataPath = None,
    as_json: Json = False,
) -> None:
    """Ask the judge which of two methods' replies it prefers; each pair in both orders.

    Where the two judgements disagree, it is a tie. What was judged already is not asked again.
    """
    preferences: Preferences = with_progress(
        settings,
        lambda book, progress: book.evaluation.pairwise(
            run, first, second, path=path, progress=progress
        ),
    )
    if as_json:
        print_json(preferences.as_json())
        return
    ties = f"{preferences.ties} ({preferences.equal} of equal replies)"
    rows = [
        ["win rate", f"{preferences.win_rate:.3g}"],
        ["wins, ties, losses", f"{preferences.wins}, {ties}, {preferences.losses}"],
        ["preferred the first place", f"{preferences.first_place:.3g}"],
    ]
    write(marked(f"{preferences.sentence}\n{in_columns(rows)}", preferences.mark))


app = command_group("Have people look over the judge's ratings.")
ReviewFile = Annotated[str, typer.Argument(metavar="FILE", help="A CSV file.")]


@app.command("export")
def export(
    run: RunName,
    file: ReviewFile,
    judge: RatedBy = None,
    metric: list[str] | None = typer.Option(None, help="Only ratings of this metric; repeatable."),
    semicolon: bool = typer.Option(
        False, "--semicolon", help="For spreadsheets with a decimal comma."
    ),
    path: DataPath = None,
    as_json: Json = False,
) -> None:
    """Write ratings into a CSV file; a person fills in person_value."""
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
    line = (
        f"{count} ratings in {file}; fill in person_value, then: offbook eval review import {run}"
    )
    answer(as_json, {"run": run, "file": file, "ratings": count}, line)


@app.command("import")
def import_(
    run: RunName,
    file: ReviewFile,
    judge: RatedBy = None,
    name: str = typer.Option("", help="Who reviewed."),
    as_json: Json = False,
) -> None:
    """Take over a person's values; the judge's own stay beside them."""
    report: ReviewReport = with_offbook(
        settings_for(),
        lambda book: book.evaluation.reviews.import_(run, file, judge=judge, name=name),
    )
    if as_json:
        print_json(report.as_json())
        return
    say(f"{report.overruled} ratings by people taken over, {report.blank} rows left blank")
    if not report.agreement:
        return
    head = ["metric", "n", "kappa", "quadratic kappa", "alpha", "changed"]
    rows = [
        [a.metric, a.n, *(f"{e:.3g}" for e in (a.kappa, a.quadratic_kappa, a.alpha, a.changed))]
        for a in report.agreement
    ]
    write(marked(in_columns([head, *rows]), report.mark))
