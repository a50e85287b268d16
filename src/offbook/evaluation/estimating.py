"""What a run would still cost, without a call: calls, tokens and money by task.

Takes: a run, and the embedded model to stand in for every endpoint.  Gives: an estimate: a few
questions of each method are recalled and answered by the stand-in, what it was asked is counted,
and the rest is taken to be like these. Answers of real models differ in length.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from offbook import pipeline
from offbook.errors import ModelError
from offbook.evaluation import streaming
from offbook.evaluation.plan import Group, plan
from offbook.evaluation.rating import Rater
from offbook.evaluation.record import Cell, CellKey
from offbook.ingestion.reports import Estimate
from offbook.language.tokens import count_tokens
from offbook.models.metering import Meter, prompt_tokens_of, task_of
from offbook.models.prices import Price
from offbook.models.wrappers import OFFLINE_URL
from offbook.prompts.ask import request_of
from offbook.prompts.reply import REPLY
from offbook.settings.model import BUILTIN
from offbook.stores.grouped_writes import GroupedWrites
from offbook.types import Recall, TaskUsage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.evaluation.answering import Cast
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.protocol import EvaluationProtocol, Judgement
    from offbook.evaluation.record import Run
    from offbook.pipeline import Stage
    from offbook.protocols import ChatModel, EmbedKind
    from offbook.wire import ChatRequest, ChatResponse

TRIED: Final = 3
"""Questions of each method that the stand-in is asked."""
GROUPS_READ: Final = 100
"""Stored groups that are looked at for ratings that are not there."""
REPLY_TOKENS: Final = 120
"""About what a reply in character has."""
JUDGEMENT_TOKENS: Final = 150
"""About what an analysis with its rating has."""


@dataclass(slots=True)
class _Counted:
    """Calls and tokens, which may be fractions of the whole."""

    calls: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0

    def add(self, calls: float, prompt_tokens: float, completion_tokens: float) -> None:
        self.calls += calls
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens


Tally = dict[tuple[str, str], _Counted]
"""By model and prompt."""


class Standing:
    """Answers in the place of a model, and counts what that was asked.

    Args:
        model: Whose place it takes; its name and address are kept.
        stand_in: Answers.
        tally: Where calls are counted; none where the model costs nothing.
    """

    def __init__(self, model: ChatModel, stand_in: ChatModel, tally: Tally) -> None:
        self.name, self.base_url = model.name, model.base_url
        self._stand_in, self._tally = stand_in, tally
        self._counts = model.base_url != OFFLINE_URL

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The stand-in's answer, counted as the model's."""
        response = await self._stand_in.complete(request)
        if self._counts:
            counted = self._tally[self.name, task_of(request)]
            counted.add(1, prompt_tokens_of(request), count_tokens(response.text))
        return response

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """The same in one piece."""
        yield (await self.complete(request)).text


@dataclass(slots=True)
class StandingEmbedder:
    """Vectors that mean nothing, in the place of an endpoint's, counted as requests."""

    name: str
    dimension: int
    calls: int = 0

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        """Unit vectors that depend on the text alone."""
        import numpy as np

        del kind
        self.calls += bool(texts)
        made = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            made[row, sum(text.encode("utf-8", "replace")) % self.dimension] = 1.0
        return made


@dataclass(slots=True)
class _Tried:
    """What a few questions of one method came to."""

    questions: int = 0
    embed_calls: int = 0
    tally: Tally = field(default_factory=lambda: defaultdict(_Counted))
    cells: list[Cell] = field(default_factory=list)


