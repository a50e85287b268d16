"""Whether a character of a story knows a fact at a point, by search alone: no model is asked.

Takes: a story's texts, cast and scenes; what a character knows of them at a point; a fact.  Gives:
a judgement with its reason and its place. The fact is looked for in short windows of all scenes. A
window that the character witnessed by the point, and that says it nearly as well as the best one,
makes them know it; else it happened where they were not, or comes later. Source: ours;
docs/boundary.md, "Characters of a story".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from offbook.models.builtin import embed_texts
from offbook.names.narrator import narrator_of
from offbook.retrieval.search import (
    DENSE_WEIGHT,
    DenseIndex,
    LexicalIndex,
    convex_combination,
    encode_terms,
)
from offbook.types import Position, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.names.cast import Cast
    from offbook.names.story import Story
    from offbook.retrieval.standing import Standing
    from offbook.types import Document, WitnessHow

_PARAGRAPH: Final = re.compile(r"\n\s*\n")
_WINDOW: Final = 700
"""Characters of a window: about what tells one event; 400 and 1,200 judge much the same."""
ENOUGH: Final = 0.85
"""The share of the best window's score from which a witnessed one says the fact as well."""
_BESIDE, _ELSEWHERE = 0.85, 0.7
"""What a window of a witnessed scene is worth where the character is named, or speaks, in the one
beside it, or further off: whoever comes in late has not seen how it began."""
_NOTHING: Final = 0.1
"""The score below which no window says the fact: names alone give as much."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether somebody knows a fact, how (``absent``: not at all), why, and where that stands."""

    knows: bool
    how: WitnessHow
    reason: str
    sources: tuple[Source, ...] = ()


class FactIndex:
    """The windows of a story, ready to be searched for facts.

    Args:
        story: Its scenes: no window goes over the cut between two.
        cast: Who is named and speaks where; also by full name, where a text says "he".
        texts: The texts as ``story`` and ``cast`` count them.
    """

    def __init__(self, story: Story, cast: Cast, texts: Sequence[Document]) -> None:
        self._cast = cast
        self.windows: list[Source] = []
        self._starts: list[Position] = []
        for number, text in enumerate(texts):
            cuts = {scene.start for scene in story.scenes if scene.text == number}
            for start, end in _windows(text.text, cuts):
                self.windows.append(Source(text.id, "", start, end))
                self._starts.append(Position(number, start))
        self.people = self._present(texts)
        whole = {text.id: text.text for text in texts}
        shown = [whole[each.document][each.start : each.end] for each in self.windows]
        blobs = [
            encode_terms("\n".join((text, *(cast.members[n].name for n in sorted(who)))))
            for text, who in zip(shown, self.people, strict=True)
        ]
        rows = [str(row) for row in range(len(shown))]
        self._lexical = LexicalIndex.from_blobs(rows, blobs)
        self._dense = DenseIndex(rows, embed_texts(shown))

    def _present(self, texts: Sequence[Document]) -> list[set[int]]:
        """Who is named or speaks in each window, or tells the text as "I"."""
        people: list[set[int]] = [set() for _ in self.windows]
        for mention in self._cast.mentions:
            people[self._window_of(mention.text, mention.start)].add(mention.member)
        for quotation in self._cast.quotations:
            if quotation.speaker is not None:
                people[self._window_of(quotation.text, quotation.start)].add(quotation.speaker)
        for number, text in enumerate(texts):
            if (teller := narrator_of(text.text, number, self._cast)) is not None:
                for place, start in enumerate(self._starts):
                    if start.document_ordinal == number:
                        people[place].add(teller)
        return people

    def _window_of(self, text: int, offset: int) -> int:
        return max(0, bisect_right(self._starts, Position(text, offset)) - 1)

    def judge(self, standing: Standing, fact: str) -> Judgement:
        """Say whether a character knows a fact by what is theirs."""
        scores = self._scores(fact)
        best = int(scores.argmax()) if len(scores) else 0
        if not len(scores) or scores[best] < _NOTHING:
            return Judgement(False, "absent", "nothing in the story speaks of it")
        theirs = scores * self._worth(standing)
        known = int(theirs.argmax())
        place = self.windows[best]
        if theirs[known] >= ENOUGH * scores[best]:
            place = self.windows[known]
            witness = standing.witness([place])
            how = "present" if witness is None else witness.how
            return Judgement(True, how, f"they witnessed what says it: {how}", (place,))
        until = standing.reach.until
        if until is not None and self._starts[best] >= until:
            return Judgement(False, "absent", "it comes later in the story", (place,))
        return Judgement(False, "absent", "they did not witness it, nor were told of it", (place,))

    def _scores(self, fact: str) -> NDArray[np.float32]:
        if not self.windows:
            return np.zeros(0, np.float32)
        match = self._lexical.scores(fact) / np.float32(self._lexical.highest_score(fact) or 1)
        return convex_combination(match, self._dense.scores(embed_texts([fact])[0]), DENSE_WEIGHT)

    def _worth(self, standing: Standing) -> NDArray[np.float32]:
        """What each window counts: 0 where it is not theirs, less where they are not near."""
        near = np.array([standing.member in who for who in self.people])
        beside = near | np.append(near[1:], False) | np.append(False, near[:-1])
        worth = np.where(near, 1.0, np.where(beside, _BESIDE, _ELSEWHERE)).astype(np.float32)
        for row, window in enumerate(self.windows):
            if not standing.holds(window):  # it may say what comes behind the point
                worth[row] = 0.0
        return worth


def _windows(text: str, cuts: set[int]) -> Iterator[tuple[int, int]]:
    """Whole paragraphs of about a window's length, never over a cut."""
    ends = sorted({0, *(match.end() for match in _PARAGRAPH.finditer(text)), *cuts, len(text)})
    first = 0
    for _, end in pairwise(ends):
        if end - first >= _WINDOW or end in cuts or end == len(text):
            if shown := text[first:end].rstrip("# \t\r\n"):  # also marks of a heading behind it
                yield first, first + len(shown)
            first = end
