"""Responses that are kept: gone on from, shown, and deleted by whose they are.

A response is a turn of a conversation, under an id of its own. Whose it is tells the conversation:
another key has no response of that id, nor has a person whom the request does not name.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import Path

from offbook.agent.history import names_of
from offbook.server.dependencies import Book, CurrentPrincipal
from offbook.server.failures import RequestRefused
from offbook.server.openai.events import EXTRAS
from offbook.server.openai.exchange import Behind
from offbook.server.openai.response_shape import message, response, usage_of
from offbook.stores import characters, conversations, forgetting, responses
from offbook.stores.conversations import StoredTurn
from offbook.stores.responses import StoredResponse

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.server.dependencies import Caller
    from offbook.stores.connection import Connection
    from offbook.types import Character

ResponseName = Annotated[
    str, Path(alias="response", min_length=1, max_length=200, description="The response's id.")
]
_PREVIOUS: Final = "previous_response_id"


@dataclass(frozen=True, slots=True)
class _Kept:
    """A response with its turn, and whose conversation it is in."""

    response: StoredResponse
    turn: StoredTurn
    principal: str


async def behind(
    book: Offbook, caller: Caller, name: str, character: Character, user: str | None
) -> Behind:
    """Where what follows a response belongs.

    Raises:
        RequestRefused: the caller, or the person, has no such response with this character.
    """
    kept: _Kept | None = await book.store.read(_look, caller, name)
    other_person = kept is not None and user is not None and kept.principal != caller.speaker(user)
    if kept is None or other_person:
        raise RequestRefused(
            f"there is no response {name!r} to go on from",
            "only whole replies that were stored can be gone on from, by the key and person whose "
            "they are; else send the items themselves",
            code="previous_response_not_found",
            param=_PREVIOUS,
        )
    if kept.response.character != character.id:
        raise RequestRefused(
            f"the response {name!r} is of {kept.response.character!r}, not of {character.id!r}",
            "go on with that one, or send the items themselves",
            code="invalid_value",
            param=_PREVIOUS,
        )
    session, _ = names_of(kept.response.session)
    return Behind(kept.principal, session, kept.response.turn)


async def show(response: ResponseName, book: Book, caller: CurrentPrincipal) -> dict[str, Any]:
    """A response that was kept, as it is remembered."""
    kept = await _require(book, caller, response)
    return _shape(kept)


async def delete(response: ResponseName, book: Book, caller: CurrentPrincipal) -> dict[str, Any]:
    """Delete a response: its words, what was said, and what that taught the character."""
    kept = (await _require(book, caller, response)).response

    def remove(conn: Connection) -> None:
        forgetting.remove_turn(conn, kept.character, kept.session, kept.turn)
        responses.remove(conn, kept)

    await book.store.write(remove)
    await book.store.purge()
    return {"id": kept.id, "object": "response", "deleted": True}


async def _require(book: Offbook, caller: Caller, name: str) -> _Kept:
    kept: _Kept | None = await book.store.read(_look, caller, name)
    if kept is None:
        raise RequestRefused(
            f"there is no response {name[:80]!r}",
            "only whole replies that were stored are kept; their key alone sees them",
            status=404,
            code="not_found",
            param="response_id",
        )
    return kept


def _look(conn: Connection, caller: Caller, name: str) -> _Kept | None:
    """The response of this id, if its words are there still and are the caller's."""
    found = responses.get(conn, name)
    if found is None:
        return None
    talk = conversations.get(conn, found.character, found.session)
    turn = conversations.get_turn(conn, found.character, found.session, found.turn)
    if talk is None or turn is None or not turn.answered or not caller.owns(talk.principal):
        return None
    if not caller.sees(characters.require(conn, found.character)):
        return None
    return _Kept(found, turn, talk.principal)


def _shape(kept: _Kept) -> dict[str, Any]:
    turn, recall = kept.turn, dict(kept.turn.recall or {})
    usage, is_cut = recall.pop("usage", {}), recall.pop("cut", False)
    status = "incomplete" if is_cut else "completed"
    prompt, completion = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    counts = {"prompt_tokens": prompt, "completion_tokens": completion}
    at = datetime.fromisoformat(turn.at)
    return response(
        kept.response.id,
        int(at.replace(tzinfo=at.tzinfo or UTC).timestamp()),
        kept.response.character,
        status,
        output=[message(f"msg_{turn.id[:32]}", turn.answered, status)],
        incomplete_details={"reason": "max_output_tokens"} if is_cut else None,
        usage=usage_of({**counts, "total_tokens": prompt + completion}),
    ) | {EXTRAS: {**recall, "usage": usage, "said": turn.said}}
