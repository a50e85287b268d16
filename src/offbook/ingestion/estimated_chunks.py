"""The chunks of documents as an ingestion would store them, for estimates.

Takes: documents as they would be stored, and a chunking.  Gives: its chunks; nothing is embedded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from offbook.documents.chunking import make_splitter
from offbook.ingestion.storing import splitter_arguments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.settings import SettingsModel
    from offbook.types import Chunk, Document


async def chunks_of(
    documents: Sequence[Document], chunking: str, settings: SettingsModel
) -> dict[str, Chunk]:
    """The chunks by their ids, which depend on their content only."""
    splitter = make_splitter(chunking, splitter_arguments(chunking, settings), by_chance)
    found: dict[str, Chunk] = {}
    for document in documents:
        made = await asyncio.to_thread(splitter.split, document)
        found |= {chunk.id: chunk for chunk in made}
    return found


def by_chance(texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors by chance: they give a semantic splitter about as many cuts as real ones."""
    import numpy as np

    return np.random.default_rng(len(texts)).standard_normal((len(texts), 8), np.float32)
