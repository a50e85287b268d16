"""The memories of a character that one principal may recall, ready to be searched.

Takes: a store, a character, a principal, a point in the story.  Gives: ids, vectors and emotions,
oldest first.  It is kept, and grows by what is new: a turn more costs no reading of the others.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from offbook.language.emotion_names import EMOTIONS
from offbook.memory.levels import is_emotion
from offbook.retrieval.emotional import EmotionalIndex
from offbook.retrieval.point import known_points
from offbook.stores import memories, memory_banks
from offbook.stores import vectors as vector_rows
from offbook.stores.memory_banks import BankState
from offbook.stores.vector_type import unpack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.protocols import Store
    from offbook.stores.memories import IndexRow
    from offbook.types import Position

ROOM: Final = 1_024
"""Rows that a matrix has room for beyond those that it holds."""
KEPT_INDICES: Final = 16
"""Indices kept in memory for each store; the one not used for longest goes first."""


class View(NamedTuple):
    """What is looked at: whose memories, how emotions are counted, and up to which point.

    ``revision`` is the character's where there is a point: documents decide where it lies.
    """

    character: str
    principal: str | None
    centred: bool = False
    until: Position | None = None
    revision: int = 0


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """Memories in the order of their age, those that have a vector.

    Args:
        state: What it was made from.
        set_id: The vector set.
        ids: One a row.
        ordinals: The age of each row.
        turns: The turn that taught each; None for an authored one.
        matrix: Vectors; there may be room behind the last row.
        emotions: Eight levels a row, NaN where they are not known.
        searched: The same, ready to be searched; None where no memory has a vector.
        last: The greatest ordinal that was read.
        waiting: Ids of those that have no vector yet.
        unscored: Ids of those in a row whose emotion is not known yet.
        unplaced: How many are left out because nothing says that they lie before the point.
    """

    state: BankState = field(default_factory=BankState)
    set_id: str | None = None
    ids: tuple[str, ...] = ()
    ordinals: tuple[int, ...] = ()
    turns: tuple[str | None, ...] = ()
    matrix: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    emotions: NDArray[np.float32] = field(
        default_factory=lambda: np.empty((0, len(EMOTIONS)), np.float32)
    )
    searched: EmotionalIndex | None = None
    last: int = -1
    waiting: frozenset[str] = frozenset()
    unscored: frozenset[str] = frozenset()
    unplaced: int = 0


@dataclass(slots=True)
class _Kept:
    """The indices of a store, and the turn to bring one up to date."""

    indices: OrderedDict[View, MemoryIndex] = field(default_factory=OrderedDict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


_kept: WeakKeyDictionary[Store, _Kept] = WeakKeyDictionary()


async def memory_index(store: Store, view: View) -> MemoryIndex:
    """The index of what is seen in a view, as of now.

    At a point in the story, memories of which nothing says that they lie before it are left out.
    """
    kept = _kept.setdefault(store, _Kept())
    async with kept.lock:
        old = kept.indices.get(view, MemoryIndex())
        found = await store.read(lambda conn: _current(conn, old, view))
        kept.indices[view] = found
        kept.indices.move_to_end(view)
        while len(kept.indices) > KEPT_INDICES:
            kept.indices.popitem(last=False)
    return found


def _current(conn: Connection, old: MemoryIndex, view: View) -> MemoryIndex:
    state = memory_banks.state(conn, view.character)
    active = vector_rows.active_set(conn, view.character)
    set_id = None if active is None else active.id
    if (old.state, old.set_id) == (state, set_id):
        return old
    same = (old.state.cleared, old.set_id) == (state.cleared, set_id)
    if same and view.until is None and (grown := _grown(conn, old, view)) is not None:
        return replace(grown, state=state)
    rows = _read(conn, view, set_id)
    found = MemoryIndex(set_id=set_id)
    if view.until is not None:
        rows, unplaced = _before(conn, view.character, rows, view.until)
        found = replace(found, unplaced=unplaced)
    return replace(_with_rows(found, rows, conn.dialect.name, view), state=state)


def _read(conn: Connection, view: View, set_id: str | None, **chosen: Any) -> list[IndexRow]:
    return memories.index_rows(conn, view.character, set_id, principal=view.principal, **chosen)


def _grown(conn: Connection, old: MemoryIndex, view: View) -> MemoryIndex | None:
    """The index with what is new; None where something new is older than what it has."""
    again = sorted(old.waiting | old.unscored)
    changed = _read(conn, view, old.set_id, ids=again) if again else []
    rows = [row for row in changed if row.id in old.waiting]
    rows += _read(conn, view, old.set_id, after=old.last)
    ready = [row.ordinal for row in rows if row.vector is not None]
    if ready and old.ordinals and min(ready) < old.ordinals[-1]:
        return None
    scored = {row.id: row.emotion for row in changed if row.id in old.unscored}
    emotions, unscored = old.emotions, set(old.unscored)
    if any(scored.values()):
        # A copy: a search that is under way may still look at the old ones.
        emotions = old.emotions.copy()
        places = {name: row for row, name in enumerate(old.ids) if name in scored}
        for name, row in places.items():
            emotions[row] = _levels(scored[name])
            if not np.isnan(emotions[row]).any():
                unscored.discard(name)
    kept = replace(old, emotions=emotions, unscored=frozenset(unscored), waiting=frozenset())
    return _with_rows(kept, rows, conn.dialect.name, view)


def _with_rows(old: MemoryIndex, rows: Sequence[IndexRow], dialect: str, view: View) -> MemoryIndex:
    """The index with further rows, which are younger than its own."""
    ready = [row for row in rows if row.vector is not None]
    levels = np.array([_levels(row.emotion) for row in ready], np.float32).reshape(-1, 8)
    unscored = {row.id for row, known in zip(ready, levels, strict=True) if np.isnan(known[0])}
    emotions = np.concatenate([old.emotions, levels])
    matrix, size = old.matrix, len(old.ids)
    if ready:
        added = unpack([row.vector for row in ready if row.vector is not None], dialect)
        matrix = _with_room(old.matrix, size, added)
        matrix[size : size + len(added)] = added
    size += len(ready)
    searched = None
    if size:
        searched = EmotionalIndex.build(
            matrix[:size], emotions, centred=view.centred, before=old.searched
        )
    return replace(
        old,
        ids=(*old.ids, *(row.id for row in ready)),
        ordinals=(*old.ordinals, *(row.ordinal for row in ready)),
        turns=(*old.turns, *(row.turn for row in ready)),
        matrix=matrix,
        emotions=emotions,
        searched=searched,
        last=max([old.last, *(row.ordinal for row in rows)]),
        waiting=old.waiting | {row.id for row in rows if row.vector is None},
        unscored=old.unscored | unscored,
    )


def _with_room(
    matrix: NDArray[np.float32], size: int, added: NDArray[np.float32]
) -> NDArray[np.float32]:
    """A matrix with room for more rows; the rows that it has are seldom copied."""
    if size and size + len(added) <= len(matrix):
        return matrix
    # Memory that is not written to costs nothing, and the next turn is not long in coming.
    room = max(size + len(added) + ROOM, 2 * size)
    larger = np.empty((room, added.shape[1]), np.float32)
    if size:
        larger[:size] = matrix[:size]
    return larger


def _levels(emotion: Mapping[str, Any] | None) -> list[float]:
    """Eight levels, or eight times NaN: an imported emotion may be anything."""
    if not is_emotion(emotion):
        return [float("nan")] * len(EMOTIONS)
    return [float(emotion[name]) for name in EMOTIONS]


def _before(
    conn: Connection, character: str, rows: Sequence[IndexRow], until: Position
) -> tuple[list[IndexRow], int]:
    """The rows that surely lie before a point, and how many authored ones say nothing of it."""
    told = memories.told_at(conn, character)
    # A turn was held where its question was asked: without a point, at the end of the story.
    places = {row.id: row.at if row.turn is None else told.get(row.id) for row in rows}
    known = known_points(conn, character, (place for place in places.values() if place))
    kept: list[IndexRow] = []
    unplaced = 0
    for row in rows:
        found = known.get(places[row.id] or "")
        if found is not None and found <= until:
            kept.append(row)
        unplaced += found is None and row.turn is None
    return kept, unplaced
