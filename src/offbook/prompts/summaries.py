"""Texts made shorter: the profile of a character, a conversation, a cluster of passages.

Takes: texts in their order.  Gives: one paragraph.
Paper: RAPTOR (Sarthi et al. 2024, arXiv 2401.18059), section 3, for clusters; the others are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field

from offbook.prompts.prompt import Json, Prompt, Text
from offbook.prompts.refusals import check_summarized
from offbook.types import Turn


@dataclass(frozen=True, slots=True)
class ProfileInputs:
    """The passages to summarize, in the order of the documents.

    ``described`` is what the graph's mentions say of the character; empty where there is none.
    """

    character: str
    passages: tuple[str, ...]
    described: str = ""


def check_profile(inputs: ProfileInputs, answer: str) -> None:
    """Refuse a paragraph that declines or says nothing: it would stand in front of every reply."""
    check_summarized(answer, (*inputs.passages, inputs.described))


PROFILE: Final = Prompt(
    name="profile",
    stage="profile",
    inputs=ProfileInputs,
    answer=Text(),
    source="ours",
    check=check_profile,
)
"""Who the character is, in one paragraph."""


@dataclass(frozen=True, slots=True)
class SummarizeConversationInputs:
    """What has been said; ``summary`` is empty the first time."""

    character: str
    summary: str
    turns: tuple[Turn, ...]


def check_conversation(inputs: SummarizeConversationInputs, answer: str) -> None:
    """Refuse a summary that declines or says nothing: it takes the place of all that was said."""
    words = (text for turn in inputs.turns for text in (turn.said, turn.answered))
    check_summarized(answer, (inputs.summary, *words))


SUMMARIZE_CONVERSATION: Final = Prompt(
    name="summarize_conversation",
    stage="conversation",
    inputs=SummarizeConversationInputs,
    answer=Text(),
    source="ours",
    # It goes with its conversation: no copy of what was said may stay behind.
    cacheable=False,
    check=check_conversation,
)
"""What of a conversation has to be remembered to go on with it."""


@dataclass(frozen=True, slots=True)
class ClusterInputs:
    """The texts, each with its headings in front where it has any."""

    character: str
    passages: tuple[str, ...]


class ClusterSummary(BaseModel):
    """What the texts of a cluster say together."""

    summary: str = Field(min_length=1)


SUMMARIZE_CLUSTER: Final = Prompt(
    name="summarize_cluster",
    stage="raptor",
    inputs=ClusterInputs,
    answer=Json(ClusterSummary),
    source="RAPTOR section 3",
    check=lambda inputs, answer: check_summarized(answer.summary, inputs.passages),
)
"""What do these passages say, in one paragraph?"""
