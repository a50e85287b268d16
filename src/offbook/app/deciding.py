"""Every decision on who is who: of models and rules, on whole groups, and of persons.

Takes: what is stored.  Gives: rows with names in the place of ids, and the decision behind an id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from offbook.graph.judging import decision_id
from offbook.prompts.same_entity import VERIFY_GROUP
from offbook.stores import graph, graph_answers
from offbook.types import Decision

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.stores.graph_answers import GraphAnswer


@dataclass(frozen=True, slots=True)
class Parted:
    """Two parts of a group that was found to hold several, as a decision on their names.

    ``names`` are all names of each part; ``decision`` shows the first of each.
    """

    decision: Decision
    names: tuple[tuple[str, ...], tuple[str, ...]]


def named_decisions(conn: Connection, character: str) -> list[Decision]:
    """All decisions, names in the place of the ids of raw entities: persons' words first."""
    names = mention_names(conn, character)
    decided = [shown(decision, names) for decision in graph.list_decisions(conn, character)]
    decided += [parted.decision for parted in parted_groups(conn, character)]
    return sorted(
        decided, key=lambda d: (d.by != graph.PERSON, d.a.casefold(), d.b.casefold(), d.id)
    )


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
    """A row for each two parts of every group that was split."""
    answers = graph_answers.list_all(conn, character)
    splits = [answer for answer in answers if answer.kind == graph_answers.SPLIT]
    return [parted for answer in splits for parted in _parts(answer)]


def _parts(answer: GraphAnswer) -> Iterator[Parted]:
    told = answer.answer
    parts = [tuple(told["names"][number] for number in part) for part in told["parts"]]
    for (i, a), (j, b) in combinations(enumerate(parts), 2):
        identity = decision_id(f"{answer.key} {i}", f"{answer.key} {j}")
        yield Parted(
            Decision(identity, a[0], b[0], False, VERIFY_GROUP.name, told["reason"], answer.chunks),
            (a, b),
        )
