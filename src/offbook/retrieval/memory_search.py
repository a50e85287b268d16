"""Memories that a question means: by words and meaning first, then how late and how strongly felt.

Takes: an index of memories, a question with its vector and emotion.  Gives: pieces of context, best
first, and what was left out. How late a memory is, how strongly it was felt and whether it was felt
as the question is add a little to what it has in common with the question, and never more: so a
memory that holds what is asked for comes before one that only feels alike. A question that names a
feeling has a few places besides for those near in meaning that were felt most as it is.
Source: ours, in place of the strategies of Emotional RAG (004), which ``retrieval.emotional`` has.
The sum of relevance, recency and importance is after Park et al. 2023 (arXiv 2304.03442, Generative
Agents), section 4.1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from offbook.memory.gate import only_asks
from offbook.models.beside import worked_out
from offbook.prompts.emotion import shortened, write_told
from offbook.retrieval.emotional import NEUTRAL, emotional_distances
from offbook.retrieval.emotional import rank as rank_by_strategy
from offbook.retrieval.memories import (
    RecalledMemories,
    View,
    left_out,
    memory_index,
    memory_item,
    title_of,
    with_mood,
)
from offbook.retrieval.search import (
    DENSE_WEIGHT,
    DenseIndex,
    convex_combination,
    top_positions,
)
from offbook.retrieval.statements import told_sentences
from offbook.stores import memories
from offbook.text.concepts import related_terms
from offbook.text.emotion_names import MOST, names_feeling
from offbook.text.grammar import FIRST_PERSON, word_set
from offbook.text.words import fold, search_terms
from offbook.types import ContextItem, Skipped

if TYPE_CHECKING:
    from offbook.memory.turns import ConversationContext
    from offbook.protocols import Store
    from offbook.retrieval.memories import Felt, MemoryIndex
    from offbook.types import Character, MemoryFragment, Position

OF_ASKER: Final = 0.15
"""What it adds to be told in a conversation, where somebody asks of themselves."""
_RELATED: Final = 0.5
"""The weight of a word that stands for one of the question's, against that word."""
LATE: Final = 0.03
STRONG: Final = 0.02
ALIKE: Final = 0.05
"""The most that being late, being felt strongly and being felt alike add to a score."""
_SELF: Final = FIRST_PERSON - word_set("me us")
_YOU: Final = word_set("you your yours yourself")
_WORD: Final = re.compile(r"[^\W\d_]+")
HALF: Final = 50
"""So many memories later, being late counts half."""
FEW: Final = 8
"""Fewer memories do not say what likeness chance gives: theirs counts as it is."""
FELT: Final = 2
"""Further places of a question that names a feeling: for what was felt as it is."""
_NAMED: Final = 60
_LOOKED_AT: Final = 4
_TOLD_CHARS: Final = 600

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Meant:
    """A question as memories are searched by it; ``emotion`` has eight levels, or is None."""

    question: str
    vector: Floats
    emotion: Sequence[float] | None


async def find_meant(
    store: Store,
    character: Character,
    question: str,
    felt: Felt,
    conversation: ConversationContext,
    *,
    k: int,
    least: float,
    mood: float = 0.0,
    places: int = 6,
    pool: int = 20,
    until: Position | None = None,
) -> RecalledMemories:
    """The ``k`` memories at most that a question means, best first.

    A turn that was distilled is not among them, its statements are; what is superseded is told with
    what supersedes it. ``least`` is the relevance that a memory needs, ``mood`` the weight of the
    mood beside the question's emotion. Where the question names a feeling, ``FELT`` of the ``pool``
    nearest in meaning come behind the first ``places`` for how they were felt.

    Raises:
        EmbedderMismatch: the stored vectors have another dimension than the question's.
    """
    revision = 0 if until is None else character.revision
    view = View(character.id, conversation.principal, until, revision)
    index = await memory_index(store, view)
    recalled = RecalledMemories(skipped=left_out(index, view, felt.why))
    if not index.ids:
        return recalled
    meant = Meant(question, felt.vector, with_mood(felt, conversation, mood))
    over = sum(turn in conversation.present for turn in index.turns) if conversation.present else 0
    ranked = await worked_out(rank, index, meant, _LOOKED_AT * k + over)
    ranked = [one for one in ranked if index.turns[index.rows[one.id]] not in conversation.present]
    if meant.emotion is not None and names_feeling(question):
        ranked = with_felt(index, meant.emotion, ranked, places, pool)
        recalled.felt = FELT
    earlier = _superseded(index)
    named = {name for one in ranked for name in (one.id, *earlier.get(one.id, ()))}
    fragments = {one.id: one for one in await store.read(memories.get, character.id, list(named))}
    passed_over: list[Skipped] = []
    for one in ranked:
        if one.id not in fragments or len(recalled.items) == k:
            continue
        before = [fragments[name] for name in earlier.get(one.id, ()) if name in fragments]
        item = told_item(fragments[one.id], one.score, before)
        why = "" if one.relevance >= least else f"below {least} (ensemble.memory_score)"
        if tells_nothing(fragments[one.id]):
            why = "nothing was told there, only asked"
        if why:
            passed_over.append(Skipped("memory", item.title or shortened(item.text, _NAMED), why))
        else:
            recalled.items.append(item)
    recalled.skipped += passed_over[: k - len(recalled.items)]
    return recalled


class Ranked(NamedTuple):
    """A memory: what it has in common with the question (at most 1), and that with additions."""

    id: str
    relevance: float
    score: float


