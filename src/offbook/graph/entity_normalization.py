"""Entity normalization: which raw entities are one and the same.

Paper: RoleRAG (001), section 3.2, Algorithm 1 (connected components: lines 8 and 9). Here all
decisions are made side by side, on raw entities instead of names. One look at all names together,
and verifying groups of three or more names, are ours.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from offbook.graph.candidates import candidate_pairs, link_equal_names
from offbook.graph.name_candidates import candidates_by_name
from offbook.graph.verdicts import (
    LEAST,
    Component,
    Split,
    component_of,
    decision_id,
    judge_pairs,
    verify,
)
from offbook.graph.who_is_who import Settled, ask_who_is_who, settle, windows_of
from offbook.models.batching import gather_all
from offbook.names.identity import name_key
from offbook.prompts.who_is_who import WHO_IS_WHO
from offbook.types import traits_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.graph.candidates import Blocks, Pair
    from offbook.graph.who_is_who import Window
    from offbook.models.batching import Asking
    from offbook.prompts.who_is_who import WhoIsWho
    from offbook.settings.model import GraphSettings
    from offbook.types import Decision, RawEntity


class Links:
    """Disjoint sets of rows.

    Args:
        keys: The name key of each row (``name_key``).
        apart: Pairs of name keys, or of ids, that may not stand in one set.
        ids: The id of each row, where any may be told apart by it.
    """

    def __init__(
        self,
        keys: Sequence[str],
        apart: Collection[tuple[str, str]] = (),
        ids: Sequence[str] | None = None,
    ) -> None:
        self._parent = list(range(len(keys)))
        named = {key for pair in apart for key in pair}
        # Only the names that are told apart have to be known of a set.
        self._names = [set(both) & named for both in zip(keys, ids or keys, strict=True)]
        self._apart = {pair for a, b in apart for pair in ((a, b), (b, a))}

    def root(self, row: int) -> int:
        """The row that stands for the set of ``row``."""
        while self._parent[row] != row:
            self._parent[row] = self._parent[self._parent[row]]
            row = self._parent[row]
        return row

    def join(self, a: int, b: int) -> bool:
        """Join the sets of two rows; False where a person's word forbids it."""
        a, b = sorted((self.root(a), self.root(b)))
        if a == b:
            return True
        if any((x, y) in self._apart for x in self._names[a] for y in self._names[b]):
            return False
        self._parent[b] = a
        self._names[a] |= self._names[b]
        return True

    def sets(self) -> list[list[int]]:
        """The sets, in the order of their first rows."""
        members: dict[int, list[int]] = {}
        for row in range(len(self._parent)):
            members.setdefault(self.root(row), []).append(row)
        return list(members.values())


Group = list[int]
"""Rows of raw entities that are one and the same, ascending."""


class Ledger:
    """What has been decided, and where new decisions go; this one keeps them in memory.

    A subclass stores them as they arrive, so that no pair and no group is asked about twice.

    Args:
        decisions: On raw entities by their ids, and a person's on names (or, where both bear one
            name, on raw entities).
        splits: Verdicts on whole groups by ``Component.key``.
        settled: Answers to who is who by ``Window.key``.
    """

    def __init__(
        self,
        decisions: Sequence[Decision] = (),
        splits: Mapping[str, Split] | None = None,
        settled: Mapping[str, WhoIsWho] | None = None,
    ) -> None:
        self.persons = [decision for decision in decisions if decision.by == "person"]
        self.decisions = {decision.id: decision for decision in decisions}
        self.splits = dict(splits or {})
        self.settled = dict(settled or {})

    def expect(self, pairs: int) -> None:
        """Be told how many pairs are about to be judged."""

    async def keep_decisions(self, made: Sequence[Decision]) -> None:
        """Keep decisions on pairs."""
        self.decisions.update({decision.id: decision for decision in made})

    async def keep_settled(self, made: Sequence[tuple[Window, WhoIsWho]]) -> None:
        """Keep answers to who is who."""
        self.settled.update({window.key: answer for window, answer in made})

    async def record(self, made: Sequence[Decision]) -> None:
        """Keep the decisions that the answers to who is who come to, in the place of older ones.

        What a person or a comparison has decided on the same two stays.
        """
        older = [each.id for each in self.decisions.values() if each.by == WHO_IS_WHO.name]
        for identity in older:
            del self.decisions[identity]
        self.decisions.update({each.id: each for each in made if each.id not in self.decisions})

    async def keep_splits(self, made: Sequence[tuple[Component, Split]]) -> None:
        """Keep verdicts on groups."""
        self.splits.update({component.key: split for component, split in made})


