"""A run at work: cells are asked in the order of the plan, and judged as soon as they are complete.

Cells and ratings are stored as they finish, so that a run that is stopped, by whatever, goes on
where it stopped. A question is put in a fresh context, by the pipeline that ``ask`` uses; of
memories only authored ones are recalled. No other judge ever stands in.
"""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from offbook import pipeline
from offbook.errors import AnswerError, BudgetReached, InputRefused, InUse, OffbookError
from offbook.evaluation import storage
from offbook.evaluation.benchmark import limited, subject_named
from offbook.evaluation.evidence import Evidence
from offbook.evaluation.record import Cell, CellKey, Rating
from offbook.evaluation.reply_metrics import EVIDENCED, Places, documents_named, introduction_of
from offbook.ingestion.reports import Progress, ProgressListener, unheard
from offbook.models.batching import Job, failed_around, run_all
from offbook.prompts.ask import ask
from offbook.stores import evaluations, text_versions
from offbook.stores.connection import to_the_end
from offbook.stores.leases import Owner
from offbook.stores.statements import timestamp
from offbook.types import traits_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from offbook.evaluation.benchmark import Dataset, Question
    from offbook.evaluation.record import Judgement, Judging, RatingKey, Run, Variant
    from offbook.models.metering import Meter
    from offbook.protocols import ChatModel, Store
    from offbook.retrieval.point import Point
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection
    from offbook.types import Character, Recall, Usage


Group = tuple[CellKey, ...]
"""Cells that are judged together."""


def questions_of(run: Run, dataset: Dataset, subject: str) -> tuple[Question, ...]:
    """The questions that a run puts to a subject: at most ``limit``, drawn by the seed."""
    return limited(tuple(dataset.asked(subject)), run.limit, run.seed)


def plan(run: Run, dataset: Dataset, protocol: Judging) -> list[Group]:
    """Order the cells of a run as they are asked, in groups.

    Repeat by repeat; within one, questions in an order that the seed decides, each put to all
    variants before the next one comes; turns of a script in their order. What is judged together
    follows where its first cell stands.
    """
    groups: dict[Hashable, list[CellKey]] = {}
    pairs = {
        (subject, question.script or question.id, question.turn, question.id)
        for subject in run.subjects
        for question in questions_of(run, dataset, subject)
    }

    def lot(pair: tuple[str, str, int, str]) -> tuple[bytes, int]:
        text = f"{run.seed}\n{pair[0]}\n{pair[1]}"
        return hashlib.sha256(text.encode("utf-8", "replace")).digest(), pair[2]

    ordered = sorted(pairs, key=lot)
    for repeat in range(run.repeats):
        for subject, _, _, question in ordered:
            for variant in run.variants:
                key = CellKey(subject, question, variant.label, repeat)
                groups.setdefault(protocol.ready(key), []).append(key)
    return [tuple(keys) for keys in groups.values()]


MakeRuntime = Callable[["Variant", "Character", "Meter"], "Runtime"]
"""Models and settings of a variant, for a character, counting on a meter."""


@dataclass(frozen=True, slots=True)
class Solver:
    """Who is asked what, and how."""

    characters: Mapping[str, Character]
    places: Places
    variants: Mapping[str, Variant]
    make_runtime: MakeRuntime
    meter: Meter
    telling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ask(self, key: CellKey) -> Cell | None:
        """The finished cell; None: a cell beside it has failed for good, and no reply is asked for.

        Raises:
            BudgetReached: the next call would go over the budget.
            IndexMissing: the method needs what was not built.
            ModelError: the endpoint failed for good, not only on this question.
        """
        character, meter = self.characters[key.subject], self.meter.part()
        question = self.places.of(key.subject).questions[key.question]
        runtime = self.make_runtime(self.variants[key.variant], character, meter)
        recalled: Recall | None = None
        reply: str | None = None
        error: str | None = None
        try:
            point: Point | None = None
            if question.as_of:
                from offbook.ingestion.profile import at_point

                character, point = await runtime.store.read(at_point, character, question.as_of)
            recalled = await pipeline.recall(runtime, character, question.text, point=point)
            if failed_around():
                return None
            reply = await pipeline.reply(runtime, character, recalled, sample=key.repeat)
        except (AnswerError, InputRefused) as failure:
            error = f"{failure.kind}: {failure.message}"
        boundary = None if recalled is None else recalled.boundary
        return Cell(
            key=key,
            character=character.id,
            reply=reply,
            error=error,
            context=() if recalled is None else recalled.context,
            verdict=None if boundary is None else boundary.verdict,
            fallback=None if recalled is None else recalled.fallback,
            selected=None if recalled is None else recalled.selected,
            usage=meter.usage(),
            finished=timestamp(),
        )


