"""Many items in one prompt: numbered ``[1] ...`` in the question, each once in the answer.

Takes: the numbered parts of an answer.  Gives: the parts in the order of the items. A number that
is missing, twice there or unknown makes the answer invalid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from offbook.errors import InvalidAnswer

T = TypeVar("T")


def in_order(parts: Sequence[T], count: int, number: Callable[[T], int]) -> list[T]:
    """The parts of an answer in the order of the ``count`` items that were asked about.

    Raises:
        InvalidAnswer: names the numbers that are missing, repeated or unknown.
    """
    seen = Counter(number(part) for part in parts)
    wanted = range(1, count + 1)
    faults = {
        "missing": [n for n in wanted if n not in seen],
        "given more than once": sorted(n for n, times in seen.items() if times > 1),
        "not in the question": sorted(n for n in seen if n not in wanted),
    }
    told = [f"{fault}: {_listed(numbers)}" for fault, numbers in faults.items() if numbers]
    if told:
        raise InvalidAnswer(
            f"every number from 1 to {count} must stand in the answer exactly once; "
            + "; ".join(told)
        )
    return sorted(parts, key=number)


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(f"[{n}]" for n in numbers[:20])
    return shown if len(numbers) <= 20 else f"{shown} and {len(numbers) - 20} more"
