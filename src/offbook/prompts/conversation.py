"""A conversation that has become too long for the prompt is kept as a running summary.

Takes: the summary so far and the turns that no longer fit.  Gives: the new summary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from offbook.prompts.answers import Text
from offbook.prompts.prompt import Prompt
from offbook.prompts.refusals import check_summarized
from offbook.types import Turn


@dataclass(frozen=True, slots=True)
class SummarizeConversationInputs:
    """What has been said; ``summary`` is empty the first time."""

    character: str
    summary: str
    turns: tuple[Turn, ...]


def check_conversation(inputs: SummarizeConversationInputs, answer: str) -> None:
    """Refuse a summary that declines or says nothing: it takes the place of all that was said.

    Raises:
        InvalidAnswer: says so.
    """
    told = (text for turn in inputs.turns for text in (turn.said, turn.answered))
    check_summarized(answer, (inputs.summary, *told))


SUMMARIZE_CONVERSATION: Final[Prompt[SummarizeConversationInputs, str]] = Prompt(
    name="summarize_conversation",
    version=1,
    role="extractor",
    stage="conversation",
    inputs=SummarizeConversationInputs,
    answer=Text(),
    source="ours",
    parameters={"temperature": 0.0},
    # It goes with its conversation: no copy of what was said may stay behind.
    cacheable=False,
    check=check_conversation,
)
"""What of a conversation has to be remembered to go on with it."""
