"""What the chunks of a character reveal of it, as rows.

Takes: a character whose chunks were judged at ingestion.  Gives: the JSON shape of the contract.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from offbook.app.missing_index import build_command
from offbook.errors import IndexMissing
from offbook.retrieval.passages import check_split
from offbook.retrieval.trait_index import check_traits
from offbook.stores import chunk_attributes, chunks, documents

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.types import Character


async def attributes(book: Offbook, character: Character) -> list[dict[str, Any]]:
    """The attributes in the order of the texts, equal ones once with all their sources.

    Raises:
        IndexMissing: chunks were not judged yet; the hint is the command that does it.
    """
    splitter = book.settings.values.amadeus.splitter
    try:
        await book.store.read(lambda conn: check_split(conn, character, splitter))
        await book.store.read(lambda conn: check_traits(conn, character, splitter))
    except IndexMissing as error:
        stored = await book.store.read(lambda conn: documents.list_all(conn, character.id))
        flags = "--method amadeus --set amadeus.gs=indexed"
        command = f"{build_command(book.settings, character.id)} {flags}"
        error.hint = f"build it: {command}{'' if stored else ' FILE...'}"
        raise
    rows: list[dict[str, Any]] = await book.store.read(
        lambda conn: _rows(conn, character.id, splitter)
    )
    return rows


def _rows(conn: Connection, character: str, chunking: str) -> list[dict[str, Any]]:
    judged = {one.chunk: one for one in chunk_attributes.list_all(conn, character, chunking)}
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for chunk in chunks.list_chunks(conn, character, chunking=chunking):
        judgement = judged.get(chunk.id)
        for attribute in judgement.attributes if judgement is not None else ():
            key = attribute.kind, attribute.text
            row = rows.setdefault(key, {"kind": key[0], "text": key[1], "sources": []})
            row["sources"].append(
                {
                    "document": chunk.document,
                    "chunk": chunk.id,
                    "start": chunk.start,
                    "end": chunk.end,
                }
            )
    return list(rows.values())
