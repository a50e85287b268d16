"""Groups of three or more names are looked at once more as a whole, and may be split.

Takes: components of linked blocks.  Gives: their parts. Chains of links fuse two people (A~B, B~C,
A is not C); whoever sees the whole chain sees that. Source: ours (methods.md 1, index step 3).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.language.name_evidence import says_who
from offbook.models.asking import Asking, tokens_of
from offbook.models.batching import PutAside, ask_in_batches, in_batches, open_batches
from offbook.prompts.batches import in_order
from offbook.prompts.described import Described
from offbook.prompts.same_entity import VERIFY_GROUP, GroupVerdict, LinkedGroup, VerifyGroupInputs

if TYPE_CHECKING:
    from offbook.types import RawEntity

LEAST: Final = 3
"""A pair was judged already; a chain begins with three names."""

FEW_A_CALL: Final = 4
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
        told = [[member.name, member.type, member.description] for member in self.members]
        return hashlib.blake2b(json.dumps(told).encode(), digest_size=16).hexdigest()


KeepSplits = Callable[[Sequence[tuple[Component, Split]]], Awaitable[None]]


def component_of(entities: Sequence[RawEntity], blocks: Sequence[Block]) -> Component:
    """Linked blocks as they are shown: each with its commonest name and first descriptions."""
    members = tuple(_describe([entities[row] for row in block]) for block in blocks)
    chunks = dict.fromkeys(entities[row].chunk for block in blocks for row in block)
    return Component(tuple(blocks), members, tuple(chunks))


def _describe(mentions: Sequence[RawEntity]) -> Described:
    name = Counter(mention.name for mention in mentions).most_common(1)[0][0]
    kind = Counter(mention.type for mention in mentions).most_common(1)[0][0]
    told = list(dict.fromkeys(m.description for m in mentions if m.description))
    # What says who is who may come late in a text; among the rest the first come first.
    told = sorted(told, key=lambda description: not says_who(description, name))[:_DESCRIPTIONS]
    return Described(name, kind, " / ".join(told)[: _TOLD_CHARS * 2])


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
        return in_order(answer.items, len(batch), lambda part: part.item)

    async def keep_answers(answered: Sequence[tuple[Component, GroupVerdict]]) -> None:
        await keep([(component, _split(component, verdict)) for component, verdict in answered])

    def divide(some: Sequence[Component]) -> list[list[Component]]:
        return in_batches(
            some,
            lambda component: tokens_of(LinkedGroup(component.members).line()),
            asking.batch_tokens,
            asking.batch_items,
            min(asking.side_by_side, -(-len(some) // FEW_A_CALL)),
        )

    batches = open_batches(components, lambda c: None if c.key in known else c, divide)
    return await ask_in_batches(batches, ask, keep_answers)


def _split(component: Component, verdict: GroupVerdict) -> Split:
    if not verdict.split:
        return Split((tuple(range(len(component.members))),), verdict.reason)
    parts = tuple(tuple(number - 1 for number in part) for part in verdict.parts if part)
    return Split(parts, verdict.reason)
