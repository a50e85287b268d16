"""What a character of a story has lived through so far, as a reply stands on it.

Takes: what the character knows at a point, a budget of tokens, what is asked and how it is felt.
Gives: the record of their life up to the point, the newest entries as they are and older ones by
their gist; the last scene that they lived through; and older entries that the question means.
Record and scene change with the point alone: they stand in front, where a provider's prefix cache
finds them again. Source: ours; docs/boundary.md, "Characters of a story".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, Final

from offbook.text.emotion_names import EMOTIONS
from offbook.text.sentences import sentences
from offbook.text.words import search_terms
from offbook.types import ContextItem, Skipped

if TYPE_CHECKING:
    from offbook.retrieval.standing import Lived, Standing
    from offbook.text.encodings import TokenCounter

_SCENE_CHARS: Final = 4_500
"""Of a longer last scene its end: a study's prototype had so much, and lost nothing by it."""
_IN_FULL: Final = 0.75
"""Share of the record's tokens that entries in full may take; gists of older ones have the rest."""
_MEANT: Final = 3
"""Older entries that one question brings back."""
_LEAST: Final = 0.25
"""The least share of what is asked that an entry must hold to be meant."""
_FELT: Final = 0.2
"""The most that a shared feeling adds to that share: it orders entries, and makes none of use."""


@dataclass(frozen=True, slots=True)
class LifeSoFar:
    """The record with the last scene, as context, and what of the record is not there in full."""

    items: tuple[ContextItem, ...]
    older: tuple[Lived, ...]
    skipped: tuple[Skipped, ...] = ()


def life_so_far(standing: Standing, budget_tokens: int, count: TokenCounter) -> LifeSoFar:
    """Draw together what was lived through; older parts are shortened as the budget asks."""
    scene = _last_scene(standing)
    left = max(0, budget_tokens - sum(count(item.text) for item in scene))
    newest = list(standing.record)[::-1]
    items: list[ContextItem] = []
    skipped: list[Skipped] = []
    spent = 0
    in_full = 0
    for each in newest:
        spent += count(each.text)
        if spent > _IN_FULL * left:
            spent -= count(each.text)
            break
        in_full += 1
        items.append(_entry(each, each.text))
    for each in newest[in_full:]:
        spent += (cost := count(each.gist))
        if not each.gist or spent > left:
            spent -= cost
            why = f"older than what fits {budget_tokens} tokens (context.life_tokens)"
            skipped.append(Skipped("episode", each.title, why))
        else:
            items.append(_entry(each, each.gist))
    return LifeSoFar((*items[::-1], *scene), tuple(newest[in_full:]), tuple(skipped[::-1]))


def _entry(each: Lived, text: str) -> ContextItem:
    return ContextItem(
        "episode", each.title, text, 1.0, (each.source,), emotion=_emotion(each),
        witness=each.witness,
    )  # fmt: skip


def _emotion(each: Lived) -> Mapping[str, int] | None:
    if each.feeling not in EMOTIONS:
        return None
    return {name: each.strength if name == each.feeling else 1 for name in EMOTIONS}


def _last_scene(standing: Standing) -> list[ContextItem]:
    """The last scene that was lived through: all of it, or its end from a sentence on."""
    last = standing.last
    if last is None:
        return []
    text, source = last.text, last.source
    if len(text) > _SCENE_CHARS:
        near = len(text) - _SCENE_CHARS
        start = next((a for a, _ in sentences(text[near:]) if a), 0) + near
        text, source = text[start:], replace(source, start=source.start + start)
    subject = "" if standing.subjects is None else standing.subjects.of(source, text)
    return [
        ContextItem(
            "scene", last.title, text, 1.0, (source,), witness=last.witness, subject=subject
        )
    ]


def meant_episodes(
    older: Sequence[Lived], question: str, emotion: Mapping[str, int] | None
) -> list[ContextItem]:
    """Find the older entries that a question means; a shared feeling adds a little."""
    terms = [set(search_terms(each.text)) for each in older]
    spread = Counter(term for each in terms for term in each)
    weights = {
        term: log(1 + (1 + len(older)) / (1 + spread[term])) for term in search_terms(question)
    }
    total = sum(weights.values())
    ranked: list[tuple[float, int]] = []
    for place, each in enumerate(older):
        share = sum(weights[term] for term in sorted(terms[place] & weights.keys())) / (total or 1)
        if share >= _LEAST:
            alike = ((emotion or {}).get(each.feeling, 1) - 1) / 9 * each.strength / 10
            ranked.append((share + _FELT * alike, place))
    ranked.sort(key=lambda pair: (-pair[0], -pair[1]))
    best = sorted(ranked[:_MEANT], key=lambda pair: pair[1], reverse=True)
    return [
        replace(_entry(older[place], older[place].text), kind="memory", score=round(score, 4))
        for score, place in best
    ]
