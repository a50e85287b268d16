"""Chunks from offsets, with ids derived from content: an edit elsewhere leaves them alone.

Ids are 16 hexadecimal digits; equal ones in a document are told apart by -2, -3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from offbook.types import Chunk, Document

Span = tuple[int, int]
"""Offsets of a chunk's body in its document."""

Part = tuple[tuple[str, ...], Iterable[Span]]
"""A heading path and what lies under it."""


def make_chunks(document: Document, chunking: str, parts: Iterable[Part]) -> list[Chunk]:
    """Make the chunks of ``document`` at the offsets in ``parts``, in that order."""
    chunks: list[Chunk] = []
    times = Counter[str]()
    # repr tells apart what joining would not: ("a, b",) and ("a", "b").
    opening = f"({document.id!r}, {chunking!r}, "
    for headings, spans in parts:
        common = sha256(f"{opening}{headings!r})".encode("utf-8", "surrogatepass"))
        for start, end in spans:
            body = document.text[start:end]
            content = common.copy()
            content.update(body.encode("utf-8", "surrogatepass"))
            key = content.hexdigest()[:16]
            times[key] += 1
            name = key if times[key] == 1 else f"{key}-{times[key]}"
            chunks.append(
                Chunk(name, document.id, chunking, len(chunks), start, end, headings, body)
            )
    return chunks