@dataclass(slots=True)
class Normalized:
    """The outcome.

    ``aside`` says of which raw entities (by row) a question stayed open, and why: nothing was
    linked there.
    """

    groups: list[Group]
    aside: list[tuple[tuple[int, ...], str]] = field(default_factory=list)


async def normalize(
    entities: Sequence[RawEntity],
    vectors: NDArray[np.float32] | None,
    settings: GraphSettings,
    asking: Asking,
    ledger: Ledger | None = None,
) -> Normalized:
    """Group raw entities that are one and the same.

    Args:
        entities: In reading order.
        vectors: Unit vectors of their names and descriptions, shape ``(n, dimension)``; None: no
            candidates by meaning.
        settings: How candidates are found, and whether groups of three or more names are looked at
            once more.
        asking: The model that judges.
        ledger: What is decided already, and where decisions go.

    Raises:
        ModelError: the endpoint failed for good; what arrived is in the ledger.
        BudgetReached: likewise.
    """
    ledger = ledger or Ledger()
    outcome = Normalized([])
    blocks = link_equal_names(entities, settings)
    pairs = candidate_pairs(entities, vectors, blocks, settings, candidates_by_name)
    # 1 -- all names at once, and the pairs that do not stand together there -------------------
    # Rules judge each pair by itself, whatever stands beside it.
    at_once = settings.who_is_who and not traits_of(asking.model).free
    windows = windows_of(entities, blocks, pairs) if at_once else []
    settled = await _judged(entities, blocks, windows, pairs, asking, ledger, outcome)
    # 2 -- connected components ---------------------------------------------------------------
    blocks = settled.blocks
    links = _linked(entities, settled, pairs, ledger)
    # 3 -- whole groups -----------------------------------------------------------------------
    chained = _components(entities, links, settled) if settings.verify else []
    for unread in await verify(chained, ledger.splits, asking, ledger.keep_splits):
        members = tuple(row for block in unread.item.blocks for row in block)
        outcome.aside.append((members, unread.reason))
    outcome.groups = _groups(entities, links, chained, ledger)
    return outcome


async def _judged(
    entities: Sequence[RawEntity],
    blocks: Blocks,
    windows: Sequence[Window],
    pairs: Sequence[Pair],
    asking: Asking,
    ledger: Ledger,
    outcome: Normalized,
) -> Settled:
    """Have the windows looked at, and the pairs judged that stand in none of them together."""
    shown = [{blocks.of[row] for block in window.blocks for row in block} for window in windows]
    apart = [
        pair
        for pair in pairs
        if not any({blocks.of[row] for row in pair} <= blocks_shown for blocks_shown in shown)
    ]
    decided = ledger.decisions
    ledger.expect(sum(_id(entities, pair) not in decided for pair in apart))
    unsettled, unjudged = await gather_all(
        partial(ask_who_is_who, windows, ledger.settled, asking, ledger.keep_settled),
        partial(judge_pairs, entities, apart, decided, asking, ledger.keep_decisions),
    )
    rows = {entity.id: row for row, entity in enumerate(entities)}
    for left in unjudged:
        concerned = (left.item.entity, *left.item.candidates)
        outcome.aside.append((tuple(rows[entity.id] for entity in concerned), left.reason))
    for left in unsettled:
        outcome.aside.append((tuple(block[0] for block in left.item.blocks), left.reason))
    settled = settle(entities, blocks, windows, ledger.settled)
    await ledger.record(settled.decisions)
    return settled


def _id(entities: Sequence[RawEntity], pair: Pair) -> str:
    return decision_id(entities[pair[0]].id, entities[pair[1]].id)