def rank(index: MemoryIndex, meant: Meant, k: int, *, statements: bool = False) -> list[Ranked]:
    """Score the best ``k`` memories that count, best first; ``statements`` alone where that is set.

    What a superseded statement has in common with the question counts for what supersedes it.
    """
    size = len(index.ids)
    similarities = DenseIndex(index.ids, index.matrix[:size]).scores(meant.vector)
    highest = index.lexical.highest_score(meant.question) or 1
    related = " ".join(
        sorted({one for term in search_terms(meant.question) for one in related_terms(term)})
    )
    matches = index.lexical.scores(meant.question)
    matches += np.float32(_RELATED) * index.lexical.scores(related)
    matches = np.minimum(matches / np.float32(highest), 1)
    now = _now(index)
    places = np.flatnonzero(now >= 0)
    combined = matches + np.float32(DENSE_WEIGHT) * similarities
    relevance = (combined / np.float32(1 + DENSE_WEIGHT)).astype(np.float32)
    if len(places) >= FEW:
        combined = convex_combination(matches[places], similarities[places], DENSE_WEIGHT)
        relevance[places] = combined
    np.maximum.at(relevance, now[places], relevance[places])
    scores = relevance + _bonus(index, meant.emotion)
    if is_of_asker(meant.question):
        scores += np.float32(OF_ASKER) * np.array([turn is not None for turn in index.turns])
    counts = now == np.arange(size)
    if statements:
        counts &= np.array([kind is not None for kind in index.kinds], bool)
    scores[~counts] = -1
    best = top_positions(scores, min(k, int(counts.sum())))
    return [
        Ranked(index.ids[row], float(relevance[row]), float(scores[row])) for row in best.tolist()
    ]


def _now(index: MemoryIndex) -> NDArray[np.intp]:
    """The row that counts in the place of each: its own, that of what supersedes it, or -1."""
    now = np.arange(len(index.ids))
    for name in index.retired:
        row = last = index.rows.get(name, -1)
        if row < 0:
            continue
        passed = {last}
        while (after := index.rows.get(index.retired.get(index.ids[last]) or "", -1)) >= 0:
            if after in passed:
                break
            passed.add(after)
            last = after
        # A turn whose statements stand for it; a statement that is superseded only later counts.
        now[row] = -1 if index.kinds[row] is None else last
    return now


def with_felt(
    index: MemoryIndex, emotion: Sequence[float], ranked: Sequence[Ranked], first: int, pool: int
) -> list[Ranked]:
    """Put those of a ``pool`` that were felt most as the question behind the ``first`` it means.

    They are ranked by S-S: of those nearest in meaning the ones that are nearest in emotion
    (Emotional RAG (004), section II-B.3).
    """
    rest = list(ranked[first:])
    rows = [index.rows[one.id] for one in rest]
    distances = emotional_distances(index.emotions[rows].astype(np.float64), emotion, NEUTRAL)
    relevance = np.array([one.relevance for one in rest], np.float64)
    alike = rank_by_strategy(-relevance, distances, "S-S", FELT, max(0, pool - first))
    felt = [rest[one.index] for one in alike]
    return [*ranked[:first], *felt, *(one for one in rest if one not in felt)]


def is_of_asker(question: str) -> bool:
    """Whether somebody asks of themselves: "What is my job?", not "Tell me about your job"."""
    words = frozenset(_WORD.findall(fold(question)))
    return not words.isdisjoint(_SELF) or ("me" in words and words.isdisjoint(_YOU))


def _bonus(index: MemoryIndex, emotion: Sequence[float] | None) -> Floats:
    size = len(index.ids)
    levels = index.emotions.astype(np.float64)
    known = ~np.isnan(levels).any(axis=1)
    strongest = np.where(known, levels.max(axis=1, initial=NEUTRAL), NEUTRAL)
    bonus = STRONG * (strongest - NEUTRAL) / (MOST - NEUTRAL)
    talked = np.array([turn is not None for turn in index.turns])
    bonus += LATE * talked * 0.5 ** (np.arange(size)[::-1] / HALF)
    if emotion is not None:
        distances = emotional_distances(levels, emotion, NEUTRAL)
        bonus += ALIKE * np.where(np.isnan(distances), 0.0, 1 - distances).clip(0, 1)
    return bonus.astype(np.float32)


def _superseded(index: MemoryIndex) -> Mapping[str, list[str]]:
    """Id of a statement -> those that it supersedes, oldest first."""
    earlier: dict[str, list[str]] = {}
    for name in sorted(index.retired, key=lambda one: index.rows.get(one, -1)):
        after = index.retired[name]
        if after is not None and name in index.rows:
            earlier.setdefault(after, []).append(name)
    return earlier


def told_item(
    fragment: MemoryFragment, score: float, before: Sequence[MemoryFragment] = ()
) -> ContextItem:
    """A memory as the actor is told of it: of a conversation what the other told, no old answer.

    An authored memory is told with both halves; ``before`` is what a statement supersedes.
    """
    if fragment.session is None:
        return memory_item(fragment, score)
    said = fragment.said if fragment.kind else shortened(fragment.said, _TOLD_CHARS)
    own_word = fragment.answered if fragment.kind == "own_word" else ""
    told_before = [one.said or one.answered for one in before]
    text = write_told(said, own_word, told_before, fragment.speaker)
    title = title_of(fragment)
    return ContextItem("memory", title, text, score, memory=fragment.id, emotion=fragment.emotion)


def tells_nothing(fragment: MemoryFragment) -> bool:
    """Whether all that was said in a turn of a conversation are questions."""
    is_turn = fragment.session is not None and fragment.kind is None
    return is_turn and only_asks(fragment.said) and not told_sentences(fragment.said)
