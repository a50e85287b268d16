"""Inclusion groups of a lorebook: of the active entries of a group one is used.

Takes: active entries.  Gives: which of them give way, and to whom. Source: SillyTavern's
documentation, "World Info", "Inclusion Group".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from offbook.cards.lorebook import LoreEntry

_USUAL_WEIGHT: Final = 100.0
_GREATEST_WEIGHT: Final = 1e9


@dataclass(frozen=True, slots=True)
class Candidate:
    """An active entry of a group; ``sticky`` where it was active before and stays."""

    index: int
    entry: LoreEntry
    sticky: bool = False


def losers(
    candidates: Sequence[Candidate],
    score: Callable[[LoreEntry], int],
    share: Callable[[str], float],
) -> dict[int, str]:
    """The entries that give way, by index, with the reason.

    Args:
        candidates: The active entries that name a group, or several with commas between.
        score: How many keys of an entry are said.
        share: A number from 0 to 1 that follows from the group's name.
    """
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        for group in _groups(candidate.entry):
            groups.setdefault(group, []).append(candidate)
    out: dict[int, str] = {}
    for group, members in groups.items():
        left = [member for member in members if member.index not in out]
        if len(left) < 2:
            continue
        winner = _winner(_best_keyed(left, score), share(group))
        for member in left:
            if member is not winner:
                title = winner.entry.title[:60]
                out[member.index] = f"{title!r} was chosen from its group {group!r}"
    return out


def _groups(entry: LoreEntry) -> list[str]:
    found = entry.extensions.get("group")
    parts = found.split(",") if isinstance(found, str) else []
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _best_keyed(members: list[Candidate], score: Callable[[LoreEntry], int]) -> list[Candidate]:
    """Those of which most keys are said, where entries want keys to be counted."""
    counting = [m for m in members if m.entry.extensions.get("use_group_scoring") is True]
    if not counting:
        return members
    scores = {member.index: score(member.entry) for member in members}
    best = max(scores.values())
    beaten = {m.index for m in counting if scores[m.index] < best and not m.sticky}
    return [member for member in members if member.index not in beaten]


def _winner(members: list[Candidate], share: float) -> Candidate:
    sticky = next((member for member in members if member.sticky), None)
    if sticky is not None:
        return sticky
    firm = [m for m in members if m.entry.extensions.get("group_override") is True]
    if firm:
        return max(firm, key=lambda member: member.entry.insertion_order)
    weights = [_weight(member.entry.extensions.get("group_weight")) for member in members]
    mark = share * sum(weights)
    for member, weight in zip(members, weights, strict=True):
        mark -= weight
        if mark < 0:
            return member
    return members[-1]


def _weight(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return _USUAL_WEIGHT
    return float(min(value, _GREATEST_WEIGHT))
