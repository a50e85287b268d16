"""Memories that bear on a question: near in meaning, and felt as the question is.

Takes: a question, an embedder, a model; a character, a principal, a point in the story, a mood.
Gives: pieces of context with when and where each was said, and what was left out. The index of the
memories that one principal may recall is kept, and grows by what is new.
Paper: Emotional RAG (004), section II-B; the emotion of a question is that of who asks. Beyond it:
the mood beside the question's emotion, and turns that the prompt holds word by word are not
recalled once more.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from offbook.errors import AnswerError, InputRefused
from offbook.memory.emotion import is_emotion
from offbook.models.beside import worked_out
from offbook.models.failures import why_without
from offbook.prompts.ask import ask
from offbook.prompts.emotion import (
    IN_CONVERSATION,
    SCORE_EMOTIONS,
    ScoreEmotionsInputs,
    Utterance,
    shortened,
    write_memory,
)
from offbook.retrieval.emotional import recall
from offbook.retrieval.point import known_points
from offbook.retrieval.search import LexicalIndex
from offbook.stores import memories
from offbook.stores import vectors as vector_rows
from offbook.stores.columns import unpack
from offbook.stores.memories import BankState
from offbook.text.emotion_names import EMOTIONS
from offbook.types import ContextItem, Skipped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.memory.turns import ConversationContext
    from offbook.protocols import ChatModel, Store
    from offbook.settings.methods import EmotionalSettings
    from offbook.stores.connection import Connection
    from offbook.stores.memories import IndexRow
    from offbook.types import Character, MemoryFragment, Position


EMBEDDED_CHARS: Final = 4_000
"""The longest text that embedders are given."""


@dataclass(frozen=True, slots=True)
class Felt:
    """A question as it is compared with memories; ``why`` says why it has no emotion."""

    vector: NDArray[np.float32]
    emotion: Mapping[str, int] | None
    why: str = ""


async def emotion_of(
    model: ChatModel, character: str, question: str, retries: int
) -> tuple[Mapping[str, int] | None, str]:
    """The emotion of a question, that of who asks it; or why there is none.

    Raises:
        ModelError: the endpoint failed for good.
    """
    speaker = f"the person who speaks to {character}"
    inputs = ScoreEmotionsInputs(speaker, (Utterance(shortened(question)),))
    try:
        answer = await ask(model, SCORE_EMOTIONS, inputs, retries=retries)
    except (AnswerError, InputRefused) as error:
        return None, why_without(error)
    return answer.items[0].by_name(), ""


ROOM: Final = 1_024
"""Rows that a matrix has room for beyond those that it holds."""
KEPT_INDICES: Final = 16
"""Indices kept in memory for each store; the one not used for longest goes first."""


class View(NamedTuple):
    """What is looked at: whose memories, and up to which point.

    ``revision`` is the character's where there is a point: documents decide where it lies.
    """

    character: str
    principal: str | None
    until: Position | None = None
    revision: int = 0


class Pairs(NamedTuple):
    """Memories by their ids, with a row of the matrices each."""

    ids: tuple[str, ...]
    matrix: NDArray[np.float32]
    emotions: NDArray[np.float32]


@dataclass(frozen=True)
class MemoryIndex:
    """Memories in the order of their age, those that have a vector.

    Args:
        state: What it was made from.
        set_id: The vector set.
        ids: One a row.
        ordinals: The age of each row.
        turns: The turn that taught each; None for an authored one.
        kinds: Of each that is a statement; None for others.
        terms: The packed terms of each; empty where none were made.
        retired: Id of what a statement stands for -> the statement that supersedes it; None for a
            turn that was distilled.
        matrix: Vectors; there may be room behind the row of the last id.
        emotions: Eight levels a row, NaN where they are not known.
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
    kinds: tuple[str | None, ...] = ()
    terms: tuple[bytes, ...] = ()
    retired: Mapping[str, str | None] = field(default_factory=dict)
    matrix: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    emotions: NDArray[np.float32] = field(
        default_factory=lambda: np.empty((0, len(EMOTIONS)), np.float32)
    )
    last: int = -1
    waiting: frozenset[str] = frozenset()
    unscored: frozenset[str] = frozenset()
    unplaced: int = 0

    @cached_property
    def lexical(self) -> LexicalIndex:
        """The terms of all rows, to search by words."""
        return LexicalIndex.from_blobs(self.ids, self.terms)

    @cached_property
    def pairs(self) -> Pairs:
        """What was said and answered, without statements: what Emotional RAG recalls."""
        rows = [row for row, kind in enumerate(self.kinds) if kind is None]
        if len(rows) == len(self.ids):
            return Pairs(self.ids, self.matrix[: len(rows)], self.emotions)
        ids = tuple(self.ids[row] for row in rows)
        return Pairs(ids, self.matrix[rows], self.emotions[rows])

    @cached_property
    def rows(self) -> dict[str, int]:
        """Id -> row."""
        return {name: row for row, name in enumerate(self.ids)}