SIGN_SECONDS: Final = 5.0
"""How often a run gives a sign of life, and notes what it has cost."""


@dataclass(slots=True)
class HeldRun:
    """A run that is worked on; ``status`` is what it is to be when that ends well, None: as it was.

    ``meter`` is of this stretch of work, ``before`` what the run had cost until then.
    """

    meter: Meter
    before: Usage
    status: str | None = None

    @property
    def usage(self) -> Usage:
        """What the run has cost, this stretch included."""
        return storage.summed(self.before, self.meter.usage())


@asynccontextmanager
async def hold_run(
    store: Store, run: str, meter: Meter, *, judges_only: bool = False
) -> AsyncIterator[HeldRun]:
    """Hold a run while the body works on it, then note how that ended.

    ``judges_only``: only stored replies are judged, which leaves the status as it is.

    Raises:
        InUse: another process works on it.
    """
    owner = Owner(uuid.uuid4().hex)

    def sign() -> Callable[[Connection], None]:
        """A sign of life, with what the run has cost by now: the meter counts on meanwhile."""
        usage = storage.usage_row(held.usage)
        return lambda conn: evaluations.heartbeat(conn, run, owner, usage)

    async def give_signs() -> None:
        while True:
            await asyncio.sleep(SIGN_SECONDS)
            with suppress(OffbookError):  # a sign that failed is no reason to give no other
                await store.write(sign())

    async def leave(signs: asyncio.Task[None]) -> None:
        signs.cancel()
        await asyncio.gather(signs, return_exceptions=True)
        last = sign()

        def end(conn: Connection) -> None:
            last(conn)
            if held.status is not None and not judges_only:
                evaluations.change_run(conn, run, status=held.status)
            evaluations.release(conn, run, owner)

        await store.write(end)

    stored = await _take(store, run, owner)
    held = HeldRun(meter, storage.usage_of(stored.usage))
    signs = asyncio.create_task(give_signs())
    try:
        yield held
    except BaseException as error:
        held.status = _status_after(error)
        raise
    finally:
        await to_the_end(leave(signs))


def require_free(conn: Connection, run: str) -> None:
    """See that nobody works on a run.

    Raises:
        InUse: another process does.
    """
    owner = Owner(uuid.uuid4().hex)
    _claim(conn, run, owner)
    evaluations.release(conn, run, owner)


def _claim(conn: Connection, run: str, owner: Owner) -> None:
    other = evaluations.claim(conn, run, owner)
    if other is not None:
        raise InUse(
            f"another process works on the run {run!r}",
            "wait until it has ended",
            f"process {other.pid} on {other.host!r}",
        )


async def _take(store: Store, run: str, owner: Owner) -> evaluations.StoredRun:
    try:
        await store.write(lambda conn: _claim(conn, run, owner))
        return await store.read(lambda conn: evaluations.require_run(conn, run))
    except BaseException:
        # The write that takes it goes on to its end even where it is cancelled. What cannot be
        # given back now is stale in a minute.
        with suppress(OffbookError):
            await to_the_end(store.write(lambda conn: evaluations.release(conn, run, owner)))
        raise


def _status_after(error: BaseException) -> str:
    """``stopped`` where a budget or a person ended it, ``failed`` where something broke."""
    by_person = isinstance(error, (asyncio.CancelledError, KeyboardInterrupt))
    return "stopped" if by_person or isinstance(error, BudgetReached) else "failed"


FORGOTTEN = "a document that the reply rested on is forgotten"


