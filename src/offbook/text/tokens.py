"""How many tokens a text has: the built-in estimate, always available.

Takes: text.  Gives: a count.  A CJK, Hangul or Kana character counts 1; any other run of
characters without a blank counts ceil(length / 4). Source: ours; docs/documents.md, "Tokens".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

WIDE: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3040-\u30ff"
    "\u3130-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Character class (for a regular expression) of CJK ideographs, Hangul and Kana."""
UNSPACED: Final = f"{WIDE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""The same of all scripts that put no blank between words: Thai, Lao, Burmese and Khmer too."""

_RUN: Final = re.compile(f"([{WIDE}]+)|[^\\s{WIDE}]+")
_WIDE_RUN: Final = re.compile(f"[{WIDE}]+")
_CHARACTERS_PER_TOKEN: Final = 4


def count_tokens(text: str) -> int:
    """Estimate the tokens of ``text``; 0 for an empty one."""
    if text.isascii():
        return sum((len(run) + 3) // 4 for run in text.split())
    rest, wide_runs = _WIDE_RUN.subn(" ", text)
    wide = len(text) - len(rest) + wide_runs
    return wide + sum((len(run) + 3) // 4 for run in rest.split())


def token_runs(text: str) -> Iterator[tuple[int, int, int]]:
    """Start, end and characters per token (1 or 4) of each run that the estimate counts by itself.

    A run of n characters counts ceil(n / characters per token).
    """
    for match in _RUN.finditer(text):
        yield *match.span(), 1 if match.lastindex else _CHARACTERS_PER_TOKEN


def truncate_to_tokens(text: str, budget_tokens: int) -> str:
    """The longest beginning of ``text`` within the budget; no word but the first is cut."""
    if budget_tokens < 0:
        return ""
    spent, end = 0, 0
    for start, stop, per_token in token_runs(text):
        cost = -((start - stop) // per_token)
        if spent + cost > budget_tokens:
            left = budget_tokens - spent
            if per_token == 1:
                end = start + left if left else end
            elif end == 0:
                end = start + left * per_token
            return text[:end]
        spent, end = spent + cost, stop
    return text
