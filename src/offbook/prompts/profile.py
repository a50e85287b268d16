"""The profile of a character: one paragraph that stands in front of every reply.

Takes: the name, passages, and what the graph says of the character.  Gives: the paragraph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from offbook.prompts.answers import Text
from offbook.prompts.prompt import Prompt
from offbook.prompts.refusals import check_summarized


@dataclass(frozen=True, slots=True)
class ProfileInputs:
    """The passages to summarize, in the order of the documents.

    ``described`` is what the graph's mentions say of the character; empty where there is none.
    """

    character: str
    passages: tuple[str, ...]
    described: str = ""


def check_profile(inputs: ProfileInputs, answer: str) -> None:
    """Refuse a paragraph that declines or says nothing: it would stand in front of every reply.

    Raises:
        InvalidAnswer: says so.
    """
    check_summarized(answer, (*inputs.passages, inputs.described))


PROFILE: Final[Prompt[ProfileInputs, str]] = Prompt(
    name="profile",
    version=2,
    role="extractor",
    stage="profile",
    inputs=ProfileInputs,
    answer=Text(),
    source="ours (methods.md 1, index step 6)",
    parameters={"temperature": 0.0},
    check=check_profile,
)
"""Who the character is, in one paragraph."""
