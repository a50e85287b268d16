"""What ``offbook doctor`` asks an endpoint, to learn what it can do.

Takes: a few words, or a password in front of a long text.  Gives: the words with their numbers,
or the password. An endpoint that cuts long prompts silently does not find the password.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from offbook.prompts.prompt import Json, Prompt, Text


class NumberedWord(BaseModel):
    """A word and its number in the list."""

    number: int
    word: str


class NumberedWords(BaseModel):
    """All words of the list."""

    items: list[NumberedWord]


@dataclass(frozen=True, slots=True)
class StructuredProbeInputs:
    """The words to list."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NeedleProbeInputs:
    """The word at the head of the prompt, and the long text after it."""

    needle: str
    filler: str


_MOST: Final = 400
"""Tokens of an answer: four times what a dozen short words take as JSON, blanks and all."""

PROBE_STRUCTURED: Final = Prompt(
    name="probe_structured",
    stage="probes",
    inputs=StructuredProbeInputs,
    answer=Json(NumberedWords),
    source="ours",
    limit=_MOST,
    cacheable=False,
)
"""Does the endpoint give structured answers?"""

PROBE_NEEDLE: Final = Prompt(
    name="probe_needle",
    stage="probes",
    inputs=NeedleProbeInputs,
    answer=Text(),
    source="ours",
    limit=_MOST,
    cacheable=False,
)
"""Does the endpoint read a prompt from its head, or cut it silently?"""
