"""Groups become entities and relations: one name, one description, the sources of all.

One description is kept as it stands, without a call.
Paper: RoleRAG (001), sections 3.2 and 3.3; that the greatest strength stands is ours.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from offbook.models.batching import (
    Asking,
    PutAside,
    ask_in_batches,
    in_batches,
    open_batches,
    tokens_of,
)
from offbook.names.identity import name_key
from offbook.prompts.entities import (
    MERGE_ENTITIES,
    MERGE_RELATIONS,
    EntityToMerge,
    MergedEntity,
    MergedRelation,
    MergeEntitiesInputs,
    MergeRelationsInputs,
    RelationToMerge,
)
from offbook.prompts.prompt import in_order

if TYPE_CHECKING:
    from offbook.types import RawEntity, RawRelation

AT_ONCE: Final = 120
"""Descriptions that one item holds; more are merged in parts, whose paragraphs stand in a row: to
merge these too would be one more wait."""

MOST_A_CALL: Final = 24
"""An answer is a paragraph an item: with many in a call, it would write for a minute."""
FEW_A_CALL: Final = 12
"""Fewer than that are not worth a call of their own."""


@dataclass(frozen=True)
class Merge:
    """Several descriptions that are to become one.

    Args:
        kind: ``entity`` or ``relation``.
        names: The names of the entity, or source and target of the relation.
        descriptions: In reading order, each once.
        chunks: Where they are from.
    """

    kind: str
    names: tuple[str, ...]
    descriptions: tuple[str, ...]
    chunks: tuple[str, ...]

    @cached_property
    def key(self) -> str:
        """Identifies the question."""
        question = json.dumps([self.kind, self.names, self.descriptions])
        return hashlib.blake2b(question.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Merged:
    """The answer: a description, and for an entity the name that the model prefers."""

    name: str
    description: str


KeepMerged = Callable[[Sequence[tuple[Merge, Merged]]], Awaitable[None]]


def distinct(descriptions: Sequence[str]) -> tuple[str, ...]:
    """Descriptions in their order, without blanks, repetitions and what others contain."""
    different = list(dict.fromkeys(" ".join(d.split()) for d in descriptions if d.strip()))
    if len(different) == 1:  # as with most
        return tuple(different)
    if len(different) > 200:  # comparing each with each costs more than it saves
        return tuple(different)
    return tuple(d for d in different if not any(d != other and d in other for other in different))


def plain_name(mentions: Sequence[RawEntity]) -> str:
    """The canonical name without a call: the commonest, of equals the longest, then the first."""
    return _commonest(mention.name for mention in mentions)


def _commonest(names: Iterable[str]) -> str:
    listed = list(names)
    if listed.count(listed[0]) == len(listed):  # as with most: nothing to compare
        return listed[0]
    counts = Counter(listed)
    order = {name: place for place, name in enumerate(counts)}
    return max(counts, key=lambda name: (counts[name], len(name), -order[name]))


def plain_type(mentions: Sequence[RawEntity]) -> str:
    """The commonest type that is known, of equals the first."""
    counts = Counter(mention.type for mention in mentions if mention.type)
    return counts.most_common(1)[0][0] if counts else "object"


def chosen_name(preferred: str, names: Sequence[str], otherwise: str) -> str:
    """The name that the model prefers, where it is one that the texts use."""
    key = name_key(preferred)
    return next((name for name in names if name_key(name) == key), otherwise) if key else otherwise


async def merge_all(
    merges: Sequence[Merge], known: Mapping[str, Merged], asking: Asking, keep: KeepMerged
) -> list[PutAside[Merge]]:
    """Have what is not in ``known`` merged, side by side; answers are kept as they arrive.

    Raises:
        ModelError: the endpoint failed for good; what arrived is kept.
        BudgetReached: likewise.
    """
    entities = [merge for merge in merges if merge.kind == "entity"]
    relations = [merge for merge in merges if merge.kind == "relation"]
    # One place is left for the summary, which is written at the same time.
    at_once = max(1, asking.side_by_side - 1)
    of_relations = round(at_once * len(relations) / len(merges)) if merges else 0
    batches = [
        *_batches(entities, known, asking, at_once - of_relations),
        *_batches(relations, known, asking, of_relations),
    ]

    async def ask(batch: Sequence[Merge]) -> list[Merged]:
        if batch[0].kind == "entity":
            return [Merged(a.name, a.description) for a in await _ask_entities(batch, asking)]
        return [Merged("", a.description) for a in await _ask_relations(batch, asking)]

    return await ask_in_batches(batches, ask, keep)


def outcome(merge: Merge, known: Mapping[str, Merged]) -> Merged | None:
    """The answer to a merge, if all of it is there; its name is the one that most parts prefer."""
    parts = [known[part.key] for part in parts_of(merge) if part.key in known]
    if len(parts) < len(parts_of(merge)):
        return None
    preferred = Counter(part.name for part in parts)
    description = " ".join(part.description for part in parts)
    return Merged(preferred.most_common(1)[0][0], description)


def parts_of(merge: Merge) -> list[Merge]:
    """As much of a merge as one item holds, each; all of most."""
    if len(merge.descriptions) <= AT_ONCE:
        return [merge]
    return [
        replace(merge, descriptions=merge.descriptions[i : i + AT_ONCE])
        for i in range(0, len(merge.descriptions), AT_ONCE)
    ]


def _batches(
    merges: Sequence[Merge], known: Mapping[str, Merged], asking: Asking, at_once: int
) -> list[list[Merge]]:
    def divide(some: Sequence[Merge]) -> list[list[Merge]]:
        return in_batches(
            some,
            lambda merge: sum(tokens_of(text) for text in merge.descriptions),
            asking.batch_tokens,
            min(MOST_A_CALL, asking.batch_items),
            min(at_once, -(-len(some) // FEW_A_CALL)),
        )

    return open_batches(merges, lambda merge: None if merge.key in known else merge, divide)


async def _ask_entities(batch: Sequence[Merge], asking: Asking) -> list[MergedEntity]:
    items = tuple(EntityToMerge(merge.names, merge.descriptions) for merge in batch)
    chunks = [chunk for merge in batch for chunk in merge.chunks]
    answer = await asking.ask(MERGE_ENTITIES, MergeEntitiesInputs(items), chunks)
    return in_order(answer.items, len(batch))


async def _ask_relations(batch: Sequence[Merge], asking: Asking) -> list[MergedRelation]:
    items = tuple(RelationToMerge(m.names[0], m.names[1], m.descriptions) for m in batch)
    chunks = [chunk for merge in batch for chunk in merge.chunks]
    answer = await asking.ask(MERGE_RELATIONS, MergeRelationsInputs(items), chunks)
    return in_order(answer.items, len(batch))


@dataclass(frozen=True, slots=True)
class RawGraph:
    """Groups with the relations between them, before descriptions are merged.

    Args:
        groups: The mentions of each entity, in reading order.
        edges: (source, target) as numbers of groups -> the relations that state it.
        inner: Number of a group -> relations whose ends fall together in it.
        merges: What there is to merge, noted by :func:`entity_merge` and :func:`relation_merge`.
    """

    groups: Sequence[Sequence[RawEntity]]
    edges: Mapping[tuple[int, int], Sequence[RawRelation]]
    inner: Mapping[int, Sequence[RawRelation]]
    merges: dict[int | tuple[int, int], Merge] = field(default_factory=dict, compare=False)


def raw_graph(groups: Sequence[Sequence[RawEntity]], relations: Sequence[RawRelation]) -> RawGraph:
    """Rename the ends of relations to the groups that their chunk's mentions are in.

    A relation whose end is no mention of its chunk is left out: extraction makes one of each.
    """
    home: dict[tuple[str, str], int] = {}
    for number, group in enumerate(groups):
        for mention in group:
            home.setdefault((mention.chunk, _end_key(mention.name)), number)
    edges: dict[tuple[int, int], list[RawRelation]] = {}
    inner: dict[int, list[RawRelation]] = {}
    for relation in relations:
        source = home.get((relation.chunk, _end_key(relation.source)))
        target = home.get((relation.chunk, _end_key(relation.target)))
        if source is None or target is None:
            continue
        if source == target:
            inner.setdefault(source, []).append(relation)
        else:
            edges.setdefault((source, target), []).append(relation)
    return RawGraph(groups, edges, inner)


def _end_key(name: str) -> str:
    # A name of signs only has no key: it equals itself alone.
    return name_key(name) or name


def entity_merge(graph: RawGraph, number: int) -> Merge:
    """What there is to merge for a group: its descriptions, and relations within it."""
    if (known := graph.merges.get(number)) is not None:
        return known
    mentions = graph.groups[number]
    inner = graph.inner.get(number, ())
    statements: list[tuple[str, Any]] = [(m.chunk, m.description) for m in mentions]
    statements += [(relation.chunk, relation.description) for relation in inner]
    graph.merges[number] = made = Merge(
        "entity",
        tuple(dict.fromkeys(mention.name for mention in mentions)),
        distinct([description for _, description in statements]),
        tuple(dict.fromkeys(chunk for chunk, _ in statements)),
    )
    return made


def relation_merge(graph: RawGraph, ends: tuple[int, int]) -> Merge:
    """What there is to merge for an edge.

    Its ends are called as the relations themselves call them: a name from elsewhere would have to
    be forgotten with its document, and each new commonest name of a hero be asked about again.
    """
    if (known := graph.merges.get(ends)) is not None:
        return known
    stated = graph.edges[ends]
    graph.merges[ends] = made = Merge(
        "relation",
        (_commonest(r.source for r in stated), _commonest(r.target for r in stated)),
        distinct([relation.description for relation in stated]),
        tuple(dict.fromkeys(relation.chunk for relation in stated)),
    )
    return made


def merges_of(graph: RawGraph, most_words: int = 0) -> list[Merge]:
    """All that needs a call: what has several descriptions, in parts where it has very many.

    Args:
        graph: Groups and their relations.
        most_words: Descriptions of one name that have no more words in all, and those of a relation
            that have at most twice as many, stand side by side: there is no name to choose, and
            little to shorten.
    """
    merges = [entity_merge(graph, number) for number in range(len(graph.groups))]
    merges += [relation_merge(graph, ends) for ends in graph.edges]
    return [part for m in merges if _needs_a_call(m, most_words) for part in parts_of(m)]


def _needs_a_call(merge: Merge, most_words: int) -> bool:
    if len(merge.descriptions) < 2:
        return False
    words = sum(len(description.split()) for description in merge.descriptions)
    if merge.kind == "relation":
        return words > 2 * most_words
    return words > most_words or len(set(map(name_key, merge.names))) > 1
