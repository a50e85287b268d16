"""Refusals in words are no descriptions; who speaks so in a text may be quoted."""

from __future__ import annotations

import pytest

from offbook.errors import InvalidAnswer
from offbook.prompts.entities import (
    MERGE_ENTITIES,
    MERGE_RELATIONS,
    EntityToMerge,
    MergeEntitiesInputs,
    MergeRelationsInputs,
    RelationToMerge,
)
from offbook.prompts.refusals import check_described
from offbook.prompts.summaries import (
    PROFILE,
    SUMMARIZE_CLUSTER,
    SUMMARIZE_CONVERSATION,
    ClusterInputs,
    ProfileInputs,
    SummarizeConversationInputs,
)
from offbook.prompts.traits import (
    EXTRACT_ATTRIBUTES,
    INDEX_TRAITS,
    AttributesInputs,
    PassageInputs,
)
from offbook.types import ChatResponse, Turn
from tests.models.fakes import read
from tests.tables import cases

PLAIN = "I'm sorry, but I can't assist with that request."


@pytest.mark.parametrize("text", cases(__file__, "a refusal describes nobody"))
def test_a_refusal_describes_nobody(text):
    with pytest.raises(InvalidAnswer, match="declines"):
        check_described(["Ada keeps the light.", text], ["Ada keeps the light on Skerry Rock."])


@pytest.mark.parametrize("text", cases(__file__, "a description is one whatever it tells of"))
def test_a_description_is_one_whatever_it_tells_of(text):
    check_described([text], ["Ada keeps the light on Skerry Rock."])


def test_who_speaks_so_in_the_text_may_be_quoted():
    told = "Tom wrote to Ada:\n\u201cI am sorry, but I\ncannot help you any more.\u201d"
    check_described(
        ["\u201cI am sorry, but I cannot help you any more.\u201d Tom wrote so."], [told]
    )


@pytest.mark.parametrize(
    ("prompt", "inputs", "answer"),
    [
        (PROFILE, ProfileInputs("Ada", ("Ada keeps the light.",)), "{}"),
        (
            MERGE_ENTITIES,
            MergeEntitiesInputs((EntityToMerge(("Ada",), ("She waits.", "She sleeps.")),)),
            '{"items": [{"item": 1, "name": "Ada", "description": "{}"}]}',
        ),
        (
            MERGE_RELATIONS,
            MergeRelationsInputs((RelationToMerge("Ada", "Tom", ("She waits.", "She waits on.")),)),
            '{"items": [{"item": 1, "description": "{}"}]}',
        ),
        (SUMMARIZE_CLUSTER, ClusterInputs("Ada", ("She waits.",)), '{"summary": "{}"}'),
        (
            SUMMARIZE_CONVERSATION,
            SummarizeConversationInputs("Ada", "", (Turn("Who waits?", "I do."),)),
            "{}",
        ),
        (
            INDEX_TRAITS,
            PassageInputs("Ada", "", "She waits."),
            '{"reveals": true, "attributes": [{"kind": "psychological_trait", "text": "{}"}]}',
        ),
        (
            EXTRACT_ATTRIBUTES,
            AttributesInputs("Ada", "Why?", ("She waits.",)),
            '{"belief_and_values": "", "psychological_traits": "{}"}',
        ),
    ],
    ids=lambda part: getattr(part, "name", ""),
)
def test_whatever_is_kept_as_a_description_is_checked(prompt, inputs, answer):
    kept = ChatResponse(answer.replace("{}", "Ada waits for Tom."))
    assert read(prompt, inputs, kept)
    with pytest.raises(InvalidAnswer, match="declines"):
        read(prompt, inputs, answer.replace("{}", PLAIN))
