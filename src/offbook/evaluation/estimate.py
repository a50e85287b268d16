"""What a run would still cost: a few of its questions are run with models that only count.

The counting models answer by the built-in rules and write nothing; what they were asked of each
method is taken as the measure of the rest. Answers of real models differ in length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final, TypeVar

from offbook.app.estimate import CountingEmbedder, CountingModel
from offbook.evaluation import storage
from offbook.evaluation.runner import Group, plan
from offbook.ingestion.reports import Estimate
from offbook.models.metering import Meter, Price
from offbook.prompts.ask import request_of
from offbook.types import TaskUsage, Usage, traits_of

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import Cell, CellKey, EvaluationProtocol, RatingKey, Run, Variant
    from offbook.evaluation.solver import Solver
    from offbook.protocols import ChatModel
    from offbook.runtime import Runtime
    from offbook.types import Character

T = TypeVar("T")

QUESTIONS_RUN: Final = 3
"""Questions of each method that are run: a run of thousands is estimated within seconds."""
_USED: Final = tuple(field.name for field in fields(Estimate) if field.name != "messages")
GROUPS_READ: Final = 100
"""Stored groups that are looked at for ratings that are not there."""


@dataclass(slots=True)
class RunEstimator:
    """Counts what is left of a run."""

    run: Run
    dataset: Dataset
    protocol: EvaluationProtocol
    solver: Solver
    runtime: Runtime
    prices: Mapping[str, Price]

    async def count(self) -> Estimate:
        """Count calls, tokens and money of what is not stored."""
        models = (self.runtime.actor, self.runtime.extractor, self.runtime.judge)
        if all(traits_of(model).free for model in (*models, self.runtime.embedder)):
            return Estimate()
        store, run = self.runtime.store, self.run
        stored = await storage.stored_keys(store, run.id) if run.id else set()
        groups = plan(run, self.dataset, self.protocol)
        total, problems = Usage(), dict[str, None]()
        for label in self.solver.variants:
            mine = [group for group in groups if group[0].variant == label]
            left = [key for group in mine for key in group if key not in stored]
            meter = Meter(self.prices)
            cells = [await self._solve(key, meter) for key in _some(left, QUESTIONS_RUN)]
            total = storage.summed(total, _scaled(meter, len(left), len(cells)))
            problems |= {f"{label}: {cell.error}": None for cell in cells if cell.error}
            unfinished = [g for g in mine if any(key not in stored for key in g)]
            replied = [cell for cell in cells if cell.reply is not None]
            total = storage.summed(total, await self._judging(unfinished, replied))
        if run.id:
            whole = [g for g in groups if all(key in stored for key in g)]
            total = storage.summed(total, await self._judging_stored(whole))
        return _estimate(total, problems)

    async def _solve(self, key: CellKey, meter: Meter) -> Cell:
        """Ask a question as the run would, of models that only count."""

        def make_runtime(variant: Variant, character: Character, part: Meter) -> Runtime:
            runtime = self.solver.make_runtime(variant, character, part)
            embedder = runtime.embedder
            if not traits_of(embedder).free and character.dimension is not None:
                batch = runtime.settings.embed.batch
                embedder = CountingEmbedder(embedder.name, character.dimension, batch, part)
            return replace(
                runtime,
                actor=self._counting(runtime.actor, part),
                extractor=self._counting(runtime.extractor, part),
                embedder=embedder,
            )

        cell = await replace(self.solver, make_runtime=make_runtime, meter=meter).ask(key)
        if cell is None:
            raise AssertionError("no cell beside it has failed")
        return cell

    async def _judging(self, groups: Sequence[Group], like: Sequence[Cell]) -> Usage:
        """Count the judgements of groups whose cells are to be like these."""
        meter = Meter(self.prices)
        chosen = _some(groups, QUESTIONS_RUN) if like else []
        for group in chosen:
            cells = [replace(like[n % len(like)], key=key) for n, key in enumerate(group)]
            await self._judge(meter, cells, set())
        return _scaled(meter, len(groups), len(chosen))

    async def _judging_stored(self, groups: Sequence[Group]) -> Usage:
        """Count the judgements that stored cells still lack."""
        store, meter = self.runtime.store, Meter(self.prices)
        chosen = _some(groups, GROUPS_READ)
        judge = self.run.models["judge"].model
        rated = await storage.rated_keys(store, self.run.id, judge)
        for group in chosen:
            cells = await storage.cells_of(store, self.run.id, group)
            await self._judge(meter, cells, rated)
        return _scaled(meter, len(groups), len(chosen))

    async def _judge(self, meter: Meter, cells: Sequence[Cell], rated: set[RatingKey]) -> None:
        if traits_of(self.runtime.judge).free:
            return
        judge = self._counting(self.runtime.judge, meter)
        for each in self.protocol.judgements(self.run, self.dataset, cells):
            if each.prompt is not None and any(key not in rated for key in each.keys):
                await judge.complete(request_of(each.prompt, each.inputs))

    def _counting(self, model: ChatModel, meter: Meter) -> ChatModel:
        return model if traits_of(model).free else CountingModel(model, self.runtime.store, meter)


def added(first: Estimate, others: Sequence[Estimate]) -> Estimate:
    """Add estimates; without a price of one that costs, there is none of the whole."""
    total, messages = Usage(), dict[str, None]()
    for each in (first, *others):
        messages |= dict.fromkeys(each.messages)
        row = {name: getattr(each, name) for name in _USED}
        total = storage.summed(total, Usage(**row))
    return _estimate(total, messages)


def _estimate(usage: Usage, messages: Iterable[str]) -> Estimate:
    return Estimate(**{name: getattr(usage, name) for name in _USED}, messages=tuple(messages))


def _some(items: Sequence[T], most: int) -> list[T]:
    """Choose at most ``most``, spread over all."""
    return list(items[:: max(1, len(items) // most)][:most])


def _scaled(meter: Meter, whole: int, sample: int) -> Usage:
    """Take what a sample has used as the measure of the whole."""
    usage = meter.usage()
    share = whole / max(1, sample)
    tasks = {
        name: TaskUsage(
            calls=round(task.calls * share),
            prompt_tokens=round(task.prompt_tokens * share),
            completion_tokens=round(task.completion_tokens * share),
        )
        for name, task in usage.by_task.items()
    }
    return Usage(
        calls=sum(task.calls for task in tasks.values()),
        prompt_tokens=sum(task.prompt_tokens for task in tasks.values()),
        completion_tokens=sum(task.completion_tokens for task in tasks.values()),
        embed_calls=round(usage.embed_calls * share),
        cost_usd=None if usage.cost_usd is None else usage.cost_usd * share,
        by_task=tasks,
    )
