"""The loopback answers of the graph are those of the rules, read back from the wording."""

from __future__ import annotations

import json

import pytest

from offbook.prompts.ask import request_of
from offbook.prompts.entities import (
    MERGE_ENTITIES,
    MERGE_RELATIONS,
    SAME_ENTITY,
    VERIFY_GROUP,
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
from offbook.prompts.extraction import EXTRACT, ExtractionInputs
from tests.graph import rules_model
from tests.loopback.graph import answer_about_a_graph, asked_for

ANA = Described("Ana Bell", "character", "Ana Bell (of Galway) is a baker; she left.")
BO = Described("Bo", "", "")
CORA = Described("Cora", "character", "Cora is Ana Bell.")

ASKED = [
    (EXTRACT, ExtractionInputs("Ana", "Part", "Ana Bell meets Bo. Cora left.")),
    (SAME_ENTITY, SameEntityInputs("Ana", (Comparison(CORA, (ANA, BO)), Comparison(BO, (ANA,))))),
    (VERIFY_GROUP, VerifyGroupInputs("Ana", (LinkedGroup((ANA, BO, CORA)),))),
    (MERGE_ENTITIES, MergeEntitiesInputs((EntityToMerge(("Ana", "Ana Bell"), ("a.", "b: c.")),))),
    (MERGE_RELATIONS, MergeRelationsInputs((RelationToMerge("Ana", "Bo", ("a.", "b.")),))),
]


def body_of(prompt, inputs, *, as_text: bool):
    request = request_of(prompt, inputs)
    messages = [{"role": m.role, "content": m.content} for m in request.messages]
    if as_text:
        messages[-1]["content"] += f"\n\nJSON schema:\n{json.dumps(request.schema)}"
        return {"messages": messages}
    form = {"type": "json_schema", "json_schema": {"schema": request.schema}}
    return {"messages": messages, "response_format": form}


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize(("prompt", "inputs"), ASKED, ids=lambda part: getattr(part, "name", ""))
def test_the_answer_is_that_of_the_rules(prompt, inputs, as_text):
    body = body_of(prompt, inputs, as_text=as_text)
    assert asked_for(body) == prompt.name
    told = getattr(rules_model, prompt.name)(inputs)
    assert json.loads(answer_about_a_graph(body).text) == json.loads(told.model_dump_json())


def test_what_is_not_of_the_graph_has_the_least_answer():
    body = {"messages": [{"role": "user", "content": "Who are you?"}]}
    assert asked_for(body) == ""
    assert answer_about_a_graph(body).text
