"""Many items in one prompt: numbered ``[1] ...`` in the question, each once in the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TypeVar

from offbook.errors import InvalidAnswer


class Numbered(Protocol):
    """A part of an answer."""

    @property
    def item(self) -> int:
        """The number of the item that it is about."""
        ...


T = TypeVar("T", bound=Numbered)


def in_order(parts: Sequence[T], count: int) -> list[T]:
    """Return the parts of an answer in the order of the ``count`` items that were asked about.

    Raises:
        InvalidAnswer: names the numbers that are missing, repeated or unknown.
    """
    given = Counter(part.item for part in parts)
    wanted = range(1, count + 1)
    faults = {
        "missing": [n for n in wanted if n not in given],
        "given more than once": sorted(n for n, times in given.items() if times > 1),
        "not in the question": sorted(n for n in given if n not in wanted),
    }
    complaints = [f"{fault}: {_listed(numbers)}" for fault, numbers in faults.items() if numbers]
    if complaints:
        raise InvalidAnswer(
            f"every number from 1 to {count} must stand in the answer exactly once; "
            + "; ".join(complaints)
        )
    return sorted(parts, key=lambda part: part.item)


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(f"[{n}]" for n in numbers[:20])
    return shown if len(numbers) <= 20 else f"{shown} and {len(numbers) - 20} more"
