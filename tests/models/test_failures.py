"""Failures say what happened and how to mend it, and never show the key."""

from __future__ import annotations

import json
import re
import time
from email.utils import formatdate
from typing import Any

import pytest

from offbook.errors import InputRefused, InvalidAnswer, ModelError
from offbook.models.failures import (
    PassingError,
    Place,
    from_status,
    retry_after,
    said_by,
    unquoted,
    why_without,
)
from offbook.models.responses import Counts, counts_of, read_chat, read_event
from offbook.types import Ending

PLACE = Place("http://models.test/v1", "m", "judge", "sk-secret-key")


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_some_failures_pass(status):
    error = from_status(PLACE, status, {"error": {"message": "later"}}, {"retry-after": "3"})
    assert isinstance(error, PassingError)
    assert error.retry_after == 3.0
    assert error.throttled == (status == 429)
    assert f"answered {status}" in error.message


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (401, r"set judge\.api_key \(OFFBOOK_JUDGE_API_KEY\)"),
        (403, r"judge\.api_key may not use 'm'"),
        (404, r"check judge\.model \('m'\) and judge\.base_url"),
        (400, r"refuses the request"),
        (402, r"refuses the request"),
    ],
)
def test_others_last_and_the_hint_names_the_setting(status, told):
    error = from_status(PLACE, status, {"error": {"message": "no"}}, {})
    assert type(error) is ModelError
    assert re.search(told, error.hint)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"code": "context_length_exceeded", "message": "too long"}}),
        (400, {"message": "This model's maximum context length is 4096 tokens."}),
        (413, "payload too large"),
        (500, {"error": {"message": "input is too large to process"}}),
        (400, {"error": {"code": "content_filter", "message": "refused"}}),
    ],
)
def test_a_refusal_of_this_one_input_is_told_apart(status, body):
    assert isinstance(from_status(PLACE, status, body, {}), InputRefused)


def test_the_reason_is_found_however_late_it_stands():
    body = {"error": {"message": f"{'The upstream failed. ' * 20}maximum context length is 4096"}}
    assert isinstance(from_status(PLACE, 400, body, {}), InputRefused)


def test_a_bad_request_for_embeddings_may_be_the_matter_of_one_text():
    place = Place("http://models.test/v1", "e", "embed")
    assert isinstance(from_status(place, 400, {"error": "no"}, {}), InputRefused)
    assert type(from_status(place, 401, {"error": "no"}, {})) is ModelError


def test_an_empty_account_is_no_matter_of_speed():
    error = from_status(PLACE, 429, {"error": {"code": "insufficient_quota"}}, {})
    assert isinstance(error, PassingError)
    assert not error.throttled


def test_the_key_is_left_out_whatever_the_endpoint_says():
    body = {"error": {"message": "Incorrect API key provided: sk-secret-key\n" + "x" * 500}}
    error = from_status(PLACE, 401, body, {})
    assert "sk-secret" not in error.message
    assert "***" in error.message
    assert len(error.message) < 350
    assert "sk-secret" not in repr(PLACE)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"code": "c", "message": "m"}}, "c m"),
        ({"error": "words"}, "words"),
        ({"detail": "words"}, "words"),
        ({"detail": [{"msg": "field required"}]}, "[{'msg': 'field required'}]"),
        ({}, "{}"),
        ("plain", "plain"),
        (None, ""),
        ([1], "[1]"),
    ],
)
def test_the_endpoints_own_words_are_found_in_any_shape(body, said):
    assert said_by(body) == said


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_retry_after_is_read(headers, seconds):
    assert retry_after(headers) == seconds


def test_retry_after_may_be_a_date(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1_000_000_000.25)
    assert retry_after({"retry-after": formatdate(1_000_000_030, usegmt=True)}) == 29.75


@pytest.mark.parametrize("kind", [InputRefused, InvalidAnswer])
def test_what_a_reply_goes_without_is_told_without_what_the_endpoint_says(kind, caplog):
    said = f"{PLACE.base_url} answered 400 for model 'm': your prompt 'Ada owes' is filtered"
    told = why_without(kind(said))
    assert told.startswith("the model ")
    assert not re.search("models.test|400|Ada owes", told)
    assert caplog.messages[-1].endswith(said), "whoever runs it reads all of it"


def test_what_is_put_aside_can_be_told_without_what_the_endpoint_says():
    said = from_status(PLACE, 400, {"error": {"message": "'Ada\nowes' is too\nlong"}}, {}).message
    told = unquoted(f"put aside: extract c1 (characters 0 to 9): {said}")
    assert told == (
        "put aside: extract c1 (characters 0 to 9): "
        "the model refuses what it was asked with: it is too long, or filtered"
    )
    assert unquoted("put aside: extract c1: the answer is empty").endswith("the answer is empty")


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
    found = read_chat(PLACE, content, structured=False)
    assert found.ending == Ending("stop", *COUNTS)
    assert read_event(json.dumps({"choices": [], "usage": USAGE})).counts == COUNTS
    assert read_event('{"choices": []}').counts is None


@pytest.mark.parametrize("choices", [[], [{"message": {"content": 7}}]])
def test_a_broken_answer_tells_what_it_cost(choices: Any):
    content = json.dumps({"choices": choices, "usage": USAGE}).encode()
    with pytest.raises(PassingError) as caught:
        read_chat(PLACE, content, structured=False)
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
