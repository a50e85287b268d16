"""Guided selection: the passages from which something of the character can be inferred.

Takes: passages by similarity to the question, best first, and a judge.  Gives: the first M that
are judged to reveal something, in rank order; where none does, the M + 1 most similar.
Paper: AMADEUS (003), section 4.2 and Algorithm 1. The judgements do not depend on one another: they
are asked for in windows side by side, and the outcome is that of one after the other. An answer
that cannot be used is no verdict: it is told apart from a no.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from offbook.errors import AnswerError, InputRefused
from offbook.models.failures import why_without
from offbook.models.side_by_side import run_all
from offbook.prompts.ask import RETRIES, ask
from offbook.prompts.traits import REVEALS_TRAIT, PassageInputs

if TYPE_CHECKING:
    from offbook.protocols import ChatModel
    from offbook.retrieval.passages import Passage
    from offbook.types import Character

T = TypeVar("T")

Judge = Callable[[T], Awaitable[bool]]
"""Whether something can be inferred from a passage; raises where no verdict could be got."""


@dataclass(frozen=True, slots=True)
class Selection(Generic[T]):
    """What was selected for one question.

    Args:
        chosen: The passages in rank order; where the slot stayed empty, the most similar ones.
        is_fallback: Whether the slot stayed empty.
        looked_at: How many passages the sequential algorithm looks at (t of Algorithm 1).
        judged: For how many a verdict was got; in windows these may be more.
        unjudged: Passages without a verdict among those that were looked at, and why.
    """

    chosen: tuple[T, ...]
    is_fallback: bool
    looked_at: int
    judged: int = 0
    unjudged: tuple[tuple[T, str], ...] = ()

    @property
    def found_nothing(self) -> bool | None:
        """Whether no passage was found to reveal anything; None where not one could be judged."""
        return None if self.looked_at == len(self.unjudged) else self.is_fallback


async def select_live(
    ranked: Sequence[T], judge: Judge[T], *, n: int, m: int, window: int
) -> Selection[T]:
    """Select by asking about each passage, ``window`` of them side by side.

    As soon as the slot is full, no further call goes out; those that are out are waited for.

    Args:
        ranked: Passages, the most similar first.
        judge: Asks about one passage.
        n: How many are looked at, at most.
        m: Size of the slot.
        window: How many are asked about at once.

    Raises:
        ModelError: the endpoint failed for good.
        BudgetReached: the next call would go over the budget.
    """
    looking = _Looking(ranked[:n], judge, m)
    for start in range(0, len(looking.passages), window):
        if looking.is_decided:
            break
        await looking.ask(start, min(start + window, len(looking.passages)))
    reasons = {place: why for place, why in looking.verdicts.items() if isinstance(why, str)}
    verdicts = {place: told is True for place, told in looking.verdicts.items()}
    return _selection(ranked, verdicts, reasons, n, m)


def select_stored(
    ranked: Sequence[T],
    verdicts: Sequence[bool | None],
    *,
    n: int,
    m: int,
) -> Selection[T]:
    """Select by verdicts that are known; no call is made.

    Args:
        ranked: Passages, the most similar first.
        verdicts: One for each of them; None: there is none.
        n: How many are looked at, at most.
        m: Size of the slot.
    """
    known = {place: told is True for place, told in enumerate(verdicts[:n])}
    reasons = {
        place: "no judgement of it is stored"
        for place, told in enumerate(verdicts[:n])
        if told is None
    }
    return _selection(ranked, known, reasons, n, m)


def trait_judge(
    model: ChatModel, character: Character, question: str, retries: int = RETRIES
) -> Judge[Passage]:
    """A judge that asks ``model`` whether a passage reveals something that bears on ``question``.

    Args:
        model: The extractor.
        character: Whose texts the passages are from.
        question: What is asked, with what it refers back to.
        retries: How often an unusable answer is asked for again.
    """

    async def judge(passage: Passage) -> bool:
        chunk = passage.chunk
        inputs = PassageInputs(character.name, chunk.heading_path, chunk.text, question)
        documents = frozenset({f"{character.id}/{chunk.document}"})
        answer = await ask(model, REVEALS_TRAIT, inputs, documents=documents, retries=retries)
        return answer.reveals

    return judge


class _DecidedError(Exception):
    """The slot is full: nothing more has to be asked."""


@dataclass(slots=True)
class _Looking(Generic[T]):
    """The verdicts so far: yes, no, or why there is none."""

    passages: Sequence[T]
    judge: Judge[T]
    m: int
    verdicts: dict[int, bool | str] = field(default_factory=dict)

    @property
    def is_decided(self) -> bool:
        """Whether M passages say yes, and all before the last of them have been looked at."""
        found = 0
        for place in range(len(self.passages)):
            if place not in self.verdicts:
                return False
            found += self.verdicts[place] is True
            if found == self.m:
                return True
        return True

    async def ask(self, start: int, stop: int) -> None:
        """Look at the passages of a window."""
        try:
            await run_all([partial(self._look, place) for place in range(start, stop)])
        except _DecidedError:
            # `run_all` has let the calls that were out come home, and sent no others.
            return

    async def _look(self, place: int) -> None:
        try:
            self.verdicts[place] = await self.judge(self.passages[place])
        except (AnswerError, InputRefused) as error:
            self.verdicts[place] = why_without(error)
        if self.is_decided:
            raise _DecidedError


def _selection(
    ranked: Sequence[T],
    verdicts: Mapping[int, bool],
    reasons: Mapping[int, str],
    n: int,
    m: int,
) -> Selection[T]:
    """The outcome of Algorithm 1 for these verdicts, by place in the ranking."""
    most = min(n, len(ranked))
    chosen: list[T] = []
    looked_at = 0
    while looked_at < most and len(chosen) < m:
        if verdicts[looked_at]:
            chosen.append(ranked[looked_at])
        looked_at += 1
    unjudged = tuple((ranked[at], reasons[at]) for at in range(looked_at) if at in reasons)
    return Selection(
        chosen=tuple(chosen or ranked[: m + 1]),
        is_fallback=not chosen,
        looked_at=looked_at,
        judged=len(verdicts) - len(reasons),
        unjudged=unjudged,
    )
