"""Chunk ids: derived from content, so that an edit elsewhere in a document leaves them alone.

Takes: document, chunking, heading path and body of chunks, in the order of the text.
Gives: 16 hexadecimal digits each; equal ones in a document are told apart by -2, -3.
"""

from __future__ import annotations

from hashlib import sha256

from offbook.types import Chunk, Document

Span = tuple[int, int]
"""Offsets of a chunk's body in its document."""


class ChunkMaker:
    """Turns offsets into chunks of one document, with ids and ordinals, in the order given."""

    def __init__(self, document: Document, chunking: str) -> None:
        self.chunks: list[Chunk] = []
        self._document = document
        self._chunking = chunking
        self._seen: dict[str, int] = {}

    def add(self, spans: list[Span], headings: tuple[str, ...]) -> None:
        """Append the chunks at ``spans``, which all lie under ``headings``."""
        document, chunking, seen, chunks = (
            self._document.id,
            self._chunking,
            self._seen,
            self.chunks,
        )
        text, ordinal = self._document.text, len(self.chunks)
        # repr tells apart what joining would not: ("a, b",) and ("a", "b").
        prefix = repr((document, chunking, headings)).encode("utf-8", "surrogatepass")
        for start, end in spans:
            body = text[start:end]
            digest = sha256(prefix + body.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            if digest in seen:
                seen[digest] += 1
                digest = f"{digest}-{seen[digest]}"
            else:
                seen[digest] = 1
            chunks.append(Chunk(digest, document, chunking, ordinal, start, end, headings, body))
            ordinal += 1
