"""Pairs of raw entities are judged: the same, or not.

Takes: pairs.  Gives: a decision each, with its reason and the chunks that it rests on.
Paper: RoleRAG (001), Algorithm 1, line 7; here all at once, all candidates of an entity in one
item, and many items in a call (methods.md 1, index step 3).
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Container, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from offbook.models.asking import Asking, tokens_of
from offbook.models.batching import PutAside, ask_in_batches, in_batches, open_batches
from offbook.prompts.batches import in_order
from offbook.prompts.described import Described
from offbook.prompts.same_entity import SAME_ENTITY, Comparison, ComparisonAnswer, SameEntityInputs
from offbook.types import Decision

if TYPE_CHECKING:
    from offbook.graph.candidates import Pair
    from offbook.types import RawEntity

FEW_A_CALL: Final = 10
"""Fewer questions than that are not worth a call of their own, as long as there are few calls."""

KeepDecisions = Callable[[Sequence[Decision]], Awaitable[None]]


def decision_id(a: str, b: str) -> str:
    """The id of a decision on two raw entities or two names; the order does not matter."""
    first, second = sorted((a, b))
    return hashlib.blake2b(f"{first}\0{second}".encode(), digest_size=8).hexdigest()


def described(entity: RawEntity) -> Described:
    """A raw entity as prompts show it."""
    return Described(entity.name, entity.type, entity.description)


@dataclass(frozen=True, slots=True)
class Question:
    """A raw entity and the earlier ones that it may be."""

    entity: RawEntity
    candidates: tuple[RawEntity, ...]

    @property
    def comparison(self) -> Comparison:
        """The item of the prompt."""
        return Comparison(described(self.entity), tuple(described(c) for c in self.candidates))

    @property
    def chunks(self) -> tuple[str, ...]:
        """The chunks whose text the item holds."""
        return tuple(dict.fromkeys([self.entity.chunk, *(c.chunk for c in self.candidates)]))

    def without(self, decided: Container[str]) -> Question | None:
        """What is left of it; itself where nothing is decided."""
        left = tuple(c for c in self.candidates if decision_id(self.entity.id, c.id) not in decided)
        if len(left) == len(self.candidates):
            return self
        return replace(self, candidates=left) if left else None


def questions_of(entities: Sequence[RawEntity], pairs: Sequence[Pair]) -> list[Question]:
    """Pairs as they are asked about: all candidates of an entity in one question."""
    by_row: dict[int, list[int]] = {}
    for row, earlier in pairs:
        by_row.setdefault(row, []).append(earlier)
    return [
        Question(entities[row], tuple(entities[earlier] for earlier in of_row))
        for row, of_row in by_row.items()
    ]


async def judge_pairs(
    entities: Sequence[RawEntity],
    pairs: Sequence[Pair],
    decided: Container[str],
    asking: Asking,
    keep: KeepDecisions,
) -> list[PutAside[Question]]:
    """Have the pairs judged whose ids are not in ``decided``; decisions are kept as they arrive.

    Returns:
        What no usable answer could be got for.

    Raises:
        ModelError: the endpoint failed for good; what arrived is kept.
        BudgetReached: likewise.
    """

    async def ask(batch: Sequence[Question]) -> list[ComparisonAnswer]:
        comparisons = tuple(question.comparison for question in batch)
        inputs = SameEntityInputs(asking.character, comparisons)
        chunks = [chunk for question in batch for chunk in question.chunks]
        answer = await asking.ask(SAME_ENTITY, inputs, chunks)
        return in_order(answer.items, len(batch), lambda part: part.item)

    async def keep_answers(answered: Sequence[tuple[Question, ComparisonAnswer]]) -> None:
        await keep([made for question, answer in answered for made in _decide(question, answer)])

    def divide(questions: Sequence[Question]) -> list[list[Question]]:
        return in_batches(
            questions,
            lambda question: tokens_of(question.comparison.line()),
            asking.batch_tokens,
            asking.batch_items,
            min(asking.side_by_side, -(-len(questions) // FEW_A_CALL)),
        )

    questions = questions_of(entities, pairs)
    batches = open_batches(questions, lambda question: question.without(decided), divide)
    return await ask_in_batches(batches, ask, keep_answers)


def _decide(question: Question, answer: ComparisonAnswer) -> list[Decision]:
    """One decision a candidate."""
    entity = question.entity
    return [
        Decision(
            id=decision_id(entity.id, candidate.id),
            a=entity.id,
            b=candidate.id,
            same=number in answer.same,
            by=SAME_ENTITY.name,
            reason=answer.reason_of(number, len(question.candidates)),
            evidence=tuple(dict.fromkeys([candidate.chunk, entity.chunk])),
        )
        for number, candidate in enumerate(question.candidates, 1)
    ]
