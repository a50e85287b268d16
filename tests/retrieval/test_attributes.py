"""The attribute extractor: one call, two texts, each may be empty."""

from __future__ import annotations

import pytest

from offbook.errors import InvalidAnswer
from offbook.prompts.traits import EXTRACT_ATTRIBUTES, Attributes
from offbook.retrieval.attributes import BELIEFS, TRAITS, extract_attributes
from offbook.types import ContextItem, Source
from tests.models.fakes import Scripted

ONE = ContextItem("knowledge", "Ada, Youth", "She waited.", 0.4, (Source("doc", "c1", 0, 11),))
TWO = ContextItem("knowledge", "", "She waited again.", 0.7, (Source("doc", "c2", 20, 37),))


def answered(beliefs: str, traits: str) -> Scripted:
    answer = Attributes(belief_and_values=beliefs, psychological_traits=traits)
    return Scripted(EXTRACT_ATTRIBUTES.answer.write(answer))


async def test_both_texts_with_every_passage_as_their_source():
    model = answered("Time\n heals.", "She is patient.")
    found = await extract_attributes(model, "Ada", "Can you wait?", [ONE, TWO])
    assert [(item.kind, item.title, item.text, item.score) for item in found] == [
        ("attribute", BELIEFS, "Time heals.", 0.7),
        ("attribute", TRAITS, "She is patient.", 0.7),
    ]
    assert all([s.chunk for s in item.sources] == ["c1", "c2"] for item in found)
    told = model.requests[0].messages[-1].content
    assert "Ada, Youth\nShe waited." in told
    assert "Can you wait?" in told


@pytest.mark.parametrize(
    ("beliefs", "traits", "titles"),
    [("", "Patient.", [TRAITS]), ("Fair.", " \n", [BELIEFS]), ("", "", [])],
)
async def test_what_nothing_is_found_of_is_left_out(beliefs, traits, titles):
    found = await extract_attributes(answered(beliefs, traits), "Ada", "?", [ONE])
    assert [item.title for item in found] == titles


async def test_without_passages_no_call_is_made():
    assert await extract_attributes(Scripted(), "Ada", "?", []) == []


async def test_an_unusable_answer_is_an_error():
    with pytest.raises(InvalidAnswer):
        await extract_attributes(Scripted("Well.", "Well."), "Ada", "?", [ONE], retries=1)
