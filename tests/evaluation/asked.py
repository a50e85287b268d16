"""A run in a store, models that a test scripts, and a protocol of one rating a reply."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from offbook.evaluation import storage
from offbook.evaluation.benchmark import Dataset, Question, Subject
from offbook.evaluation.record import (
    Cell,
    CellKey,
    Judgement,
    ModelNamed,
    Rating,
    RatingKey,
    Run,
    Score,
    Variant,
)
from offbook.evaluation.reply_metrics import Places
from offbook.evaluation.runner import Done, Runner
from offbook.evaluation.solver import Solver
from offbook.evaluation.storage import run_row
from offbook.models.builtin import BuiltinEmbedder
from offbook.models.caching import CallCache
from offbook.models.limits import Limiter, Limits
from offbook.models.metering import Meter
from offbook.models.wrappers import wrap
from offbook.prompts.judging import KNOWLEDGE_EXPOSURE, ReplyWithEvidence
from offbook.runtime import Runtime
from offbook.settings import SettingsModel
from offbook.stores import characters, evaluations
from tests.evaluation import made
from tests.models.fakes import Answer, Scripted

if TYPE_CHECKING:
    from offbook.ingestion.reports import Progress
    from offbook.protocols import Store
    from offbook.types import ChatRequest

RATED = '{"analysis": "It is right.", "rating": 7}'


async def stored_cells(store: Store, run: str) -> list[Cell]:
    """The cells of a run."""
    of_run = made.run((), id=run)
    return await storage.with_stream(store, of_run, lambda cells, _: list(cells), of_all=True)


async def stored_ratings(store: Store, run: str, judge: str | None = None) -> list[Rating]:
    """The ratings of a run, of one judge or of all."""
    of_run = made.run((), id=run)
    found = await storage.with_stream(store, of_run, lambda _, rated: list(rated), of_all=True)
    return [rating for rating in found if judge in (None, rating.key.judge)]


class OneRating:
    """One rating a group of cells; ``together`` says what goes together."""

    def __init__(self, together: Callable[[CellKey], Hashable] = lambda key: key) -> None:
        self.ready = together
        self.judged: list[list[CellKey]] = []

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        self.judged.append([cell.key for cell in cells])
        replied = [cell for cell in cells if cell.reply is not None]
        if not replied:
            return []
        first = replied[0].key
        judge = run.models["judge"].model
        unit = first.question if len(cells) == 1 else "all"
        key = RatingKey(first.subject, first.variant, first.repeat, "ke", unit, judge)
        told = "; ".join(cell.reply or "" for cell in replied)
        inputs = ReplyWithEvidence(first.subject, "", first.question, told)
        return [Judgement((key,), KNOWLEDGE_EXPOSURE, inputs, partial(_read, key))]

    def scores(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> list[Score]:
        raise AssertionError("the runner does not score")


def _read(key: RatingKey, answer: Any) -> list[Rating]:
    return [Rating(key, float(answer.rating), answer.analysis)]


@dataclass(slots=True)
class Asking:
    """A run of ``vanilla`` with models of the test's.

    Args:
        store: Where it is kept.
        questions: How many.
        reply: What the actor answers.
        rated: What the judge answers.
        concurrency: Calls in flight.
    """

    store: Store
    questions: int = 4
    reply: Callable[[ChatRequest], Answer] = lambda _: "I count the ships."
    rated: Callable[[ChatRequest], Answer] = lambda _: RATED
    concurrency: int = 3
    repeats: int = 1
    variants: tuple[str, ...] = ("vanilla",)
    budget_calls: int | None = None
    protocol: OneRating = field(default_factory=OneRating)
    events: list[Progress] = field(default_factory=list)
    actor: Scripted = field(init=False)
    judge: Scripted = field(init=False)
    cache: CallCache = field(init=False)

    def __post_init__(self) -> None:
        self.actor = Scripted(by=lambda request: self.reply(request), name="actor")
        self.judge = Scripted(by=lambda request: self.rated(request), name="judge")
        self.cache = CallCache(self.store)

    @property
    def run(self) -> Run:
        """The run as it begins."""
        url = self.actor.base_url
        roles = {role: ModelNamed(role, url) for role in ("actor", "extractor", "judge")}
        return replace(
            made.run(("ke",), id="r-1", subjects={"Ada": "ada"}, models=roles),
            variants=tuple(Variant(label, "vanilla") for label in self.variants),
            repeats=self.repeats,
        )

    @property
    def dataset(self) -> Dataset:
        """Questions that are numbered."""
        asked = tuple(Question(f"q{n}", f"Question {n}?") for n in range(self.questions))
        return made.dataset(*asked, subjects=(Subject("Ada"),))

    async def begin(self) -> None:
        """Store the character and the run."""
        await self.store.write(lambda c: characters.create(c, "Ada"))
        await self.store.write(lambda c: evaluations.add_run(c, run_row(self.run)))

    async def go_on(self, *, asks: bool = True, judge: str = "judge") -> Done:
        """Work on the run as one command does."""
        meter = Meter(budget_calls=self.budget_calls)
        limiter = Limiter(Limits(self.concurrency, retries=0))
        model = partial(wrap, limiter=limiter, cache=self.cache)
        settings = SettingsModel(method="vanilla", limits={"concurrency": self.concurrency})
        who = await self.store.read(lambda c: characters.require(c, "ada"))
        self.judge.name = judge

        def runtime(counting: Meter) -> Runtime:
            actor, rater = model(self.actor, meter=counting), model(self.judge, meter=counting)
            return Runtime(settings, self.store, actor, actor, rater, BuiltinEmbedder())

        cast = Solver(
            {"Ada": who},
            Places(self.dataset),
            {variant.label: variant for variant in self.run.variants},
            lambda variant, character, counting: runtime(counting),
            meter,
        )
        named = {**self.run.models, "judge": ModelNamed(judge, self.judge.base_url)}
        run = replace(self.run, models=named)
        runner = Runner(
            run,
            self.dataset,
            self.protocol,
            cast,
            runtime(meter),
            self.events.append,
            asks,
        )
        return await runner.go_on()

    async def cells(self) -> list[Cell]:
        """What is stored."""
        return await stored_cells(self.store, "r-1")

    async def ratings(self, judge: str | None = None) -> list[Rating]:
        """What is stored."""
        return await stored_ratings(self.store, "r-1", judge)

    async def status(self) -> str:
        """What the run's record says."""
        return (await self.store.read(lambda c: evaluations.require_run(c, "r-1"))).status

    def asked(self) -> list[str]:
        """The questions that the actor was asked."""
        return [request.messages[-1].content for request in self.actor.requests]
