"""Scripts of many turns: each is said to a character as one conversation, and rated turn by turn.

A script runs by the path of ``offbook chat``: turns are kept under a person of their own, memories
are made of them behind the conversation and recalled in later turns, what outgrows the prompt is
summarized. Drift is the mean of a metric in the last third of a script less that in its first.
Source: ours; session-level scoring and drift after Persistent Personas (EACL 2026).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from offbook.agent.learning import Learning
from offbook.agent.session import Session
from offbook.errors import AnswerError, InputRefused
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.statistics import estimate
from offbook.evaluation.protocols import QuestionsProtocol
from offbook.evaluation.record import Cell, Score
from offbook.evaluation.reply_metrics import reply_judgements
from offbook.evaluation.scores import ALL, scores_of
from offbook.retrieval.search import LexicalIndex, encode_terms
from offbook.stores.statements import timestamp

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import CellKey, Judgement, Rating, Run
    from offbook.evaluation.reply_metrics import Exchange
    from offbook.evaluation.runner import Solver
    from offbook.evaluation.scores import Measured

NEAREST: Final = 6
"""Earlier turns that a judge is shown: those with most words in common with question and reply."""
LATEST: Final = 2
"""And the last ones before it."""


class Talk:
    """One script as one conversation; it goes on where it stopped, also in another process."""

    def __init__(self, solver: Solver, run: str, first: CellKey) -> None:
        self._solver = solver
        self._meter = solver.meter.part()
        self._character = solver.characters[first.subject]
        self._questions = solver.places.of(first.subject).questions
        self._make = partial(solver.make_runtime, solver.variants[first.variant])
        self._learning = Learning(lambda who: self._make(who, self._meter))
        script = self._questions[first.question].script
        self._session = Session(
            self._make(self._character, self._meter).store,
            self._character,
            lambda who: (self._make(who, self._meter), self._meter),
            "script",
            f"eval {run} {first.variant} {script} {first.repeat}",
            learning=self._learning,
        )
        self._spoken: Counter[str] = Counter()

    def passed(self, key: CellKey) -> None:
        """Count a turn whose cell is stored."""
        self._spoken[self._questions[key.question].text] += 1

    async def say(self, key: CellKey) -> Cell:
        """The finished cell of the next turn, or of one that was spoken before.

        Raises:
            BudgetReached, IndexMissing, ModelError: as `Solver.ask`.
        """
        text = self._questions[key.question].text
        self._meter = self._solver.meter.part()
        await self._session.open()
        answered = [
            answer.content
            for asked, answer in pairwise(self._session.history)
            if asked.role == "user" and asked.content == text
        ]
        before = self._spoken[text]
        self._spoken[text] += 1
        cell = Cell(key, self._character.id, None, None)
        if before < len(answered):
            # It was spoken before a run was broken off; what it rested on is not known any more.
            return replace(cell, reply=answered[before], finished=timestamp())
        try:
            reply = await self._session.ask(text)
        except (AnswerError, InputRefused) as failure:
            error = f"{failure.kind}: {failure.message}"
            return replace(cell, error=error, usage=self._meter.usage(), finished=timestamp())
        await self._learning.rest()
        boundary = reply.recall.boundary
        return replace(
            cell,
            reply=reply.text,
            context=reply.recall.context,
            verdict=None if boundary is None else boundary.verdict,
            fallback=reply.recall.fallback,
            usage=reply.usage,
            finished=timestamp(),
        )


class ScriptProtocol(QuestionsProtocol):
    """Turns of a script are said in order, and rated when the conversation has ended."""

    def ready(self, key: CellKey) -> Hashable:
        """One conversation: a subject, a script, a variant, a repeat."""
        return key.subject, key.question.rpartition("/")[0], key.variant, key.repeat

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        """Those of each turn, with what was said before it."""
        talks: dict[Hashable, list[Exchange]] = defaultdict(list)
        for exchange in self._places(dataset).exchanges(cells):
            talks[self.ready(exchange.cell.key)].append(exchange)
        return [
            judgement
            for turns in talks.values()
            for exchange in with_earlier(turns)
            for judgement in reply_judgements(run, exchange)
        ]

    def scores(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> list[Score]:
        """Means over all turns and by turn, and the drift of each metric."""
        return scores_of(run, dataset, cells, ratings, [drift_scores])


def with_earlier(turns: Sequence[Exchange]) -> Iterator[Exchange]:
    """The turns of one conversation, each with the earlier ones that bear on it, in their order."""
    blobs = [encode_terms(f"{each.question.text}\n{each.reply}") for each in turns]
    for place, exchange in enumerate(turns):
        chosen = set(range(max(0, place - LATEST), place))
        if place > LATEST:
            index = LexicalIndex.from_blobs(list(map(str, range(place))), blobs[:place])
            much = index.scores(f"{exchange.question.text}\n{exchange.reply}")
            chosen |= set(map(int, much.argsort()[::-1][:NEAREST]))
        pairs = ((turns[n].question.text, turns[n].reply) for n in sorted(chosen))
        yield replace(exchange, earlier=tuple(pairs))


def drift_scores(measured: Measured) -> Iterator[Score]:
    """Last third less first third of each conversation, by metric and variant."""
    for metric in measured.run.metrics:
        scale = SCALES[metric]
        for variant in measured.variants:
            talks: dict[Hashable, list[tuple[int, float]]] = defaultdict(list)
            for place, value in measured.values(variant, metric).items():
                question = measured.question(place)
                if question is not None and value is not None:
                    talks[place.subject, question.script, place.repeat].append(
                        (question.turn, value)
                    )
            drifts = [drift for turns in talks.values() if (drift := _drift(turns)) is not None]
            if drifts:
                yield Score(f"{metric}_drift", variant, ALL, estimate(drifts), None, scale.unit)


def _drift(turns: Sequence[tuple[int, float]]) -> float | None:
    third = len(turns) // 3
    if not third:
        return None
    values = [value for _, value in sorted(turns)]
    return sum(values[-third:]) / third - sum(values[:third]) / third
