"""The reply of a character: the one prompt whose answer a person reads.

Takes: who the character is, what was recalled, the conversation so far, the question.
Gives: the reply as plain text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from offbook.prompts.answers import Text
from offbook.prompts.prompt import Prompt
from offbook.types import ContextItem, Message


@dataclass(frozen=True, slots=True)
class ReplyInputs:
    """What the wording of the reply may mention.

    The stable part comes first (name, profile, voice), then the history, then what was recalled
    for this question, so that providers' prefix caches work.
    """

    character: str
    profile: str
    voice: tuple[str, ...]
    history: tuple[Message, ...]
    context: tuple[ContextItem, ...]
    question: str


REPLY: Final[Prompt[ReplyInputs, str]] = Prompt(
    name="reply",
    version=2,
    role="actor",
    stage="reply",
    inputs=ReplyInputs,
    answer=Text(),
    source="ours",
    parameters={"temperature": 0.7},
    cacheable=False,
)
"""Speak as the character, from what is given and nothing else."""
