"""A memory as a prompt shows it: what was said, and what was answered.

Takes: both.  Gives: one text, and both back from it. Source: ours.
"""

from __future__ import annotations

from typing import Final

_SAID: Final = "You were told: "
_ANSWERED: Final = "\nYou answered: "

IN_CONVERSATION: Final = "in a conversation"
"""How the title of what a conversation taught ends; that of an authored memory does not."""
HERE: Final = "earlier in this conversation"
"""The title of what was told in a turn that is no memory."""


def write_memory(said: str, answered: str) -> str:
    """The text of a memory."""
    return f"{_SAID}{said}{_ANSWERED}{answered}"


def read_memory(text: str) -> tuple[str, str] | None:
    """What was said and answered; None where the text is no whole memory."""
    said, mark, answered = text.removeprefix(_SAID).rpartition(_ANSWERED)
    return (said, answered) if mark and text.startswith(_SAID) else None


def is_of_conversation(title: str) -> bool:
    """Whether a memory of this title was taught by a conversation."""
    return title.endswith((IN_CONVERSATION, HERE))
