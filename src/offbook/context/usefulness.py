"""How much pieces of context bear on a question: what is of little use is left out, and said so.

Takes: a question and pieces that were found by other measures.  Gives: those that bear on it most,
and the others with the reason. The measure is the built-in one of ``trait_bearing``, whatever
embedder is configured, so that a threshold means the same everywhere. Source: ours (methods.md 5).
"""

from __future__ import annotations

from collections.abc import Sequence

from offbook.models.trait_bearing import bearing
from offbook.types import ContextItem, Skipped


def bearing_most(
    question: str, items: Sequence[ContextItem], most: int, setting: str
) -> tuple[list[ContextItem], list[Skipped]]:
    """The ``most`` items that bear on a question, best first.

    Args:
        question: What is asked, with what it refers back to.
        items: Pieces of one kind; equal ones stay in their order.
        most: How many.
        setting: The name of the setting that says so, for the reason.
    """
    much = bearing(question, [item.text for item in items])
    order = sorted(range(len(items)), key=lambda at: -much[at])
    why = f"others bear more on the question ({setting} = {most})"
    left = [Skipped(items[at].kind, items[at].title, why) for at in order[most:]]
    return [items[at] for at in order[:most]], left


def bearing_enough(
    question: str, items: Sequence[ContextItem], least: float, setting: str
) -> tuple[list[ContextItem], list[Skipped]]:
    """The items that bear on a question at least so much, in their order."""
    kept: list[ContextItem] = []
    left: list[Skipped] = []
    for item, much in zip(items, bearing(question, [i.text for i in items]), strict=True):
        if much >= least:
            kept.append(item)
        else:
            why = f"it bears too little on the question: {much:.2f}, below {least} ({setting})"
            left.append(Skipped(item.kind, item.title or _begin(item.text), why))
    return kept, left


def _begin(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