_EMPTY: Final = MemoryIndex()


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
    of_store = _kept.setdefault(store, _Kept())
    async with of_store.lock:
        old = of_store.indices.get(view, _EMPTY)
        index = await store.read(_current, old, view)
        of_store.indices[view] = index
        of_store.indices.move_to_end(view)
        while len(of_store.indices) > KEPT_INDICES:
            of_store.indices.popitem(last=False)
    return index


def _current(conn: Connection, old: MemoryIndex, view: View) -> MemoryIndex:
    state = memories.bank_state(conn, view.character)
    active = vector_rows.active_set(conn, view.character)
    set_id = None if active is None else active.id
    if (old.state, old.set_id) == (state, set_id):
        return old
    same = (old.state.cleared, old.set_id) == (state.cleared, set_id)
    if same and view.until is None and (grown := _grown(conn, old, view)) is not None:
        return replace(grown, state=state)
    rows = _read(conn, view, set_id)
    fresh = replace(_EMPTY, set_id=set_id)
    if view.until is not None:
        rows, unplaced = _before(conn, view.character, rows, view.until)
        fresh = replace(fresh, unplaced=unplaced)
    return replace(_with_rows(fresh, rows, conn.dialect.name), state=state)


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
    retired = memories.retired_since(conn, view.character, old.state.revision)
    known = replace(
        old,
        emotions=emotions,
        unscored=frozenset(unscored),
        waiting=frozenset(),
        retired={**old.retired, **retired} if retired else old.retired,
    )
    return _with_rows(known, rows, conn.dialect.name)


