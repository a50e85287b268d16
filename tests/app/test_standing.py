"""Characters of a story: what reaches a reply is what they witnessed, by every method."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from offbook import pipeline, registry
from offbook.app import Offbook
from offbook.errors import UsageError
from offbook.prompts.ask import request_of
from offbook.prompts.reply import REPLY
from offbook.text.tokens import count_tokens
from offbook.types import Recall
from tests.app import story_book
from tests.app.homes import home_with, opened, text
from tests.app.story_book import BOOK, MARKS, WITNESSED
from tests.loopback import LoopbackServer
from tests.loopback.answers import Answer

QUESTION = "What did you carry up the stair to the mill?"
IDS = {"Ada Byrne": "ada-byrne", "Tom Reeve": "tom-reeve"}
NOTHING_SELECTED = {"vanilla", "whole"}


@pytest.fixture(autouse=True)
def story(monkeypatch: pytest.MonkeyPatch) -> None:
    story_book.use_it(monkeypatch)


async def made(folder: Path, **flags: Any) -> Offbook:
    """An open home with both characters of the book."""
    home = await opened(folder, **flags)
    for name in IDS:
        await home.create_from([text("book.md", BOOK)] if name == "Ada Byrne" else "book", name)
    return home


async def prompt_of(home: Offbook, who: str, recall: Recall) -> str:
    character = await home.find(IDS[who])
    runtime, _ = home.turn(character)
    inputs = pipeline.reply_inputs(runtime, character, recall, ())
    return "\n".join(message.content for message in request_of(REPLY, inputs).messages)


@pytest.mark.parametrize("method", sorted(registry.names("method")))
async def test_nothing_that_was_not_witnessed_by_the_point_reaches_the_reply(method, tmp_path):
    async with await made(tmp_path, method=method) as home:
        await home.ingest("ada-byrne")
        for who, scenes in WITNESSED.items():
            for chapter in range(1, len(MARKS) + 1):
                point = None if chapter == len(MARKS) else f"book.md#Chapter {chapter}"
                recall = await home.recall(IDS[who], QUESTION, as_of=point)
                prompt = await prompt_of(home, who, recall)
                shown = {n for n, mark in enumerate(MARKS, 1) if mark in prompt}
                known = {n for n in scenes if n <= chapter}
                if method == "whole":
                    known = set(range(1, chapter + 1))
                assert shown <= known, (who, chapter)
                if method not in NOTHING_SELECTED:
                    assert shown == known, (who, chapter)


async def test_a_reply_stands_on_the_record_and_the_last_scene(tmp_path):
    async with await made(tmp_path) as home:
        recall = await home.recall("ada-byrne", QUESTION, as_of="book.md#Chapter 4")
        record = [item for item in recall.context if item.kind == "episode"]
        (scene,) = (item for item in recall.context if item.kind == "scene")
        assert recall.usage.calls == 0
        assert [item.title for item in record] == ["Chapter 1 - day 1", "Chapter 3 - day 3"]
        assert [item.witness.how for item in record if item.witness] == ["present", "overheard"]
        assert record[0].emotion is not None
        assert record[0].emotion["joy"] == 7
        assert scene.title == "Chapter 3 - day 3"
        assert scene.text == BOOK[scene.sources[0].start : scene.sources[0].end]
        assert all(item.witness for item in (*record, scene))
        found = {item.title: item.witness for item in recall.context if item.kind == "knowledge"}
        assert found["Chapter 1"] is not None
        assert found["Chapter 1"].how == "present"
        assert found["Chapter 1"].evidence == ("Ada Byrne",)
        why = {skip.title: skip.why for skip in recall.skipped if "witness" in skip.why}
        assert {"Chapter 2"} <= set(why) <= {"Chapter 2", "Chapter 4"}
        assert "Ada Byrne did not witness it" in why["Chapter 2"]


async def test_what_changes_with_the_point_alone_stands_in_front(tmp_path):
    async with await made(tmp_path) as home:
        systems = []
        for question in (QUESTION, "Who are you?", "What about the oxfeather?"):
            recall = await home.recall("ada-byrne", question, as_of="book.md#Chapter 5")
            character = await home.find("ada-byrne")
            runtime, _ = home.turn(character)
            inputs = pipeline.reply_inputs(runtime, character, recall, ())
            systems.append(request_of(REPLY, inputs).messages[0].content)
        assert len(set(systems)) == 1
        assert "What you have lived through so far" in systems[0]
        assert "The last that happened" in systems[0]
        assert "Chapter 5 - day 5" in systems[0].partition("It is now this point")[2]


async def test_own_lines_alone_are_samples_of_a_voice_up_to_the_point(tmp_path):
    async with await made(tmp_path) as home:
        for chapter, lines in ((1, 0), (2, 1), (5, 2)):
            point = f"book.md#Chapter {chapter}"
            tom = await home.recall("tom-reeve", QUESTION, as_of=point)
            ada = await home.recall("ada-byrne", QUESTION, as_of=point)
            assert ada.voice == ()
            assert len(tom.voice or ()) == lines
        tom = await home.recall("tom-reeve", QUESTION)
        assert "voice" not in tom.as_json()


async def test_older_parts_are_drawn_together_and_come_back_where_they_are_meant(tmp_path):
    async with await made(tmp_path, context__life_tokens=80) as home:
        recall = await home.recall("ada-byrne", "What of the quibbet?", as_of="book.md")
        record = [item.text for item in recall.context if item.kind == "episode"]
        assert "The quibbet." in record or not record
        (meant,) = (item for item in recall.context if item.kind == "memory")
        assert "came upon the quibbet" in meant.text


async def test_what_happened_elsewhere_is_declined_and_what_was_witnessed_is_not(tmp_path):
    async with await made(tmp_path) as home:
        early = await home.ask("ada-byrne", "Who spoke of the zandrel?", as_of="book.md#Chapter 2")
        assert "nobody has told me" in early.text
        assert early.recall.boundary is not None
        assert early.recall.boundary.verdict == "partly"
        own = await home.ask("tom-reeve", "Who carried the zandrel?", as_of="book.md#Chapter 2")
        assert "zandrel" in own.text


async def test_facts_are_known_to_who_witnessed_them_from_then_on(tmp_path):
    async with await made(tmp_path) as home:
        fact = "The morvane was carried up the stair."
        later = await home.knows("ada-byrne", fact, as_of="book.md#Chapter 2")
        assert (later.knows, later.reason) == (False, "it comes later in the story")
        known = await home.knows("ada-byrne", fact, as_of="book.md#Chapter 3")
        assert (known.knows, known.how) == (True, "overheard")
        middle = BOOK.index(" by the morvane. “") + len(" by the morvane.")
        begun = await home.knows("ada-byrne", fact, as_of=f"book.md@{middle}")
        assert (begun.knows, begun.how) == (False, "absent")
        absent = await home.knows("ada-byrne", "Tom spoke of the zandrel.")
        assert (absent.knows, absent.how) == (False, "absent")
        assert not (await home.knows("ada-byrne", "Penguins bought telegraph shares.")).knows


async def test_documents_about_one_person_are_all_theirs(tmp_path):
    told = text("ada.md", BOOK)
    async with home_with(tmp_path, "Ada Byrne", told, story__kind="persona") as home:
        recall = await home.recall("ada-byrne", "What of the zandrel?")
        assert any("zandrel" in item.text for item in recall.context)
        assert all(item.witness is None and not item.subject for item in recall.context)
        with pytest.raises(UsageError, match="nobody of a story"):
            await home.knows("ada-byrne", "Tom spoke of the zandrel.")


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    def judge(body: Mapping[str, Any]) -> Answer:
        because = "It stands there."
        return Answer(json.dumps({"because": because, "knows": True, "how": "read"}))

    with LoopbackServer(answer=judge) as running:
        yield running


async def test_a_model_judges_by_what_was_witnessed_alone_in_one_call(tmp_path, server):
    endpoint = {"chat__model": "m", "chat__base_url": server.base_url}
    async with await made(tmp_path, **endpoint) as home:
        server.clear()
        fact = "The morvane was carried up the stair."
        judged = await home.knows("tom-reeve", fact, as_of="book.md#Chapter 4")
        assert (judged.knows, judged.how, judged.reason) == (True, "read", "It stands there.")
        (body,) = server.chat_bodies
        shown = "\n".join(message["content"] for message in body["messages"])
        assert {mark for mark in MARKS if mark in shown} == {"zandrel", "morvane"}
        assert "Tom Reeve came upon the zandrel" in shown


async def test_what_others_say_and_do_is_never_said_as_i(tmp_path, monkeypatch):
    told = (
        "# Chapter 1\n\nHolmes sat by the fire with Dr Watson. I gave Holmes the letter that I had "
        "found in the attic. “I am a dull fellow, Watson,” said Holmes.\n\n"
        "# Chapter 2\n\nWatson went out. I took a cab to the harbour.\n"
    )
    monkeypatch.undo()
    async with await opened(tmp_path) as home:
        await home.create_from([text("case.md", told)], "Holmes")
        for question in ("Who found the letter in the attic?", "Who took a cab to the harbour?"):
            reply = (await home.ask("holmes", question)).text
            outside = re.sub("“.*”", "", reply)
            assert not re.search(r"\bI (?:gave|took|had)\b", outside), reply


async def test_whoever_has_lived_long_has_no_longer_prompt(tmp_path, server):
    long = "".join(
        f"# Chapter {n}\n\n"
        + "Ada Byrne and Tom Reeve walked along the harbour and spoke of the weather.\n\n" * 120
        for n in range(1, 7)
    )
    endpoint = {"chat__model": "m", "chat__base_url": server.base_url}
    async with await opened(tmp_path, **endpoint) as home:
        await home.create_from([text("book.md", long)], "Ada Byrne")
        recall = await home.recall("ada-byrne", "What did you speak of in the harbour?")
        assert {"profile", "scene", "episode", "knowledge"} <= {i.kind for i in recall.context}
        assert count_tokens(await prompt_of(home, "Ada Byrne", recall)) < 6_000
        skipped = {skip.title: skip.why for skip in recall.skipped}
        whole = skipped["all that is told up to the point"]
        assert "--method whole" in whole
        assert str(len(long) // 4000) in whole


async def test_who_is_nobody_of_the_cast_knows_where_they_are_named_and_no_more(
    tmp_path, monkeypatch
):
    monkeypatch.undo()
    told = (
        "# Chapter 1\n\nAda Byrne met Tom Reeve by the zandrel. “It is ours,” said Ada Byrne. "
        "Tom Reeve agreed.\n\n“Ours alone,” said Tom Reeve.\n\n“Tell nobody,” said Ada Byrne.\n\n"
        "# Chapter 2\n\nTom Reeve went to Quellmark. There Quellmark opened the quibbet. Tom Reeve "
        "watched.\n\n“That is that,” said Tom Reeve.\n"
    )
    async with await opened(tmp_path) as home:
        made_of_it = await home.create_from([text("case.md", told)], "Quellmark")
        assert any("not in its cast" in message for message in made_of_it.messages)
        shown = (await home.recall("quellmark", "What of the zandrel?")).context
        assert not any("zandrel" in item.text for item in shown)
        assert any("quibbet" in item.text for item in shown)
        assert not (await home.knows("quellmark", "Ada met Tom by the zandrel.")).knows
