"""How metrics, groups and numbers are called in a report.

Takes: names of metrics as runs store them, estimates with their unit.  Gives: words for people.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from offbook.evaluation.metrics.scales import SCALES

if TYPE_CHECKING:
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.protocol import Better

NOTHING: Final = "–"
"""In the place of a number that could not be computed."""

_TITLES: Final = {
    "failed": "Replies that failed",
    "calls": "Calls a reply",
    "prompt_tokens": "Prompt tokens a reply",
    "completion_tokens": "Completion tokens a reply",
    "cost_usd": "Cost a reply",
    "seconds": "Seconds a reply",
    "chunk_usage": "Chunk usage rate",
    "duplication": "Times a used chunk was used",
    "gs_failure": "Guided selection failed",
    "sum_d": "Letters wrong, sum |d|",
    "accuracy": "Letters right",
    "avg_f1": "Average F1 of the letters",
    "acc_dim": "Acc(Dim)",
    "acc_full": "Acc(Full)",
    "mse": "MSE",
    "mae": "MAE",
    "score": "Score of a dimension",
}
_TESTS: Final = {
    "mbti_item": "MBTI, item by item",
    "bigfive_item": "Big Five, item by item",
    "16p_batch": "16Personalities, rated in batches",
    "16p_option": "16Personalities, options",
    "bfi_batch": "BFI, rated in batches",
    "bfi_option": "BFI, options",
}
_SHORT: Final = {
    "mbti_item": "MBTI items",
    "bigfive_item": "Big Five items",
    "16p_batch": "16P batches",
    "16p_option": "16P options",
    "bfi_batch": "BFI batches",
    "bfi_option": "BFI options",
}
_DECIMALS: Final = {
    "letters": 0,
    "chunks": 0,
    "F1": 3,
    "span": 3,
    "span squared": 3,
    "cosine": 3,
    "USD": 5,
}
"""Places behind the point by unit; two for all else."""
_TINY: Final = 0.005


def metric_title(metric: str) -> str:
    """``Knowledge Exposure (KE)``; a metric that nobody named goes by its own name."""
    head, _, part = metric.partition(".")
    if part and part in _TITLES:
        return f"{_TITLES[part]} ({test_title(head)})"
    if metric in _TITLES:
        return _TITLES[metric]
    if metric in _TESTS:
        return _TESTS[metric]
    if metric in SCALES:
        return f"{SCALES[metric].title} ({metric.upper()})"
    if metric.endswith("_undefined"):
        return f"No {metric.removesuffix('_undefined').upper()} by definition"
    return metric


def metric_name(metric: str) -> str:
    """A short name for the head of a column: ``KE``, ``Acc(Dim)``."""
    head, _, part = metric.partition(".")
    if part:
        return f"{_TITLES.get(part, part)} ({_SHORT.get(head, head)})"
    return metric.upper() if metric in SCALES and metric not in _TESTS else metric_title(metric)


def test_title(metric: str) -> str:
    """The personality test behind a scale."""
    return _TESTS.get(metric, metric)


def arrow(better: Better | None) -> str:
    """Which way is better, for the head of a column."""
    return {"higher": " ↑", "lower": " ↓"}.get(better or "", "")


def direction(better: Better | None) -> str:
    """The same in words."""
    return f"{better} is better" if better else ""


def group_title(group: str) -> str:
    """``scope=in`` as ``scope: in``."""
    return ", ".join(part.replace("=", ": ", 1) for part in group.split("/"))


def number(value: float | None, unit: str = "") -> str:
    """A number as its unit is read: shares in percent, tokens whole, the rest with two places."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = _written(value, unit)
    # A share of -0.0004 is shown as none at all, and none has no sign.
    return text.removeprefix("-") if not set(text) & set("123456789") else text


def _written(value: float, unit: str) -> str:
    if unit in ("share", "percent"):
        return f"{value * (100 if unit == 'share' else 1):.1f} %"
    if unit == "tokens":
        return f"{value:,.0f}"
    decimals = _DECIMALS.get(unit, 2)
    if unit not in _DECIMALS and 0 < abs(value) < _TINY:
        decimals = 4
    # A count is whole; the end of its interval, and a mean of counts, need not be.
    return f"{value:.{decimals if decimals or value == int(value) else 1}f}"


def interval(estimate: Estimate, unit: str = "") -> str:
    """``[6.90, 7.50]``, or that there is none."""
    ends = estimate.interval
    if ends is None:
        return "no interval" if estimate.mean is not None else ""
    return f"[{number(ends[0], unit)}, {number(ends[1], unit)}]"


def counted(estimate: Estimate) -> str:
    """``n = 60, 2 missing``."""
    missing = f", {estimate.missing} missing" if estimate.missing else ""
    return f"n = {estimate.n}{missing}"


def whole(estimate: Estimate, unit: str = "") -> str:
    """``3.25 [2.33, 4.17] (n = 12)``; nothing prints a number without these."""
    parts = [number(estimate.mean, unit), interval(estimate, unit), f"({counted(estimate)})"]
    return " ".join(part for part in parts if part)


def one_line(text: str, chars: int) -> str:
    """A text in one line of at most ``chars``, without control characters."""
    line = " ".join(printable(text).split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


def printable(text: str) -> str:
    """A text that every kind of file can hold: no control characters, no half letters.

    Marks that turn the direction of writing are taken out as well: they make a line read as what
    it is not.
    """
    kept = (c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs", "Cn"))
    return "".join(c for c in kept if c not in _TURNING)


def distinct(values: Iterable[str]) -> list[str]:
    """Values in the order of their first appearance."""
    return list(dict.fromkeys(values))


_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
