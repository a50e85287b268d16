"""A memory as a prompt shows it: what was said, and what was answered.

Takes: both.  Gives: one text, and both back from it. Source: ours.
"""

from __future__ import annotations

from typing import Final

_SAID: Final = "You were told: "
_ANSWERED: Final = "\nYou answered: "


def write_memory(said: str, answered: str) -> str:
    """The text of a memory."""
    return f"{_SAID}{said}{_ANSWERED}{answered}"


def read_memory(text: str) -> tuple[str, str] | None:
    """What was said and answered; None where the text is no whole memory."""
    said, mark, answered = text.removeprefix(_SAID).rpartition(_ANSWERED)
    return (said, answered) if mark and text.startswith(_SAID) else None
