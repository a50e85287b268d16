"""Who is who at a point of the story.

Takes: the final groups, what was decided on which evidence, and a point.  Gives: the groups as they
were known then. Two names are one person only from the later of the mentions that show it, so that
a secret identity does not leak (methods.md 5). Source: ours.

A mention is known when its chunk lies before the point. Equal names, and forms of one name, are one
from the start. Other names are one from the mentions on that were judged, provided the texts show
it up to there (``told_together``): a model may know from elsewhere what the text has not told yet.
So it is with a person's word, which knows the whole story.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.graph.equal_names import name_key
from offbook.graph.linking import Links
from offbook.graph.told_together import ToldTogether
from offbook.language.person_names import parse_name
from offbook.stores.graph import PERSON
from offbook.types import Position

if TYPE_CHECKING:
    from offbook.types import Chunk, Decision, RawEntity


@dataclass(frozen=True, slots=True)
class Story:
    """The chunks of a character and where they stand.

    Args:
        chunks: By id, in reading order.
        ordinals: Document id -> its place in the order of the story.
    """

    chunks: Mapping[str, Chunk]
    ordinals: Mapping[str, int]

    def position(self, chunk: str) -> Position:
        """Where a chunk ends: from there on it is known."""
        found = self.chunks[chunk]
        return Position(self.ordinals[found.document], found.end)

    def known(self, chunk: str, until: Position) -> bool:
        """Whether a chunk lies before a point."""
        return self.position(chunk) <= until

    def in_reading_order(self, mentions: Iterable[RawEntity]) -> list[RawEntity]:
        """Each mention once, by where it stands."""
        places = {chunk: place for place, chunk in enumerate(self.chunks)}
        distinct = {mention.id: mention for mention in mentions}.values()
        return sorted(distinct, key=lambda m: (places[m.chunk], m.ordinal, m.id))


def groups_at(
    groups: Sequence[Sequence[RawEntity]],
    decisions: Sequence[Decision],
    story: Story,
    until: Position,
) -> list[list[RawEntity]]:
    """The groups as they were known at ``until``; what was never told apart or joined stays so.

    Args:
        groups: The final groups, mentions in reading order.
        decisions: By models (on ids of raw entities) and by persons (on names).
        story: The chunks.
        until: The point.
    """
    found = []
    known = {chunk for chunk in story.chunks if story.known(chunk, until)}
    texts = ToldTogether(story.chunks, known)
    joining = _by_group(groups, decisions)
    for number, group in enumerate(groups):
        mentions = [mention for mention in group if story.known(mention.chunk, until)]
        if mentions:
            names = dict.fromkeys(mention.name for mention in group)
            found += _parts(mentions, joining[number], texts, list(names))
    order = {mention.id: place for place, mention in enumerate(m for g in groups for m in g)}
    return sorted(found, key=lambda part: order[part[0].id])


def _by_group(
    groups: Sequence[Sequence[RawEntity]], decisions: Sequence[Decision]
) -> list[list[Decision]]:
    """The decisions that may join names of each group: a model's are on mentions of one."""
    home = {mention.id: number for number, group in enumerate(groups) for mention in group}
    persons = [decision for decision in decisions if decision.by == PERSON and decision.same]
    found = [list(persons) for _ in groups]
    for decision in decisions:
        at = home.get(decision.a)
        if decision.by != PERSON and decision.same and at is not None:
            found[at].append(decision)
    return found


def _parts(
    mentions: Sequence[RawEntity],
    decisions: Sequence[Decision],
    texts: ToldTogether,
    all_names: Sequence[str],
) -> list[list[RawEntity]]:
    """The connected parts of what is known of one final group, whose names are ``all_names``."""
    keys = [name_key(mention.name) for mention in mentions]
    links = Links(keys)
    first: dict[str, int] = {}
    for row, key in enumerate(keys):
        links.join(first.setdefault(key, row), row)
    if len(first) > 1:
        rows = {mention.id: row for row, mention in enumerate(mentions)}
        for decision in decisions:
            linked = _linked(decision, rows, first)
            if linked is None:
                continue
            a, b = linked
            names = mentions[a].name, mentions[b].name
            if (
                keys[a] == keys[b]
                or _share_a_word(*names)
                or texts.holds(*_forms(names, all_names), by_person=decision.by == PERSON)
            ):
                links.join(a, b)
    return [[mentions[row] for row in rows] for rows in links.sets()]


def _linked(
    decision: Decision, rows: Mapping[str, int], first: Mapping[str, int]
) -> tuple[int, int] | None:
    """The two mentions that a decision calls the same, where both are known."""
    if decision.by == PERSON:
        a, b = first.get(name_key(decision.a)), first.get(name_key(decision.b))
    else:
        a, b = rows.get(decision.a), rows.get(decision.b)
    return (a, b) if a is not None and b is not None else None


def _forms(pair: tuple[str, str], names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The keys of two names, each before those of the names that are a form of it alone."""
    a, b = pair
    near = [(name_key(n), _share_a_word(n, a), _share_a_word(n, b)) for n in names]
    ones = [name_key(a), *(key for key, one, other in near if one and not other)]
    others = [name_key(b), *(key for key, one, other in near if other and not one)]
    return list(dict.fromkeys(ones)), list(dict.fromkeys(others))


def _share_a_word(a: str, b: str) -> bool:
    """Whether two names are forms of one: a title that both bear is none."""
    return not set(parse_name(a).words).isdisjoint(parse_name(b).words)