def _linked(
    entities: Sequence[RawEntity], settled: Settled, pairs: Sequence[Pair], ledger: Ledger
) -> Links:
    """Links by a person's word first, then by equal names, then as judged."""
    of = settled.blocks.of
    ids = [entity.id for entity in entities]
    links = Links(_keys(entities), _apart(ledger, set(ids)), ids)
    for a, b in _persons_pairs(entities, ledger):
        links.join(a, b)
    first: dict[int, int] = {}
    for row, block in enumerate(of):
        links.join(first.setdefault(block, row), row)
    for a, b in settled.joins:
        links.join(a, b)
    for row, earlier in pairs:
        decision = ledger.decisions.get(_id(entities, (row, earlier)))
        if decision is not None and decision.same and not settled.holds(of[row], of[earlier]):
            links.join(row, earlier)
    return links


def _keys(entities: Sequence[RawEntity]) -> list[str]:
    return [name_key(entity.name) for entity in entities]


def _apart(ledger: Ledger, ids: Set[str]) -> list[tuple[str, str]]:
    """Names that a person has told apart or, where both bear one name, mentions."""
    pairs = [(word.a, word.b) for word in ledger.persons if not word.same]
    return [(a, b) if a in ids and b in ids else (name_key(a), name_key(b)) for a, b in pairs]


def _persons_pairs(entities: Sequence[RawEntity], ledger: Ledger) -> list[Pair]:
    """The mentions that a person has called the same.

    Of two names the first mentions of a type that both have; of names that no type is common to,
    the first of all. Where both bear one name, the two mentions themselves.
    """
    rows = {entity.id: row for row, entity in enumerate(entities)}
    named: dict[str, dict[str, int]] = {}
    for row, (key, entity) in enumerate(zip(_keys(entities), entities, strict=True)):
        named.setdefault(key, {}).setdefault(entity.type.casefold(), row)
    pairs = []
    for word in ledger.persons:
        if not word.same:
            continue
        if word.a in rows and word.b in rows:
            pairs.append((rows[word.a], rows[word.b]))
            continue
        a, b = named.get(name_key(word.a)), named.get(name_key(word.b))
        if a and b:
            pairs.append(min(((a[k], b[k]) for k in a if k in b), default=_first_of(a, b)))
    return pairs


def _first_of(a: Mapping[str, int], b: Mapping[str, int]) -> Pair:
    return min(a.values()), min(b.values())


def _components(entities: Sequence[RawEntity], links: Links, settled: Settled) -> list[Component]:
    """Groups of three or more blocks that were not seen together yet, as they will be shown."""
    components = []
    for rows in links.sets():
        of_block: dict[int, list[int]] = {}
        for row in rows:
            of_block.setdefault(settled.blocks.of[row], []).append(row)
        if len(of_block) >= LEAST and not settled.holds(*of_block):
            components.append(component_of(entities, list(of_block.values())))
    return components


def _groups(
    entities: Sequence[RawEntity],
    links: Links,
    chained: Sequence[Component],
    ledger: Ledger,
) -> list[Group]:
    """The final groups: components, split where they were found to hold several."""
    chains = {component.blocks[0][0]: component for component in chained}
    groups: list[Group] = []
    for rows in links.sets():
        component = chains.get(rows[0])
        split = ledger.splits.get(component.key) if component is not None else None
        if component is None or split is None:
            groups.append(rows)
            continue
        groups += [
            sorted(row for number in part for row in component.blocks[number])
            for part in split.parts
        ]
    return _persons_word(entities, groups, ledger)


def _persons_word(
    entities: Sequence[RawEntity], groups: Sequence[Group], ledger: Ledger
) -> list[Group]:
    """Join again what a person has called the same and a verdict has split."""
    home = {row: number for number, group in enumerate(groups) for row in group}
    joined = Links([""] * len(groups))
    for a, b in _persons_pairs(entities, ledger):
        joined.join(home[a], home[b])
    merged = [sorted(r for number in part for r in groups[number]) for part in joined.sets()]
    return sorted(merged)
