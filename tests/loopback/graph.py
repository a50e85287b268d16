"""The loopback server as a model that reads the graph's prompts, by ``tests.graph.rules_model``.

Takes: the body of a chat request.  Gives: the text of an answer; each item is read back from the
prompt's own wording, so that whatever is in the batch, an item is answered on its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from offbook.prompts.entities import (
    Comparison,
    Described,
    EntityToMerge,
    LinkedGroup,
    MergeEntitiesInputs,
    MergeRelationsInputs,
    RelationToMerge,
    SameEntityInputs,
    VerifyGroupInputs,
)
from offbook.prompts.extraction import ExtractionInputs, Section
from offbook.prompts.who_is_who import KnownName, WhoIsWhoInputs
from tests.graph import rules_model as rules
from tests.loopback.answers import Answer, default_answer, schema_in

_ITEM = re.compile(r"^\[\d+\] (.*)$", re.M)
_ENTITY = re.compile(r'"([^"]*)"(?: \((.*?)\))?(?=; \d+ "| -- is it: |$)')
_KNOWN = re.compile(r'^"([^"]*)" \((?:(.*?), )?(\d+) mentions?\) ?(.*)$')
_PASSAGE = re.compile(r"<passage>\n(.*?)\n</passage>", re.S)


def asked_for(body: Mapping[str, Any]) -> str:
    """The name of the graph's prompt that a request comes from; empty for any other."""
    title = str((schema_in(body) or {}).get("title", ""))
    return _NAMES.get(title, "")


def answer_about_a_graph(body: Mapping[str, Any]) -> Answer:
    """What the rules answer; a sentence, or the least that fits, to any other prompt."""
    known = _ANSWERS.get(asked_for(body))
    if known is None:
        return default_answer(body)
    content = body["messages"][-1]["content"]
    text = content.rpartition("JSON schema:\n")[0] or content
    return Answer(known(text, _ITEM.findall(text)).model_dump_json())


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


def _known_names(items: list[str]) -> tuple[KnownName, ...]:
    names: list[KnownName] = []
    for item in items:
        found = _KNOWN.match(item)
        assert found is not None, item
        name, kind, count, told = found.groups()
        sentences = tuple(part.strip() for part in re.split(r"\(\d+\) ", told)[1:])
        first = names[-1].sentences.stop if names else 1
        names.append(KnownName(name, kind or "", int(count), sentences, first))
    return tuple(names)


def _names(head: str) -> tuple[str, ...]:
    return tuple(re.findall(r'"([^"]*)"', head))


_NAMES = {
    "Extraction": "extract",
    "SameEntityAnswer": "same_entity",
    "VerifyGroupAnswer": "verify_group",
    "WhoIsWho": "who_is_who",
    "MergeEntitiesAnswer": "merge_entities",
    "MergeRelationsAnswer": "merge_relations",
}
_ANSWERS: dict[str, Callable[[str, list[str]], Any]] = {
    "extract": lambda text, _: rules.extract(
        ExtractionInputs("", tuple(Section("", passage) for passage in _PASSAGE.findall(text)))
    ),
    "same_entity": lambda _, items: rules.same_entity(
        SameEntityInputs("", tuple(map(_comparison, items)))
    ),
    "verify_group": lambda _, items: rules.verify_group(
        VerifyGroupInputs("", tuple(LinkedGroup(tuple(_entities(item))) for item in items))
    ),
    "who_is_who": lambda _, items: rules.who_is_who(WhoIsWhoInputs("", _known_names(items))),
    "merge_entities": lambda _, items: rules.merge_entities(
        MergeEntitiesInputs(tuple(EntityToMerge(*_merged(item)) for item in items))
    ),
    "merge_relations": lambda _, items: rules.merge_relations(
        MergeRelationsInputs(tuple(_relation(item) for item in items))
    ),
}
