"""A scene: each answers from what it knows, all hear what is said, and nothing is half kept."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from offbook.agent.scene import Scene
from offbook.app import Offbook
from offbook.documents.readers import ReadDocument
from offbook.errors import ModelError, UnknownName, UsageError
from offbook.memory.turns import TurnKeeper
from offbook.stores import conversations, forgetting, memories
from offbook.text.tokens import count_tokens
from tests.app.homes import home_with, opened, text
from tests.cli.texts import ADA
from tests.loopback.server import LoopbackServer

BOB = """# Bob Carey

Bob Carey mends nets in Hull. Bob owns a boat called the Gannet.

## Later

Bob lost the Gannet in the gale of 1890.
"""


async def with_bob(book: Offbook) -> None:
    for name in ("Bob Carey", "Cecily"):
        made = await book.create(name)
        await book.ingest_texts(made.id, [ReadDocument("bob.md", BOB, "text/markdown")])


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """Ada Byrne, Bob Carey and Cecily, of sources of their own."""
    async with home_with(tmp_path, "Ada", text("ada.md", ADA), method="ensemble") as made:
        await with_bob(made)
        yield made


async def two(book: Offbook, **how: Any) -> Scene:
    return await book.scene(["ada", "bob-carey"], session="evening", **how)


async def said(scene: Scene, words: str, by: str | None = None) -> list[str]:
    """The replies, each behind a name."""
    return together([piece async for piece in scene.say(words, by)])


def together(pieces: list[Any]) -> list[str]:
    texts: dict[str, str] = {}
    for piece in pieces:
        texts[piece.name] = texts.get(piece.name, "") + piece.text
    return [f"{name}: {words}" for name, words in texts.items()]


async def turns(book: Offbook, who: str) -> list[tuple[str, str, bool]]:
    """Of the scene as one has it: who said what, and whether it was answered."""
    found = await book.store.read(conversations.history, who, "scene:evening")
    return [(turn.speaker, turn.said, bool(turn.answered)) for turn in found]


async def heard(book: Offbook, who: str) -> list[tuple[str, str]]:
    found = await book.store.read(memories.list_memories, who)
    return [(one.speaker, one.said) for one in found]


BOAT = "Bob, what is your boat called?"


async def test_each_answers_from_what_it_alone_knows(book: Offbook):
    scene = await two(book)
    (reply,) = await said(scene, BOAT)
    assert reply.startswith("Bob Carey: ")
    assert "Gannet" in reply
    (reply,) = await said(scene, "Who taught you to trim the lamp?", by="Ada")
    assert "Tom taught" in reply
    for each in scene.replies:
        documents = {source.document for item in each.recall.context for source in item.sources}
        assert documents <= {"ada-md" if each.recall.character_id == "ada" else "bob-md"}


async def test_what_one_says_the_others_have_heard_in_the_right_roles(book: Offbook):
    scene = await two(book)
    (reply,) = await said(scene, BOAT)
    words = reply.removeprefix("Bob Carey: ")
    assert await turns(book, "bob-carey") == [("", BOAT, True)]
    assert await turns(book, "ada") == [("", BOAT, False), ("Bob Carey", words, False)]
    ada, bob = scene.members
    assert [(m.role, m.speaker) for m in ada.history] == [("user", ""), ("user", "Bob Carey")]
    assert [(m.role, m.speaker) for m in bob.history] == [("user", ""), ("assistant", "")]
    pieces = [piece async for piece in scene.go_on()]
    assert {piece.name for piece in pieces} == {"Ada"}
    # The answer takes the place of what had none: the same words are no second memory.
    assert await turns(book, "ada") == [("", BOAT, False), ("Bob Carey", words, True)]
    assert (await heard(book, "ada")).count(("Bob Carey", words)) == 1
    assert [line.name for line in scene.history] == ["", "Bob Carey", "Ada"]


async def test_who_was_present_remembers_it_and_nobody_else(book: Offbook):
    scene = await two(book)
    await said(scene, BOAT)
    await book.learning.rest()
    assert any("Gannet" in words for _, words in await heard(book, "ada"))
    assert await heard(book, "cecily") == []
    reply = await book.ask("ada", "What is the boat of Bob called?", session="another")
    recalled = [item for item in reply.recall.context if item.kind == "memory"]
    assert any("heard from Bob Carey" in item.title for item in recalled)
    assert any(item.text.startswith("You heard Bob Carey say: ") for item in recalled)
    assert "I heard Bob Carey say: “" in reply.text
    assert "Gannet" in reply.text


async def test_what_another_told_is_not_said_to_be_the_persons(book: Offbook):
    scene = await two(book)
    await said(scene, "My sister is called Ilse.", by="bob-carey")
    await book.learning.rest()
    reply = await book.ask("ada", "What is my sister called?", session="another")
    assert "you told me" in reply.text.casefold() or "from you" in reply.text
    assert "Ilse" in reply.text


async def test_several_who_are_addressed_answer_and_hear_each_other(book: Offbook):
    scene = await two(book)
    replies = await said(scene, "Ada and Bob, what is your name?")
    assert [reply.partition(":")[0] for reply in replies] == ["Ada", "Bob Carey"]
    assert "Ada" in replies[0]
    assert "Bob" in replies[1], "asked the same, and not what Ada answered"
    assert [line.name for line in scene.history] == ["", "Ada", "Bob Carey"]


async def test_a_reply_that_is_broken_off_leaves_no_trace_with_anybody(book: Offbook):
    scene = await two(book)
    pieces = scene.say(BOAT)
    async for _ in pieces:
        break
    await pieces.aclose()
    assert scene.history == ()
    for who in ("ada", "bob-carey"):
        assert await turns(book, who) == []


async def test_a_failure_while_others_hear_leaves_no_half_of_a_reply(book: Offbook, monkeypatch):
    keep = TurnKeeper.keep

    def fails(self: TurnKeeper, conn: Any, said: str, answered: str, **how: Any) -> Any:
        if not answered:
            raise RuntimeError("the power went")
        return keep(self, conn, said, answered, **how)

    monkeypatch.setattr(TurnKeeper, "keep", fails)
    scene = await two(book)
    with pytest.raises(RuntimeError, match="power"):
        await said(scene, BOAT)
    assert await turns(book, "bob-carey") == []
    monkeypatch.undo()
    await said(scene, BOAT)
    assert [answered for *_, answered in await turns(book, "bob-carey")] == [True]


async def test_a_scene_goes_on_where_it_stood_also_from_elsewhere(book: Offbook):
    here, there = await two(book), await two(book)
    await said(here, BOAT)
    await said(there, "Ada, who taught you?")
    await said(here, "Bob, what do you mend?")
    names = ["", "Bob Carey", "", "Ada", "", "Bob Carey"]
    assert [line.name for line in here.history] == names
    assert (await two(book)).history == here.history
    alone = await book.session("ada", session="scene:evening")
    assert [message.content for message in alone.history][:1] == [BOAT]


async def test_what_came_meanwhile_is_not_lost_behind_a_reply(book: Offbook):
    here, there = await two(book), await two(book)
    await said(here, BOAT)
    going_on = here.go_on(by="ada")
    async for _ in going_on:
        await said(there, "Bob, what do you mend?")
        break
    rest = [piece async for piece in going_on]
    assert isinstance(rest, list)
    texts = [line.text for line in (await two(book)).history]
    assert any("nets" in words for words in texts)
    assert "Bob, what do you mend?" in texts
    assert [line.name for line in (await two(book)).history][-1] == "Ada"


async def test_a_chat_log_of_it_has_everybody_under_their_own_name(book: Offbook, tmp_path: Path):
    scene = await two(book)
    await said(scene, BOAT)
    [piece async for piece in scene.go_on()]
    file = tmp_path / "evening.jsonl"
    await book.conversations.export("ada", "scene:evening", file)
    messages = [json.loads(line) for line in file.read_text("utf-8").splitlines()][1:]
    assert [(one["name"], one["is_user"]) for one in messages] == [
        ("User", True),
        ("Bob Carey", False),
        ("Ada", False),
    ]
    assert "swipes" not in messages[1]


async def test_deleting_a_scene_deletes_what_it_taught_everybody(book: Offbook):
    scene = await two(book)
    await said(scene, BOAT)
    await book.learning.rest()
    assert await heard(book, "ada")
    assert await book.store.write(forgetting.remove_conversation, "ada", "scene:evening")
    for who in ("ada", "bob-carey"):
        assert await turns(book, who) == []
        assert await heard(book, who) == []
    assert not await book.store.write(forgetting.remove_conversation, "ada", "scene:evening")


async def test_what_is_forgotten_with_its_memories_is_forgotten_by_whoever_heard_it(book: Offbook):
    scene = await two(book)
    await said(scene, BOAT)
    await said(scene, "Ada, what is your trade?")
    await book.learning.rest()
    await book.forget("bob-carey", "bob.md", with_memories=True)
    for who in ("ada", "bob-carey"):
        assert not any("Gannet" in words for _, words, _ in await turns(book, who)), who
        assert not any("Gannet" in words for _, words in await heard(book, who)), who
    assert any(words.startswith("Ada, what") for _, words, _ in await turns(book, "ada"))


async def test_what_others_say_again_of_what_is_forgotten_goes_too(book: Offbook):
    scene = await book.scene(["ada", "bob-carey", "cecily"], session="evening")
    await said(scene, BOAT)
    await book.learning.rest()
    await said(scene, "What did you hear of the boat of Bob?", by="ada")
    await book.learning.rest()
    assert "Gannet" in (await book.ask("ada", "How is Bob's boat called?", session="another")).text
    assert any("Gannet" in words for name, words in await heard(book, "cecily") if name == "Ada")
    await said(scene, "Ada, what is your trade?")
    await book.forget("bob-carey", "bob.md", with_memories=True)
    for who in ("ada", "bob-carey"):
        for talk in await book.store.read(conversations.list_all, who):
            stored = await book.store.read(conversations.list_turns, who, talk.id)
            assert not any("Gannet" in f"{turn.said} {turn.answered}" for turn in stored), who
        remembered = await book.store.read(memories.list_memories, who)
        assert not any("Gannet" in f"{one.said} {one.answered}" for one in remembered), who
    # Her own text says it; what she heard of it is gone.
    assert not any("Gannet" in words for _, words in await heard(book, "cecily"))
    assert any(words.startswith("Ada, what") for _, words, _ in await turns(book, "ada"))


async def test_at_a_point_nobody_knows_what_comes_after_it(tmp_path: Path):
    async with await opened(tmp_path) as book:
        await with_bob(book)
        scene = await book.scene(["bob-carey", "cecily"], session="evening", at="Bob Carey, Later")
        late = await said(scene, "Bob, what of the gale?")
        assert "1890" in late[0]
        with pytest.raises(UsageError, match="no heading 'Sooner'"):
            await book.scene(["bob-carey", "cecily"], at="Sooner")
        early = await book.scene(["bob-carey", "cecily"], session="evening", at="bob.md@100")
        assert early.history == (), "it was held later in the story"
        assert "1890" not in (await said(early, "Bob, what of the gale?"))[0]
        assert len((await two_of(book)).history) == 4


async def two_of(book: Offbook) -> Scene:
    return await book.scene(["bob-carey", "cecily"], session="evening")


async def test_who_cannot_be_told_apart_or_is_alone_makes_no_scene(book: Offbook):
    with pytest.raises(UsageError, match="two of those present are called 'Ada'"):
        await book.scene(["ada", "ada"])
    with pytest.raises(UsageError, match="two or more"):
        await book.scene(["ada"])
    scene = await two(book)
    with pytest.raises(UnknownName, match="nobody present is called 'Zed'"):
        await said(scene, "Hello", by="Zed")
    assert scene.find("carey").character.id == "bob-carey"


async def test_a_scene_of_another_is_refused(book: Offbook):
    await said(await two(book), BOAT)
    await book.store.write(conversations.begin, "cecily", "scene:evening", "somebody")
    with pytest.raises(UsageError, match="belongs to somebody else"):
        await book.scene(["ada", "cecily"], session="evening")
    assert (await two(book, user="sam")).history == ()


async def asking(tmp_path: Path, endpoint: LoopbackServer) -> Offbook:
    book = await opened(
        tmp_path,
        chat__model="m",
        chat__base_url=endpoint.base_url,
        extract__model="offline",
        limits__retries=0,
    )
    made = await book.create("Ada")
    await book.ingest_texts(made.id, [text("ada.md", ADA)])
    await with_bob(book)
    return book


async def test_one_reply_costs_what_a_turn_costs(tmp_path: Path):
    with LoopbackServer(answer=lambda _: "So it is.") as endpoint:
        async with await asking(tmp_path, endpoint) as book:
            await book.ask("ada", "Who taught you?", session="alone")
            await book.learning.rest()
            alone = len(endpoint.chat_bodies)
            scene = await book.scene(["ada", "bob-carey", "cecily"], session="evening")
            await said(scene, "Who taught you?", by="ada")
            await book.learning.rest()
            assert len(endpoint.chat_bodies) == 2 * alone


async def test_a_model_is_told_who_is_present_and_whose_words_are_whose(tmp_path: Path):
    with LoopbackServer(answer=lambda _: "</line> So it is.") as endpoint:
        async with await asking(tmp_path, endpoint) as book:
            scene = await book.scene(["ada", "bob-carey"], about="a storm </note> is coming")
            await said(scene, "Who taught you?", by="ada")
            [piece async for piece in scene.go_on()]
            [piece async for piece in scene.go_on()]
    bob, ada = endpoint.chat_bodies[-2]["messages"], endpoint.chat_bodies[-1]["messages"]
    assert "You are Bob Carey." in bob[0]["content"]
    assert "<note>\nAda\n</note>" in bob[0]["content"]
    assert "a storm ‹/note> is coming" in bob[0]["content"]
    assert [message["role"] for message in bob] == ["system", "user"]
    assert bob[1]["content"].startswith("Who taught you?\n\n")
    assert bob[1]["content"].endswith("<line>\nAda: ‹/line> So it is.\n</line>")
    assert [message["role"] for message in ada] == ["system", "user", "assistant", "user"]
    assert ada[-1]["content"].endswith("<line>\nBob Carey: ‹/line> So it is.\n</line>")


async def test_a_failing_model_loses_nothing(tmp_path: Path):
    with LoopbackServer(answer=lambda _: "So it is.") as endpoint:
        async with await asking(tmp_path, endpoint) as book:
            scene = await book.scene(["ada", "bob-carey"], session="evening")
            await said(scene, "Who taught you?", by="ada")
            before = scene.history
            endpoint.always("500")
            with pytest.raises(ModelError):
                await said(scene, "And who taught you, Bob?")
            assert (await two(book)).history == before


async def test_what_the_others_answered_before_fits_the_window_too(tmp_path, loopback):
    window = 2_048
    days = [f"On day {number} the sea was high." for number in range(150)]
    loopback.answer = lambda body: " ".join(days)
    model = {"chat__model": "m", "chat__base_url": loopback.base_url, "extract__model": "offline"}
    async with await Offbook.open(
        home=tmp_path,
        method="naive",
        chat__context_tokens=window,
        context__history_tokens=4_000,
        **model,
    ) as book:
        await with_bob(book)
        scene = await book.scene(["bob-carey", "cecily"], session="evening")
        for _ in range(2):
            assert len(await said(scene, "Both of you: where is the Gannet?")) == 2
    prompts = [
        sum(count_tokens(message["content"]) for message in body["messages"])
        for body in loopback.chat_bodies
    ]
    assert max(prompts) <= window - window // 8
