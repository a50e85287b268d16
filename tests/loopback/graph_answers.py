"""Answers to the graph's prompts by the rules of ``tests.graph.rules_model``.

Takes: the body of a chat request.  Gives: the text of an answer; each item is read back from the
prompt's own wording, so that whatever is in the batch, an item is answered on its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
from tests.graph import rules_model
from tests.loopback.answers import Answer, default_answer, schema_in

_ITEM = re.compile(r"^\[\d+\] (.*)$", re.M)
_ENTITY = re.compile(r'"([^"]*)"(?: \((.*?)\))?(?=; \d+ "| -- is it: |$)')
_PASSAGE = re.compile(r"<passage>\n(.*?)\n</passage>", re.S)


def asked_for(body: Mapping[str, Any]) -> str:
    """The name of the graph's prompt that a request comes from; empty for any other."""
    schema = schema_in(body)
    if schema is None:
        return ""
    parts = set(schema["properties"])
    if parts == {"entities", "relations"}:
        return "extract"
    if parts != {"items"}:
        return ""
    item = schema["properties"]["items"]["items"]
    if "$ref" in item:
        item = schema["$defs"][item["$ref"].rpartition("/")[2]]
    told = set(item["properties"])
    if "same" in told:
        return "same_entity"
    if "split" in told:
        return "verify_group"
    return "merge_entities" if "name" in told else "merge_relations"


def graph_answer(body: Mapping[str, Any]) -> Answer:
    """What the rules answer; a sentence, or the least that fits, to any other prompt."""
    text = body["messages"][-1]["content"].rpartition("JSON schema:\n")[0]
    text = text or body["messages"][-1]["content"]
    items = _ITEM.findall(text)
    prompt = asked_for(body)
    if prompt == "extract":
        passages = _PASSAGE.findall(text)
        answer: Any = rules_model.extract(ExtractionInputs("", "", passages[0]))
    elif prompt == "same_entity":
        compared = SameEntityInputs("", tuple(map(_comparison, items)))
        answer = rules_model.same_entity(compared)
    elif prompt == "verify_group":
        groups = tuple(LinkedGroup(tuple(_entities(item))) for item in items)
        answer = rules_model.verify_group(VerifyGroupInputs("", groups))
    elif prompt == "merge_entities":
        named = tuple(EntityToMerge(*_merged(item)) for item in items)
        answer = rules_model.merge_entities(MergeEntitiesInputs(named))
    elif prompt == "merge_relations":
        ends = tuple(_relation(item) for item in items)
        answer = rules_model.merge_relations(MergeRelationsInputs(ends))
    else:
        return default_answer(body)
    return Answer(answer.model_dump_json())


def _comparison(item: str) -> Comparison:
    entity, *candidates = _entities(item)
    return Comparison(entity, tuple(candidates))


def _entities(item: str) -> list[Described]:
    found = []
    for name, told in _ENTITY.findall(item):
        kind, _, description = told.partition("; ")
        found.append(Described(name, kind, description))
    return found


def _merged(item: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    head, _, told = item.partition('": ')
    return _names(head + '"'), tuple(told.split(" | "))


def _relation(item: str) -> RelationToMerge:
    (source, target), told = _merged(item)
    return RelationToMerge(source, target, told)


def _names(head: str) -> tuple[str, ...]:
    return tuple(re.findall(r'"([^"]*)"', head))
