"""Published tables: the runs that they need found or made, our numbers beside the printed ones.

One run a benchmark and method, so that tables of the same benchmark share cells; a finished run of
several methods serves too. What cannot be run is left out with the reason. Scores of the offline
judge never stand beside printed numbers: with it nothing is run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import UsageError
from offbook.evaluation import runs as evaluation_runs
from offbook.evaluation import splitter_ranking
from offbook.evaluation.benchmark import benchmark, narrowed, parts_named
from offbook.evaluation.estimate import added
from offbook.evaluation.metrics.retrieval import TOP, similarity_table
from offbook.evaluation.runs import Notify, silent
from offbook.evaluation.tables import filling
from offbook.evaluation.tables.catalogue import table_named
from offbook.evaluation.tables.runs import TableRequest, TableRuns, about, why_not_run
from offbook.evaluation.variants import methods_named
from offbook.ingestion.reports import Estimate, ProgressListener, Steps, counted, unheard
from offbook.text.encodings import token_counter

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.evaluation.splitter_ranking import RankedQuestion
    from offbook.evaluation.tables.catalogue import Table

STUDIED: Final = "characterrag"
"""The dataset of the paper's study."""


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
        estimate = None if self.estimate is None else self.estimate.as_json()
        return {**asdict(self), "estimate": estimate}


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
        note = "no model is asked" if request.ratings else _needed(filling.needs_ratings())
        return TablePlan(table, (), Estimate(), (note,))
    runs = TableRuns(book, table, request)
    planned: list[PlannedRun] = []
    notes: list[str] = []
    for use, method in table.needed():
        stored = estimate = problem = None
        try:
            run = await runs.stored(use, method)
            if run is not None:
                stored = run.id
            elif (why := why_not_run(book, use)) is not None:
                notes.append(why)
                problem = f"the {use.rests_on} is the offline backend"
            else:
                estimate = await runs.estimate(use, method)
        except UsageError as error:
            problem = _needed(error)
        planned.append(PlannedRun(use.key, use.benchmark, method, stored, estimate, problem))
    total = added(Estimate(), [each.estimate for each in planned if each.estimate is not None])
    return TablePlan(table, tuple(planned), total, tuple(dict.fromkeys(notes)))


async def filled_table(
    book: Offbook,
    name: str,
    request: TableRequest,
    *,
    progress: ProgressListener = unheard,
    notify: Notify = silent,
) -> filling.FilledTable:
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
            raise filling.needs_ratings()
        rows, notes = filling.human_rows(request.ratings)
        return filling.fill(table, rows=rows, notes=notes, about={"ratings": str(request.ratings)})
    runs = TableRuns(book, table, request, progress, notify)
    ours: list[filling.OurScores] = []
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
    labels = filling.labels_of(metric, request.labels) if metric and request.labels else None
    return filling.fill(table, ours, labels=labels, notes=notes, about=about(book))


async def _studied(
    book: Offbook, table: Table, request: TableRequest, progress: ProgressListener
) -> filling.FilledTable:
    """A table of splitters, as `benchmarks/splitter_study.py` measures them: a row an embedder."""
    from offbook.ingestion.documents import make_splitters
    from offbook.models.builtin import BuiltinEmbedder

    source = next((each for each in request.paths if each), STUDIED)
    path = request.paths.get(source, request.paths.get(""))
    dataset = evaluation_runs.dataset_of(book, benchmark(source), path, {})
    if request.characters:
        parts = parts_named(dataset, request.characters)
        dataset = narrowed(dataset, [part.subject for part in parts])
    subjects = splitter_ranking.study_subjects(dataset, limit=request.limit, seed=request.seed)
    if not subjects:
        raise UsageError(
            f"the dataset {dataset.name!r} has no character with a document and a question",
            "name another with --data",
        )
    embedders = {each.name: each for each in (BuiltinEmbedder(), book.runtime().embedder)}
    lines = [line for block in table.blocks for line in block.lines]
    rows: dict[str, list[filling.OurRow]] = {line.key: [] for line in lines}
    steps = Steps("splitters", progress)
    steps.begin(len(embedders) * len(lines))
    notes = list(dataset.notes)
    for embedder in embedders.values():
        vectors = await splitter_ranking.embedded_questions(subjects, embedder)
        if blank := sum(not vector.any() for each in vectors for vector in each):
            notes.append(f"{embedder.name}: {counted(blank, 'question')} without a direction")
        for line in lines:
            (method,) = methods_named([line.method])
            settings = book.settings.overlaid(method.settings).values
            (splitter,) = make_splitters([method.method], settings, embedder)
            count = token_counter(settings.tokens.encoding)
            ranked = await splitter_ranking.rank_chunks(
                subjects, vectors, splitter, embedder, count
            )
            rows[line.key].append(_study_row(embedder.name, ranked))
            steps.add(1)
    about = {
        "dataset": source,
        "characters": str(len(subjects)),
        "questions": str(sum(len(subject.questions) for subject in subjects)),
        "chunks a question": str(TOP),
        "equal budget": f"{splitter_ranking.BUDGET_TOKENS} tokens",
    }
    return filling.fill(table, rows=rows, notes=notes, about=about)


def _study_row(embedder: str, ranked: Sequence[RankedQuestion]) -> filling.OurRow:
    """The table of similarity with the top chunks, and with those that fit the equal budget."""
    top: dict[str, list[list[float]]] = defaultdict(list)
    at_budget: dict[str, list[list[float]]] = defaultdict(list)
    for each in ranked:
        top[each.subject].append([chunk.cosine for chunk in each.chunks[:TOP]])
        fitting = splitter_ranking.within_budget(each.chunks, splitter_ranking.BUDGET_TOKENS)
        at_budget[each.subject].append([chunk.cosine for chunk in fitting])
    tables = {"": similarity_table(top), "budget.": similarity_table(at_budget)}
    return filling.OurRow(
        embedder,
        {
            prefix + name: getattr(table, name)
            for prefix, table in tables.items()
            for name in ("sum_of_means", "sum_of_variances")
        },
    )


def _needed(error: UsageError) -> str:
    return error.message + (f"; {error.hint}" if error.hint else "")
