"""Which node of the graph is the character.

Takes: entities and the character's name.  Gives: the entity, if any. Never raises: a text may not
name its hero at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from offbook.graph.equal_names import name_key

if TYPE_CHECKING:
    from offbook.types import Entity


def character_node(entities: Sequence[Entity], name: str) -> Entity | None:
    """The entity of this name; else the most mentioned one that has all words of it, or some.

    A persona is called "Beethoven" and its texts say "Ludwig van Beethoven", or the other way
    round.
    """
    key = name_key(name)
    wanted = set(key.split())
    best: tuple[tuple[int, int, int], Entity] | None = None
    for place, entity in enumerate(entities):
        kind = max((_likeness(key, wanted, name_key(other)) for other in entity.names), default=0)
        rank = (kind, len(entity.mentions), -place)
        if kind and entity.type in ("character", "object", "") and (best is None or rank > best[0]):
            best = rank, entity
    return best[1] if best is not None else None


def _likeness(key: str, wanted: set[str], other: str) -> int:
    """2 for the very name, 1 where one holds all words of the other, else 0."""
    if not key or not other:
        return 0
    words = set(other.split())
    return 2 if key == other else int(wanted <= words or words <= wanted)
