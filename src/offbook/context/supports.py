"""Which sentence of a reply rests on which sentence of what it was given.

Takes: a reply, and the texts that it may rest on.  Gives: offsets in both. Source: ours. A sentence
supports one of the reply when it holds the words of it; which ones a model had in mind, nobody can
know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from offbook.text.sentences import sentences
from offbook.text.words import search_terms

_SHARE: Final = 1 / 3
"""The least share of the words of a sentence of the reply that its support holds: a model tells
things in words of its own, and of three words one is taken over."""
_LEAST: Final = 2
"""The least words that they share: one alone is shared by chance."""
DECLINED: Final = ("premise", "unwitnessed", "out_of_scope")
"""Kinds of context that say what the character does not know; no sentence rests on those."""


@dataclass(frozen=True, slots=True)
class Support:
    """A sentence of a reply, and the place in the text, by its number, that holds the most of it.

    ``start`` and ``end`` are offsets in the reply, ``low`` and ``high`` in that text.
    """

    start: int
    end: int
    text: int
    low: int
    high: int


def supports(reply: str, texts: Sequence[str], name: str = "") -> list[Support]:
    """Find what the sentences of a reply rest on; those that rest on nothing are left out.

    Args:
        reply: What the character said.
        texts: What it was given; of equal ones the first counts.
        name: The character's, which is shared by all and says nothing.
    """
    names = set(search_terms(name))
    held = [
        (set(search_terms(text[low:high])) - names, number, low, high)
        for number, text in enumerate(texts)
        for low, high in sentences(text)
    ]
    made = []
    for start, end in sentences(reply):
        terms = set(search_terms(reply[start:end])) - names
        shared = [len(terms & words) for words, *_ in held]
        most = max(shared, default=0)
        if most < max(_LEAST, _SHARE * len(terms)):
            continue
        # Of those that hold as many, the shortest says least besides.
        fitting = [each for each, count in zip(held, shared, strict=True) if count == most]
        _, number, low, high = min(fitting, key=lambda each: len(each[0]))
        made.append(Support(start, end, number, low, high))
    return made
