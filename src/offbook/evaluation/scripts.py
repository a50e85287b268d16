"""Conversations: scripts that are said turn by turn, and questions after many earlier sessions.

A script is one conversation. It runs by the path of ``offbook chat``: turns are kept under a person
of their own, memories are made of them behind the conversation and recalled in later turns, what
outgrows the prompt is summarized. Drift is the mean of a metric in the last third of a script less
that in its first.
Source: ours; session-level scoring and drift after Persistent Personas (EACL 2026);
questions after sessions after LoCoMo (Maharana et al. 2024) and LongMemEval (Wu et al. 2025).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from offbook.agent.distilling import distil, distils
from offbook.agent.history import principal_of, stored_id
from offbook.agent.learning import Learning, is_worth_it
from offbook.agent.session import Session
from offbook.errors import AnswerError, InputRefused
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.statistics import estimate
from offbook.evaluation.protocols import QuestionsProtocol
from offbook.evaluation.record import Cell, Score, answered
from offbook.evaluation.reply_metrics import reply_judgements
from offbook.evaluation.scores import ALL, scores_of
from offbook.ingestion.memories import Remembering, waiting
from offbook.memory.turns import TurnKeeper
from offbook.retrieval.search import LexicalIndex, encode_terms
from offbook.stores.connection import to_the_end
from offbook.stores.memory_statements import undistilled
from offbook.types import Usage

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset, PastSession
    from offbook.evaluation.record import CellKey, Judgement, Rating, Run
    from offbook.evaluation.reply_metrics import Exchange
    from offbook.evaluation.scores import Measured
    from offbook.evaluation.solver import Solver
    from offbook.stores.connection import Connection

NEAREST: Final = 6
"""Earlier turns that a judge is shown: those with most words in common with question and reply."""
LATEST: Final = 2
"""And the last ones before it."""


class Spoken:
    """Cells of one character and variant that belong to conversations of one person of their own.

    Args:
        solver: Who is asked, and how.
        run: Id of the run.
        first: Any cell of them.
    """

    def __init__(self, solver: Solver, run: str, first: CellKey) -> None:
        self._solver = solver
        self._meter = solver.meter.part()
        self._character = solver.characters[first.subject]
        self._questions = solver.places.of(first.subject).questions
        self._make = partial(solver.make_runtime, solver.variants[first.variant])
        self._runtime = self._make(self._character, self._meter)
        whole = first.question.rpartition("/")[0]
        self._person = f"eval {run} {first.variant} {whole} {first.repeat}"

    def _session(self, name: str, learning: Learning | None, *, keep: bool) -> Session:
        return Session(
            self._runtime.store,
            self._character,
            lambda who: (self._make(who, self._meter), self._meter),
            name,
            self._person,
            keep=keep,
            learning=learning,
        )

    async def _asked(self, session: Session, key: CellKey, text: str) -> Cell:
        """The cell with the reply to what is said, or why there is none."""
        self._meter = self._solver.meter.part()
        try:
            reply = await session.ask(text)
        except (AnswerError, InputRefused) as failure:
            return answered(key, self._character.id, self._meter.usage(), None, None, failure)
        return answered(key, self._character.id, reply.usage, reply.text, reply.recall)


class Talk(Spoken):
    """One script as one conversation; it goes on where it stopped, also in another process."""

    def __init__(self, solver: Solver, run: str, first: CellKey) -> None:
        super().__init__(solver, run, first)
        self._learning = Learning(lambda who: self._make(who, self._meter))
        self._talk = self._session("script", self._learning, keep=True)
        self._before: Counter[str] = Counter()

    def passed(self, key: CellKey) -> None:
        """Count a turn whose cell is stored."""
        self._before[self._questions[key.question].text] += 1

    async def say(self, key: CellKey) -> Cell:
        """The finished cell of the next turn, or of one that was spoken before.

        Raises:
            BudgetReached, IndexMissing, ModelError: as `Solver.ask`.
        """
        text = self._questions[key.question].text
        await self._talk.open()
        replies = [
            answer.content
            for message, answer in pairwise(self._talk.history)
            if message.role == "user" and message.content == text
        ]
        before = self._before[text]
        self._before[text] += 1
        if before < len(replies):
            # It was spoken before a run was broken off; what it rested on is not known any more.
            return answered(key, self._character.id, Usage(), replies[before], None)
        cell = await self._asked(self._talk, key, text)
        await self._learning.rest()
        return cell


class Remembered(Spoken):
    """Questions about earlier sessions: these are kept first, then each is asked by itself.

    Sessions take the path that a conversation takes: turns become memories, these are scored and
    embedded, and distilled into statements where the method tells any. A question is asked in a
    conversation that is not kept.
    """

    _kept = False

    def passed(self, key: CellKey) -> None:
        """Nothing rests on a question that was asked before."""

    async def say(self, key: CellKey) -> Cell:
        """The finished cell of a question.

        Raises:
            BudgetReached, IndexMissing, ModelError: as `Solver.ask`.
        """
        question = self._questions[key.question]
        if not self._kept:
            async with self._solver.telling:
                await self._keep(self._solver.places.dataset.histories[question.history])
            self._kept = True
        session = await self._session("question", None, keep=False).open()
        return await self._asked(session, key, question.text)

    async def _keep(self, history: Sequence[PastSession]) -> None:
        runtime, character = self._runtime, self._character
        for number, past in enumerate(history, 1):
            await to_the_end(runtime.store.write(partial(self._keep_turns, number, past)))
        if not is_worth_it(runtime):
            return
        # Many sessions at once: a conversation would come to the same in the course of time.
        ids = await runtime.store.read(lambda conn: waiting(conn, character.id, every=True))
        await Remembering(runtime, character).run(ids)
        left = await self._undistilled()
        while distils(runtime) and left:
            outcome = await distil(runtime, character, now=datetime.now(UTC) + timedelta(days=1))
            await Remembering(runtime, character).run(outcome.made)
            before, left = left, await self._undistilled()
            if left >= before:
                break  # an answer could not be used: its turns stay as they are, and are recalled

    async def _undistilled(self) -> int:
        stored = await self._runtime.store.read(undistilled, self._character.id)
        return sum(talk.turns for talk in stored)

    def _keep_turns(self, number: int, past: PastSession, conn: Connection) -> None:
        """Keep the turns of a session; those that are there already stay as they are."""
        whose, settings = principal_of(self._person), self._runtime.settings.memory
        keeper = TurnKeeper(self._character, stored_id(f"{number}", self._person), whose, settings)
        parent = ""
        for said, reply in past.turns:
            dated = f"({past.date}) {said}" if past.date else said
            parent = keeper.keep(conn, dated, reply, parent=parent).turn


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


class RecallProtocol(QuestionsProtocol):
    """Questions after sessions, each rated alone, as soon as those of its sessions are answered."""

    ready = ScriptProtocol.ready


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
