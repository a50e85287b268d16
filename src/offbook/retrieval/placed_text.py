"""Where the text of a piece of context stands, and that of what is left when it is shortened.

Takes: a piece of context.  Gives: its place in a document, if its text is one stretch of one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from offbook.types import ContextItem, Source


def place_of(item: ContextItem) -> Source | None:
    """The stretch of a document that the text of a piece is, letter by letter; None: it is none.

    Knowledge alone is: what is told of an entity names where, and says it in other words.
    """
    if item.kind != "knowledge" or len(item.sources) != 1:
        return None
    (whole,) = item.sources
    return whole if whole.end - whole.start == len(item.text) else None


def cut_to(item: ContextItem, beginning: str) -> ContextItem:
    """A piece that holds only the beginning of its text; its source ends where that does.

    What several sources say together keeps them all.
    """
    whole = place_of(item)
    if whole is None or not item.text.startswith(beginning):
        return replace(item, text=beginning)
    source = replace(whole, end=whole.start + len(beginning))
    return replace(item, text=beginning, sources=(source,))
