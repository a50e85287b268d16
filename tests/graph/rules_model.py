"""A model that answers the graph's prompts by simple rules, each item on its own.

Takes: requests of the graph's prompts.  Gives: answers that depend on the item alone, whatever else
is in the batch; it counts what it was asked, and fails where a test tells it to.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable

from offbook.names.identity import name_key
from offbook.prompts.entities import (
    ComparisonAnswer,
    Described,
    GroupVerdict,
    LinkedGroup,
    MergedEntity,
    MergedRelation,
    MergeEntitiesAnswer,
    MergeRelationsAnswer,
    SameEntityAnswer,
    VerifyGroupAnswer,
    VerifyGroupInputs,
)
from offbook.prompts.extraction import ExtractedEntity, ExtractedRelation, Extraction, StatedAlias
from offbook.prompts.who_is_who import OneAndTheSame, WhoIsWho
from offbook.text.grammar import FUNCTION
from offbook.types import ChatRequest, ChatResponse

_IS = "is", "is none other than"
NAME = re.compile(r"\b[A-Z][^\W\d_A-Z]+(?: [A-Z][^\W\d_A-Z]+)*")
_CALLED = re.compile(rf"called ({NAME.pattern})")


class RulesModel:
    """Answers by rules.

    Args:
        fail: Is called with each request, before it is answered; may raise.
    """

    name = "rules"
    base_url = "https://rules.test/v1"

    def __init__(self, fail: Callable[[ChatRequest], object] = lambda request: None) -> None:
        self.asked: list[ChatRequest] = []
        self.in_flight = self.peak = 0
        self._fail = fail

    @property
    def calls(self) -> dict[str, int]:
        """Calls by the name of the prompt."""
        return dict(Counter(request.origin[0].name for request in self.asked if request.origin))

    async def complete(self, request: ChatRequest) -> ChatResponse:
        self.asked.append(request)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await asyncio.sleep(0)
            self._fail(request)
        finally:
            self.in_flight -= 1
        assert request.origin is not None
        prompt, inputs = request.origin
        return ChatResponse(prompt.answer.write(_RULES[prompt.name](inputs)))

    def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        raise AssertionError("nothing is streamed here")


def extract(inputs) -> Extraction:
    entities: dict[tuple[int, str], list[str]] = {}
    relations = []
    numbered = [
        (number, sentence)
        for number, section in enumerate(inputs.sections, 1)
        for sentence in re.split(r"(?<=[.])\s+", section.passage)
    ]
    for number, sentence in numbered:
        found = dict.fromkeys(NAME.findall(sentence))
        names = [name for name in found if name.lower() not in FUNCTION]
        for name in names:
            entities.setdefault((number, name), []).append(sentence)
        relations += [
            ExtractedRelation(
                section=number, source=a, target=b, description=sentence, strength=len(names)
            )
            for a, b in itertools.pairwise(names)
        ]
    return Extraction(
        entities=[
            ExtractedEntity(
                section=number,
                name=name,
                type="character",
                description=" ".join(told[:2]),
                aliases=[
                    StatedAlias(called=other, evidence=sentence)
                    for sentence in told
                    for other in _CALLED.findall(sentence)
                    if sentence.startswith(name)
                ],
            )
            for (number, name), told in entities.items()
        ],
        relations=relations,
    )


def same(a: Described, b: Described) -> bool:
    """One name holds all words of the other, or a text says that they are one."""
    one, other = set(name_key(a.name).split()), set(name_key(b.name).split())
    aka = [f"{x.name} {verb} {y.name}" for x, y in ((a, b), (b, a)) for verb in _IS]
    told = a.description + b.description
    return one <= other or other <= one or any(said in told for said in aka)


def same_entity(inputs) -> SameEntityAnswer:
    items = []
    for number, comparison in enumerate(inputs.comparisons, 1):
        yes = [
            n for n, other in enumerate(comparison.candidates, 1) if same(comparison.entity, other)
        ]
        items.append(ComparisonAnswer(item=number, same=yes, reason="by the words of the names"))
    return SameEntityAnswer(items=items)


def verify_group(inputs) -> VerifyGroupAnswer:
    """A group is split whose names begin with different letters and say nothing of one another."""
    items = []
    for number, group in enumerate(inputs.groups, 1):
        parts: dict[str, list[int]] = {}
        for n, member in enumerate(group.members, 1):
            parts.setdefault(member.name[0], []).append(n)
        told = " ".join(member.description for member in group.members)
        split = len(parts) > 1 and " is " not in told
        items.append(
            GroupVerdict(
                item=number,
                split=split,
                parts=list(parts.values()) if split else [],
                reason="by their initials",
            )
        )
    return VerifyGroupAnswer(items=items)


def who_is_who(inputs) -> WhoIsWho:
    """Chains of names that are the same, parted by initials where verifying would part them."""
    shown = [Described(name.name, name.type, " ".join(name.told)) for name in inputs.names]
    home = {number: {number} for number in range(len(shown))}
    for a, b in itertools.combinations(range(len(shown)), 2):
        if home[a] is not home[b] and same(shown[a], shown[b]):
            home[a] |= home[b]
            home.update(dict.fromkeys(home[b], home[a]))
    groups = []
    for members in {min(group): sorted(group) for group in home.values()}.values():
        (verdict,) = verify_group(
            VerifyGroupInputs("", (LinkedGroup(tuple(shown[n] for n in members)),))
        ).items
        parts = verdict.parts if verdict.split else [range(1, len(members) + 1)]
        groups += [[members[place - 1] for place in part] for part in parts]
    return WhoIsWho(
        same=[
            OneAndTheSame(
                reason="by the words of the names",
                names=[n + 1 for n in group],
                sentences=[s for n in group for s in inputs.names[n].sentences],
            )
            for group in groups
            if len(group) > 1
        ],
        several=[],
    )


def merge_entities(inputs) -> MergeEntitiesAnswer:
    return MergeEntitiesAnswer(
        items=[
            MergedEntity(
                item=n,
                name=max(entity.names, key=lambda name: (len(name), name)),
                description=" + ".join(entity.descriptions),
            )
            for n, entity in enumerate(inputs.entities, 1)
        ]
    )


def merge_relations(inputs) -> MergeRelationsAnswer:
    return MergeRelationsAnswer(
        items=[
            MergedRelation(item=n, description=" + ".join(relation.descriptions))
            for n, relation in enumerate(inputs.relations, 1)
        ]
    )


def profile(inputs) -> str:
    return f"{inputs.character}: {len(inputs.passages)} passages. {inputs.described}".strip()


_RULES = {
    "extract": extract,
    "same_entity": same_entity,
    "verify_group": verify_group,
    "who_is_who": who_is_who,
    "merge_entities": merge_entities,
    "merge_relations": merge_relations,
    "profile": profile,
}
