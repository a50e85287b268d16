"""What judging the chunks of a character once would cost, without a call.

Takes: the documents as they would be stored.  Gives: calls and tokens of the chunks that were not
judged yet, counted in the very prompts that would be sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from offbook.ingestion.estimated_chunks import chunks_of
from offbook.ingestion.trait_indexing import has_words, trait_inputs
from offbook.language.encodings import token_counter
from offbook.models.caching import call_key
from offbook.prompts.ask import request_of
from offbook.prompts.traits import INDEX_TRAITS
from offbook.stores import call_cache, chunk_attributes
from offbook.types import TaskUsage

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.pipeline import Stage
    from offbook.types import Character, Chunk, Document
    from offbook.wire import ChatRequest

ANSWER_TOKENS: Final = 90
"""About what a judgement with two or three sentences has."""


async def estimate_judging(
    stage: Stage, character: Character, documents: Sequence[Document]
) -> TaskUsage:
    """The calls that judging these documents would make now.

    Args:
        stage: The extractor, the settings and the store.
        character: Whose documents they are.
        documents: As they would be stored; the ids of chunks depend on their content only.
    """
    passages = await chunks_of(documents, stage.settings.amadeus.splitter, stage.settings)
    requests = {
        name: _request(character, chunk) for name, chunk in passages.items() if has_words(chunk)
    }
    asked = await stage.store.read(lambda conn: _unanswered(conn, stage, character.id, requests))
    count = token_counter(stage.settings.tokens.encoding)
    prompt_tokens = sum(count(message.content) for r in asked for message in r.messages)
    return TaskUsage(len(asked), prompt_tokens, len(asked) * ANSWER_TOKENS)


def _request(character: Character, chunk: Chunk) -> ChatRequest:
    return request_of(INDEX_TRAITS, trait_inputs(character.name, chunk))


def _unanswered(
    conn: Connection, stage: Stage, character: str, requests: dict[str, ChatRequest]
) -> list[ChatRequest]:
    """Those that are neither judged nor in the cache of calls."""
    judged = chunk_attributes.get(conn, character, list(requests))
    model = stage.extractor
    return [
        request
        for chunk, request in requests.items()
        if chunk not in judged
        and call_cache.get(conn, call_key(model.base_url, model.name, request)) is None
    ]