@dataclass(slots=True)
class RunEstimating:
    """Counts what is left of a run.

    Args:
        run: The run, stored or not.
        dataset: Its dataset.
        protocol: How it is judged.
        cast: Who is asked what.
        stage: The store, the judge, the settings of the whole run.
        stand_in: The embedded model.
        prices: Of models, by name.
    """

    run: Run
    dataset: Dataset
    protocol: EvaluationProtocol
    cast: Cast
    stage: Stage
    stand_in: ChatModel
    prices: Mapping[str, Price]
    _messages: list[str] = field(default_factory=list)

    async def count(self) -> Estimate:
        """Calls, tokens and money of what is not stored."""
        if self._is_free():
            return Estimate()
        store, run = self.stage.store, self.run
        stored = await streaming.stored_keys(store, run.id) if run.id else set()
        groups = plan(run, self.dataset, self.protocol).groups
        total: Tally = defaultdict(_Counted)
        embed_calls = 0.0
        for label in self.cast.variants:
            mine = [group for group in groups if group.keys[0].variant == label]
            left = [key for group in mine for key in group.keys if key not in stored]
            if not left:
                continue
            tried = await self._try(left)
            share = len(left) / max(1, tried.questions)
            _add_scaled(total, tried.tally, share)
            embed_calls += tried.embed_calls * share
            open_groups = [g for g in mine if any(key not in stored for key in g.keys)]
            self._count_judging(total, open_groups, tried.cells)
        if run.id:
            whole = [g for g in groups if all(key in stored for key in g.keys)]
            await self._count_stored(total, whole)
        return self._estimate(total, embed_calls)

    def _is_free(self) -> bool:
        """Whether nothing of the run leaves the machine."""
        models = (self.stage.actor, self.stage.extractor, self.stage.judge)
        offline = all(model.base_url == OFFLINE_URL for model in models)
        return offline and self.stage.settings.embed.model == BUILTIN

    # -- replies -------------------------------------------------------------------------------

    async def _try(self, left: Sequence[CellKey]) -> _Tried:
        """Recall and answer a few of the questions with the stand-in."""
        tried = _Tried()
        step = max(1, len(left) // TRIED)
        for key in left[::step][:TRIED]:
            character = self.cast.characters[key.subject]
            variant = self.cast.variants[key.variant]
            stage = self.cast.make_stage(variant, character, Meter())
            embedder = self._embedder(stage, character.dimension)
            stage = replace(
                stage,
                extractor=Standing(stage.extractor, self.stand_in, tried.tally),
                embedder=embedder or stage.embedder,
            )
            question = self.cast.questions[key.subject, key.question].text
            try:
                found = await pipeline.recall(stage, character, question)
                reply = await pipeline.reply(replace(stage, actor=self.stand_in), character, found)
            except ModelError as error:
                self._messages.append(f"{key.variant}: not estimated: {error.message}")
                continue
            tried.questions += 1
            tried.embed_calls += 0 if embedder is None else embedder.calls
            if self.stage.actor.base_url != OFFLINE_URL:
                inputs = pipeline.reply_inputs(stage, character, found, ())
                tokens = prompt_tokens_of(request_of(REPLY, inputs))
                counted = tried.tally[self.stage.actor.name, REPLY.name]
                counted.add(1, tokens, REPLY_TOKENS)
            tried.cells.append(_cell(key, character.id, reply, found))
        return tried

    def _embedder(self, stage: Stage, dimension: int | None) -> StandingEmbedder | None:
        if stage.settings.embed.model == BUILTIN or dimension is None:
            return None
        return StandingEmbedder(stage.embedder.name, dimension)

    # -- judgements ----------------------------------------------------------------------------

    def _count_judging(self, total: Tally, groups: Sequence[Group], like: Sequence[Cell]) -> None:
        """Count the judgements of groups whose cells are to be like these."""
        if not like or self.stage.judge.base_url == OFFLINE_URL:
            return
        tally: Tally = defaultdict(_Counted)
        step = max(1, len(groups) // TRIED)
        chosen = groups[::step][:TRIED]
        for group in chosen:
            cells = [replace(like[n % len(like)], key=key) for n, key in enumerate(group.keys)]
            self._add_judgements(tally, self.protocol.judgements(self.run, self.dataset, cells))
        _add_scaled(total, tally, len(groups) / len(chosen))

    async def _count_stored(self, total: Tally, groups: Sequence[Group]) -> None:
        """Count the ratings that stored cells still lack; of many groups, some stand for all."""
        if not groups or self.stage.judge.base_url == OFFLINE_URL:
            return
        store, judge = self.stage.store, self.run.models["judge"].model
        rater = Rater(
            self.run,
            self.dataset,
            self.protocol,
            self.stage.judge,
            0,
            GroupedWrites.of(store),
            await streaming.rated_keys(store, self.run.id, judge),
        )
        tally: Tally = defaultdict(_Counted)
        chosen = groups[:: max(1, len(groups) // GROUPS_READ)]
        for group in chosen:
            cells = await streaming.cells_of(store, self.run.id, group.keys)
            self._add_judgements(tally, rater.wanted(cells))
        _add_scaled(total, tally, len(groups) / len(chosen))

    def _add_judgements(self, tally: Tally, judgements: Sequence[Judgement]) -> None:
        for judgement in judgements:
            request = request_of(judgement.prompt, judgement.inputs)
            counted = tally[self.stage.judge.name, judgement.prompt.name]
            counted.add(1, prompt_tokens_of(request), JUDGEMENT_TOKENS)

    # -- the whole -----------------------------------------------------------------------------

    def _estimate(self, total: Tally, embed_calls: float) -> Estimate:
        tasks: dict[str, TaskUsage] = {}
        cost: float | None = 0.0
        for (model, task), counted in sorted(total.items()):
            used = TaskUsage(
                round(counted.calls), round(counted.prompt_tokens), round(counted.completion_tokens)
            )
            tasks[task] = used
            price = self.prices.get(model)
            known = None if price is None else price.of(used.prompt_tokens, used.completion_tokens)
            cost = None if cost is None or known is None else cost + known
        calls = sum(task.calls for task in tasks.values())
        return Estimate(
            calls=calls,
            prompt_tokens=sum(task.prompt_tokens for task in tasks.values()),
            completion_tokens=sum(task.completion_tokens for task in tasks.values()),
            cost_usd=cost if calls else None,
            embed_calls=round(embed_calls),
            by_task=tasks,
            messages=tuple(dict.fromkeys(self._messages)),
        )


def _cell(key: CellKey, character: str, reply: str, found: Recall) -> Cell:
    return Cell(key=key, character=character, reply=reply, error=None, context=found.context)


def _add_scaled(total: Tally, part: Tally, factor: float) -> None:
    for name, counted in part.items():
        total[name].add(
            counted.calls * factor,
            counted.prompt_tokens * factor,
            counted.completion_tokens * factor,
        )
