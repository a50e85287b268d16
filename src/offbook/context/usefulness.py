"""How like a question pieces of context are: what is of little use is left out, and said so.

Takes: a question and pieces that were found by other measures.  Gives: those that are most like it,
and the others with the reason. The measure is the cosine of the built-in embedder, whatever embeds
the texts, so that a threshold means the same everywhere. Source: ours (methods.md 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from offbook.models.builtin import embed_texts
from offbook.types import ContextItem, Skipped

_SHOWN: Final = 60


def most_like(
    question: str, items: Sequence[ContextItem], most: int, setting: str
) -> tuple[list[ContextItem], list[Skipped]]:
    """The ``most`` items that are most like a question, best first.

    Args:
        question: What is asked, with what it refers back to.
        items: Pieces of one kind; equal ones stay in their order.
        most: How many.
        setting: The name of the setting that says so, for the reason.
    """
    much = likeness(question, items)
    order = sorted(range(len(items)), key=lambda at: -much[at])
    why = f"others are more like the question ({setting} = {most})"
    left = [Skipped(items[at].kind, named(items[at]), why) for at in order[most:]]
    return [items[at] for at in order[:most]], left


def like_enough(
    question: str, items: Sequence[ContextItem], least: float, setting: str
) -> tuple[list[ContextItem], list[Skipped]]:
    """The items that are like a question at least so much, in their order."""
    kept: list[ContextItem] = []
    left: list[Skipped] = []
    for item, much in zip(items, likeness(question, items), strict=True):
        if much >= least:
            kept.append(item)
        else:
            why = f"hardly like the question: below {least} ({setting})"
            left.append(Skipped(item.kind, named(item), why))
    return kept, left


def likeness(question: str, items: Sequence[ContextItem]) -> list[float]:
    """How like the question each text is, from -1 to 1."""
    if not items:
        return []
    vectors = embed_texts([question, *(item.text for item in items)])
    much: list[float] = (vectors[1:] @ vectors[0]).tolist()
    return much


def named(item: ContextItem) -> str:
    """The title of an item, or how it begins: what is left out has to be told from others."""
    line = " ".join(item.text.split())
    return item.title or (line if len(line) <= _SHOWN else f"{line[: _SHOWN - 3]}...")
