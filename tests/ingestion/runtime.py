"""What the stages of an ingestion are given in tests: settings, readings, an embedder.

Takes: what the embedder is to do.  Gives: its vectors, and what it was asked for.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from offbook.documents.readers import ReadDocument
from offbook.ingestion.documents import store_documents
from offbook.models.batching import note_call
from offbook.settings import SettingsModel
from offbook.stores import vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.ingestion.reports import DocumentReport
    from offbook.protocols import EmbedKind, Store

DIMENSION = 4


class Embedding:
    """An embedder that depends on the text alone, waits where told, and fails where told.

    Args:
        fail: Is called with the texts of each request, before it is answered; may raise.
        name: The embedder's name.
    """

    def __init__(self, fail: Callable[[Sequence[str]], object] = len, name: str = "e") -> None:
        self.name = name
        self.requests: list[list[str]] = []
        self.in_flight = self.peak = 0
        self.gate: asyncio.Event | None = None
        self._fail = fail

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        self.requests.append(list(texts))
        note_call()  # as the limiter does
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await (self.gate.wait() if self.gate else asyncio.sleep(0))
            self._fail(texts)
        finally:
            self.in_flight -= 1
        return np.stack([vector_of(text) for text in texts])


def vector_of(text: str) -> NDArray[np.float32]:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    row = np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
    unit: NDArray[np.float32] = row / np.linalg.norm(row)
    return unit


def settings(**sections: Any) -> SettingsModel:
    return SettingsModel.model_validate(sections)


def sections(count: int, first: int = 0) -> str:
    """A document of which `markdown` makes a chunk a section, each text different."""
    return "\n\n".join(f"## Year {n}\n\nIn year {n} ship {n} came in." for n in range(first, count))


def read(name: str, text: str) -> ReadDocument:
    return ReadDocument(name, text, "text/markdown")


async def stored(
    store: Store, *readings: ReadDocument, chunkings: Sequence[str] = ("markdown",), **told: Any
) -> list[DocumentReport]:
    """Put readings into the character ``keeper``."""
    return await store_documents(
        store, "keeper", readings, chunkings, settings(**told), Embedding()
    )


async def vectors_in(store: Store) -> dict[str, NDArray[np.float32]]:
    """Chunk id -> its vector in the active set."""
    ids, matrix = await store.read(lambda conn: vectors.load_matrix(conn, "keeper", "chunk"))
    return dict(zip(ids, matrix, strict=True))
