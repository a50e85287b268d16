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
from offbook.prompts.refusals import assistant_speech, check_described
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


@pytest.mark.parametrize(
    "reply",
    [
        "As an AI language model, I have no childhood.",
        "I'm just an AI, so I do not eat.",
        "Hello! How can I help you today?",
        "I'd be happy to help with that.",
        "作为一个人工智能，我没有童年。",
        "En tant qu'IA, je ne mange pas.",
    ],
)
def test_assistant_speech_is_known_by_how_a_reply_begins(reply):
    said = assistant_speech(reply)
    assert said
    assert said in reply.lower()
    assert assistant_speech(f"{'Well. ' * 80}{reply}") == ""
    assert assistant_speech(reply, [f"She says: {reply}"]) == ""


@pytest.mark.parametrize(
    "reply",
    [
        "How can I help you? The lamp oil is on the left.",
        "I am an aide to the harbour master.",
        "As an air pilot I saw it from above.",
        "I would be happy to see the sea again.",
        "I am here to trim the lamp.",
        "Como ia dizendo, o mar estava calmo.",
    ],
)
def test_people_may_offer_help_and_be_happy(reply):
    assert assistant_speech(reply) == ""
