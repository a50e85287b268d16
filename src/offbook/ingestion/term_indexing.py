"""The terms of chunks for lexical search, made while models answer: nobody waits for them.

Takes: the chunks that are stored.  Gives: terms in the store for those that have none, or have some
of an older analyzer. What is searched before they are there makes its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from offbook.models.beside import worked_out_in_parts
from offbook.retrieval.encoded_terms import ANALYZER, encode_terms
from offbook.stores import chunks

if TYPE_CHECKING:
    from offbook.protocols import Store

_AT_ONCE: Final = 512
"""Chunks that are read and written together."""


async def index_terms(store: Store, character: str) -> None:
    """Make the terms that are not there yet."""
    while True:
        found = await store.read(
            lambda conn: chunks.without_terms(conn, character, ANALYZER, _AT_ONCE)
        )
        if not found:
            return
        texts = [chunk.text_with_headings for chunk in found]
        packed = await worked_out_in_parts(encode_terms, texts)
        terms = {chunk.id: blob for chunk, blob in zip(found, packed, strict=True)}
        await store.write(lambda conn, t=terms: chunks.set_terms(conn, character, ANALYZER, t))  # type: ignore[misc]
