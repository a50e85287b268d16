"""Bodies of endpoints: what they count, and what of it can be believed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from offbook.models.failures import PassingError, Place
from offbook.models.responses import Counts, counts_of, ending_of, read_chat, read_event
from offbook.wire import Ending

PLACE = Place("http://127.0.0.1:1/v1", "m", "chat", None, 1.0)
USAGE: dict[str, Any] = {
    "prompt_tokens": 812,
    "completion_tokens": 41,
    "total_tokens": 853,
    "prompt_tokens_details": {"cached_tokens": 640, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 12},
}
COUNTS = Counts(812, 41, 640, 12)


def test_tokens_that_are_counted_apart_are_read_from_a_body_and_from_a_stream():
    choices = [{"message": {"content": "Ay."}, "finish_reason": "stop"}]
    content = json.dumps({"choices": choices, "usage": USAGE}).encode()
    found = read_chat(PLACE, content, structured=False, requests=1)
    assert ending_of(found) == Ending("stop", *COUNTS)
    assert read_event(json.dumps({"choices": [], "usage": USAGE})).counts == COUNTS
    assert read_event('{"choices": []}').counts is None


@pytest.mark.parametrize("choices", [[], [{"message": {"content": 7}}]])
def test_a_broken_answer_tells_what_it_cost(choices: Any):
    content = json.dumps({"choices": choices, "usage": USAGE}).encode()
    with pytest.raises(PassingError) as caught:
        read_chat(PLACE, content, structured=False, requests=1)
    assert caught.value.tokens == (812, 41)


@pytest.mark.parametrize(
    "details",
    [None, [], "640", {}, {"cached_tokens": None}, {"cached_tokens": -1}, {"cached_tokens": True}],
)
def test_what_is_no_count_is_told_of_by_nobody(details: Any):
    told = {**USAGE, "prompt_tokens_details": details, "completion_tokens_details": details}
    assert counts_of(told) == Counts(812, 41)


def test_none_of_the_tokens_may_be_cached():
    assert counts_of({**USAGE, "prompt_tokens_details": {"cached_tokens": 0}}).cached_tokens == 0
    assert counts_of({"prompt_tokens": True, "completion_tokens": -3}) == Counts()
