"""Embeddings from an endpoint: only what changed, refused texts, another embedder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.world import World, story
from tests.loopback import LoopbackServer
from tests.loopback import server as loopback


def texts(server: LoopbackServer) -> list[str]:
    """What was to be embedded since the server was last cleared."""
    return [
        text
        for request in server.requests
        if request.path.endswith("/embeddings")
        for text in request.body["input"]
    ]


@pytest.fixture
def keeper(world: World) -> World:
    """A character with a document, its vectors by the embedder `e` of the endpoint."""
    world.set("embed.batch=4", "limits.retries=0")
    world.done("create", "Keeper")
    world.done("ingest", "Keeper", world.write("light.md", story(24)))
    return world


def chunk_texts(world: World) -> list[str]:
    """The stored chunks as they are embedded."""
    rows = world.done("show", "Keeper", "chunks", "--json").json
    return [", ".join(row["headings"]) + "\n" + row["text"] for row in rows]


# -- what changed, and nothing else --------------------------------------------------------------


def test_an_edit_embeds_the_chunks_that_it_touches(keeper, server):
    before = set(chunk_texts(keeper))
    server.clear()
    edited = story(24).replace("lantern number 11 ", "candle number 11 ")
    told = keeper.done("ingest", "Keeper", keeper.write("light.md", edited), "--json").json
    assert [document["status"] for document in told["documents"]] == ["updated"]
    after = set(chunk_texts(keeper))
    assert sorted(texts(server)) == sorted(after - before)
    assert 1 <= len(texts(server)) <= 3 < len(after)
    assert all("candle number 11" in text for text in texts(server))


def test_the_profile_is_written_once_when_documents_changed_and_never_when_not(keeper, server):
    server.answer = lambda _: "A keeper of a light."
    words = ("ingest", "Keeper", "--method", "profile")

    def written(*paths: Path) -> int:
        server.clear()
        keeper.done(*words, *paths)
        return int(server.count("/chat/completions"))

    assert [written(), written()] == [1, 0]
    one = keeper.write("one.md", story(2, first=50))
    two = keeper.write("two.md", story(2, first=60))
    assert [written(one, two), written(one, two), written()] == [1, 0, 0]
    keeper.write("one.md", story(2, first=90))
    assert [written(one, two), written()] == [1, 0]
    keeper.done("forget", "Keeper", "two.md", "-y")
    assert [written(), written()] == [1, 0]


# -- texts that the endpoint refuses -------------------------------------------------------------


def refuse(monkeypatch: pytest.MonkeyPatch, marked: str, status: int, message: str) -> None:
    """Make the endpoint refuse a request for embeddings with a text that holds ``marked``."""
    plain = LoopbackServer._refusal

    def refusal(self, fault, body):
        if any(marked in text for text in body.get("input", ())):
            return loopback._error(status, "invalid_request_error", message)
        return plain(self, fault, body)

    monkeypatch.setattr(LoopbackServer, "_refusal", refusal)


REFUSALS = [
    (400, "This model's maximum context length is 512 tokens"),
    (400, "the request is bad"),
    (422, "cannot embed this"),
    (413, "too large"),
    (500, "input is too large to process. increase the physical batch size"),
]


@pytest.mark.parametrize(("status", "message"), REFUSALS)
def test_a_refused_chunk_is_put_aside_and_the_rest_goes_on(
    keeper, server, monkeypatch, status, message
):
    more = keeper.write("more.md", story(9, first=70) + "\n\n## Secret\n\nA forbidden word.\n")
    with monkeypatch.context() as patch:
        refuse(patch, "A forbidden", status, message)
        outcome = keeper.done("ingest", "Keeper", more, "--json")
        (document,) = outcome.json["documents"]
        assert (document["status"], document["quarantined"]) == ("partial", 1)
        assert "more.md: put aside: embed" in outcome.err
        assert message[:20] in outcome.err
        assert keeper.run("ingest", "Keeper", "--strict").code == 1
        assert len(keeper.rows()["vectors"]) == len(keeper.rows()["chunks"]) - 1
        # The others answer, and words alone find the one that has no vector.
        found = keeper.done("recall", "Keeper", "Which word is forbidden?", "--json").json
        assert any("forbidden" in item["text"] for item in found["context"])
    server.clear()
    healed = keeper.done("ingest", "Keeper", "--strict", "--json").json
    assert {document["status"] for document in healed["documents"]} == {"unchanged"}
    assert [text for text in texts(server) if "forbidden" not in text] == []
    assert len(keeper.rows()["vectors"]) == len(keeper.rows()["chunks"])
    statuses = keeper.done("show", "Keeper", "documents", "--json").json
    assert {document["status"] for document in statuses} == {"complete"}


def test_another_documents_ingestion_heals_what_was_put_aside(keeper, server, monkeypatch):
    more = keeper.write("more.md", "## Secret\n\nA forbidden word.\n")
    with monkeypatch.context() as patch:
        refuse(patch, "A forbidden", 400, "no")
        keeper.done("ingest", "Keeper", more)
    keeper.done("ingest", "Keeper", keeper.write("third.md", story(1, first=99)))
    statuses = keeper.done("show", "Keeper", "documents", "--json").json
    assert {document["status"] for document in statuses} == {"complete"}


def test_an_endpoint_that_refuses_everything_is_a_failure_and_no_quarantine(world, server):
    world.set("embed.batch=4")
    server.always("400")
    world.done("create", "Keeper")
    outcome = world.run("ingest", "Keeper", world.write("light.md", story(24)))
    assert outcome.code == 4
    assert "check embed.model and embed.base_url" in outcome.err
    assert world.rows()["vectors"] == []
    assert all(status != "quarantined" for *_, status in world.rows()["open jobs"])
    server.always(None)
    world.done("ingest", "Keeper", "--strict")


# -- another embedder ----------------------------------------------------------------------------


def test_a_chunk_that_the_new_embedder_refuses_does_not_keep_the_others_from_it(
    keeper, server, monkeypatch
):
    keeper.done("ingest", "Keeper", keeper.write("more.md", "A forbidden word.\n"))
    keeper.set("embed.model=other")
    with monkeypatch.context() as patch:
        refuse(patch, "A forbidden", 400, "no")
        outcome = keeper.done("reembed", "Keeper", "--json")
        assert outcome.json["quarantined"] == 1
        assert "warning: 'other' refuses 1 chunk" in outcome.err
        found = keeper.done("recall", "Keeper", "lantern number 3", "--json").json
        assert found["context"]
    keeper.done("ingest", "Keeper", "--strict")
    assert len(keeper.rows()["vectors"]) == len(keeper.rows()["chunks"])
