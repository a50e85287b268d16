"""How many tokens a text has: the built-in estimate, always available.

Takes: text.  Gives: a count.  A CJK, Hangul or Kana character counts 1; any other run of
characters without a blank counts ceil(length / 4). Source: ours (methods.md 1.1).
"""

from __future__ import annotations

import re
from typing import Final

WIDE: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3040-\u30ff"
    "\u3130-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Character class (for a regular expression) of CJK ideographs, Hangul and Kana."""

_RUN: Final = re.compile(f"[{WIDE}]+|[^\\s{WIDE}]+")
_IS_WIDE: Final = re.compile(f"[{WIDE}]")


def count_tokens(text: str) -> int:
    """Estimate the tokens of ``text``; 0 for an empty one."""
    if text.isascii():
        return sum((len(run) + 3) // 4 for run in text.split())
    total = 0
    for match in _RUN.finditer(text):
        length = match.end() - match.start()
        total += length if _IS_WIDE.match(match.group()) else (length + 3) // 4
    return total


def truncate_to_tokens(text: str, budget_tokens: int) -> str:
    """The longest beginning of ``text``, ending at a run's end, that fits the budget.

    A wide run is cut between characters, another run is never cut unless it is the first.
    """
    if budget_tokens <= 0:
        return ""
    spent, end = 0, 0
    for match in _RUN.finditer(text):
        length = match.end() - match.start()
        wide = bool(_IS_WIDE.match(match.group()))
        cost = length if wide else (length + 3) // 4
        if spent + cost > budget_tokens:
            left = budget_tokens - spent
            if wide:
                end = match.start() + left
            elif end == 0:
                end = match.start() + left * 4
            return text[:end]
        spent, end = spent + cost, match.end()
    return text