def _with_rows(old: MemoryIndex, rows: Sequence[IndexRow], dialect: str) -> MemoryIndex:
    """The index with further rows, which are younger than its own."""
    ready = [row for row in rows if row.vector is not None]
    levels = np.array([_levels(row.emotion) for row in ready], np.float32).reshape(-1, 8)
    unscored = {
        row.id
        for row, known in zip(ready, levels, strict=True)
        if row.kind is None and np.isnan(known[0])
    }
    emotions = np.concatenate([old.emotions, levels])
    matrix, size = old.matrix, len(old.ids)
    if ready:
        added = unpack([row.vector for row in ready if row.vector is not None], dialect)
        matrix = _with_room(old.matrix, size, added)
        matrix[size : size + len(added)] = added
    size += len(ready)
    return replace(
        old,
        ids=(*old.ids, *(row.id for row in ready)),
        ordinals=(*old.ordinals, *(row.ordinal for row in ready)),
        turns=(*old.turns, *(row.turn for row in ready)),
        kinds=(*old.kinds, *(row.kind for row in ready)),
        terms=(*old.terms, *(row.terms or b"" for row in ready)),
        retired={
            **old.retired,
            **{row.id: row.superseded_by for row in rows if row.retired is not None},
        },
        matrix=matrix,
        emotions=emotions,
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
    held_at = memories.told_at(conn, character)
    # A turn was held where its question was asked: without a point, at the end of the story.
    places = {row.id: row.at if row.turn is None else held_at.get(row.id) for row in rows}
    known = known_points(conn, character, (place for place in places.values() if place))
    earlier: list[IndexRow] = []
    unplaced = 0
    for row in rows:
        position = known.get(places[row.id] or "")
        if position is not None and position <= until:
            earlier.append(row)
        unplaced += position is None and row.turn is None
    return earlier, unplaced


@dataclass(slots=True)
class RecalledMemories:
    """Memories, best first, and what was left out.

    ``felt`` are the further places of a question that names a feeling.
    """

    items: list[ContextItem] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    felt: int = 0


async def find_memories(
    store: Store,
    character: Character,
    felt: Felt,
    conversation: ConversationContext,
    settings: EmotionalSettings,
    until: Position | None = None,
) -> RecalledMemories:
    """The memories that fit a question best by the configured strategy.

    Raises:
        EmbedderMismatch: the stored vectors have another dimension than the question's.
    """
    view = View(
        character.id,
        conversation.principal,
        until,
        0 if until is None else character.revision,
    )
    index = await memory_index(store, view)
    recalled_memories = RecalledMemories(skipped=left_out(index, view, felt.why))
    if not index.ids:
        return recalled_memories
    emotion = with_mood(felt, conversation, settings.mood)
    # What the prompt holds anyway is found as well, and then passed over: so much more is asked.
    over = sum(turn in conversation.present for turn in index.turns) if conversation.present else 0
    pairs = index.pairs
    recalled = await worked_out(
        recall,
        pairs.matrix,
        pairs.emotions,
        felt.vector,
        emotion,
        settings.strategy,
        k=settings.k + over,
        pool=settings.pool * settings.k + over,
        distance=settings.distance,
        centred=settings.centred,
    )
    names = [pairs.ids[hit.index] for hit in recalled]
    chosen = [
        (name, hit)
        for name, hit in zip(names, recalled, strict=True)
        if index.turns[index.rows[name]] not in conversation.present
    ]
    by_id = dict(chosen[: settings.k])
    fragments = await store.read(memories.get, character.id, list(by_id))
    recalled_memories.items = [
        # Lower is better for the strategies, higher for every piece of context.
        memory_item(fragment, 1 / (1 + max(0.0, by_id[fragment.id].score)))
        for fragment in fragments
    ]
    return recalled_memories


def with_mood(
    felt: Felt, conversation: ConversationContext, weight: float
) -> Sequence[float] | None:
    """The question's emotion with a share of the mood, where there is one; None without one."""
    if felt.emotion is None:
        return None
    mood, share = conversation.mood or felt.emotion, weight if conversation.mood else 0
    return [(1 - share) * felt.emotion[name] + share * mood[name] for name in EMOTIONS]


def memory_item(fragment: MemoryFragment, score: float) -> ContextItem:
    """A memory as a piece of context, with both of its halves."""
    text = write_memory(fragment.said, fragment.answered, fragment.speaker)
    title = title_of(fragment)
    return ContextItem("memory", title, text, score, memory=fragment.id, emotion=fragment.emotion)


def title_of(fragment: MemoryFragment) -> str:
    """When a memory was made, and that it was in a conversation; empty where nobody said."""
    title = fragment.at or ""
    if fragment.session is not None:
        heard = f", heard from {fragment.speaker}" if fragment.speaker else ""
        title = f"{title.replace('T', ' ')[:16]}{heard}, {IN_CONVERSATION}".lstrip(", ")
    return title


def left_out(index: MemoryIndex, view: View, why: str) -> list[Skipped]:
    """What is not recalled yet, or not at this point; ``why`` the question has no emotion."""
    skipped = []
    if index.waiting:
        why_waiting = "not scored and embedded yet; it continues in the background"
        skipped.append(Skipped("memory", counted(len(index.waiting)), why_waiting))
    if index.unplaced:
        why_unplaced = "nothing says that they lie before this point of the story (`at`)"
        skipped.append(Skipped("memory", counted(index.unplaced), why_unplaced))
    if why:
        skipped.append(Skipped("memory", "the question's emotion", f"not scored: {why}"))
    if not index.ids and not index.waiting and not index.unplaced:
        where = "" if view.until is None else " before this point of the story"
        add = f"add some: offbook remember {view.character} FILE.jsonl, or talk with --session"
        skipped.append(Skipped("memory", "memories", f"there are none{where}; {add}"))
    return skipped


def counted(number: int) -> str:
    """``1 memory``, ``2 memories``."""
    return "1 memory" if number == 1 else f"{number} memories"
