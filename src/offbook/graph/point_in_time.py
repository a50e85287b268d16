"""Who is who at a point of the story: a secret identity does not leak.

Equal names, and forms of one name, are one from the start. Other names are one from the mentions on
that were judged, provided the texts show it up to there: a model may know from elsewhere what the
text has not told yet, and a person's word knows the whole story.
Source: ours; docs/boundary.md, "At a point in the story".

1. Where a sentence says it ("Tom Wren was the Grey Fox"), from the first such sentence on: whatever
   spoke of both before that kept the secret. It may say it with other forms of the names.
2. Else, for a person's word, from the first sentence that names both: a chunk has many sentences,
   and may well speak of both because they are two to everybody.
3. Else from the first chunk that speaks of both, once all that speaks of either and that the
   decision rests on is known.
4. Where no chunk of the whole story does, nothing will be revealed: a person's word holds as soon
   as both are known. A model's does not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from offbook.graph.entity_normalization import Links
from offbook.names.identity import clauses_key, in_words, name_key, saying_one, share_a_word
from offbook.stores.graph import PERSON
from offbook.text.sentences import sentences
from offbook.types import Position

if TYPE_CHECKING:
    from offbook.names.story import Reach
    from offbook.types import Chunk, Decision, RawEntity


class ToldTogether:
    """Which chunks speak of which names, read once for all groups.

    Args:
        chunks: Of the whole story, by id.
        known: Those up to the point.
    """

    def __init__(self, chunks: Mapping[str, Chunk], known: Collection[str]) -> None:
        self._chunks = chunks
        self._known = frozenset(known)
        self._places: dict[str, frozenset[str]] = {}
        self._said: dict[tuple[tuple[str, ...], tuple[str, ...]], Set[str]] = {}
        self._sentences: dict[str, list[tuple[str, str]]] = {}

    def holds(
        self, one: Sequence[str], other: Sequence[str], evidence: Sequence[str], *, by_person: bool
    ) -> bool:
        """Whether a decision that two names are one holds at the point.

        Args:
            one: The key of one name, and behind it those of its other forms in the story: the
                sentence that says it may have any of them.
            other: The same of the other name.
            evidence: The chunks that a model's decision rests on: of those that speak of either,
                none may be yet to come.
            by_person: Whether a person decided it.
        """
        if showing := self._saying_chunks(*(tuple(sorted(filter(None, n))) for n in (one, other))):
            return not self._known.isdisjoint(showing)
        pair = self._speaking_of(one[0]) & self._speaking_of(other[0])
        if by_person:
            showing = (
                self._sentence_chunks(one[:1], other[:1])
                or self._sentence_chunks(one, other)
                or pair
                or self._together(one, other)
            )
            return not showing or not self._known.isdisjoint(showing)
        concerned = self._speaking_of(one[0]) | self._speaking_of(other[0])
        to_come = concerned.intersection(evidence) - self._known
        return not to_come and not self._known.isdisjoint(pair)

    def _saying_chunks(self, one: tuple[str, ...], other: tuple[str, ...]) -> Set[str]:
        """Those with a sentence that says it."""
        if (one, other) not in self._said:
            together = self._together(one, other)
            says = saying_one(one, other)
            self._said[one, other] = {
                c for c in together if any(map(says.search, self._naming(c, one, other)))
            }
        return self._said[one, other]

    def _sentence_chunks(self, one: Sequence[str], other: Sequence[str]) -> Set[str]:
        """Those with a sentence that names both."""
        return {c for c in self._together(one, other) if self._naming(c, one, other)}

    def _together(self, one: Sequence[str], other: Sequence[str]) -> Set[str]:
        """The chunks that speak of both, by whatever form."""
        speaking = [set[str]().union(*map(self._speaking_of, forms)) for forms in (one, other)]
        return speaking[0] & speaking[1]

    def _speaking_of(self, key: str) -> frozenset[str]:
        if key not in self._places:
            sought = in_words(key)
            self._places[key] = frozenset(
                chunk for chunk, text in self._plain.items() if key and sought in text
            )
        return self._places[key]

    def _naming(self, chunk: str, one: Sequence[str], other: Sequence[str]) -> list[str]:
        """The sentences of a chunk that name both, by the keys of their clauses."""
        if chunk not in self._sentences:
            text = self._chunks[chunk].text
            self._sentences[chunk] = [
                (f" {name_key(sentence)} ", clauses_key(sentence))
                for sentence in (text[start:end] for start, end in sentences(text))
            ]
        first, second = [in_words(a) for a in one if a], [in_words(b) for b in other if b]
        return [
            clauses
            for key, clauses in self._sentences[chunk]
            if any(a in key for a in first) and any(b in key for b in second)
        ]

    @cached_property
    def _plain(self) -> dict[str, str]:
        chunks = self._chunks.values()
        return {chunk.id: f" {name_key(chunk.text_with_headings)} " for chunk in chunks}


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
        end_of = self.chunks[chunk]
        return Position(self.ordinals[end_of.document], end_of.end)

    def known(self, chunk: str, reach: Reach) -> bool:
        """Whether all of a chunk is known: what a part says, nobody can tell from the rest."""
        whole = self.chunks[chunk]
        ordinal = self.ordinals[whole.document]
        return reach.covers(whole.document, ordinal, whole.start, whole.end)


def groups_at(
    groups: Sequence[Sequence[RawEntity]],
    decisions: Sequence[Decision],
    story: Story,
    reach: Reach,
) -> list[list[RawEntity]]:
    """The groups as they are known within ``reach``; what was never told apart or joined stays so.

    Args:
        groups: The final groups, mentions in reading order.
        decisions: By models (on ids of raw entities) and by persons (on names).
        story: The chunks.
        reach: What of the texts is known.
    """
    parts = []
    known = {chunk for chunk in story.chunks if story.known(chunk, reach)}
    texts = ToldTogether(story.chunks, known)
    joining = _by_group(groups, decisions)
    for number, group in enumerate(groups):
        mentions = [mention for mention in group if story.known(mention.chunk, reach)]
        if mentions:
            names = dict.fromkeys(mention.name for mention in group)
            parts += _parts(mentions, joining[number], texts, list(names))
    order = {mention.id: place for place, mention in enumerate(m for g in groups for m in g)}
    return sorted(parts, key=lambda part: order[part[0].id])


def _by_group(
    groups: Sequence[Sequence[RawEntity]], decisions: Sequence[Decision]
) -> list[list[Decision]]:
    """The decisions that may join names of each group: a model's are on mentions of one."""
    home = {mention.id: number for number, group in enumerate(groups) for mention in group}
    persons = [decision for decision in decisions if decision.by == PERSON and decision.same]
    joining = [list(persons) for _ in groups]
    for decision in decisions:
        number_of = home.get(decision.a)
        if decision.by != PERSON and decision.same and number_of is not None:
            joining[number_of].append(decision)
    return joining


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
                or share_a_word(mentions[a].name, mentions[b].name)
                or texts.holds(
                    *_forms(names, all_names),
                    decision.evidence,
                    by_person=decision.by == PERSON,
                )
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
    near = [(name_key(n), share_a_word(n, a), share_a_word(n, b)) for n in names]
    ones = [name_key(a), *(key for key, one, other in near if one and not other)]
    others = [name_key(b), *(key for key, one, other in near if other and not one)]
    return list(dict.fromkeys(ones)), list(dict.fromkeys(others))
