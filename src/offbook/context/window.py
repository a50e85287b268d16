"""A turn fits the window of the model that replies, whatever lorebooks, texts and history hold.

Takes: what was recalled, the history, and how long the prompt is with them.  Gives: as much of both
as there is room for, and what was left out. First go pieces of context, those first that others say
as well, then the oldest of the conversation, then the best pieces; the summary is cut short last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from offbook.context.assembly import named, shortened
from offbook.retrieval.passages import cut_to
from offbook.text.encodings import TokenCounter
from offbook.types import ContextItem, Message, Recall, Skipped

_ORDER: Final = ("relation", "entity", "attribute", "knowledge", "memory")
"""Of the last of each kind but the first one: lorebook entries stand behind the passages."""
_FENCE: Final = 12
"""Tokens of the marks around a piece."""
_UNCOUNTED: Final = 20
"""A part of the window so small stays free: the model counts other tokens than we do."""
_REPLY: Final = 8
"""A part of the window so small is the reply's where no limit is set."""


@dataclass(frozen=True, slots=True)
class FittedTurn:
    """What a prompt has room for; what it has none for is among ``recall.skipped``."""

    recall: Recall
    history: tuple[Message, ...]


def fit_to_window(
    recall: Recall,
    history: Sequence[Message],
    window: int,
    measure: Callable[[Recall, Sequence[Message]], int],
    count: TokenCounter,
    reply_tokens: int | None = None,
) -> FittedTurn:
    """Leave out what the window has no room for beside the reply.

    Args:
        recall: What the method found.
        history: The conversation, oldest first.
        window: Tokens of prompt and reply.
        measure: Counts the tokens of the whole prompt with these.
        count: Counts those of a text.
        reply_tokens: The limit of the reply, where there is one.
    """
    room = window - window // _UNCOUNTED - min(reply_tokens or window // _REPLY, window // 2)
    over = measure(recall, history) - room
    if over <= 0:
        return FittedTurn(recall, tuple(history))
    why = f"no room in the model's window of {window:,} tokens (chat.context_tokens)"
    costs = [count(f"{item.title}\n{item.text}") + _FENCE for item in recall.context]
    left = list(history)
    out, over = _left_out(_worth_least(recall, firsts=False), costs, over)
    # What is left begins with a question, unless it is whole: then perhaps with a greeting.
    while left and (over > 0 or (len(left) < len(history) and left[0].role == "assistant")):
        over -= count(left.pop(0).content)
    firsts, over = _left_out(_worth_least(recall, firsts=True), costs, over)
    context, skipped = list[ContextItem](), list(recall.skipped)
    for place, item in enumerate(recall.context):
        if place in out | firsts:
            skipped.append(Skipped(item.kind, named(item), why))
        elif item.kind == "profile" and over > 0:
            tokens = count(item.text)
            context.append(cut_to(item, shortened(item.text, max(0, tokens - over), count)))
            over -= tokens
            skipped.append(Skipped(item.kind, named(item), f"cut short: {why}"))
        else:
            context.append(item)
    if gone := len(history) - len(left):
        skipped.append(Skipped("memory", f"{gone} messages of this conversation", why))
    fitting = replace(recall, context=tuple(context), skipped=tuple(skipped))
    return FittedTurn(fitting, tuple(left))


def _left_out(places: Iterable[int], costs: Sequence[int], over: int) -> tuple[set[int], int]:
    """Choose places until nothing is over any more; also what is over then."""
    out: set[int] = set()
    for place in places:
        if over > 0:
            out.add(place)
            over -= costs[place]
    return out, over


def _worth_least(recall: Recall, *, firsts: bool) -> Iterator[int]:
    for kind in _ORDER:
        places = [place for place, item in enumerate(recall.context) if item.kind == kind]
        yield from places[:1] if firsts else places[:0:-1]
