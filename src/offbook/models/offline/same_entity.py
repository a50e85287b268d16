"""The offline answers to "who is the same": pairs one by one, and linked groups as a whole.

Takes: the inputs of the two prompts.  Gives: their answers, each pair judged on its own whatever
else is in the batch, so that equal pairs have equal answers. Source: ours.
"""

from __future__ import annotations

from typing import Final

from offbook.language.name_likeness import Likeness
from offbook.models.offline.group_verification import partition
from offbook.models.offline.identity import fit
from offbook.prompts.same_entity import (
    Comparison,
    ComparisonAnswer,
    GroupVerdict,
    LinkedGroup,
    SameEntityAnswer,
    SameEntityInputs,
    VerifyGroupAnswer,
    VerifyGroupInputs,
)

_ENOUGH: Final = 0.4


def same_entity(inputs: SameEntityInputs) -> SameEntityAnswer:
    """Which candidates are the same as their entity."""
    return SameEntityAnswer(
        items=[_compare(item, comparison) for item, comparison in enumerate(inputs.comparisons, 1)]
    )


def verify_group(inputs: VerifyGroupInputs) -> VerifyGroupAnswer:
    """Which linked groups hold several, and their parts."""
    return VerifyGroupAnswer(
        items=[
            _verify(item, group, inputs.character) for item, group in enumerate(inputs.groups, 1)
        ]
    )


def _compare(item: int, comparison: Comparison) -> ComparisonAnswer:
    judged = [fit(comparison.entity, candidate) for candidate in comparison.candidates]
    same = [number for number, found in enumerate(judged, 1) if found.strength >= _ENOUGH]
    return ComparisonAnswer(item=item, same=same, reason=_reason(judged))


def _reason(judged: list[Likeness]) -> str:
    told = [f"{number}: {found.reason}" for number, found in enumerate(judged, 1)]
    return "; ".join(told) or "no candidate"


def _verify(item: int, group: LinkedGroup, character: str) -> GroupVerdict:
    found = partition(group.members, character)
    split = len(found.parts) > 1
    parts = [[number + 1 for number in part] for part in found.parts] if split else []
    return GroupVerdict(item=item, split=split, parts=parts, reason=found.reason)
