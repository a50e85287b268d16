"""RoleRAG: a whole recall, its calls, its budget, and what is known at a point of the story."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from offbook import pipeline
from offbook.errors import IndexMissing, ModelError
from offbook.ingestion.reports import unheard
from offbook.memory.turns import ConversationContext
from offbook.stores import characters, jobs
from offbook.types import Message
from tests.graph.world import Trigrams
from tests.ingestion.runtime import read
from tests.methods.questions import LATER, STORY, Asked, QuestionModel, entity, kinds


@pytest.fixture
async def ada(sqlite_store) -> Asked:
    return await Asked(sqlite_store, QuestionModel()).create(("a.md", STORY), ("b.md", LATER))


def asked_prompts(ada: Asked) -> list[str]:
    return [request.origin[0].name for request in ada.model.asked if request.origin]


async def test_a_whole_recall(ada):
    telephone = entity("telephone", known=False, specific=False, reason="Nobody had one then.")
    found = await ada.recall("Did black finn own a telephone?", entity("Black Finn"), telephone)
    letter = (
        "Tom Byrne taught Ada Byrne to trim the lamp. + Tom Byrne is none other than Black Finn. "
        "Black Finn left a chest for Ada Byrne."
    )
    assert [(item.kind, item.title, item.text) for item in found.context[:3]] == [
        ("profile", "Ada Byrne", "Ada Byrne keeps a light."),
        ("entity", "Black Finn (Tom Byrne)", letter),
        (
            "relation",
            "Black Finn → Ada Byrne",
            "Tom Byrne taught Ada Byrne to trim the lamp. Black Finn left a chest for Ada Byrne.",
        ),
    ]
    assert kinds(found)["knowledge"] == ["The letter", "Ada Byrne"]
    assert found.context[-1].kind == "out_of_scope"
    assert asdict(found)["boundary"] == {
        "verdict": "partly",
        "reasons": ({"entity": "telephone", "reason": "Nobody had one then."},),
    }
    texts = {"a-md": STORY, "b-md": LATER}
    for item in found.context:
        assert item.sources
        for source in item.sources:
            assert texts[source.document][source.start : source.end].strip()
    assert (found.method, found.as_of) == ("rolerag", None)


async def test_one_call_and_one_request_of_vectors(ada):
    ada.model.asked.clear()
    embedder = Counting()
    ada.embedder = embedder
    await ada.recall("Did Black Finn own a telephone?", entity("Black Finn"))
    assert asked_prompts(ada) == ["analyse_question"]
    (texts,) = embedder.requests
    assert texts[0] == "Did Black Finn own a telephone?"
    assert "telephone" in texts[1:]


class Counting(Trigrams):
    def __init__(self) -> None:
        self.requests: list[list[str]] = []

    async def embed(self, texts, kind):
        self.requests.append(list(texts))
        return await super().embed(texts, kind)


async def test_the_papers_way_asks_twice_and_gives_the_graph_alone(ada):
    ada.model.asked.clear()
    ada.settings = {"rolerag": {"hyde": "separate", "source_chunks": 0}}
    ada.embedder = Counting()
    found = await ada.recall("Who is Finn?", entity("Black Finn"), context="A tale.")
    assert asked_prompts(ada) == ["hypothetical_context", "question_entities"]
    assert ada.model.inputs.context == "A tale."
    assert ada.embedder.requests == [["Who is Finn?", "Black Finn"]]
    assert "knowledge" not in kinds(found)
    assert kinds(found)["entity"] == ["Black Finn (Tom Byrne)"]


@pytest.mark.parametrize(
    ("called", "reply", "titles"),
    [
        ("maud keane", {}, ["Ada Byrne → Maud Keane (if it is this maud keane who talks to you)"]),
        ("Nora Quill", {}, []),
        (None, {}, []),
        ("Maud Keane", {"style": False}, []),
    ],
)
async def test_whom_the_graph_ties_to_the_character_is_told_of_where_they_ask(
    ada, called, reply, titles
):
    ada.settings |= {"reply": reply}
    talking = ConversationContext(called=called)
    found = await pipeline.recall(
        ada.runtime, await ada.character(), "Good day.", conversation=talking
    )
    ties = [item for item in found.context if "who talks to you" in item.title]
    assert [item.title for item in ties] == titles
    assert all("Maud Keane" in item.text and item.sources for item in ties)


def test_faithful_is_the_papers_way():
    from offbook.settings.presets import PRESETS

    faithful = PRESETS["faithful"]
    assert (faithful["rolerag.hyde"], faithful["rolerag.source_chunks"]) == ("separate", 0)


async def test_the_model_is_told_what_the_texts_mention_and_what_they_do_not(ada):
    history = (Message("user", "Tell me about Maud Keane."), Message("assistant", "A friend."))
    await ada.recall("And did he telephone her?", entity("Maud Keane"), history=history)
    inputs = ada.model.inputs
    assert inputs.earlier == history
    assert "Maud Keane" in inputs.mentioned
    assert inputs.unmentioned is not None
    assert "telephone" in inputs.unmentioned
    assert inputs.profile == "Ada Byrne keeps a light."
    request = ada.model.asked[-1]
    assert request.documents == {"ada-byrne/a-md", "ada-byrne/b-md"}


async def test_out_of_scope_brings_no_chunks_to_guess_from(ada):
    found = await ada.recall("A telephone?", entity("telephone", known=False, reason="Later."))
    assert set(kinds(found)) == {"profile", "out_of_scope"}
    assert found.boundary is not None
    assert found.boundary.verdict == "out"


async def test_an_answer_that_cannot_be_used_is_no_verdict(ada):
    ada.model.broken = True
    found = await ada.recall("Who is Black Finn?")
    assert found.boundary is None
    assert kinds(found)["entity"] == ["Black Finn (Tom Byrne)"]
    assert "knowledge" in kinds(found)
    (skipped,) = found.skipped
    assert "not judged" in skipped.why


async def test_an_embedder_that_fails_is_an_error_and_leaves_nothing_running(ada):
    class Broken(Trigrams):
        async def embed(self, texts, kind):
            raise ModelError("no vectors")

    ada.embedder = Broken()
    with pytest.raises(ModelError, match="no vectors"):
        await ada.recall("Who is Black Finn?", entity("Black Finn"))


async def test_before_the_revelation_neither_name_leads_to_the_other(ada):
    late = await ada.recall("Who is Black Finn?", entity("Black Finn"))
    assert "none other" in str(late.context)
    early = await ada.recall("Who is Black Finn?", entity("Black Finn"), as_of="a.md")
    assert early.boundary is not None
    assert early.boundary.verdict == "out"
    assert "Black Finn" not in str([i for i in early.context if i.kind != "out_of_scope"])
    assert early.as_of == "a.md"
    tom = await ada.recall("Who is Tom Byrne?", entity("Tom Byrne"), as_of="a.md")
    assert "Finn" not in str(tom)
    assert kinds(tom)["entity"] == ["Tom Byrne"]


@pytest.mark.parametrize("offset", range(0, len(LATER) + 1, 9))
async def test_nothing_that_stands_after_the_point_is_recalled(ada, offset):
    found = await ada.recall(
        "What of Black Finn, the chest, Nora Quill and the lantern?",
        entity("Tom Byrne"),
        entity("Black Finn"),
        as_of=f"b.md@{offset}",
    )
    known = STORY + LATER[:offset]
    for item in found.context:
        assert item.kind == "out_of_scope" or all(word in known for word in item.text.split())
        for source in item.sources:
            assert (source.document, source.end) <= ("b-md", offset)
    assert "Nora" not in ada.model.inputs.profile or offset > LATER.index("Nora")


async def test_at_the_very_beginning_nothing_is_known(ada):
    found = await ada.recall("Who is Tom Byrne?", entity("Tom Byrne"), as_of="a.md@0")
    assert {item.kind for item in found.context} == {"out_of_scope"}
    assert ada.model.inputs.profile == ""


async def test_what_is_unknown_is_told_to_the_actor_as_never_heard_of(ada):
    found = await ada.recall("A telephone?", entity("telephone", known=False, reason="Later."))
    character = await ada.store.read(characters.require, ada.id)
    await pipeline.reply(ada.runtime, character, found)
    told = ada.model.asked[-1].messages[-1].content
    assert "<note>\ntelephone: Later.\n</note>" in told
    assert "You have never heard of these." in told


async def test_without_a_graph_the_command_is_named(sqlite_store):
    ada = Asked(sqlite_store, QuestionModel(), {"method": "profile"})
    await ada.create(("a.md", STORY))
    ada.settings = {}
    with pytest.raises(IndexMissing, match="graph"):
        await ada.recall("Who?")


async def test_half_a_graph_is_no_graph(ada):
    from sqlalchemy import delete

    from offbook.stores.schema import entity_members

    await ada.store.write(lambda conn: conn.execute(delete(entity_members)))
    await ada.store.write(characters.touch, ada.id)
    with pytest.raises(IndexMissing, match="not finished"):
        await ada.recall("Who?")


async def test_chunks_that_were_not_read_are_missed(ada):
    from sqlalchemy import delete

    from offbook.stores.schema import jobs as rows

    await ada.store.write(lambda conn: conn.execute(delete(rows)))
    await ada.store.write(characters.touch, ada.id)
    with pytest.raises(IndexMissing, match="2 of 2 chunks") as error:
        await ada.recall("Who?")
    assert "--method rolerag" in error.value.hint


async def test_a_refused_chunk_is_not_missed(ada):
    ids = [job.subject for job in await done_jobs(ada)]
    await ada.store.write(jobs.quarantine, ada.id, jobs.EXTRACT, ids[:1], "refused")
    await ada.store.write(characters.touch, ada.id)
    assert (await ada.recall("Who is Tom Byrne?", entity("Tom Byrne"))).context


async def test_a_profile_that_could_not_be_written_makes_nobody_mute(ada):
    await ada.store.write(characters.set_profile, ada.id, None)
    asked = "Who is Tom Byrne?"
    with pytest.raises(IndexMissing, match="no profile yet"):
        await ada.recall(asked, entity("Tom Byrne"))
    await ada.store.write(jobs.enqueue, ada.id, jobs.PROFILE, [ada.id])
    await ada.store.write(
        lambda conn: jobs.quarantine(
            conn, ada.id, jobs.PROFILE, [ada.id], "http://a.example: 'Ada owes'"
        )
    )
    found = await ada.recall(asked, entity("Tom Byrne"))
    assert kinds(found)["entity"] == ["Black Finn (Tom Byrne)"]
    assert "profile" not in kinds(found)
    (lacking,) = [skipped for skipped in found.skipped if skipped.kind == "profile"]
    assert lacking.why.startswith("it could not be written: the model refused the passages")
    assert "Ada owes" not in lacking.why, "what the endpoint says may quote the prompt"


async def done_jobs(ada: Asked) -> list[Any]:
    found: list[Any] = await ada.store.read(
        jobs.list_jobs, ada.id, kind=jobs.EXTRACT, statuses={"done"}
    )
    return found


async def test_what_is_ingested_later_is_seen_at_once(ada):
    assert "entity" not in kinds(await ada.recall("Zeb Orr?", entity("Zeb Orr")))
    more = [read("c.md", "Zeb Orr met Ada Byrne.\n")]
    await pipeline.ingest(ada.runtime, ada.id, more, unheard, lambda: None)
    found = await ada.recall("Zeb Orr?", entity("Zeb Orr"))
    assert kinds(found)["entity"] == ["Zeb Orr"]


async def test_one_person_at_the_end_is_two_before_the_text_says_so(sqlite_store):
    ada = Asked(sqlite_store, QuestionModel(), {"graph": {"threshold": 0.0}})
    early = STORY + "\nBlack Finn robbed Maud Keane.\n"
    await ada.create(("a.md", early), ("b.md", LATER))
    at_the_end = await ada.recall("Who is Black Finn?", entity("Black Finn"))
    (title,) = kinds(at_the_end)["entity"]
    assert "Black Finn" in title
    assert "Tom Byrne" in title
    for name, other in (("Black Finn", "Tom Byrne"), ("Tom Byrne", "Black Finn")):
        before = await ada.recall(f"Who is {name}?", entity(name), as_of="a.md")
        (item,) = [item for item in before.context if item.kind == "entity"]
        assert item.title == name
        assert other not in item.text
        assert not any(other in i.title + i.text for i in before.context if i.kind == "relation")
