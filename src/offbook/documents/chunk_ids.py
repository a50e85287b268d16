"""Chunks from offsets, with ids derived from content: an edit elsewhere leaves them alone.

Takes: a document, the name of a chunking, heading paths and offsets in the order of the text.
Gives: chunks; ids of 16 hexadecimal digits, equal ones in a document told apart by -2, -3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, make_dataclass
from hashlib import sha256
from typing import Any, Final

from offbook.types import Chunk, Document

Span = tuple[int, int]
"""Offsets of a chunk's body in its document."""

Part = tuple[tuple[str, ...], Iterable[Span]]
"""A heading path and what lies under it."""

# A frozen dataclass with slots takes four times as long to fill as one that is not frozen. So
# chunks are filled as drafts, which have the same slots, and turned into chunks when complete.
_Draft: Final[Any] = make_dataclass(
    "_Draft", [(field.name, field.type) for field in fields(Chunk)], slots=True
)


def make_chunks(document: Document, chunking: str, parts: Iterable[Part]) -> list[Chunk]:
    """The chunks of ``document`` at the offsets in ``parts``, in that order."""
    name, text = document.id, document.text
    drafts: list[Any] = []
    ordinal = 0
    # repr tells apart what joining would not: ("a, b",) and ("a", "b").
    opening = f"({name!r}, {chunking!r}, "
    for headings, spans in parts:
        common = sha256(f"{opening}{headings!r})".encode("utf-8", "surrogatepass"))
        for start, end in spans:
            body = text[start:end]
            content = common.copy()
            content.update(body.encode("utf-8", "surrogatepass"))
            key = content.hexdigest()[:16]
            drafts.append(_Draft(key, name, chunking, ordinal, start, end, headings, body))
            ordinal += 1
    if len({draft.id for draft in drafts}) < ordinal:
        _number(drafts)
    for draft in drafts:
        draft.__class__ = Chunk
    return drafts


def _number(drafts: list[Any]) -> None:
    """Number from 2 those whose id stood before."""
    times: dict[str, int] = {}
    for draft in drafts:
        times[draft.id] = number = times.get(draft.id, 0) + 1
        if number > 1:
            draft.id = f"{draft.id}-{number}"
