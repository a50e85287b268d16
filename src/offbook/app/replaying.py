"""Conversations of clients that send the history along: opened for one question.

Takes: an open offbook, the character, the history, and whose it is.  Gives: the conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.agent.replay import ReplayedSession, Transcript

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.types import Character


async def replayed(
    book: Offbook,
    character: Character,
    transcript: Transcript,
    principal: str,
    *,
    session: str | None = None,
    resends: bool = True,
    fleeting: bool = False,
) -> ReplayedSession:
    """The conversation that a history belongs to.

    Args:
        book: Offbook.
        character: With whom.
        transcript: What the client sent.
        principal: Whose it is.
        session: Its name, inside of the principal; None: the history alone tells.
        resends: Whether the client sends the whole history each time. If not, a named conversation
            goes on where it stands when no history came along.
        fleeting: Whether nothing of it is stored.

    Raises:
        UsageError: the conversation belongs to somebody else.
    """
    talk = ReplayedSession(
        book.store,
        character,
        lambda: book.turn(character),
        transcript,
        principal,
        named=session,
        resends=resends,
        fleeting=fleeting,
        learning=book.learning,
    )
    await talk.open()
    return talk
