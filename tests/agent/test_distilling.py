"""Turns are distilled into statements: one call for four; they go with what they rest on."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from offbook.agent.distilling import RESTED, Outcome, distil
from offbook.agent.session import was_cut
from offbook.app import Offbook
from offbook.ingestion.memories import Remembering
from offbook.memory.turns import ConversationContext, TurnKeeper
from offbook.prompts.distilling import DistilTurnsInputs
from offbook.retrieval.memories import Felt, RecalledMemories
from offbook.retrieval.memory_search import find_meant
from offbook.rules import OfflineModel
from offbook.runtime import Runtime
from offbook.stores import conversations, documents, forgetting, jobs, memories
from offbook.types import ENDPOINT, ChatRequest, ChatResponse, Ending, MemoryFragment
from tests.app import homes

OWNER = "owner"
ALLERGIC, CURED = "Their niece Nell is allergic to nuts.", "Their niece Nell is cured of it."
SMALL = ("Is it late?", "The street is wet.", "The kettle sings.")


class Distiller(OfflineModel):
    """The offline model as an endpoint, which distils as a test says: answers in their order."""

    traits = ENDPOINT  # type: ignore[misc]

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[Any] = []
        self.asked: list[DistilTurnsInputs] = []

    async def complete(self, request: ChatRequest) -> ChatResponse:
        assert request.origin is not None
        prompt, inputs = request.origin
        if prompt.name != "distil_turns":
            return await super().complete(request)
        self.asked.append(inputs)
        answer = self.answers.pop(0) if self.answers else []
        return ChatResponse(
            answer if isinstance(answer, str) else json.dumps({"statements": answer})
        )


def statement(text: str, *turns: int, kind: str = "fact", **more: Any) -> dict[str, Any]:
    made = {"turns": list(turns or (1,)), "kind": kind, "text": text}
    return {**made, "same_as": None, "replaces": [], **more}


class Talks:
    """Conversations with Ada that are kept and embedded without a reply being made."""

    def __init__(self, book: Offbook) -> None:
        self.book, self.model = book, Distiller()
        self.runtime: Runtime = replace(book.runtime(None), extractor=self.model)

    async def tell(
        self, session: str, *said: str, answered: str = "So?", recall: Any = None, cut: bool = False
    ) -> list[str]:
        character = await self.book.find("ada")
        keeper = TurnKeeper(character, session, OWNER, self.runtime.settings.memory)
        ids = []
        for words in said:
            keep = partial(keeper.keep, said=words, answered=answered, recall=recall, cut=cut)
            kept = await self.book.store.write(keep)
            ids.append(kept.memory or "")
        await Remembering(self.runtime, character).run(ids)
        return ids

    async def distil(self, *answer: Any, **more: Any) -> Outcome:
        self.model.answers = [list(answer) if answer != ("",) else "no JSON"]
        character = await self.book.find("ada")
        outcome = await distil(self.runtime, character, **more)
        if outcome.made:
            await Remembering(self.runtime, character).run(outcome.made)
        return outcome

    async def statements(self) -> dict[str, MemoryFragment]:
        stored = await self.book.store.read(memories.list_memories, "ada")
        return {one.said or one.answered: one for one in stored if one.kind is not None}

    async def recall(self, question: str, **more: Any) -> RecalledMemories:
        vector = (await self.runtime.embedder.embed([question], "query"))[0]
        return await find_meant(
            self.book.store, await self.book.find("ada"), question, Felt(vector, None),
            ConversationContext(OWNER), k=4, least=0.0, **more,
        )  # fmt: skip


@pytest.fixture
async def talks(tmp_path: Path) -> AsyncIterator[Talks]:
    async with await homes.opened(tmp_path, method="ensemble", answers__retries=0) as book:
        await book.create("Ada")
        yield Talks(book)


async def superseded(talks: Talks) -> None:
    await talks.tell("one", "My niece Nell is allergic to nuts.", *SMALL)
    await talks.distil(statement(ALLERGIC))
    await talks.tell("two", "My niece Nell is cured!", *SMALL)
    await talks.distil(statement(CURED, replaces=[1]))


async def test_four_turns_are_one_call_and_fewer_wait(talks: Talks):
    await talks.tell("one", "My niece Nell is allergic to nuts.", *SMALL[:2])
    assert await talks.distil() == Outcome()
    assert talks.model.asked == []
    await talks.tell("one", SMALL[2])
    outcome = await talks.distil(statement(ALLERGIC, 1, 2), statement("I like pears.", 4,
                                           kind="own_word"))  # fmt: skip
    assert len(outcome.made) == 2
    assert talks.model.asked[0].turns[0].said.startswith("My niece")
    (row, own) = [one for one in await talks.book.show("ada", "memories") if one["kind"]]
    assert (row["said"], own["answered"], own["said"]) == (ALLERGIC, "I like pears.", "")
    assert len(row["evidence"]) == 2
    assert await talks.distil() == Outcome()


async def test_behind_a_conversation_one_call_is_made_for_four_turns(tmp_path: Path):
    async with await homes.opened(tmp_path, method="ensemble") as book:
        await book.create("Ada")
        await book.ingest_texts("ada", [homes.text("ada.md", "# Ada\n\nAda keeps a light.\n")])
        talks = Talks(book)
        book.learning.make_runtime = lambda _: talks.runtime
        session = await book.session("ada", session="evening")
        for number in range(12):
            await session.ask(f"My boat number {number} is called Swift.")
            await book.learning.rest()
        assert len(talks.model.asked) == 3
        assert await book.store.read(jobs.list_jobs, "ada", kind=jobs.REMEMBER) == []


async def test_statements_are_told_in_the_place_of_their_turns_without_old_answers(talks: Talks):
    await talks.tell("one", "My niece Nell is allergic to nuts.", *SMALL, answered="Poor Nell!")
    before = (await talks.recall("Who is allergic?")).items[0].text
    assert before == "They told you: My niece Nell is allergic to nuts."
    await talks.distil(statement(ALLERGIC))
    assert [item.text for item in (await talks.recall("Who is allergic?")).items] == [
        f"They told you: {ALLERGIC}"
    ]


async def test_a_later_statement_supersedes_and_both_stay_to_be_seen(talks: Talks):
    await superseded(talks)
    assert talks.model.asked[1].known == (ALLERGIC,)
    known = await talks.statements()
    assert known[ALLERGIC].superseded_by == known[CURED].id
    (told,) = (await talks.recall("Is Nell allergic to nuts?")).items
    assert told.memory == known[CURED].id
    assert told.text.startswith(f"They told you: {CURED}\n")
    assert told.text.endswith(ALLERGIC)


async def test_what_superseded_it_is_forgotten_and_a_statement_counts_again(talks: Talks):
    await superseded(talks)
    known = await talks.statements()
    await talks.book.memories.forget("ada", [known[CURED].id])
    (told,) = (await talks.recall("Is Nell allergic to nuts?")).items
    assert told.text == f"They told you: {ALLERGIC}"


async def test_what_was_superseded_twice_stays_so_when_the_one_between_is_forgotten(talks: Talks):
    await superseded(talks)
    await talks.tell("three", "Nell, my niece, is allergic again, to nuts.", *SMALL)
    (known,) = [n for n, text in enumerate((await shown_as_known(talks)), 1) if text == CURED]
    again = "Their niece Nell is allergic to nuts again."
    await talks.distil(statement(again, replaces=[known]))
    stored = await talks.statements()
    await talks.book.memories.forget("ada", [stored[CURED].id])
    left = await talks.statements()
    assert left[ALLERGIC].superseded_by == left[again].id
    assert [item.memory for item in (await talks.recall("Is Nell allergic?")).items] == [
        left[again].id
    ]
    await talks.book.memories.forget("ada", [left[again].id])
    assert (await talks.statements())[ALLERGIC].retired is None


async def shown_as_known(talks: Talks) -> tuple[str, ...]:
    """What the next call is shown as known; its answer cannot be used, and nothing changes."""
    await talks.distil("")
    await talks.book.store.write(jobs.remove_kind, "ada", jobs.DISTIL)
    return talks.model.asked[-1].known


async def test_own_words_and_what_the_other_says_neither_repeat_nor_end_each_other(talks: Talks):
    await talks.tell("one", "What do you eat?", *SMALL, answered="I like pears.")
    await talks.distil(statement("I like pears.", 1, kind="own_word"))
    await talks.tell("two", "I do not like pears.", *SMALL)
    await talks.distil(statement("They do not like pears.", replaces=[1]))
    await talks.tell("three", "We both like pears now.", *SMALL)
    own = (await shown_as_known(talks)).index("I like pears.") + 1
    await talks.distil(statement("They like pears now.", same_as=own))
    known = await talks.statements()
    assert set(known) == {"I like pears.", "They do not like pears.", "They like pears now."}
    assert known["I like pears."].retired is None


async def test_what_a_cut_reply_says_and_what_a_model_says_of_itself_is_no_own_word(talks: Talks):
    await talks.tell("one", "I eat fish.", answered="I like", cut=True)
    items = [
        {"kind": "knowledge", "text": text} for text in ("Ripe fish smells.", "Pears are green.")
    ]
    recall = {"context": [{**item, "title": "", "score": 1} for item in items]}
    await talks.tell("one", "Are you real?", answered="I am an AI language model.")
    await talks.tell(
        "one", "What do you like?", "I am hungry.", answered="I like pears.", recall=recall
    )
    await talks.distil(
        statement("I like apples.", 1, kind="own_word"),
        statement("I am an AI language model.", 2, kind="own_word"),
        statement("I like ripe pears.", 3, kind="own_word"),
        statement("I like pears.", 3, kind="own_word"),
    )
    assert set(await talks.statements()) == {"I like ripe pears.", "I like pears."}


async def test_a_taste_whose_words_a_whole_book_has_somewhere_is_an_own_word(talks: Talks):
    await talks.tell("one", "It rains.", "I row.", "I sow.")
    book = f"Pears grow here. {'Gulls cry. ' * 800}The corn is ripe. {'Gulls cry. ' * 800}"
    near = f"{'Gulls cry. ' * 360}Dried figs I like best of all. {'Gulls cry. ' * 800}"
    items = [{"kind": "profile", "title": "", "score": 1, "text": text} for text in (book, near)]
    await talks.tell("one", "What?", answered="Ripe pears.", recall={"context": items})
    texts = ("I like ripe pears.", "I like dried figs.")
    await talks.distil(*(statement(text, 4, kind="own_word") for text in texts))
    assert set(await talks.statements()) == {"I like ripe pears."}


async def test_ai_is_a_word_of_other_languages(talks: Talks):
    for question in ("Du thé ?", "E i figli?", "Un robot ?"):
        await talks.tell("one", question, answered="Oui.")
    await talks.tell("one", "And you?", answered="No.")
    kept = ("J'ai toujours aimé le thé au citron.", "Tengo molto ai miei figli.")
    own = [
        statement(text, 1, kind="own_word") for text in (*kept, "Je suis une AI.", "I am an ai.")
    ]
    await talks.distil(*own)
    assert set(await talks.statements()) == set(kept)


async def test_known_statements_are_shown_however_many_other_memories_are_nearer(talks: Talks):
    await talks.tell("one", "My niece Nell is allergic to nuts.", *SMALL)
    await talks.distil(statement("Their niece must avoid almonds."))
    said = [f"My niece Nell is cured, I hear, says neighbour {n}." for n in range(60)]
    authored = [MemoryFragment(f"m{n}", text, "Good.") for n, text in enumerate(said)]
    await talks.book.store.write(memories.add, "ada", authored)
    character = await talks.book.find("ada")
    await Remembering(talks.runtime, character).run([one.id for one in authored])
    await talks.tell(
        "two", *(f"My niece Nell is cured, {word}!" for word in ("yes", "no", "ha", "oh"))
    )
    assert await shown_as_known(talks) == ("Their niece must avoid almonds.",)


async def test_the_days_of_turns_are_shown_for_times_that_are_counted_from_them(talks: Talks):
    await talks.tell("one", "Tomorrow I sail to Norway.", *SMALL)
    await talks.distil()
    days = talks.model.asked[0].dates
    assert len(days) == 4
    assert abs(datetime.now(UTC).date() - datetime.fromisoformat(days[0]).date()).days <= 1


async def test_why_turns_were_not_distilled_goes_with_them(talks: Talks):
    await talks.tell("one", "My niece Nell is allergic to nuts.", *SMALL)
    await talks.distil("")
    assert await talks.book.store.read(jobs.list_jobs, "ada", kind=jobs.DISTIL) != []
    await talks.book.store.write(forgetting.remove_conversation, "ada", "one")
    assert await talks.book.store.read(jobs.list_jobs, "ada", kind=jobs.DISTIL) == []


async def test_at_an_earlier_point_nothing_ends_what_was_told_later(talks: Talks):
    texts = [homes.text("1.md", "# One\n\nA.\n"), homes.text("2.md", "# Two\n\nB.\n")]
    await talks.book.ingest_texts("ada", texts)
    await talks.tell("one", "My niece Nell is cured!", *SMALL, recall={"as_of": "2.md"})
    await talks.distil(statement(CURED))
    early = {"as_of": "1.md"}
    await talks.tell("two", "My niece Nell is allergic to nuts.", *SMALL, recall=early)
    assert await shown_as_known(talks) == ()


async def test_at_a_point_before_it_was_superseded_a_statement_counts(talks: Talks):
    texts = [homes.text("1.md", "# One\n\nA.\n"), homes.text("2.md", "# Two\n\nB.\n")]
    await talks.book.ingest_texts("ada", texts)
    early, late = {"as_of": "1.md"}, {"as_of": "2.md"}
    await talks.tell("one", "My niece Nell is allergic to nuts.", *SMALL, recall=early)
    await talks.distil(statement(ALLERGIC))
    await talks.tell("two", "My niece Nell is cured!", *SMALL, recall=late)
    await talks.distil(statement(CURED, replaces=[1]))
    from offbook.types import Position

    then = await talks.recall("Is Nell allergic to nuts?", until=Position(0, 99))
    assert [item.text for item in then.items] == [f"They told you: {ALLERGIC}"]
    now = await talks.recall("Is Nell allergic to nuts?", until=Position(1, 99))
    assert [CURED in item.text for item in now.items] == [True]


@pytest.mark.parametrize("words", [ALLERGIC, "Nell, their niece, cannot eat nuts."])
async def test_what_is_told_twice_goes_with_the_last_conversation_that_tells_it(
    talks: Talks, words: str
):
    await talks.tell("one", "My niece Nell is allergic to nuts.", *SMALL)
    await talks.distil(statement(ALLERGIC))
    await talks.tell("two", "Nell, my niece, is allergic to nuts.", *SMALL)
    outcome = await talks.distil(statement(words, same_as=None if words == ALLERGIC else 1))
    assert outcome.made == ()
    await talks.book.store.write(forgetting.remove_conversation, "ada", "one")
    assert set(await talks.statements()) == {ALLERGIC}
    assert (await talks.recall("Who is allergic?")).items[0].text == f"They told you: {ALLERGIC}"
    await talks.book.store.write(forgetting.remove_conversation, "ada", "two")
    assert await talks.statements() == {}


async def test_with_a_turn_of_its_conversation_a_statement_is_forgotten(talks: Talks):
    await talks.book.ingest_texts("ada", [homes.text("1.md", "# One\n\nA.\n")])
    document = (await talks.book.store.read(documents.require, "ada", "1.md")).id
    source = {"document": document, "chunk": "c", "start": 0, "end": 3}
    item = {"kind": "knowledge", "title": "", "text": "x", "score": 1, "sources": [source]}
    await talks.tell("one", "My niece Nell is ill.", recall={"context": [item]})
    await talks.tell("one", *SMALL)
    await talks.distil(statement(ALLERGIC, 1, 3), statement("They own a kettle.", 4))
    told = await talks.book.store.read(forgetting.resting_on, "ada", document)
    assert told == (1, 2)
    await talks.book.store.write(forgetting.remove_resting_on, "ada", document)
    assert set(await talks.statements()) == {"They own a kettle."}
    # What else it rested on was told all the same: it is a turn again.
    items = (await talks.recall("Is the street wet?")).items
    assert items[0].text == f"They told you: {SMALL[1]}"


async def test_an_unusable_answer_loses_no_turn_and_they_are_asked_about_with_the_next(
    talks: Talks,
):
    await talks.tell("one", "My niece Nell is allergic to nuts.", *SMALL)
    assert "no JSON object" in (await talks.distil("")).why
    (job,) = await talks.book.store.read(jobs.list_jobs, "ada", kind=jobs.DISTIL)
    assert (job.subject, job.attempts) == ("one", 1)
    assert "My niece" in (await talks.recall("Who is allergic?")).items[0].text
    await talks.tell("one", "It is June.", "I have a new boat.", "It is blue.")
    assert await talks.distil() == Outcome()
    await talks.tell("one", "It has two sails.")
    await talks.distil(statement(ALLERGIC))
    assert [len(asked.turns) for asked in talks.model.asked] == [4, 8]
    assert await talks.book.store.read(jobs.list_jobs, "ada", kind=jobs.DISTIL) == []


async def test_the_rest_is_distilled_when_a_conversation_rests(talks: Talks):
    await talks.tell("one", "My niece Nell is allergic to nuts.")
    assert await talks.distil(now=datetime.now(UTC)) == Outcome()
    rested = datetime.now(UTC) + RESTED + timedelta(seconds=5)
    assert len((await talks.distil(statement(ALLERGIC), now=rested)).made) == 1


async def test_what_was_forgotten_meanwhile_is_not_brought_back(talks: Talks):
    first, *_ = await talks.tell("one", "My niece Nell is allergic to nuts.", *SMALL)

    class Late(Distiller):
        async def complete(self, request: ChatRequest) -> ChatResponse:
            await talks.book.store.write(forgetting.forget_memories, "ada", [first])
            return await super().complete(request)

    late = Late()
    late.answers = [[statement(ALLERGIC)]]
    outcome = await distil(replace(talks.runtime, extractor=late), await talks.book.find("ada"))
    assert (outcome.made, await talks.statements()) == ((), {})


async def test_replies_that_were_cut_or_declined_are_not_shown_and_what_texts_say_is_no_own_word(
    talks: Talks,
):
    item = {"kind": "knowledge", "title": "", "text": "Ada keeps the northern light.", "score": 1}
    await talks.tell("one", "I came by boat.", answered="I was born", cut=True)
    out = {"boundary": {"verdict": "out"}}
    await talks.tell("one", "I own a telephone.", answered="Never heard of it.", recall=out)
    grounded = {"context": [item]}
    await talks.tell("one", "I am cold.", "I am tired.", answered="I see.", recall=grounded)
    await talks.distil(
        statement("I keep the northern light.", 3, kind="own_word"),
        statement("I like pears.", 4, kind="own_word"),
    )
    assert [turn.answered for turn in talks.model.asked[0].turns] == ["", "", "I see.", "I see."]
    assert set(await talks.statements()) == {"I like pears."}
    (told,) = (await talks.recall("Do you like pears?")).items
    assert told.text == "You said earlier: I like pears."
    assert was_cut([Ending("length")])
    assert not was_cut([Ending("stop")])


async def test_an_answer_made_anew_takes_the_statements_of_the_other_along(talks: Talks):
    await talks.tell("one", *SMALL, "My niece Nell is allergic to nuts.")
    await talks.distil(statement("I like pears.", 4, kind="own_word"))
    character, store = await talks.book.find("ada"), talks.book.store
    *_, before, last = await store.read(conversations.history, "ada", "one")
    keeper = TurnKeeper(character, "one", OWNER, talks.runtime.settings.memory)
    await store.write(lambda conn: keeper.keep(conn, last.said, "I hate pears.", parent=before.id))
    assert await talks.statements() == {}


async def test_statements_travel_with_conversations_alone(talks: Talks, tmp_path: Path):
    await superseded(talks)
    for with_them in (True, False):
        file = tmp_path / f"{with_them}.zip"
        await talks.book.export("ada", file, with_conversations=with_them)
        async with await homes.opened(tmp_path / f"{with_them}", method="ensemble") as other:
            await other.import_(file)
            rows = [one for one in await other.show("ada", "memories") if one["kind"]]
            assert [len(row["evidence"]) for row in rows] == ([1, 1] if with_them else [])


async def test_offline_and_where_it_is_not_wanted_nothing_is_distilled(talks: Talks):
    from offbook.agent.distilling import distils

    assert distils(talks.runtime)
    assert not distils(replace(talks.runtime, extractor=OfflineModel()))
    settings = talks.runtime.settings
    memory = settings.memory.model_copy(update={"distil": False})
    off = settings.model_copy(update={"memory": memory})
    assert not distils(replace(talks.runtime, settings=off))
