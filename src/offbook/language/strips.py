"""Strips: the pieces of a passage that can be kept or left out on their own.

Takes: a passage.  Gives: stretches of a few sentences, in order, with their offsets.
Paper: CRAG (arXiv 2401.15884), section 4, "knowledge strips". Sentences of different lines are of
different strips, so that each entry of a list is one of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from offbook.language.sentences import sentences


@dataclass(frozen=True, slots=True)
class Strip:
    """A stretch of a passage: ``passage[start:end]``."""

    start: int
    end: int

    def of(self, passage: str) -> str:
        """Its text."""
        return passage[self.start : self.end]


def strips_of(passage: str, sentences_each: int) -> list[Strip]:
    """The strips of a passage, which together hold all of it that is not white space.

    Args:
        passage: The text.
        sentences_each: The most sentences that a strip has.
    """
    found: list[Strip] = []
    count = 0
    for start, end in sentences(passage):
        last = found[-1] if found else None
        if last is None or count == sentences_each or "\n" in passage[last.end : start]:
            found.append(Strip(start, end))
            count = 1
        else:
            found[-1] = Strip(last.start, end)
            count += 1
    return found
