"""What is said once is not said again: the same passage, the same sentence, under another kind.

Takes: pieces of context, best first.  Gives: what is new in them, and what was skipped and why.
Source: ours (methods.md 5): kinds that were found apart from one another overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from offbook.language.sentences import sentences
from offbook.types import ContextItem, Skipped, Source

COVERED: Final = 0.5
"""The share of a passage that others show, from which on it is no news."""


def passages_once(
    items: Sequence[ContextItem],
) -> tuple[list[ContextItem], list[Skipped]]:
    """The passages of which those before them do not show half or more already.

    Args:
        items: Passages of any chunkings, the most important first; by their sources, not their
            words: two documents may say the same.
    """
    kept: list[ContextItem] = []
    skipped: list[Skipped] = []
    for item in items:
        shown = [source for before in kept for source in before.sources]
        if item.sources and all(_covered(source, shown) >= COVERED for source in item.sources):
            why = "most of it stands in a passage that is shown"
            skipped.append(Skipped(item.kind, item.title, why))
        else:
            kept.append(item)
    return kept, skipped


def sentences_once(
    items: Iterable[ContextItem], shown: Iterable[str]
) -> tuple[list[ContextItem], list[Skipped]]:
    """The items without the sentences that ``shown`` texts or earlier items hold word by word.

    Args:
        items: Pieces of one kind, best first.
        shown: Texts of what is shown beside them.
    """
    known = "\n".join(map(_plain, shown))
    kept: list[ContextItem] = []
    skipped: list[Skipped] = []
    for item in items:
        told = [_plain(item.text[start:end]) for start, end in sentences(item.text)]
        new = [sentence for sentence in dict.fromkeys(told) if sentence not in known]
        if new:
            kept.append(item if len(new) == len(told) else replace(item, text=" ".join(new)))
            known = "\n".join((known, *new))
        else:
            why = "all of it is said in what is shown"
            skipped.append(Skipped(item.kind, item.title, why))
    return kept, skipped


def _covered(source: Source, shown: Iterable[Source]) -> float:
    """The largest share of a source that one of the others covers."""
    length = max(1, source.end - source.start)
    shares = (
        (min(source.end, other.end) - max(source.start, other.start)) / length
        for other in shown
        if other.document == source.document
    )
    return max(shares, default=0.0)


def _plain(text: str) -> str:
    return " ".join(text.split())
