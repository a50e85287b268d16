"""What an ingestion would cost, without a call.

Takes: what would be read, and what the method needs.  Gives: calls, tokens and money.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from offbook.ingestion.reports import Estimate
from offbook.ingestion.storing import make_splitters, stored_documents
from offbook.ingestion.summarizing import profile_request
from offbook.language.encodings import token_counter
from offbook.stores import chunks, vectors
from offbook.types import Chunk, Document, TaskUsage

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.documents.readers import ReadDocument
    from offbook.pipeline import Stage
    from offbook.types import Character

PROFILE_TOKENS = 250
"""About what a profile of at most 180 words has."""


async def estimate_ingestion(
    stage: Stage, character: Character, readings: Sequence[ReadDocument]
) -> Estimate:
    """Count the calls that ``ingest`` would make now, in its place nothing is done."""
    needs = stage.method.needs(stage.settings)
    before = await stage.store.read(lambda conn: stored_documents(conn, character.id))
    after = _after(before, readings)
    embed_calls = 0
    if needs.vectors and stage.settings.embed.model != "builtin":
        known = await stage.store.read(lambda conn: _embedded(conn, character.id))
        made: list[Chunk] = []
        for splitter in make_splitters(needs.chunkings, stage.settings, stage.embedder):
            made += [c for d in after for c in splitter.split(d) if c.id not in known]
        embed_calls = -(-len(made) // stage.settings.embed.batch)
    if not needs.profile or (character.profile is not None and after == before):
        return _priced(stage, 0, 0, 0, embed_calls)
    request = profile_request(character, after, stage.settings.profile.budget_tokens)
    count = token_counter(stage.settings.tokens.encoding)
    prompt_tokens = sum(count(message.content) for message in request.messages)
    if stage.extractor.base_url == "offline:":
        return _priced(stage, 0, 0, 0, embed_calls)
    return _priced(stage, 1, prompt_tokens, PROFILE_TOKENS, embed_calls)


def _after(before: Sequence[Document], readings: Sequence[ReadDocument]) -> list[Document]:
    by_name = {document.name: document for document in before}
    digests = {document.digest for document in before}
    for reading in readings:
        digest = hashlib.sha256(reading.text.encode("utf-8", "surrogatepass")).hexdigest()
        old = by_name.get(reading.name)
        if old is None and digest in digests:
            continue
        if old is None or old.digest != digest:
            identity = old.id if old is not None else reading.name
            by_name[reading.name] = Document(identity, reading.name, reading.text, digest)
    return list(by_name.values())


def _embedded(conn: Connection, character: str) -> set[str]:
    """Ids of the chunks that have a vector."""
    active = vectors.active_set(conn, character)
    if active is None:
        return set()
    missing = set(vectors.missing_ids(conn, character, active.id, "chunk"))
    return {chunk.id for chunk in chunks.list_chunks(conn, character)} - missing


def _priced(
    stage: Stage, calls: int, prompt_tokens: int, completion_tokens: int, embed_calls: int
) -> Estimate:
    price = stage.settings.prices.get(stage.extractor.name)
    cost = None
    if price is not None:
        cost = (prompt_tokens * price.prompt + completion_tokens * price.completion) / 1_000_000
    tasks = {"profile": TaskUsage(calls, prompt_tokens, completion_tokens)} if calls else {}
    return Estimate(calls, prompt_tokens, completion_tokens, cost, embed_calls, tasks)
