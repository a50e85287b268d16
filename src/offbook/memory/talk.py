"""The conversation that a question belongs to, as far as recall has to know of it.

Takes: nothing.  Gives: whose it is, what of it the prompt holds, and how the character feels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation that a question belongs to.

    Args:
        principal: Whose it is; their memories are recalled beside the authored ones. None:
            nobody's, and only what was authored is recalled.
        present: Ids of the turns that the prompt holds word by word.
        mood: How the character feels, eight levels by name; None outside of a conversation.
        documents: Ids of the documents that those turns rest on; a prompt that holds the turns may
            hold text of these.
        called: What the person is called; None: nobody said.
        persona: What the person says of themselves.
        earlier: How many messages of the conversation stand before those that are looked at.
        greeting: Which greeting of the card it began with, from 0; None: nobody knows.
    """

    principal: str | None = None
    present: frozenset[str] = frozenset()
    mood: Mapping[str, float] | None = None
    documents: frozenset[str] = frozenset()
    called: str | None = None
    persona: str = ""
    earlier: int = 0
    greeting: int | None = None


NOBODYS: Final = Talk()
"""A question outside of any conversation."""
