"""Recorded calls are answered again, and unknown ones are told from the nearest."""

from __future__ import annotations

import json

import pytest

from offbook.errors import ModelError
from offbook.models.caching import Cached, CallCache
from offbook.models.recording import Recorder, Replayer
from offbook.types import Message
from tests.models.fakes import Scripted, request

KEY = "sk-abcdefghijklmnopqrstuvwx"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "calls.jsonl"


async def test_what_was_recorded_is_replayed_in_its_order(file):
    recorder = Recorder(Scripted("One.", "Two.", "Other.", name="m7"), file)
    asked = [request(), request(), request("Something else.")]
    first = [await recorder.complete(each) for each in asked]
    replayer = Replayer(file)
    assert [await replayer.complete(each) for each in asked] == first
    assert (recorder.name, recorder.base_url) == ("m7", Scripted.base_url)
    assert (replayer.name, replayer.base_url) == ("replayed", "replay:")


async def test_what_was_read_of_an_answer_is_not_recorded(file, sqlite_store):
    cached = Cached(Scripted("One."), CallCache(sqlite_store))
    answer = await Recorder(cached, file).complete(request())
    assert answer.read is not None
    assert "read" not in json.loads(file.read_text())["response"]
    assert await Replayer(file).complete(request()) == answer


async def test_streams_are_recorded_with_their_pieces(file):
    recorder = Recorder(Scripted("I am Ada."), file)
    pieces = [piece async for piece in recorder.stream(request())]
    assert [piece async for piece in Replayer(file).stream(request())] == pieces
    assert (await Replayer(file).complete(request())).text == "I am Ada. "


async def test_a_whole_answer_can_be_replayed_as_a_stream(file):
    await Recorder(Scripted("I am Ada."), file).complete(request())
    assert [piece async for piece in Replayer(file).stream(request())] == ["I am Ada."]


async def test_an_unknown_request_names_the_nearest(file):
    await Recorder(Scripted("Yes."), file).complete(request("Who taught you to count?"))
    with pytest.raises(ModelError, match="not recorded") as caught:
        await Replayer(file).complete(request("Who taught you to sing?"))
    assert "to count" in caught.value.hint
    assert "to sing" in caught.value.hint


async def test_an_empty_recording_knows_nothing(file):
    file.touch()
    with pytest.raises(ModelError) as caught:
        await Replayer(file).complete(request())
    assert "holds no request" in caught.value.hint


async def test_a_request_is_not_answered_more_often_than_it_was_recorded(file):
    await Recorder(Scripted("Yes."), file).complete(request())
    replayer = Replayer(file)
    await replayer.complete(request())
    with pytest.raises(ModelError, match="more often"):
        await replayer.complete(request())


async def test_keys_do_not_get_into_the_file(file):
    sent = request(messages=(Message("user", f"My key is {KEY}, the word is tulip."),))
    await Recorder(Scripted(f"{KEY} tulip"), file, secrets=["tulip", ""]).complete(sent)
    text = file.read_text(encoding="utf-8")
    assert KEY not in text
    assert "tulip" not in text
    assert json.loads(text)["response"]["text"] == "*** ***"


async def test_a_request_whose_key_was_left_out_is_found_again(file):
    sent = request(messages=(Message("user", f"My key is {KEY}."),))
    await Recorder(Scripted("Yes."), file).complete(sent)
    assert (await Replayer(file).complete(sent)).text == "Yes."
