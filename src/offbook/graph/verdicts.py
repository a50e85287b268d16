"""Pairs of raw entities are judged, and groups of three or more names looked at once more.

Paper: RoleRAG (001), appendix B, Algorithm 1, line 7; here all at once, all candidates of an entity
in one item, and many items in a call. Ours: chains of links fuse two people (A~B, B~C, A is not C);
whoever sees the whole chain sees that, and may split it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from offbook.models.batching import (
    Asking,
    PutAside,
    ask_in_batches,
    in_batches,
    open_batches,
    tokens_of,
)
from offbook.names.evidence import says_who
from offbook.prompts.entities import (
    SAME_ENTITY,
    VERIFY_GROUP,
    Comparison,
    ComparisonAnswer,
    Described,
    GroupVerdict,
    LinkedGroup,
    SameEntityInputs,
    VerifyGroupInputs,
)
from offbook.prompts.prompt import in_order
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
        return in_order(answer.items, len(batch))

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


LEAST: Final = 3
"""A pair was judged already; a chain begins with three names."""

FEW_GROUPS_A_CALL: Final = 4
"""Fewer groups than that are not worth a call of their own, as long as there are few calls."""

_DESCRIPTIONS: Final = 4
_TOLD_CHARS: Final = 400

Block = list[int]
"""Rows of mentions that are linked by their equal names."""


@dataclass(frozen=True, slots=True)
class Split:
    """The parts of a component, as lists of 0-based numbers of its blocks; one part: no split."""

    parts: tuple[tuple[int, ...], ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Component:
    """Linked blocks, and what they are shown as; ``key`` changes with what is shown."""

    blocks: tuple[Block, ...]
    members: tuple[Described, ...]
    chunks: tuple[str, ...]

    @property
    def key(self) -> str:
        """Identifies the question."""
        shown = [[member.name, member.type, member.description] for member in self.members]
        return hashlib.blake2b(json.dumps(shown).encode(), digest_size=16).hexdigest()


KeepSplits = Callable[[Sequence[tuple[Component, Split]]], Awaitable[None]]


def component_of(entities: Sequence[RawEntity], blocks: Sequence[Block]) -> Component:
    """Linked blocks as they are shown: each with its commonest name and first descriptions."""
    members = tuple(_describe([entities[row] for row in block]) for block in blocks)
    chunks = dict.fromkeys(entities[row].chunk for block in blocks for row in block)
    return Component(tuple(blocks), members, tuple(chunks))


def _describe(mentions: Sequence[RawEntity]) -> Described:
    name = Counter(mention.name for mention in mentions).most_common(1)[0][0]
    kind = Counter(mention.type for mention in mentions).most_common(1)[0][0]
    descriptions = list(dict.fromkeys(m.description for m in mentions if m.description))
    # What says who is who may come late in a text; among the rest the first come first.
    descriptions = sorted(descriptions, key=lambda description: not says_who(description, name))[
        :_DESCRIPTIONS
    ]
    return Described(name, kind, " / ".join(descriptions)[: _TOLD_CHARS * 2])


async def verify(
    components: Sequence[Component],
    known: Mapping[str, Split],
    asking: Asking,
    keep: KeepSplits,
) -> list[PutAside[Component]]:
    """Have the components looked at that are not in ``known``; answers are kept as they arrive.

    Raises:
        ModelError: the endpoint failed for good; what arrived is kept.
        BudgetReached: likewise.
    """

    async def ask(batch: Sequence[Component]) -> list[GroupVerdict]:
        groups = tuple(LinkedGroup(component.members) for component in batch)
        inputs = VerifyGroupInputs(asking.character, groups)
        chunks = [chunk for component in batch for chunk in component.chunks]
        answer = await asking.ask(VERIFY_GROUP, inputs, chunks)
        return in_order(answer.items, len(batch))

    async def keep_answers(answered: Sequence[tuple[Component, GroupVerdict]]) -> None:
        await keep([(component, _split(component, verdict)) for component, verdict in answered])

    def divide(some: Sequence[Component]) -> list[list[Component]]:
        return in_batches(
            some,
            lambda component: tokens_of(LinkedGroup(component.members).line()),
            asking.batch_tokens,
            asking.batch_items,
            min(asking.side_by_side, -(-len(some) // FEW_GROUPS_A_CALL)),
        )

    batches = open_batches(components, lambda c: None if c.key in known else c, divide)
    return await ask_in_batches(batches, ask, keep_answers)


def _split(component: Component, verdict: GroupVerdict) -> Split:
    if not verdict.split:
        return Split((tuple(range(len(component.members))),), verdict.reason)
    parts = tuple(tuple(number - 1 for number in part) for part in verdict.parts if part)
    return Split(parts, verdict.reason)
