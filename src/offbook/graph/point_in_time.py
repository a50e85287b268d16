"""Who is who at a point of the story.

Takes: the final groups, what was decided on which evidence, and a point.  Gives: the groups as they
were known then. Two names are one person only from the later of the mentions that show it, so that
a secret identity does not leak (methods.md 5). Source: ours.

A mention is known when its chunk lies before the point. Equal names, and forms of one name, are one
from the start. Other names are one from the mentions on that were judged, provided a chunk up to
there speaks of both: a model may know from elsewhere what the text has not told yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.graph.equal_names import name_key
from offbook.graph.linking import Links
from offbook.language.person_names import parse_name
from offbook.types import Position

if TYPE_CHECKING:
    from offbook.types import Chunk, Decision, RawEntity


@dataclass(frozen=True, slots=True)
class Story:
    """The chunks of a character and where they stand.

    Args:
        chunks: By id.
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
    for group in groups:
        mentions = [mention for mention in group if story.known(mention.chunk, until)]
        if mentions:
            found += _parts(mentions, decisions, story, until)
    order = {mention.id: place for place, mention in enumerate(m for g in groups for m in g)}
    return sorted(found, key=lambda part: order[part[0].id])


def _parts(
    mentions: Sequence[RawEntity],
    decisions: Sequence[Decision],
    story: Story,
    until: Position,
) -> list[list[RawEntity]]:
    """The connected parts of what is known of one final group."""
    keys = [name_key(mention.name) for mention in mentions]
    links = Links(keys)
    first: dict[str, int] = {}
    for row, key in enumerate(keys):
        links.join(first.setdefault(key, row), row)
    if len(first) > 1:
        rows = {mention.id: row for row, mention in enumerate(mentions)}
        shown = _together(list(first), story, until)
        for a, b in _linked_rows(decisions, rows, first):
            names = mentions[a].name, mentions[b].name
            if keys[a] == keys[b] or _share_a_word(*names) or shown(keys[a], keys[b]):
                links.join(a, b)
    return [[mentions[row] for row in rows] for rows in links.sets()]


def _linked_rows(
    decisions: Sequence[Decision], rows: Mapping[str, int], first: Mapping[str, int]
) -> list[tuple[int, int]]:
    """Pairs of mentions that were called the same, as far as both are known."""
    found = []
    for decision in decisions:
        if not decision.same:
            continue
        if decision.by == "person":
            a, b = first.get(name_key(decision.a)), first.get(name_key(decision.b))
        else:
            a, b = rows.get(decision.a), rows.get(decision.b)
        if a is not None and b is not None:
            found.append((a, b))
    return found


def _share_a_word(a: str, b: str) -> bool:
    """Whether two names are forms of one: a title that both bear is none."""
    return not set(parse_name(a).words).isdisjoint(parse_name(b).words)


def _together(keys: Sequence[str], story: Story, until: Position) -> Callable[[str, str], bool]:
    """Whether one chunk up to the point speaks of two names."""
    texts = [
        f" {name_key(chunk.text_with_headings)} "
        for chunk in story.chunks.values()
        if story.known(chunk.id, until)
    ]
    places = {key: {n for n, text in enumerate(texts) if f" {key} " in text} for key in keys if key}
    return lambda a, b: not places.get(a, set()).isdisjoint(places.get(b, set()))