@dataclass(slots=True)
class Rater:
    """Asks one judge about the cells of one run.

    Args:
        elsewhere: Names ``character/document`` of what the dataset tells of subjects, where the
            character was not made from it.
    """

    run: Run
    dataset: Dataset
    protocol: Judging
    judge: ChatModel
    retries: int
    store: Store
    rated: set[RatingKey] = field(default_factory=set)
    elsewhere: frozenset[str] = frozenset()
    given: int = 0
    missing: int = 0
    places: Places = field(init=False)
    evidence: Evidence = field(init=False)

    def __post_init__(self) -> None:
        self.places, self.evidence = Places(self.dataset), Evidence(self.store)

    async def rate(self, cells: Sequence[Cell]) -> None:
        """Ask for the ratings of cells that go together, all calls side by side.

        Raises:
            BudgetReached: the next call would go over the budget.
            ModelError: the endpoint failed for good, not only on one judgement.
        """
        if not EVIDENCED.isdisjoint(self.run.metrics):
            cells = [await self._with_evidence(cell) for cell in cells]
        judgements = self.protocol.judgements(self.run, self.dataset, cells)
        left = [one for one in judgements if any(key not in self.rated for key in one.keys)]
        if left:
            await run_all([partial(self._ask, judgement, cells) for judgement in left])

    async def _with_evidence(self, cell: Cell) -> Cell:
        question = self.places.question(cell.key)
        if question is None or cell.reply is None:
            return cell
        return replace(cell, evidence=await self.evidence.of(cell, question))

    async def _ask(self, judgement: Judgement, cells: Sequence[Cell]) -> None:
        if failed_around():
            return
        mine = _subjects_of(judgement, cells)
        read_of = [*(cell.context for cell in mine), judgement.evidence]
        names = frozenset(name for items in read_of for name in storage.rests_on(items))
        whose = mine[0].character
        introducing = judgement.documents - self.elsewhere
        noted = introducing | {f"{whose}/{name}" for name in names}
        ratings: Sequence[Rating]
        if any(cell.forgotten for cell in mine):
            ratings = _missing(judgement, FORGOTTEN)
        else:
            ratings = await self._answered(judgement, noted)
        new = [rating for rating in ratings if rating.key not in self.rated]
        read = names | {name.partition("/")[2] for name in introducing}
        rows = [storage.rating_row(self.run.id, whose, rating, read) for rating in new]
        await to_the_end(self.store.write(lambda conn: evaluations.add_ratings(conn, rows)))
        self.rated.update(rating.key for rating in new)
        self.given += len(new)
        self.missing += sum(rating.value is None and not rating.unjudged for rating in new)

    async def _answered(self, judgement: Judgement, documents: frozenset[str]) -> Sequence[Rating]:
        """The judge's ratings; where its answers cannot be used, they are missing."""
        if judgement.prompt is None:
            return judgement.read(judgement.inputs)
        try:
            answer = await ask(
                self.judge,
                judgement.prompt,
                judgement.inputs,
                sample=judgement.keys[0].sample,
                documents=documents,
                retries=self.retries,
            )
            return judgement.read(answer)
        except (AnswerError, InputRefused) as error:
            return _missing(judgement, f"{error.kind}: {error.message}")


def _subjects_of(judgement: Judgement, cells: Sequence[Cell]) -> list[Cell]:
    """The cells that a judgement is about: of its subject, variant and repeat."""
    first = judgement.keys[0]
    whose = (first.subject, first.variant, first.repeat)
    about = [c for c in cells if (c.key.subject, c.key.variant, c.key.repeat) == whose]
    alone = [cell for cell in about if cell.key.question == first.unit]
    return alone or about or list(cells)


