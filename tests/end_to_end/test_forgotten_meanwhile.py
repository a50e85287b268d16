"""What arrives after its document was forgotten brings nothing of it back."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.end_to_end.test_kill import until
from tests.end_to_end.world import World, ended
from tests.loopback import LoopbackServer
from tests.loopback.answers import Answer, minimal_instance, schema_in
from tests.server.served import Served, settings_in
from tests.waiting import PATIENCE_SECONDS
from tests.waiting import until as awaited

MARKER = "Quixwarble"
SECRET = f"Ada Byrne hides the key of the oil store under the stone of {MARKER}.\n"
PLAIN = "Ada Byrne counts the gulls that sit on the rail of the gallery.\n"
QUESTION = "Where is the key of the oil store?"
CHAT = "/chat/completions"


def quoting(body: Mapping[str, Any]) -> Answer:
    """A model that says over again what it was shown, wherever it may write as it likes."""
    told = SECRET.strip() if MARKER in json.dumps(body) else "Ada counts the gulls on the rail."
    schema = schema_in(body)
    if schema is None:
        return Answer(told)
    return Answer(json.dumps(minimal_instance(schema)).replace('"word"', json.dumps(told)))


@pytest.fixture
def told(world: World, server: LoopbackServer) -> World:
    """Ada, who was told where the key is; the file is gone."""
    server.answer = quoting
    world.set("limits.retries=0", "answers.retries=0")
    world.done("create", "Ada Byrne")
    path = world.write("secret.md", SECRET)
    world.done("ingest", "ada-byrne", path, world.write("plain.md", PLAIN))
    path.unlink()
    server.clear()
    return world


def stored(world: World, query: str) -> list[tuple[Any, ...]]:
    """What the database holds."""
    connection = sqlite3.connect(world.home / "offbook.db")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def links(world: World) -> list[tuple[Any, ...]]:
    """What the database has noted of the document."""
    return [
        row
        for table in ("call_cache_documents", "turn_documents")
        for row in stored(world, f"SELECT * FROM {table} WHERE document_id = 'secret-md'")
    ]


@contextmanager
def held(
    world: World, server: LoopbackServer, after: int, *words: str | Path
) -> Iterator[subprocess.Popen[str]]:
    """A command whose call number ``after`` is out, for as long as the block lasts."""
    server.hold(after, path=CHAT)
    process = world.start(*words)
    try:
        until(lambda: server.count(CHAT) > after, process)
        gate, server._gate = server._gate, None  # other calls are answered
        assert gate is not None
        yield process
        gate.release()
    except BaseException:
        process.kill()
        ended(process)
        raise


def late(world: World, server: LoopbackServer, after: int, *words: str | Path) -> Any:
    """The outcome of a command whose call number ``after`` was out while the text was forgotten."""
    with held(world, server, after, *words) as process:
        world.done("forget", "ada-byrne", "secret.md", "--with-memories", "-y")
        assert world.leaks(MARKER) == []
    outcome = ended(process)
    assert outcome.code == 0, outcome
    return outcome


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "after"),
    [("naive", 0), ("rolerag", 0), ("amadeus", 1), ("ensemble", 1)],
    ids=["the reply", "the boundary", "attributes", "the next step"],
)
def test_an_answer_that_another_process_waited_for_is_kept_nowhere(
    told: World, server: LoopbackServer, method: str, after: int
):
    told.set(f"method={method}")
    told.done("ingest", "ada-byrne")
    server.clear()
    outcome = late(told, server, after, "ask", "ada-byrne", QUESTION, "--session", "s", "--json")
    assert told.leaks(MARKER) == []
    assert links(told) == []
    reply = outcome.json
    assert reply["reply"]
    assert reply["remembered"]["why"] == "what it rests on was forgotten meanwhile"
    assert told.done("show", "ada-byrne", "memories", "--json").json == []
    told.done("ingest", "ada-byrne")
    server.clear()
    again = told.done("ask", "ada-byrne", QUESTION, "--session", "s", "--json").json
    assert again["remembered"]["memory"]
    assert MARKER not in json.dumps(server.chat_bodies)


def test_an_answer_that_the_server_waited_for_is_kept_nowhere(told: World, server: LoopbackServer):
    told.set("method=rolerag")
    told.done("ingest", "ada-byrne")
    model = {"chat__model": "m", "chat__base_url": server.base_url, "embed__model": "e"}
    one = "/api/characters/ada-byrne"
    with (
        Served(settings_in(told.folder, **{**model, "method": "rolerag"})) as served,
        httpx.Client(base_url=served.root, timeout=PATIENCE_SECONDS) as client,
        ThreadPoolExecutor() as others,
    ):
        server.clear()
        for after in (0, 1):
            server.hold(after, path=CHAT)
            body = {"question": QUESTION, "session": "s"}
            asking = others.submit(client.post, f"{one}/ask", json=body)
            awaited(lambda n=after: server.count(CHAT) > n)  # type: ignore[misc]
            gate, server._gate = server._gate, None
            assert gate is not None
            gone = client.delete(f"{one}/documents/secret.md")
            assert gone.status_code == 200, gone.text
            gate.release()
            reply = asking.result()
            assert reply.status_code == 200, reply.text
            assert reply.json()["remembered"]["memory"] is None
            assert told.leaks(MARKER) == []
            assert links(told) == []
            path = told.write("secret.md", SECRET)
            told.done("ingest", "ada-byrne", path)
            path.unlink()
            server.clear()


@pytest.mark.long
@pytest.mark.parametrize("after", [0, 1], ids=["the reply", "the judge"])
def test_an_evaluation_keeps_nothing_of_it(told: World, server: LoopbackServer, after: int):
    rows = [{"id": "q1", "question": QUESTION}]
    file = told.write("questions.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    words = ("eval", "run", "file", "--path", file, "-c", "ada-byrne", "-m", "naive")
    late(told, server, after, *words, "--metric", "ke")
    assert told.leaks(MARKER) == []
    assert links(told) == []
    cells = stored(told, "SELECT reply, error, forgotten FROM evaluation_cells")
    assert cells == [(None, "forgotten", 1)]
    ratings = stored(told, "SELECT analysis FROM evaluation_ratings")
    assert ratings == ([("",)] if after else [])


@pytest.mark.long
def test_a_new_version_keeps_no_answer_about_the_old_one(told: World, server: LoopbackServer):
    told.set("method=rolerag")
    told.done("ingest", "ada-byrne")
    server.clear()
    with held(told, server, 0, "recall", "ada-byrne", QUESTION) as process:
        told.done("ingest", "ada-byrne", told.write("secret.md", "Ada Byrne has lost the key.\n"))
    assert ended(process).code == 0
    kept = stored(told, "SELECT text FROM call_cache")
    assert kept
    assert MARKER not in str(kept)
