"""A run: every cell that is not stored is asked, and judged as soon as what goes with it is there.

Takes: a run and what it works with.  Gives: what was done; cells and ratings are stored as they
finish, so that a run that is stopped, by whatever, goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation import streaming
from offbook.evaluation.judging import documents_named, introduction_of
from offbook.evaluation.keeping import cell_of, cell_row
from offbook.evaluation.plan import Group, plan
from offbook.evaluation.rating import Rater
from offbook.evaluation.subjects import subject_named
from offbook.evaluation.working import Working
from offbook.ingestion.reports import Progress, ProgressListener, unheard
from offbook.models.side_by_side import Job, failed_around, run_all
from offbook.models.wrappers import OFFLINE_URL
from offbook.stores import evaluated_text, evaluations, text_versions
from offbook.stores.grouped_writes import GroupedWrites, to_the_end

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.evaluation.answering import Cast
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.protocol import EvaluationProtocol
    from offbook.evaluation.record import Cell, CellKey, Run
    from offbook.pipeline import Stage
    from offbook.types import Usage

READY_AT_ONCE: Final = 20
"""Stored groups that are read together when a run goes on."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a run has come to, and what this stretch of it did.

    ``cells`` of ``planned`` are stored, ``failed`` of them without a reply; ``asked`` and ``rated``
    count what was done now, ``missing`` ratings that no usable answer could be got for.
    """

    planned: int
    cells: int
    failed: int
    asked: int
    rated: int
    missing: int
    usage: Usage


@dataclass(slots=True)
class Runner:
    """Asks and judges the cells of one run.

    Args:
        run: The run, as it is stored.
        dataset: Its dataset, with the subjects of the run.
        protocol: How it is judged.
        cast: Who is asked what.
        stage: The store, the judge and the settings that hold for the whole run.
        progress: Told how many replies and judged groups there are, of how many.
        asks: Whether replies are asked for; False: only what is stored is judged.
    """

    run: Run
    dataset: Dataset
    protocol: EvaluationProtocol
    cast: Cast
    stage: Stage
    progress: ProgressListener = unheard
    asks: bool = True
    _writes: GroupedWrites = field(init=False)
    _rater: Rater = field(init=False)
    _stored: set[CellKey] = field(init=False)
    _left: dict[Group, int] = field(init=False)
    _planned: int = 0
    _asked: int = 0
    _judged: int = 0

    async def go_on(self) -> Done:
        """Do what is left, then say so; a run that stops keeps what was done.

        Raises:
            BudgetReached: the budget is spent.
            ModelError: the endpoint failed for good.
            IndexMissing: a method needs what was not built.
            UsageError: another process works on the run.
        """
        store, run = self.stage.store, self.run.id
        meter = self.cast.meter
        async with Working(store, run, meter, judges_only=not self.asks) as working:
            self._writes = GroupedWrites.of(store)
            self._stored = await streaming.stored_keys(store, run)
            self._rater = await self._make_rater()
            planned = plan(self.run, self.dataset, self.protocol)
            self._planned = planned.cells
            self._left = {
                group: sum(key not in self._stored for key in group.keys)
                for group in planned.groups
            }
            self._tell()
            items = self._items()
            await run_all([partial(self._work, items)] * self._workers())
            if not any(self._left.values()):
                working.status = "finished"
        total, failed = await store.read(lambda conn: evaluations.count_cells(conn, run))
        rater = self._rater
        return Done(
            planned.cells, total, failed, self._asked, rater.given, rater.missing, working.usage
        )

    # -- what there is to do -------------------------------------------------------------------

    def _items(self) -> Iterator[Job]:
        """Pieces of work in the order of the plan: a cell to ask, or stored groups to judge."""
        ready: list[Group] = []
        for group, left in list(self._left.items()):
            if not left:
                ready.append(group)
                if len(ready) == READY_AT_ONCE:
                    yield partial(self._judge_stored, ready)
                    ready = []
            elif self.asks:
                for key in group.keys:
                    if key not in self._stored:
                        yield partial(self._ask, key, group)
        if ready:
            yield partial(self._judge_stored, ready)

    async def _work(self, items: Iterator[Job]) -> None:
        """Take pieces of work until there is none, or until one has failed for good."""
        for item in items:
            if failed_around():
                return
            # A run of its own: where another fails, this one stops at its next call.
            await run_all([item])

    def _workers(self) -> int:
        """More than calls may be out: while some search and store, others wait for a place."""
        models = (self.stage.actor, self.stage.extractor, self.stage.judge)
        if all(model.base_url == OFFLINE_URL for model in models):
            return 2
        return 2 * self.stage.settings.limits.concurrency

    # -- a piece of work -----------------------------------------------------------------------

    async def _ask(self, key: CellKey, group: Group) -> None:
        cell = await self.cast.ask(key)
        if cell is None:
            return
        cell = await self._keep(cell)
        self._stored.add(key)
        self._asked += 1
        self._left[group] -= 1
        self._tell()
        if not self._left[group] and not failed_around():
            alone = len(group.keys) == 1
            cells = [cell] if alone else await self._cells([group])
            await self._judge(cells)

    async def _keep(self, cell: Cell) -> Cell:
        """Store a cell; as it is stored."""
        row, kept = cell_row(self.run.id, cell), list[Mapping[str, Any]]()

        def write(conn: Connection) -> None:
            kept[:] = evaluated_text.add_cells(conn, [row])

        await to_the_end(self._writes.write(write))
        return cell if kept == [row] else cell_of(kept[0])

    async def _judge_stored(self, groups: Sequence[Group]) -> None:
        cells = {cell.key: cell for cell in await self._cells(groups)}
        apart = [[cells[key] for key in group.keys if key in cells] for group in groups]
        await run_all([partial(self._judge, some) for some in apart])

    async def _judge(self, cells: Sequence[Cell]) -> None:
        await self._rater.rate(cells)
        self._judged += 1
        self._tell()

    async def _cells(self, groups: Sequence[Group]) -> list[Cell]:
        keys = [key for group in groups for key in group.keys]
        return await streaming.cells_of(self.stage.store, self.run.id, keys)

    async def _make_rater(self) -> Rater:
        judge = self.run.models["judge"].model
        return Rater(
            self.run,
            self.dataset,
            self.protocol,
            self.stage.judge,
            self.stage.settings.answers.retries,
            self._writes,
            await streaming.rated_keys(self.stage.store, self.run.id, judge),
            await self.stage.store.read(self._elsewhere),
        )

    def _elsewhere(self, conn: Connection) -> frozenset[str]:
        names = frozenset[str]()
        for subject, character in self.run.subjects.items():
            told = introduction_of(self.dataset, subject_named(self.dataset, subject))
            names |= documents_named(character, told)
        return names - text_versions.versions(conn, names).keys()

    def _tell(self) -> None:
        if self.asks:
            self.progress(Progress("replies", len(self._stored), self._planned))
        self.progress(Progress("judged", self._judged, len(self._left)))