def _missing(judgement: Judgement, why: str) -> list[Rating]:
    return [Rating(key, None, missing=why) for key in judgement.keys]


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
    """Asks and judges the cells of one run."""

    run: Run
    dataset: Dataset
    protocol: Judging
    solver: Solver
    runtime: Runtime
    progress: ProgressListener = unheard
    asks: bool = True
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
        store, run = self.runtime.store, self.run.id
        meter = self.solver.meter
        async with hold_run(store, run, meter, judges_only=not self.asks) as held:
            self._stored = await storage.stored_keys(store, run)
            self._rater = await self._make_rater()
            groups = plan(self.run, self.dataset, self.protocol)
            self._planned = sum(map(len, groups))
            self._left = {group: sum(key not in self._stored for key in group) for group in groups}
            self._tell()
            items = self._items()
            await run_all([partial(self._work, items)] * self._workers())
            if not any(self._left.values()):
                held.status = "finished"
        total, failed = await store.read(lambda conn: evaluations.count_cells(conn, run))
        rater = self._rater
        return Done(
            self._planned, total, failed, self._asked, rater.given, rater.missing, held.usage
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
            elif self.asks and self.solver.places.is_spoken(group[0]):
                yield partial(self._talk, group)
            elif self.asks:
                for key in group:
                    if key not in self._stored:
                        yield partial(self._ask, key, group, self.solver.ask)
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
        models = (self.runtime.actor, self.runtime.extractor, self.runtime.judge)
        if all(traits_of(model).free for model in models):
            return 2
        return 2 * self.runtime.settings.limits.concurrency

    # -- a piece of work -----------------------------------------------------------------------

    async def _talk(self, group: Group) -> None:
        """Ask the cells of a conversation one after the other, those that are stored not again."""
        from offbook.evaluation.scripts import Remembered, Talk

        question = self.solver.places.question(group[0])
        kind = Remembered if question is not None and question.history else Talk
        talk = kind(self.solver, self.run.id, group[0])
        for key in group:
            if failed_around():
                return
            if key not in self._stored:
                await self._ask(key, group, talk.say)
            else:
                talk.passed(key)

    async def _ask(
        self, key: CellKey, group: Group, ask_cell: Callable[[CellKey], Awaitable[Cell | None]]
    ) -> None:
        cell = await ask_cell(key)
        if cell is None:
            return
        cell = await self._keep(cell)
        self._stored.add(key)
        self._asked += 1
        self._left[group] -= 1
        self._tell()
        if not self._left[group] and not failed_around():
            alone = len(group) == 1
            cells = [cell] if alone else await self._cells([group])
            await self._judge(cells)

    async def _keep(self, cell: Cell) -> Cell:
        """Store a cell; as it is stored."""
        row = storage.cell_row(self.run.id, cell)
        stored: list[Mapping[str, Any]] = []

        def write(conn: Connection) -> None:
            stored[:] = evaluations.add_cells(conn, [row])

        await to_the_end(self.runtime.store.write(write))
        return cell if stored == [row] else storage.cell_of(stored[0])

    async def _judge_stored(self, groups: Sequence[Group]) -> None:
        cells = {cell.key: cell for cell in await self._cells(groups)}
        apart = [[cells[key] for key in group if key in cells] for group in groups]
        await run_all([partial(self._judge, some) for some in apart])

    async def _judge(self, cells: Sequence[Cell]) -> None:
        await self._rater.rate(cells)
        self._judged += 1
        self._tell()

    async def _cells(self, groups: Sequence[Group]) -> list[Cell]:
        keys = [key for group in groups for key in group]
        return await storage.cells_of(self.runtime.store, self.run.id, keys)

    async def _make_rater(self) -> Rater:
        judge = self.run.models["judge"].model
        return Rater(
            self.run,
            self.dataset,
            self.protocol,
            self.runtime.judge,
            self.runtime.settings.answers.retries,
            self.runtime.store,
            await storage.rated_keys(self.runtime.store, self.run.id, judge),
            await self.runtime.store.read(self._elsewhere),
        )

    def _elsewhere(self, conn: Connection) -> frozenset[str]:
        names = frozenset[str]()
        for subject, character in self.run.subjects.items():
            introduction = introduction_of(self.dataset, subject_named(self.dataset, subject))
            names |= documents_named(character, introduction)
        return names - text_versions.versions(conn, names).keys()

    def _tell(self) -> None:
        if self.asks:
            self.progress(Progress("replies", len(self._stored), self._planned))
        self.progress(Progress("judged", self._judged, len(self._left)))
