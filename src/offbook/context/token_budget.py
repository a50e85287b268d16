"""A budget of tokens, divided among pieces of context.

Takes: pieces, best first, and a budget in tokens.  Gives: what fits, and what was skipped and why.
Skips and goes on rather than stopping at the first that is too large; shortens the best piece when
it alone is larger than the whole budget, so that a budget never leaves the context empty.
"""

from __future__ import annotations

from collections.abc import Sequence

from offbook.language.encodings import TokenCounter
from offbook.language.tokens import count_tokens, truncate_to_tokens
from offbook.retrieval.placed_text import cut_to
from offbook.types import ContextItem, Message, Skipped


def fit_items(
    items: Sequence[ContextItem], budget_tokens: int, count: TokenCounter = count_tokens
) -> tuple[tuple[ContextItem, ...], tuple[Skipped, ...]]:
    """The items that fit, in the given order, and the others with the reason.

    Args:
        items: Best first.
        budget_tokens: For the texts of all of them together.
        count: Counts the tokens of a text.
    """
    kept: list[ContextItem] = []
    skipped: list[Skipped] = []
    left = budget_tokens
    for item in items:
        cost = count(item.text)
        if cost <= left:
            kept.append(item)
            left -= cost
        elif not kept:
            kept.append(cut_to(item, shortened(item.text, left, count)))
            left = 0
        else:
            why = f"{cost} tokens, {left} of {budget_tokens} left (context.budget_tokens)"
            skipped.append(Skipped(item.kind, item.title, why))
    return tuple(kept), tuple(skipped)


def shortened(text: str, budget_tokens: int, count: TokenCounter = count_tokens) -> str:
    """A beginning of ``text`` that fits the budget, close to the longest."""
    allowed = budget_tokens
    short = truncate_to_tokens(text, allowed)
    while short and (excess := count(short) - budget_tokens) > 0:
        allowed -= max(1, excess)
        short = truncate_to_tokens(text, allowed)
    return short


def fit_history(
    history: Sequence[Message], budget_tokens: int, count: TokenCounter = count_tokens
) -> tuple[Message, ...]:
    """The latest messages that fit, oldest first.

    They begin with what the person said, unless the conversation itself began with a greeting, and
    all of it is shown.
    """
    kept: list[Message] = []
    left = budget_tokens
    for message in reversed(history):
        cost = count(message.content)
        if cost > left:
            break
        kept.append(message)
        left -= cost
    kept.reverse()
    while len(kept) < len(history) and kept and kept[0].role == "assistant":
        kept.pop(0)
    return tuple(kept)
