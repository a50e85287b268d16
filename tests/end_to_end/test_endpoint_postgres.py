"""The main flow with PostgreSQL, and a character that moves from SQLite to it and back."""

from __future__ import annotations

import pytest

from tests.end_to_end.world import World, story
from tests.loopback import LoopbackServer

REPLY = "I kept the light, and nothing else."


@pytest.fixture
def served(world: World, server: LoopbackServer, postgres_url: str, monkeypatch) -> World:
    """A world whose database is a PostgreSQL server's."""
    server.answer = lambda _: REPLY
    monkeypatch.setenv("OFFBOOK_DATABASE_URL", postgres_url)
    return world


def test_the_flow_runs_on_postgres(served, server):
    one, two = served.write("one.md", story(6)), served.write("two.md", story(6, first=50))
    served.done("create", "Keeper")
    told = served.done("ingest", "Keeper", one, two, "--json").json
    assert [document["status"] for document in told["documents"]] == ["added", "added"]
    served.done("ingest", "Keeper", "--method", "profile")
    server.clear()
    asked = served.done("ask", "Keeper", "lantern number 52?", "--session", "s", "--json").json
    assert asked["reply"] == REPLY
    assert {source["document"] for item in asked["context"] for source in item["sources"]}
    forgotten = served.done("forget", "Keeper", "two.md", "--json", "-y").json
    assert (forgotten["document"], forgotten["cached_calls"]) == ("two.md", 1)
    assert forgotten["turns"] == 1
    documents = served.done("show", "Keeper", "documents", "--json").json
    assert [document["name"] for document in documents] == ["one.md"]
    found = served.done("recall", "Keeper", "lantern number 52?", "--json").json
    assert {item["sources"][0]["document"] for item in found["context"]} == {"one-md"}
    assert not served.home.exists(), "nothing is kept beside the server"
    served.done("delete", "Keeper", "--yes")
    assert served.run("show", "Keeper").code == 2


def test_a_character_moves_from_one_engine_to_the_other(world, server, postgres_url, monkeypatch):
    server.answer = lambda _: REPLY
    world.done("create", "Keeper")
    world.done("ingest", "Keeper", world.write("one.md", story(8)))
    world.done("ingest", "Keeper", "--method", "profile")
    first, second = world.folder / "first.offbook", world.folder / "second.offbook"
    world.done("export", "Keeper", first)
    plain = world.done("recall", "Keeper", "lantern number 5?", "--json").json
    server.clear()
    with monkeypatch.context() as patch:
        patch.setenv("OFFBOOK_DATABASE_URL", postgres_url)
        world.done("import", first)
        assert server.count() == 0, "vectors and profile came along"
        moved = world.done("recall", "Keeper", "lantern number 5?", "--json").json
        world.done("ask", "Keeper", "Who?", "--method", "profile")
        world.done("export", "Keeper", second)
    assert moved["context"] == plain["context"]
    assert second.read_bytes() == first.read_bytes()
    world.done("import", second, "--replace", "-y")
    again = world.done("recall", "Keeper", "lantern number 5?", "--json").json
    assert again["context"] == plain["context"]


@pytest.mark.long
def test_two_processes_share_a_server(served, server):
    from tests.end_to_end.world import ended

    served.done("create", "Keeper")
    document = served.write("one.md", story(10))
    served.set("embed.batch=1")
    server.latency_seconds = 0.02
    both = [served.start("ingest", "Keeper", document) for _ in range(2)]
    outcomes = [ended(process) for process in both]
    assert [outcome.code for outcome in outcomes] == [0, 0], outcomes
    texts = [text for request in server.requests for text in request.body["input"]]
    assert len(texts) == len(set(texts))


def test_a_server_that_is_down_is_named_without_its_password(world, monkeypatch):
    url = "postgresql://keeper:hunter2-secret@127.0.0.1:9/offbook"
    monkeypatch.setenv("OFFBOOK_DATABASE_URL", url)
    outcome = world.run("list", "--json")
    assert outcome.code == 1
    assert outcome.error["kind"] == "store_failed"
    assert "127.0.0.1:9" in outcome.error["message"] + outcome.error["hint"]
    assert "hunter2" not in outcome.out + outcome.err
