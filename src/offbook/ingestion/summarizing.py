"""The character's summary: one call, made when its documents changed and a method needs it.

Takes: a character and a model.  Gives: the profile, stored; or the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Final

from offbook.errors import AnswerError, InputRefused
from offbook.ingestion.profile import beginnings
from offbook.ingestion.storing import stored_documents
from offbook.language.tokens import truncate_to_tokens
from offbook.models.caching import call_key
from offbook.prompts.ask import ask, request_of
from offbook.prompts.profile import PROFILE, ProfileInputs
from offbook.stores import call_cache, characters, jobs
from offbook.stores.text_versions import versions

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.protocols import ChatModel, Store
    from offbook.settings import SettingsModel
    from offbook.types import Character, Document
    from offbook.wire import ChatRequest

JOB: Final = jobs.PROFILE
_DESCRIBED_TOKENS: Final = 600
_HEAD_TOKENS: Final = 4_000
"""How much of the documents' beginnings is read where the graph tells of the character too."""


def profile_inputs(
    name: str, texts: list[Document], budget_tokens: int, described: str = ""
) -> ProfileInputs:
    """What the prompt of the profile is told; ``described`` is what the graph's node says."""
    most = min(budget_tokens, _HEAD_TOKENS) if described else budget_tokens
    passages = tuple(b.text for b in beginnings(texts, most))
    return ProfileInputs(name, passages, truncate_to_tokens(described, _DESCRIBED_TOKENS))


def profile_request(
    character: Character, texts: list[Document], budget_tokens: int, described: str = ""
) -> ChatRequest:
    """The request that would be made; for estimates."""
    return request_of(PROFILE, profile_inputs(character.name, texts, budget_tokens, described))


async def is_answered(store: Store, model: ChatModel, request: ChatRequest) -> bool:
    """Whether the answer to ``request`` is stored already, so that it would cost no call."""
    key = call_key(model.base_url, model.name, request)
    return await store.read(lambda conn: call_cache.get(conn, key)) is not None


def _are_stored(conn: Connection, character: str, texts: list[Document]) -> bool:
    """Whether these texts are still there: one that stands still for long loses its lease."""
    told = {f"{character}/{document.id}": document.digest for document in texts}
    return versions(conn, told) == told


async def write_profile(
    store: Store,
    model: ChatModel,
    character_id: str,
    settings: SettingsModel,
    described: Awaitable[str] | None = None,
) -> str | None:
    """Have the profile written and stored.

    Args:
        store: Where the documents are, and the profile goes.
        model: Who writes it.
        character_id: Id of the character.
        settings: How much of the documents is read.
        described: What the graph's node says; it is waited for.

    Returns:
        None, or why the model's answers could not be used: the profile is then in quarantine and
        is tried again at the next ingestion. Without documents there is nothing to write.

    Raises:
        ModelError: the endpoint failed for good.
    """
    character = await store.read(lambda conn: characters.require(conn, character_id))
    texts = await store.read(lambda conn: stored_documents(conn, character.id))
    if not texts:
        return None
    told = "" if described is None else await described
    inputs = profile_inputs(character.name, texts, settings.profile.budget_tokens, told)
    names = frozenset(f"{character.id}/{document.id}" for document in texts)
    try:
        text = await ask(model, PROFILE, inputs, documents=names, retries=settings.answers.retries)
    except (AnswerError, InputRefused) as error:
        reason = error.message

        def put_aside(conn: Connection) -> None:
            jobs.enqueue(conn, character.id, JOB, [character.id])
            jobs.quarantine(conn, character.id, JOB, [character.id], error=reason)

        await store.write(put_aside)
        return reason

    def keep(conn: Connection) -> None:
        now, ids = characters.require(conn, character.id), [one.id for one in texts]
        if _are_stored(conn, character.id, texts):
            characters.set_profile(conn, character.id, text, voice=now.voice, documents=ids)
            jobs.finish(conn, character.id, JOB, [character.id])

    await store.write(keep)
    return None
