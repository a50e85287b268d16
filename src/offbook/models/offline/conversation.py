"""The offline summary of a conversation: the words themselves, the shortest way to keep them.

Takes: the summary so far and turns.  Gives: what was asked and told, a clause each, the latest in
full and the older ones shortened. Source: ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from offbook.language.sentences import sentences
from offbook.language.tokens import count_tokens, truncate_to_tokens

if TYPE_CHECKING:
    from offbook.prompts.conversation import SummarizeConversationInputs
    from offbook.types import Turn

TOKENS: Final = 200
"""About 150 words."""
_TURN_TOKENS: Final = 24
_WIDE_STOPS: Final = ("。", "！", "？")


def summarize_conversation(inputs: SummarizeConversationInputs) -> str:
    """What was said, oldest first, within the length that a model is asked for."""
    told = [_told(turn, inputs.character) for turn in inputs.turns]
    kept: list[str] = []
    left = TOKENS
    for line in reversed(told):
        cost = count_tokens(line)
        if kept and cost > left:
            break
        kept.insert(0, line)
        left -= cost
    if inputs.summary and left > _TURN_TOKENS:
        kept.insert(0, truncate_to_tokens(inputs.summary, left))
    return " ".join(kept)


def _told(turn: Turn, character: str) -> str:
    said, answered = _first(turn.said), _first(turn.answered)
    if answered.endswith(_WIDE_STOPS):
        return f"对方说：{said}{character}说：{answered}"
    return f"The other person said: {said} {character} said: {answered}"


def _first(text: str) -> str:
    """The first sentence, shortened, with a full stop."""
    beginning = text[:2_000]
    spans = sentences(beginning)
    start, end = spans[0] if spans else (0, 200)
    first = " ".join(beginning[start:end].split())
    short = truncate_to_tokens(first, _TURN_TOKENS).strip()
    return short if short.endswith((".", "!", "?", "…", *_WIDE_STOPS)) else f"{short}."
