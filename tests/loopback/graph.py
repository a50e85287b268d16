"""The loopback server as a model that reads the graph's prompts, by simple rules.

Takes: the body of a chat request.  Gives: the answer to extraction, judgement, verification and
merging, from the text of the prompt alone, each item on its own; else the least that fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from offbook.prompts.described import Described
from offbook.prompts.extraction import ExtractionInputs
from offbook.prompts.merging import (
    EntityToMerge,
    MergeEntitiesInputs,
    MergeRelationsInputs,
    RelationToMerge,
)
from offbook.prompts.same_entity import (
    Comparison,
    LinkedGroup,
    SameEntityInputs,
    VerifyGroupInputs,
)
from tests.graph import rules_model as rules
from tests.loopback.answers import Answer, default_answer

_PASSAGE = re.compile(r"<passage>\n(.*)\n</passage>", re.DOTALL)
_ITEM = re.compile(r"^\[\d+\] (.*)$", re.MULTILINE)


def answer_about_a_graph(body: Mapping[str, Any]) -> Answer:
    """The answer of a model that knows the graph's prompts."""
    form = (body.get("response_format") or {}).get("json_schema") or {}
    known = _ANSWERS.get(form.get("name", ""))
    text = body["messages"][-1]["content"]
    return Answer(known(text)) if known is not None else default_answer(body)


def _extraction(text: str) -> str:
    (passage,) = _PASSAGE.findall(text)
    return rules.extract(ExtractionInputs("", "", passage)).model_dump_json()


def _same(text: str) -> str:
    comparisons = []
    for item in _ITEM.findall(text):
        entity, _, candidates = item.partition(" -- is it: ")
        (one,) = _described(entity)
        comparisons.append(Comparison(one, tuple(_described(candidates))))
    return rules.same_entity(SameEntityInputs("", tuple(comparisons))).model_dump_json()


def _verified(text: str) -> str:
    groups = tuple(LinkedGroup(tuple(_described(item))) for item in _ITEM.findall(text))
    return rules.verify_group(VerifyGroupInputs("", groups)).model_dump_json()


def _merged_entities(text: str) -> str:
    items = []
    for item in _ITEM.findall(text):
        names, told = item.split('"')[1::2], item.rpartition('": ')[2]
        items.append(EntityToMerge(tuple(names), tuple(told.split(" | "))))
    return rules.merge_entities(MergeEntitiesInputs(tuple(items))).model_dump_json()


def _merged_relations(text: str) -> str:
    items = []
    for item in _ITEM.findall(text):
        _, source, _, target, told = item.split('"', 4)
        descriptions = tuple(told.removeprefix(": ").split(" | "))
        items.append(RelationToMerge(source, target, descriptions))
    return rules.merge_relations(MergeRelationsInputs(tuple(items))).model_dump_json()


def _described(text: str) -> list[Described]:
    """The entities of a line: only names stand in double quotes."""
    parts = text.split('"')
    found = []
    for name, told in zip(parts[1::2], parts[2::2], strict=True):
        inner = told.strip().rstrip("0123456789; ").strip().removeprefix("(").removesuffix(")")
        kind, _, description = inner.partition("; ")
        found.append(Described(name, kind, description))
    return found


_ANSWERS: dict[str, Callable[[str], str]] = {
    "Extraction": _extraction,
    "SameEntityAnswer": _same,
    "VerifyGroupAnswer": _verified,
    "MergeEntitiesAnswer": _merged_entities,
    "MergeRelationsAnswer": _merged_relations,
}
