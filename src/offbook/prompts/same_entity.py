"""Who is the same: candidates of several entities judged in one call, and whole groups verified.

Takes: entities with their candidates, or groups of names.  Gives: the numbers of those that are the
same; or whether a group holds several, and its parts.
Paper: RoleRAG (001), Algorithm 1, line 7; verifying whole groups is ours (methods.md 1, step 3).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from offbook.errors import InvalidAnswer
from offbook.prompts.answers import Json
from offbook.prompts.batches import in_order
from offbook.prompts.described import Described, numbered
from offbook.prompts.prompt import Prompt

_NUMBER: Final = re.compile(
    r"(?:^|(?<=[;,.] ))(?:\[(?P<bracketed>\d{1,2})\]|(?P<number>\d{1,2})(?= ?[:.)–-]))"
    r" ?[:.)–-]? ?(?=\S)"
)
"""What stands before the reason of one candidate: ``2: `` or ``[2] - ``."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """An entity, and the earlier ones that it may be."""

    entity: Described
    candidates: tuple[Described, ...]

    def line(self) -> str:
        """The item of the wording."""
        return f"{self.entity.line()} -- is it: {numbered(self.candidates)}"


@dataclass(frozen=True, slots=True)
class SameEntityInputs:
    """What is compared in one call."""

    character: str
    comparisons: tuple[Comparison, ...]


class ComparisonAnswer(BaseModel):
    """The candidates (by number, from 1) that are the same as the entity of an item, and why."""

    item: int
    same: list[int]
    reason: str

    def reason_of(self, candidate: int, candidates: int) -> str:
        """Why this candidate is the same or is not.

        What is said of several candidates without telling them apart is marked as such: a list of
        reasons would cost as many tokens again, and not every model keeps to the numbers.
        """
        told = " ".join(self.reason.split())
        if candidates == 1:
            return _NUMBER.sub("", told, count=1)
        return _by_candidate(told, candidates).get(candidate) or f"of all {candidates}: {told}"


def _by_candidate(told: str, candidates: int) -> dict[int, str]:
    """The parts of a numbered reason; empty where it does not begin with a number.

    Only numbers that ascend begin a part: "1: born in 1770; 2: his brother".
    """
    found: dict[int, str] = {}
    begun, last = 0, 0
    for match in _NUMBER.finditer(told):
        number = int(match["bracketed"] or match["number"])
        if not last < number <= candidates or (not last and match.start()):
            continue
        if last:
            found[last] = told[begun : match.start()]
        begun, last = match.end(), number
    if last:
        found[last] = told[begun:]
    return {number: part.strip(" ;,") for number, part in found.items()}


class SameEntityAnswer(BaseModel):
    """One part an item."""

    items: list[ComparisonAnswer]


def check_same_entity(inputs: SameEntityInputs, answer: SameEntityAnswer) -> None:
    """Every item once, and only candidates that exist."""
    count = len(inputs.comparisons)
    for part in in_order(answer.items, count, lambda part: part.item):
        known = len(inputs.comparisons[part.item - 1].candidates)
        _refuse_unknown(part.item, part.same, known, "candidates")


SAME_ENTITY: Final[Prompt[SameEntityInputs, SameEntityAnswer]] = Prompt(
    name="same_entity",
    version=2,
    role="extractor",
    stage="graph",
    inputs=SameEntityInputs,
    answer=Json(SameEntityAnswer),
    source="RoleRAG Algorithm 1, line 7",
    parameters={"temperature": 0.0},
    check=check_same_entity,
)
"""Which candidates are the same as an entity?"""


@dataclass(frozen=True, slots=True)
class LinkedGroup:
    """Names that were linked in pairs; each member is one name with what the texts say of it."""

    members: tuple[Described, ...]

    def line(self) -> str:
        """The item of the wording."""
        return numbered(self.members)


@dataclass(frozen=True, slots=True)
class VerifyGroupInputs:
    """The groups of one call."""

    character: str
    groups: tuple[LinkedGroup, ...]


class GroupVerdict(BaseModel):
    """Whether a group has to be split, and then its parts: each number in exactly one."""

    item: int
    split: bool
    parts: list[list[int]]
    reason: str


class VerifyGroupAnswer(BaseModel):
    """One part a group."""

    items: list[GroupVerdict]


def check_verify_group(inputs: VerifyGroupInputs, answer: VerifyGroupAnswer) -> None:
    """Every group once; the parts of a group that is split hold every member once."""
    for verdict in in_order(answer.items, len(inputs.groups), lambda part: part.item):
        if verdict.split:
            members = sorted(number for part in verdict.parts for number in part)
            wanted = list(range(1, len(inputs.groups[verdict.item - 1].members) + 1))
            if members != wanted:
                raise InvalidAnswer(
                    f"item {verdict.item}: the parts must hold each of {wanted} exactly once, "
                    f"not {members[:50]}"
                )


VERIFY_GROUP: Final[Prompt[VerifyGroupInputs, VerifyGroupAnswer]] = Prompt(
    name="verify_group",
    version=1,
    role="extractor",
    stage="graph",
    inputs=VerifyGroupInputs,
    answer=Json(VerifyGroupAnswer),
    source="ours (methods.md 1, index step 3)",
    parameters={"temperature": 0.0},
    check=check_verify_group,
)
"""Is a group of linked names one and the same throughout?"""


def _refuse_unknown(item: int, numbers: list[int], known: int, what: str) -> None:
    unknown = sorted({number for number in numbers if not 1 <= number <= known})
    if unknown:
        raise InvalidAnswer(f"item {item} has {known} {what}; there is no number {unknown}")
