"""Published tables: the runs that they need found or made, our numbers beside the printed ones.

Takes: a table's name, data, characters.  Gives: a filled table, or a plan of what it would run.
One run a benchmark and method, so that tables of the same benchmark share cells; a finished run of
several methods serves too. What cannot be run is left out with the reason. Scores of the offline
judge never stand beside printed numbers: with it nothing is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from offbook.app.evaluation import cast as evaluation_cast
from offbook.app.evaluation.splitter_studies import StudyRequest, splitter_study
from offbook.app.evaluation.table_runs import TableRuns, about, why_not_run
from offbook.errors import UsageError
from offbook.evaluation.tables.catalogue import table_named
from offbook.evaluation.tables.filling import FilledTable, OurRow, OurScores, fill
from offbook.evaluation.tables.ratings_file import human_rows, needs_ratings
from offbook.evaluation.tables.types import labels_of
from offbook.ingestion.reports import Estimate, ProgressListener, unheard

if TYPE_CHECKING:
    from pathlib import Path

    from offbook.app.book import Offbook
    from offbook.evaluation.splitter_study.measures import SplitterMeasure, SplitterStudy
    from offbook.evaluation.tables.layout import Table

Told = Callable[[str], None]
STUDIED: Final = "characterrag"
"""The dataset of the paper's study."""


@dataclass(frozen=True, slots=True)
class TableRequest:
    """What a table is to be made of.

    ``paths`` are files and folders by benchmark or dataset; one under the empty name is that of the
    only one that needs it. ``stored``: only what is stored is shown, nothing is asked.
    """

    paths: Mapping[str, Path] = field(default_factory=dict)
    characters: Sequence[str] = ()
    limit: int | None = None
    repeats: int = 1
    seed: int = 0
    create: bool = False
    build: bool = False
    stored: bool = False
    labels: Path | None = None
    ratings: Path | None = None


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One part of a table: a finished run that serves, or what it would cost, or why it cannot."""

    use: str
    benchmark: str
    method: str
    stored: str | None = None
    estimate: Estimate | None = None
    problem: str | None = None

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        told = None if self.estimate is None else self.estimate.as_json()
        return {
            "use": self.use,
            "benchmark": self.benchmark,
            "method": self.method,
            "stored": self.stored,
            "estimate": told,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What a table would run; no call was made to find out."""

    table: Table
    runs: tuple[PlannedRun, ...]
    total: Estimate
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval table --plan --json``."""
        return {
            "table": self.table.name,
            "title": self.table.title,
            "runs": [each.as_json() for each in self.runs],
            "total": self.total.as_json(),
            "differs": list(self.table.differs),
            "notes": list(self.notes),
        }


async def table_plan(book: Offbook, name: str, request: TableRequest) -> TablePlan:
    """What a table would run, and what that would cost; no model is asked.

    Raises:
        UnknownName: no such table.
    """
    table = table_named(name)
    if table.kind == "study":
        note = "no chat model is asked; documents and questions are embedded by each embedder"
        return TablePlan(table, (), Estimate(), (note,))
    if table.kind == "ratings":
        note = "no model is asked" if request.ratings else _needed(needs_ratings())
        return TablePlan(table, (), Estimate(), (note,))
    runs = TableRuns(book, table, request)
    planned: list[PlannedRun] = []
    notes: list[str] = []
    for use, method in table.needed():
        stored = estimate = problem = None
        try:
            found = await runs.stored(use, method)
            if found is not None:
                stored = found.id
            elif (why := why_not_run(book, use)) is not None:
                notes.append(why)
                problem = f"the {use.rests_on} is the offline backend"
            else:
                estimate = await runs.estimate(use, method)
        except UsageError as error:
            problem = _needed(error)
        planned.append(PlannedRun(use.key, use.benchmark, method, stored, estimate, problem))
    total = evaluation_cast.added(
        Estimate(), [each.estimate for each in planned if each.estimate is not None]
    )
    return TablePlan(table, tuple(planned), total, tuple(dict.fromkeys(notes)))


async def filled_table(
    book: Offbook,
    name: str,
    request: TableRequest,
    *,
    progress: ProgressListener = unheard,
    told: Told | None = None,
) -> FilledTable:
    """Run what a table needs and is not stored, and put our numbers beside the printed ones.

    Raises:
        UnknownName: no such table.
        UsageError: the table is made of a file that was not named.
        BudgetReached: the budget is spent; the same command goes on where it stopped.
        ModelError: likewise, where the endpoint failed for good.
    """
    table = table_named(name)
    if table.kind == "study":
        return await _studied(book, table, request, progress)
    if table.kind == "ratings":
        if request.ratings is None:
            raise needs_ratings()
        rows, notes = human_rows(request.ratings)
        return fill(table, rows=rows, notes=notes, about={"ratings": str(request.ratings)})
    runs = TableRuns(book, table, request, progress, told or (lambda line: None))
    ours: list[OurScores] = []
    notes = []
    for use, method in table.needed():
        why = why_not_run(book, use)
        try:
            if why is None:
                ours.append(await runs.scores(use, method))
        except UsageError as error:
            why = f"{use.title}, {method}: {_needed(error)}"
        if why is not None:
            notes.append(why)
    metric = next((use.typology for use in table.uses if use.typology), "")
    labels = labels_of(metric, request.labels) if metric and request.labels else None
    return fill(table, ours, labels=labels, notes=notes, about=about(book))


async def _studied(
    book: Offbook, table: Table, request: TableRequest, progress: ProgressListener
) -> FilledTable:
    """A table of the splitter study: a row an embedder."""
    source = next((each for each in request.paths if each), STUDIED)
    study = await splitter_study(
        book,
        StudyRequest(
            source,
            path=request.paths.get(source, request.paths.get("")),
            characters=request.characters,
            splitters=[line.method for block in table.blocks for line in block.lines],
            limit=request.limit,
            seed=request.seed,
        ),
        progress,
    )
    labels = [line.key for block in table.blocks for line in block.lines]
    rows: dict[str, list[OurRow]] = {}
    per_embedder = len(labels)
    for place, row in enumerate(study.rows):
        rows.setdefault(labels[place % per_embedder], []).append(_study_row(row))
    return fill(table, rows=rows, notes=study.notes, about=_about_study(source, study))


def _study_row(row: SplitterMeasure) -> OurRow:
    top, budget = row.top.similarity, row.at_budget.similarity
    return OurRow(
        row.embedder,
        {
            "sum_of_means": top.sum_of_means,
            "sum_of_variances": top.sum_of_variances,
            "budget.sum_of_means": budget.sum_of_means,
            "budget.sum_of_variances": budget.sum_of_variances,
        },
    )


def _about_study(source: str, study: SplitterStudy) -> dict[str, str]:
    return {
        "dataset": source,
        "characters": str(study.characters),
        "questions": str(study.questions),
        "chunks a question": str(study.at),
        "equal budget": f"{study.budget_tokens} tokens",
    }


def _needed(error: UsageError) -> str:
    return error.message + (f"; {error.hint}" if error.hint else "")
