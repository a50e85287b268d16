"""Gold passages, and how much of them is in a context.

Takes: stretches of documents.  Gives: whether a passage is found, and the share that is covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

FOUND_SHARE: Final = 0.5
"""How much of a gold passage must be in the context for the passage to be found."""


class Evidence(NamedTuple):
    """A gold passage: ``document.text[start:end]`` answers the question; ``document`` is its id."""

    document: str
    start: int
    end: int


def covered(gold: Sequence[Evidence], context: Sequence[Evidence]) -> tuple[bool, float]:
    """Whether a gold passage is found, and which share of all gold characters is in the context."""
    inside = whole = 0
    found = False
    for passage in _joined(gold):
        whole += passage.end - passage.start
    pieces = _joined(context)
    for passage in _joined(gold):
        inside += _overlap(passage, pieces)
    for passage in gold:
        found |= _overlap(passage, pieces) >= FOUND_SHARE * (passage.end - passage.start)
    return found, inside / whole if whole else 0.0


def _joined(stretches: Sequence[Evidence]) -> list[Evidence]:
    """The same text without overlaps."""
    joined: list[Evidence] = []
    for each in sorted(stretches):
        if joined and joined[-1].document == each.document and each.start <= joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, each.end))
        else:
            joined.append(each)
    return joined


def _overlap(passage: Evidence, pieces: Sequence[Evidence]) -> int:
    return sum(
        max(0, min(passage.end, piece.end) - max(passage.start, piece.start))
        for piece in pieces
        if piece.document == passage.document
    )
