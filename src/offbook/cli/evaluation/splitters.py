"""``offbook eval splitters SOURCE``: which splitter puts the right passages in front.

Takes: a benchmark or a file of questions, documents, gold passages.  Gives: a line a splitter and
embedder. No chat model is asked.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.evaluation.options import (
    Characters,
    DataPath,
    Limit,
    LoaderOptions,
    Seed,
    loader_options,
)
from offbook.cli.globals import Json, settings_for

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.splitter_study.measures import (
        ContextMeasure,
        SplitterMeasure,
        SplitterStudy,
    )


Source = Annotated[
    str, typer.Argument(metavar="SOURCE", help="A benchmark, or a file of questions.")
]
Gold = Annotated[Path | None, typer.Option(metavar="FILE", help="Gold passages, a question a row.")]
PersonaDocuments = Annotated[
    list[str] | None,
    typer.Option(
        "--document", metavar="[CHARACTER=]FILE", help="A persona document; may be repeated."
    ),
]
Splitters = Annotated[
    list[str] | None,
    typer.Option(
        "--splitter",
        "-s",
        metavar="A,B",
        help="Splitters, each perhaps with settings: fixed,acts[alpha=3]. Default: all.",
    ),
]
Embedders = Annotated[
    list[str] | None,
    typer.Option("--embedder", help="`builtin` or `configured`; may be repeated. Default: both."),
]
Top = Annotated[int, typer.Option(help="Chunks a question.")]
Budget = Annotated[
    int, typer.Option(metavar="TOKENS", help="The equal budget of a question's context.")
]


def command(
    source: Source,
    path: DataPath = None,
    option: LoaderOptions = None,
    gold: Gold = None,
    documents: PersonaDocuments = None,
    characters: Characters = None,
    splitters: Splitters = None,
    embedders: Embedders = None,
    top: Top = 3,
    budget: Budget = 1_500,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Compare splitters and embedders, without any model.

    Similarity is AMADEUS's table 1: for each character the mean and variance of the cosine of a
    question with its top chunks, summed over characters. `at budget` is the same with as many
    chunks as fit the tokens of `--budget`. `hits` are questions of which a gold passage is found.
    """
    from offbook.app.evaluation.splitter_studies import StudyRequest, splitter_study
    from offbook.cli.progress import shown
    from offbook.cli.running import print_json, with_offbook

    where: dict[str, Any] = {"path": None if path is None else Path(path), "gold": gold}
    named: dict[str, Any] = {"documents": documents or (), "characters": characters or ()}
    ways: dict[str, Any] = {"splitters": splitters or (), "embedders": embedders or ()}
    sizes: dict[str, Any] = {"top": top, "budget_tokens": budget, "limit": limit, "seed": seed}
    options = loader_options(option)
    request = StudyRequest(source, options=options, **where, **named, **ways, **sizes)

    async def body(book: Offbook) -> SplitterStudy:
        with shown(book.meter) as progress:
            return await splitter_study(book, request, progress)

    found = with_offbook(settings_for(), body)
    if as_json:
        print_json(found.as_json())
    else:
        _print_study(found)


def _print_study(found: SplitterStudy) -> None:
    from offbook.cli.running import say, write
    from offbook.ingestion.reports import counted

    for note in found.notes:
        say(f"dataset: {note}")
    say(
        f"{counted(found.characters, 'character')}, {counted(found.questions, 'question')}, "
        f"{found.gold} of them with gold passages"
    )
    write(study_table(found))


def study_table(found: SplitterStudy) -> str:
    """Two blocks of lines: the top chunks, then the equal budget."""
    from offbook.cli.running import table

    blocks = [
        (f"top {found.at}", [(row, row.top) for row in found.rows]),
        (f"{found.budget_tokens} tokens", [(row, row.at_budget) for row in found.rows]),
    ]
    return "\n".join(
        table([_head(title), *(_line(row, measure) for row, measure in rows)])
        for title, rows in blocks
    )


def _head(title: str) -> list[str]:
    return [
        title,
        "embedder",
        "chunks",
        "tokens each",
        "sum of means",
        "95 %",
        "sum of variances",
        "95 %",
        "pairs",
        "chunks a question",
        "tokens a question",
        "hits",
        "95 %",
        "coverage",
        "95 %",
        "n",
    ]


def _line(row: SplitterMeasure, measure: ContextMeasure) -> list[str]:
    table = measure.similarity
    gold = measure.hits
    return [
        row.splitter,
        row.embedder,
        str(row.chunks),
        _number(row.chunk_tokens, ".0f"),
        *_numbers(table.sum_of_means, ".4f"),
        *_numbers(table.sum_of_variances, ".4f"),
        str(table.sum_of_means.n),
        _number(measure.chunks, ".1f"),
        _number(measure.tokens, ".0f"),
        *_numbers(gold, ".3f"),
        *_numbers(measure.coverage, ".3f"),
        "-" if gold is None else str(gold.n),
    ]


def _numbers(found: Estimate | None, spec: str) -> list[str]:
    ends = None if found is None else found.interval
    between = "-" if ends is None else f"{ends[0]:{spec}} to {ends[1]:{spec}}"
    return [_number(found, spec), between]


def _number(found: Estimate | None, spec: str) -> str:
    return "-" if found is None or found.mean is None else format(found.mean, spec)
