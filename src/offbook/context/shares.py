"""A budget of tokens, divided among the kinds of context and among the items of a kind.

Takes: items by kind, best first, and a share for each kind.  Gives: what fits, and what was
skipped and why. What one does not use goes to the others; an item that is too large is shortened,
so that no kind is left out because its first item is long. Source: ours (methods.md 1, recall 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from offbook.context.token_budget import shortened
from offbook.language.encodings import TokenCounter
from offbook.language.tokens import count_tokens
from offbook.retrieval.placed_text import cut_to
from offbook.types import ContextItem, Skipped

LEAST: Final = 24
"""Tokens below which an item is not worth shortening while another may have them: a sentence."""


def fit_shares(
    kinds: Mapping[str, Sequence[ContextItem]],
    budget_tokens: int,
    shares: Mapping[str, float],
    count: TokenCounter = count_tokens,
) -> tuple[tuple[ContextItem, ...], tuple[Skipped, ...]]:
    """The items that fit, kind after kind, and the others with the reason.

    Args:
        kinds: Items of each kind, best first; the order of the kinds is kept.
        budget_tokens: For the texts of all of them together.
        shares: What each kind may use of the budget, in proportion; positive.
        count: Counts the tokens of a text.
    """
    costs = {kind: [count(item.text) for item in items] for kind, items in kinds.items()}
    wanted = [sum(costs[kind]) for kind in kinds]
    allowed = divided(wanted, budget_tokens, [shares[kind] for kind in kinds])
    kept: list[ContextItem] = []
    skipped: list[Skipped] = []
    for kind, allowance in zip(kinds, allowed, strict=True):
        fitting = _fit(kinds[kind], costs[kind], allowance, count)
        for item, cost, text in zip(kinds[kind], costs[kind], fitting, strict=True):
            if text or not item.text:
                kept.append(cut_to(item, text))
            else:
                why = (
                    f"{cost} tokens; {allowance} of {budget_tokens} (context.budget_tokens) are "
                    f"for {kind}, and better ones have them"
                )
                skipped.append(Skipped(item.kind, item.title, why))
    return tuple(kept), tuple(skipped)


def divided(wanted: Sequence[int], total: int, shares: Sequence[float]) -> list[int]:
    """A total divided in proportion, nobody getting more than it wants.

    What one does not want is divided among the others. While there is enough for it, everybody who
    wants something gets something.

    Args:
        wanted: What each could use.
        total: What there is.
        shares: The proportion, positive.
    """
    given = [0] * len(wanted)
    left = max(0, total)
    for at in sorted(range(len(wanted)), key=lambda at: (-shares[at], at)):
        given[at] = min(1, wanted[at], left)
        left -= given[at]
    while left > 0 and (open_ := [at for at, most in enumerate(wanted) if given[at] < most]):
        weight, before = sum(shares[at] for at in open_), left
        for at in open_:
            part = max(1, int(before * shares[at] / weight))
            more = min(part, wanted[at] - given[at], left)
            given[at] += more
            left -= more
    return given


def _fit(
    items: Sequence[ContextItem], costs: Sequence[int], allowance: int, count: TokenCounter
) -> list[str]:
    """The texts of the items within an allowance; empty for those that are left out."""
    chosen: list[int] = []
    taken = 0
    for at, cost in enumerate(costs):
        least = min(cost, LEAST)
        if taken + least <= allowance or (not chosen and allowance > 0):
            chosen.append(at)
            taken += least
    given = divided([costs[at] for at in chosen], allowance, [1.0] * len(chosen))
    texts = [""] * len(items)
    for at, tokens in zip(chosen, given, strict=True):
        text = items[at].text
        texts[at] = text if costs[at] <= tokens else shortened(text, tokens, count)
    return texts
