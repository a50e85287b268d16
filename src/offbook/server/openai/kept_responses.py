"""Responses that are kept: gone on from, shown, and deleted by whose they are.

A response is a turn of a conversation, under an id of its own. Whose it is tells the conversation:
another key has no response of that id, nor has another person whom the request names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import Path, Request

from offbook.agent.history import names_of
from offbook.server.dependencies import Book, CurrentPrincipal
from offbook.server.failures import RequestRefused
from offbook.server.openai.citations import Citation, citations_of
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
class _Held:
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
    held: _Held | None = await book.store.read(_look, caller, name)
    other_person = held is not None and user is not None and held.principal != caller.speaker(user)
    if held is None or other_person:
        raise RequestRefused(
            f"there is no response {name!r} to go on from",
            "only whole replies that were stored can be gone on from, by the key and person whose "
            "they are; else send the items themselves",
            code="previous_response_not_found",
            param=_PREVIOUS,
        )
    if held.response.character != character.id:
        raise RequestRefused(
            f"the response {name!r} is of {held.response.character!r}, not of {character.id!r}",
            "go on with that one, or send the items themselves",
            code="invalid_value",
            param=_PREVIOUS,
        )
    session, _ = names_of(held.response.session)
    return Behind(held.principal, session, held.response.turn)


async def show(
    response: ResponseName, book: Book, caller: CurrentPrincipal, request: Request
) -> dict[str, Any]:
    """A response that was kept, as it is remembered."""
    held = await _require(book, caller, response)
    return _shape(held, citations_of(request, held.turn.recall or {}))


async def delete(response: ResponseName, book: Book, caller: CurrentPrincipal) -> dict[str, Any]:
    """Delete a response: its words, what was said, and what that taught the character."""
    held = (await _require(book, caller, response)).response

    def remove(conn: Connection) -> None:
        forgetting.remove_turn(conn, held.character, held.session, held.turn)
        responses.remove(conn, held)

    await book.store.write(remove)
    await book.store.purge()
    return {"id": held.id, "object": "response", "deleted": True}


async def _require(book: Offbook, caller: Caller, name: str) -> _Held:
    held: _Held | None = await book.store.read(_look, caller, name)
    if held is None:
        raise RequestRefused(
            f"there is no response {name[:80]!r}",
            "only whole replies that were stored are kept; their key alone sees them",
            status=404,
            code="not_found",
            param="response_id",
        )
    return held


def _look(conn: Connection, caller: Caller, name: str) -> _Held | None:
    """The response of this id, if its words are there still and are the caller's."""
    stored = responses.get(conn, name)
    if stored is None:
        return None
    talk = conversations.get(conn, stored.character, stored.session)
    turn = conversations.get_turn(conn, stored.character, stored.session, stored.turn)
    if talk is None or turn is None or not turn.answered or not caller.owns(talk.principal):
        return None
    if not caller.sees(characters.require(conn, stored.character)):
        return None
    recalls = conversations.recalls(conn, stored.character, stored.session, [turn.id])
    return _Held(stored, replace(turn, recall=recalls.get(turn.id)), talk.principal)


def _shape(held: _Held, citations: Sequence[Citation]) -> dict[str, Any]:
    turn, recall = held.turn, dict(held.turn.recall or {})
    usage, is_cut = recall.pop("usage", {}), recall.pop("cut", False)
    status = "incomplete" if is_cut else "completed"
    prompt, completion = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    counts = {"prompt_tokens": prompt, "completion_tokens": completion}
    cited = [each.as_json(turn.answered) for each in citations]
    at = datetime.fromisoformat(turn.at)
    return response(
        held.response.id,
        int(at.replace(tzinfo=at.tzinfo or UTC).timestamp()),
        held.response.character,
        status,
        output=[message(f"msg_{turn.id[:32]}", turn.answered, status, cited)],
        incomplete_details={"reason": "max_output_tokens"} if is_cut else None,
        usage=usage_of({**counts, "total_tokens": prompt + completion}),
    ) | {EXTRAS: {**recall, "usage": usage, "said": turn.said}}
