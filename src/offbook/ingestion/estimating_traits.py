"""What judging the chunks of a character once would cost, without a call.

Takes: the documents as they would be stored.  Gives: calls and tokens of the chunks that were not
judged yet, counted in the very prompts that would be sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from offbook.documents.chunking import make_splitter
from offbook.ingestion.storing import splitter_arguments
from offbook.ingestion.trait_indexing import has_words, trait_inputs
from offbook.language.encodings import token_counter
from offbook.models.caching import call_key
from offbook.prompts.ask import request_of
from offbook.prompts.traits import INDEX_TRAITS
from offbook.stores import call_cache, chunk_attributes
from offbook.types import TaskUsage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
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
    name = stage.settings.amadeus.splitter
    splitter = make_splitter(name, splitter_arguments(name, stage.settings), _stand_in)
    requests: dict[str, ChatRequest] = {}
    for document in documents:
        made = await asyncio.to_thread(splitter.split, document)
        requests |= {chunk.id: _request(character, chunk) for chunk in made if has_words(chunk)}
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


def _stand_in(texts: list[str]) -> NDArray[np.float32]:
    """Vectors by chance give a semantic splitter as many cuts as real ones."""
    import numpy as np

    return np.random.default_rng(len(texts)).standard_normal((len(texts), 8), np.float32)
