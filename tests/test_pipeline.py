"""The flow: what is read becomes knowledge, and a question a reply that rests on it."""

from __future__ import annotations

import pytest

from offbook import pipeline
from offbook.errors import IndexMissing, ModelError
from offbook.ingestion.reports import unheard
from offbook.runtime import Runtime
from offbook.settings import SettingsModel
from offbook.stores import characters
from offbook.types import Message
from tests.ingestion.runtime import Embedding, read
from tests.models.fakes import Scripted

TEXT = (
    "# Ada\n\n## Work\n\nAda wrote notes on the engine of Babbage.\n\n"
    "## Youth\n\nAda learned mathematics from Mary Somerville.\n\n"
    "## Sayings\n\n- The engine weaves patterns.\n"
)


def waited() -> None:
    raise AssertionError("nobody else is here")


@pytest.fixture
async def ada(sqlite_store):
    """A store with the character ``ada``."""
    await sqlite_store.write(lambda conn: characters.create(conn, "Ada"))
    return sqlite_store


def runtime(store, actor=None, extractor=None, embedder=None, **sections) -> Runtime:
    strict = Scripted()
    settings = SettingsModel.model_validate({"method": "naive", **sections})
    actor, extractor = actor or strict, extractor or strict
    return Runtime(settings, store, actor, extractor, strict, embedder or Embedding())


async def character(store):
    return await store.read(lambda conn: characters.require(conn, "ada"))


async def ingest(found: Runtime, *readings):
    reports, _ = await pipeline.ingest(found, "ada", readings, unheard, waited)
    return reports


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
async def test_from_a_document_to_a_reply(ada, mode):
    actor = Scripted("Mrs Somerville taught me.")
    found = runtime(ada, actor, retrieval={"mode": mode}, naive={"splitter": "markdown"})
    (report,) = await ingest(found, read("ada.md", TEXT))
    assert (report.status, report.chunks) == ("added", 3)
    known = await character(ada)
    recall = await pipeline.recall(found, known, "Who taught you mathematics?")
    assert 1 <= len(recall.context) <= len(recall.context) + len(recall.skipped) <= 3
    assert await pipeline.reply(found, known, recall) == "Mrs Somerville taught me."
    (request,) = actor.requests
    assert request.messages[-1].content.endswith("Who taught you mathematics?")
    assert "The engine weaves patterns." in request.messages[-1].content
    assert request.documents == {"ada/ada-md"}
    assert not request.cacheable


@pytest.mark.parametrize(
    ("method", "asked", "embedded"), [("vanilla", 0, 0), ("profile", 1, 0), ("naive", 0, 1)]
)
async def test_a_method_pays_for_what_it_needs_and_for_nothing_else(ada, method, asked, embedded):
    extractor, embedder = Scripted(*["A mathematician."] * asked), Embedding()
    found = runtime(ada, extractor=extractor, embedder=embedder, method=method)
    await ingest(found, read("ada.md", TEXT))
    assert (len(extractor.requests), len(embedder.requests)) == (asked, embedded)
    recall = await pipeline.recall(found, await character(ada), "Who are you?")
    assert recall.method == method
    assert [item.kind for item in recall.context] == {
        "vanilla": [],
        "profile": ["profile"],
        "naive": ["knowledge"] * len(recall.context),
    }[method]


@pytest.mark.parametrize("method", ["profile", "naive"])
async def test_a_question_never_builds_what_is_missing(ada, method):
    await ingest(runtime(ada, method="vanilla"), read("ada.md", TEXT))
    found = runtime(ada, method=method)
    with pytest.raises(IndexMissing):
        await pipeline.recall(found, await character(ada), "Who are you?")


async def test_the_flow_stops_where_an_endpoint_fails_and_goes_on_there(ada):
    def down(_: object) -> None:
        raise ModelError("down")

    with pytest.raises(ModelError):
        await ingest(runtime(ada, embedder=Embedding(down)), read("ada.md", TEXT))
    assert (await character(ada)).voice, "what needs no endpoint is done"
    embedder = Embedding()
    (report,) = await ingest(runtime(ada, embedder=embedder), read("ada.md", TEXT))
    assert (report.status, len(embedder.requests)) == ("unchanged", 1)


async def test_a_conversation_stands_between_what_is_stable_and_what_is_not(ada):
    actor = Scripted("Notes.", "Babbage's.")
    found = runtime(ada, actor, naive={"splitter": "markdown"})
    await ingest(found, read("ada.md", TEXT))
    known = await character(ada)
    history: list[Message] = []
    for said in ("What did you write?", "On whose engine?"):
        recall = await pipeline.recall(found, known, said, history)
        answered = await pipeline.reply(found, known, recall, history)
        history += [Message("user", said), Message("assistant", answered)]
    one, two = (request.messages for request in actor.requests)
    assert one[0] == two[0]
    assert list(two[1:3]) == history[:2]
    assert "Babbage" in two[-1].content
    assert all("Babbage" not in message.content for message in two[:-1])


async def test_streamed_or_whole_the_actor_is_told_the_same(ada):
    actor = Scripted("Whole.", "In pieces.")
    found = runtime(ada, actor)
    await ingest(found, read("ada.md", TEXT))
    known = await character(ada)
    recall = await pipeline.recall(found, known, "Who are you?")
    await pipeline.reply(found, known, recall)
    pieces = [piece async for piece in pipeline.stream_reply(found, known, recall)]
    assert "".join(pieces).strip() == "In pieces."
    one, two = actor.requests
    assert (one.messages, one.parameters) == (two.messages, two.parameters)


async def test_sampling_is_the_settings(ada):
    actor = Scripted("Yes.")
    found = runtime(ada, actor, reply={"temperature": 0.1, "max_tokens": 50})
    await ingest(found, read("ada.md", TEXT))
    recall = await pipeline.recall(found, await character(ada), "Who are you?")
    await pipeline.reply(found, await character(ada), recall)
    assert actor.requests[0].parameters == {"temperature": 0.1, "max_tokens": 50}
