"""A conversation as a chat log of SillyTavern: what was said, and every reply that stands there.

Takes: a conversation.  Gives: its bytes, in the shape that ``remember`` reads; of several replies
to the same words the one that the conversation went on from is shown, the others are its swipes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from offbook.agent import swipes
from offbook.agent.naming import names_of, person_named, stored_id
from offbook.app.writing import require_place, write_whole
from offbook.cards import chatlog_from, write_chatlog
from offbook.cards.macros import DEFAULT_USER
from offbook.errors import UnknownName
from offbook.stores import conversations, principals

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.agent.swipes import Exchange
    from offbook.app.book import Offbook
    from offbook.types import Character

_NAMED: Final = 8


async def export_chat(
    book: Offbook, character: Character, file: Path, *, session: str, user: str | None
) -> int:
    """Write a conversation into a file; how many messages it has.

    Raises:
        UnknownName: there is no such conversation.
        UsageError: there is no folder for the file.
        StoreFailed: it cannot be written.
    """
    target = require_place(file)
    whose, stored = principals.of_user(user), stored_id(session, user)

    def require(conn: Connection) -> None:
        found = conversations.get(conn, character.id, stored)
        if found is None or found.principal != whose:
            with_ = f" with {user!r}" if user else ""
            raise UnknownName(
                f"{character.name!r} has no conversation {session!r}{with_}",
                _known(conn, character, whose),
            )

    await book.store.read(require)
    data = await chat_of(book, character, stored, user)
    write_whole(target, data)
    return data.count(b"\n") - 1


async def chat_of(book: Offbook, character: Character, stored: str, user: str | None) -> bytes:
    """The chat log of a conversation that there is, by its id in the store."""
    said = await book.store.read(lambda conn: swipes.exchanges(conn, character.id, stored))
    called = person_named(user) or book.settings.values.user.name or DEFAULT_USER
    return _chat_log(said, user=called, character=character.name)


def _known(conn: Connection, character: Character, principal: str) -> str:
    """The conversations that there are, the last ones first."""
    found = conversations.list_all(conn, character.id, principal=principal)
    found.sort(key=lambda each: each.updated, reverse=True)
    names = ", ".join(repr(names_of(each.id)[0]) for each in found[:_NAMED])
    more = ", ..." if len(found) > _NAMED else ""
    return f"those there are: {names}{more}" if found else "there is none; --user says whose it is"


def _chat_log(said: list[Exchange], *, user: str, character: str) -> bytes:
    """Exchanges as lines of SillyTavern; a greeting answers nothing that was said."""
    turns = [(each.turn.said, each.turn.answered, each.turn.at) for each in said]
    log = chatlog_from(turns, user=user, character=character)
    answers = [message.raw for message in log.messages if not message.is_user]
    answered = [each for each in said if each.turn.answered]
    for raw, each in zip(answers, answered, strict=True):
        if len(each.swipes) > 1:
            raw["swipes"] = [swipe.answered for swipe in each.swipes]
            raw["swipe_id"] = each.place
    return write_chatlog(log)
