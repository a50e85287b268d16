"""Which node of the graph is the character.

Takes: entities and the character's name.  Gives: the entity, if any. Never raises: a text may not
name its hero at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from offbook.graph.equal_names import name_key
from offbook.graph.merging import distinct, plain_type

if TYPE_CHECKING:
    from offbook.types import Entity, RawEntity

_NOBODYS: Final = frozenset({"location", "time", "event", "organization"})
"""Types of the paper that a character is not; types that were configured may be anybody's."""


def character_node(entities: Sequence[Entity], name: str) -> Entity | None:
    """The entity of this name; else the most mentioned one that has all words of it, or some.

    A persona is called "Beethoven" and its texts say "Ludwig van Beethoven", or the other way
    round.
    """
    told = [(e.names, e.type, len(e.mentions)) for e in entities]
    place = _place(told, name)
    return entities[place] if place is not None else None


def told_of_character(groups: Sequence[Sequence[RawEntity]], name: str) -> str:
    """What the mentions of the character say of it, before they are merged; else nothing."""
    told = [([m.name for m in group], plain_type(group), len(group)) for group in groups]
    place = _place(told, name)
    if place is None:
        return ""
    return " ".join(distinct([mention.description for mention in groups[place]]))


def _place(told: Sequence[tuple[Sequence[str], str, int]], name: str) -> int | None:
    """The place of the character among names, type and number of mentions of each."""
    key = name_key(name)
    wanted = set(key.split())
    best: tuple[tuple[int, int, int], int] | None = None
    for place, (names, kind, mentions) in enumerate(told):
        alike = max((_likeness(key, wanted, name_key(other)) for other in names), default=0)
        rank = (alike, mentions, -place)
        if alike and kind not in _NOBODYS and (best is None or rank > best[0]):
            best = rank, place
    return best[1] if best is not None else None


def _likeness(key: str, wanted: set[str], other: str) -> int:
    """2 for the very name, 1 where one holds all words of the other, else 0."""
    if not key or not other:
        return 0
    words = set(other.split())
    return 2 if key == other else int(wanted <= words or words <= wanted)
