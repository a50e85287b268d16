"""Every decision on who is who: of models and rules, on whole groups, and of persons.

Takes: what is stored.  Gives: rows with names in the place of ids, and the decision behind an id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from offbook.graph.equal_names import name_key
from offbook.graph.judging import decision_id
from offbook.prompts.same_entity import VERIFY_GROUP
from offbook.stores import graph, graph_answers
from offbook.types import Decision

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.stores.graph_answers import GraphAnswer
    from offbook.types import RawEntity

MOST_PARTS: Final = 8
"""Parts of a group up to which each two of them are a decision to be shown."""


@dataclass(frozen=True, slots=True)
class Parted:
    """Two parts of a group that was found to hold several, as a decision on their names.

    ``names`` are all names of each part; ``decision`` shows the first of each.
    """

    decision: Decision
    names: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Listed:
    """A decision, names in the place of ids, and whether the graph is as it says.

    It may not be: a look at the whole group, or a person, said otherwise later, or the two are no
    candidates any more since others came nearer.
    """

    decision: Decision
    holds: bool


def listed_decisions(conn: Connection, character: str) -> list[Listed]:
    """All decisions: persons' words first."""
    mentions = graph.list_raw_entities(conn, character)
    names = {mention.id: mention.name for mention in mentions}
    homes = _Homes(mentions, graph.group_of(conn, character))
    decided = [
        Listed(shown(decision, names), homes.bear_out(decision))
        for decision in graph.list_decisions(conn, character)
    ]
    decided += [
        Listed(parted.decision, homes.bear_out_parts(parted))
        for parted in parted_groups(conn, character)
    ]
    return sorted(decided, key=lambda each: _order(each.decision))


def _order(decision: Decision) -> tuple[bool, str, str, str]:
    by_person = decision.by == graph.PERSON
    return (not by_person, decision.a.casefold(), decision.b.casefold(), decision.id)


class _Homes:
    """In which groups the mentions are now, by their ids and by their names."""

    def __init__(self, mentions: Sequence[RawEntity], group_of: Mapping[str, str]) -> None:
        self._ids = {mention.id for mention in mentions}
        self._of: dict[str, set[str]] = {}
        for mention in mentions:
            if (home := group_of.get(mention.id)) is not None:
                self._of.setdefault(mention.id, set()).add(home)
                self._of.setdefault(f" {name_key(mention.name)}", set()).add(home)

    def bear_out(self, decision: Decision) -> bool:
        """Whether two are in one group, or not, as it was decided."""
        a, b = self._groups(decision.a), self._groups(decision.b)
        if decision.a not in self._ids and (
            not (a and b) or name_key(decision.a) == name_key(decision.b)
        ):
            return True  # a further name stands where it was said; one name tells no two apart
        return decision.same != a.isdisjoint(b)

    def bear_out_parts(self, parted: Parted) -> bool:
        """Whether the parts of a group are apart, as far as their names can tell.

        Others may bear a name as well: a part is where all of its names are.
        """
        a, b = map(self._together, parted.names)
        return a.isdisjoint(b) or len(a | b) > 1

    def _together(self, names: Sequence[str]) -> set[str]:
        found = [groups for groups in map(self._groups, names) if groups]
        return (set.intersection(*found) or set.union(*found)) if found else set()

    def _groups(self, mention_or_name: str) -> set[str]:
        key = mention_or_name if mention_or_name in self._ids else f" {name_key(mention_or_name)}"
        return self._of.get(key, set())


def mention_names(conn: Connection, character: str) -> dict[str, str]:
    """Raw entity -> the name by which its chunk calls it, in reading order."""
    return {mention.id: mention.name for mention in graph.list_raw_entities(conn, character)}


def shown(decision: Decision, names: Mapping[str, str]) -> Decision:
    """The decision with names; a person's word is on names already."""
    return Decision(
        decision.id,
        names.get(decision.a, decision.a),
        names.get(decision.b, decision.b),
        decision.same,
        decision.by,
        decision.reason,
        decision.evidence,
        decision.created,
    )


def parted_groups(conn: Connection, character: str) -> list[Parted]:
    """A row for each two parts of every group that was split.

    Of a group with more than ``MOST_PARTS`` only those that a decision had linked, and each other
    part with the first: a surname may link a hundred people, and nobody reads thousands of rows.
    """
    answers = graph_answers.list_all(conn, character)
    splits = [answer for answer in answers if answer.kind == graph_answers.SPLIT]
    if not splits:
        return []
    mentions = graph.list_raw_entities(conn, character)
    keys = {mention.id: name_key(mention.name) for mention in mentions}
    linked = {
        frozenset((keys[d.a], keys[d.b]))
        for d in graph.list_decisions(conn, character)
        if d.same and d.a in keys and d.b in keys
    }
    chunks: dict[str, dict[str, None]] = {}
    for mention in mentions:
        chunks.setdefault(keys[mention.id], {})[mention.chunk] = None
    return [parted for answer in splits for parted in _parts(answer, linked, chunks)]


def _parts(
    answer: GraphAnswer, linked: Set[frozenset[str]], chunks: Mapping[str, Mapping[str, None]]
) -> Iterator[Parted]:
    told = answer.answer
    parts = [tuple(told["names"][number] for number in part) for part in told["parts"]]
    reason = told["reason"] if len(parts) <= 2 else f"of all {len(parts)}: {told['reason']}"
    own = set(answer.chunks)
    for i, j in _pairs(parts, linked):
        a, b = parts[i], parts[j]
        identity = decision_id(f"{answer.key} {i}", f"{answer.key} {j}")
        evidence = _evidence(a, b, chunks, own)
        made = Decision(identity, a[0], b[0], False, VERIFY_GROUP.name, reason, evidence)
        yield Parted(made, (a, b))


def _pairs(
    parts: Sequence[Sequence[str]], linked: Set[frozenset[str]]
) -> Iterator[tuple[int, int]]:
    """Which parts are told of together."""
    pairs = combinations(range(len(parts)), 2)
    if len(parts) <= MOST_PARTS:
        yield from pairs
        return
    keys = [[name_key(name) for name in part] for part in parts]
    joined = [
        (i, j)
        for i, j in pairs
        if any(frozenset((one, other)) in linked for one in keys[i] for other in keys[j])
    ]
    met = {number for pair in joined for number in pair}
    yield from sorted({*joined, *((0, j) for j in range(1, len(parts)) if j not in met)})


def _evidence(
    a: Sequence[str],
    b: Sequence[str],
    chunks: Mapping[str, Mapping[str, None]],
    own: Set[str],
) -> tuple[str, ...]:
    """The chunks that speak of both parts; else the first that speaks of each."""
    of_a, of_b = (
        list(dict.fromkeys(c for name in part for c in chunks.get(name_key(name), ()) if c in own))
        for part in (a, b)
    )
    met = set(of_b)
    both = [chunk for chunk in of_a if chunk in met]
    return tuple(both or dict.fromkeys([*of_a[:1], *of_b[:1]]))
