"""Memories get their emotion many in a call; what cannot be scored waits for the next chance."""

from __future__ import annotations

import json

import pytest

from offbook.errors import InputRefused, ModelError
from offbook.memory.emotion import score_memories
from offbook.models.batching import Asking
from offbook.prompts.emotion import MOST_CHARS, shortened
from offbook.rules import OfflineModel
from offbook.text.emotion_names import EMOTIONS
from offbook.types import MemoryFragment
from tests.models.fakes import Scripted

LEVELS = dict(zip(EMOTIONS, (7, 2, 1, 3, 1, 1, 4, 10), strict=True))


def memory(number: int, **changes) -> MemoryFragment:
    given = {"id": f"m{number}", "said": f"Question {number}?", "answered": f"Answer {number}."}
    return MemoryFragment(**{**given, **changes})


def answer(count: int, **changes) -> str:
    return json.dumps({"items": [{"item": n, **LEVELS, **changes} for n in range(1, count + 1)]})


def utterances_of(request):
    assert request.origin is not None
    return request.origin[1].utterances


def by_items(request):
    return answer(len(utterances_of(request)))


class Kept:
    """What was stored, in the order in which it came."""

    def __init__(self) -> None:
        self.emotions: dict[str, dict[str, int]] = {}

    async def __call__(self, scored) -> None:
        self.emotions.update({fragment.id: dict(emotion) for fragment, emotion in scored})


async def test_many_memories_are_scored_in_few_calls():
    model, kept = Scripted(by=by_items), Kept()
    memories = [memory(n) for n in range(50)]
    assert await score_memories(memories, Asking(model, "Nora"), kept) == []
    assert kept.emotions == {one.id: LEVELS for one in memories}
    assert len(model.requests) == 3
    told = model.requests[0].messages[-1].content
    assert "(before: Question 0?) Nora: Answer 0." in told


MALFORMED = [
    {"joy": "seven"},
    {"joy": "7"},
    {"joy": 11},
    {"joy": 0},
    {"joy": 7.5},
    {"joy": True},
    {"joy": None},
    {"love": 3},
    {"item": 9},
]


@pytest.mark.parametrize("fault", MALFORMED, ids=str)
async def test_after_the_last_try_the_memory_is_put_aside_not_given_a_middle_value(fault):
    model, kept = Scripted(by=lambda _: answer(1, **fault)), Kept()
    (aside,) = await score_memories([memory(1)], Asking(model, "Nora", retries=1), kept)
    assert (aside.item.id, kept.emotions) == ("m1", {})
    assert aside.reason
    assert len(model.requests) == 2


async def test_one_memory_that_spoils_the_batch_is_the_only_one_put_aside_and_is_tried_again():
    def by(request):
        utterances = utterances_of(request)
        if any(utterance.text == "Answer 5." for utterance in utterances):
            return InputRefused("filtered")
        return answer(len(utterances))

    kept = Kept()
    memories = [memory(n) for n in range(12)]
    (aside,) = await score_memories(memories, Asking(Scripted(by=by), "Nora"), kept)
    assert aside.item.id == "m5"
    assert sorted(kept.emotions) == sorted(one.id for one in memories if one.id != "m5")
    left = [memory(n, emotion=kept.emotions.get(f"m{n}")) for n in range(12)]
    again = Scripted(by=by_items)
    assert await score_memories(left, Asking(again, "Nora"), kept) == []
    assert len(utterances_of(again.requests[0])) == 1


async def test_an_endpoint_that_fails_is_raised():
    with pytest.raises(ModelError):
        await score_memories([memory(1)], Asking(Scripted(ModelError("down")), "Nora"), Kept())


async def test_a_megabyte_is_scored_by_its_beginning_and_end():
    model, kept = Scripted(by=by_items), Kept()
    long = memory(1, said="s" * 1_000_000, answered="begin " + "x" * 1_000_000 + " end")
    await score_memories([long], Asking(model, "Nora"), kept)
    (utterance,) = utterances_of(model.requests[0])
    assert utterance.text.startswith("begin ")
    assert utterance.text.endswith(" end")
    assert max(len(utterance.text), len(utterance.before)) <= MOST_CHARS


@pytest.mark.parametrize("size", [0, 1, MOST_CHARS, MOST_CHARS + 1, 3 * MOST_CHARS])
def test_shortened_keeps_what_fits(size):
    text = "x" * size
    kept = shortened(text)
    assert len(kept) <= MOST_CHARS
    assert (kept == text) == (size <= MOST_CHARS)


async def test_offline_the_emotion_is_that_of_who_answers():
    kept = Kept()
    memories = [
        memory(1, said="I hate you!", answered="And I am so happy to see you, my darling!"),
        memory(2, said="How are you?", answered="I am so sad, I could weep."),
        memory(3, said="", answered="", emotion=None),
    ]
    assert await score_memories(memories, Asking(OfflineModel(), "Nora"), kept) == []
    assert max(kept.emotions["m1"], key=kept.emotions["m1"].__getitem__) == "joy"
    assert max(kept.emotions["m2"], key=kept.emotions["m2"].__getitem__) == "sadness"
    assert set(kept.emotions["m3"].values()) == {1}
