"""A conversation of any principal: the owner, a person whom the owner names, the holder of a key.

Takes: a principal.  Gives: a conversation as ``session`` has it, kept under that principal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from offbook.agent.naming import person_named
from offbook.agent.session import Session
from offbook.stores import principals

if TYPE_CHECKING:
    from offbook.agent.learning import Learning
    from offbook.models.metering import Meter
    from offbook.pipeline import Stage
    from offbook.protocols import Store
    from offbook.types import Character


def kept_under(principal: str) -> str | None:
    """The name under which the conversations of a principal are kept; None: the owner's own."""
    own = principal.removeprefix(f"{principals.OWNER}/")
    return None if own == principals.OWNER else own


class OwnedSession(Session):
    """One conversation of a principal with one character.

    Args:
        store: Where conversations are kept.
        character: With whom.
        make_stage: Gives models and their meter, anew for each turn.
        principal: Whose it is.
        id: The conversation's name; None: a new one that is not kept.
        as_of: The point in the story at which the character is asked; None: its end.
        learning: Scores what is remembered, behind the conversation.
    """

    def __init__(
        self,
        store: Store,
        character: Character,
        make_stage: Callable[[], tuple[Stage, Meter]],
        principal: str,
        id: str | None = None,  # noqa: A002 - it is the conversation's id
        *,
        as_of: str | None = None,
        learning: Learning | None = None,
    ) -> None:
        keep = id is not None
        background = learning if keep else None
        whose = kept_under(principal)
        super().__init__(
            store, character, make_stage, id, whose, keep=keep, as_of=as_of, learning=background
        )
        self._principal = principal
        # What a greeting calls them: the person, and never the id of a key.
        self._user = person_named(principal.partition("/")[2])
