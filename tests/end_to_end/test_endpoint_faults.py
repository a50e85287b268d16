"""Endpoints that fail: the exit code, one line that tells how to mend it, nothing lost."""

from __future__ import annotations

import socket

import pytest

from tests.end_to_end.world import KEY, Outcome, World, story

REPLY = "I kept the light, and nothing else."


@pytest.fixture
def keeper(world: World) -> World:
    """A character that is indexed for `naive`, without the endpoint being asked for anything."""
    world.set(f"chat.api_key={KEY}", "limits.retries=0")
    server = world.server
    assert server is not None
    server.answer = lambda _: REPLY
    world.done("create", "Keeper")
    world.done("ingest", "Keeper", world.write("light.md", story(8)), "--set", "embed.model=e")
    server.clear()
    return world


def failed(outcome: Outcome, code: int, *told: str) -> None:
    """One line on standard error, nothing on standard output, and no key."""
    assert outcome.code == code, outcome
    assert outcome.out == ""
    line = outcome.err.removesuffix("\n")
    assert "\n" not in line
    assert "Traceback" not in line
    for words in told:
        assert words in line, line
    assert KEY not in line


LASTING = [
    ("401", "OFFBOOK_CHAT_API_KEY"),
    ("403", "chat.api_key"),
    ("404", "chat.base_url"),
    ("400", "chat.model"),
    ("413", "chat.context_tokens"),
    ("context_length", "chat.context_tokens"),
    ("filtered", "another model"),
]
PASSING = [
    ("429", "limits.rpm"),
    ("408", "run the command again"),
    ("500", "run the command again"),
    ("503", "run the command again"),
    ("invalid_json", "chat.base_url"),
    ("no_choices", "chat.base_url"),
    ("html", "chat.base_url"),
    ("error_in_body", "chat.base_url"),
    ("close", "is it running?"),
]


@pytest.mark.parametrize(("fault", "hint"), LASTING + PASSING)
def test_a_failing_endpoint_ends_a_question_with_4(keeper, fault, hint):
    keeper.server.script("ok", fault)
    failed(keeper.run("ask", "Keeper", "Who are you?"), 4, keeper.server.base_url, hint)
    assert keeper.server.count("/chat/completions") == 1


def test_an_endpoint_that_is_down_is_named(keeper):
    # Bound, so that nobody else takes the port meanwhile, and not listened to.
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        down = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        ask = ("ask", "Keeper", "Who are you?", "--base-url", down)
        failed(keeper.run(*ask), 4, f"cannot reach {down}", "embed.base_url")
        lexical = ("--set", "retrieval.mode=lexical")
        failed(keeper.run(*ask, *lexical), 4, "is the endpoint running? check chat.base_url")


def test_an_endpoint_that_hangs_is_given_up(keeper):
    # Long enough for the vector of the question, which comes first, on any machine.
    keeper.set("limits.timeout_seconds=2.5")
    keeper.server.script("ok", "hang")
    failed(keeper.run("ask", "Keeper", "Who?"), 4, "within 2.5 s", "limits.timeout_seconds")


@pytest.mark.parametrize("fault", ["401", "429", "500", "invalid_json", "close", "hang"])
def test_a_failing_embedder_ends_an_ingestion_with_4_and_it_goes_on(world, server, fault):
    world.set("embed.batch=1", "limits.concurrency=1", "limits.retries=0")
    world.set("naive.splitter=fixed", "fixed.size=150", "fixed.overlap=0")
    world.set(f"limits.timeout_seconds={3 if fault == 'hang' else 60}", f"chat.api_key={KEY}")
    world.done("create", "Keeper")
    document = world.write("light.md", story(4))
    server.script("ok", "ok", fault)
    failed(world.run("ingest", "Keeper", document), 4, server.base_url)
    assert server.count() == 3
    kept = len(world.rows()["vectors"])
    assert kept == 2
    again = world.done("ingest", "Keeper", document, "--json").json
    (told,) = again["documents"]
    assert again["usage"]["embed_calls"] == told["chunks"] - kept
    assert (told["status"], told["quarantined"]) == ("unchanged", 0)
    assert world.rows()["open jobs"] == []
    assert len(world.rows()["vectors"]) == told["chunks"]


EMBEDDINGS = [
    ("missing_embedding", 4, "embed.batch"),
    ("nan", 4, "another embedder"),
    ("wrong_dimension", 3, "offbook reembed keeper"),
]


@pytest.mark.parametrize(("fault", "code", "hint"), EMBEDDINGS)
def test_embeddings_that_cannot_be_right_are_refused(keeper, fault, code, hint):
    before = keeper.rows()["vectors"]
    more = keeper.write("more.md", story(2, first=50))
    keeper.server.script(fault)
    failed(keeper.run("recall", "Keeper", "Who?"), code)
    keeper.server.script(fault)
    failed(keeper.run("ingest", "Keeper", more), code, hint)
    assert keeper.rows()["vectors"] == before
    keeper.done("ingest", "Keeper", more)
    assert len(keeper.rows()["vectors"]) > len(before)


@pytest.mark.parametrize("fault", ["empty", "think_only", "length", "content_filter"])
def test_a_profile_that_cannot_be_used_is_put_aside_and_tried_again(keeper, fault):
    keeper.server.always(fault)
    outcome = keeper.run("ingest", "Keeper", "--method", "profile", "--json")
    (document,) = outcome.json["documents"]
    assert (outcome.code, document["status"], document["quarantined"]) == (0, "partial", 1)
    assert "put aside: profile" in outcome.err
    assert keeper.run("ingest", "Keeper", "--method", "profile", "--strict").code == 1
    assert keeper.done("show", "Keeper", "documents", "--json").json[0]["status"] == "partial"
    keeper.server.always(None)
    # It is not mute meanwhile.
    assert keeper.done("ask", "Keeper", "Who?", "--method", "profile").out == REPLY + "\n"
    healed = keeper.done("ingest", "Keeper", "--method", "profile", "--strict", "--json").json
    assert [(d["status"], d["quarantined"]) for d in healed["documents"]] == [("unchanged", 0)]
    assert keeper.done("show", "Keeper", "documents", "--json").json[0]["status"] == "complete"
    assert keeper.done("ask", "Keeper", "Who?", "--method", "profile").out == REPLY + "\n"


def test_a_profile_that_fails_leaves_the_vectors_that_were_made(world, server):
    world.set("limits.retries=0")
    world.done("create", "Keeper")
    document = world.write("light.md", story(4))
    world.done("ingest", "Keeper", document)
    made = world.rows()["vectors"]
    server.script("500")
    failed(world.run("ingest", "Keeper", document, "--method", "profile"), 4, "500")
    assert made
    assert world.rows()["vectors"] == made
    assert world.done("recall", "Keeper", "Who?", "--json").json["context"]
    again = world.done("ingest", "Keeper", document, "--method", "profile", "--json").json
    assert (again["usage"]["calls"], again["usage"]["embed_calls"]) == (1, 0)


@pytest.mark.parametrize(
    ("fault", "debug"), [("401", ()), ("400", ("--debug",)), ("hang", ("--debug",)), ("empty", ())]
)
def test_the_key_is_in_no_output_and_in_no_file(keeper, fault, debug):
    keeper.set("limits.timeout_seconds=0.2")
    keeper.server.always(fault)
    more = keeper.write("more.md", story(2, first=50))
    commands = [
        ("ask", "Keeper", "Who?", "--session", "s"),
        ("ingest", "Keeper", more),
        ("ingest", "Keeper", "--method", "profile"),
        ("doctor",),
        ("config", "show", "--origin"),
        ("show", "Keeper", "--json"),
        ("export", "Keeper", keeper.folder / "keeper.offbook"),
    ]
    for words in commands:
        outcome = keeper.run(*words, *debug)
        assert KEY not in outcome.out, words
        assert KEY not in outcome.err, words
    assert keeper.leaks(KEY) == []


def test_a_project_file_cannot_send_the_users_key_elsewhere(world, server, monkeypatch):
    world.unset()
    monkeypatch.setenv("OFFBOOK_CHAT_API_KEY", KEY)
    lines = ['chat.model = "m"', f'chat.base_url = "{server.base_url}"']
    (world.folder / "offbook.toml").write_text("\n".join(lines))
    world.done("create", "Keeper")
    document = world.write("light.md", story(3))
    commands = [
        ("ask", "Keeper", "Who?"),
        ("ingest", "Keeper", document),
        ("doctor",),
        ("ingest", "Keeper", document, "--method", "profile"),
        ("recall", "Keeper", "Who?"),
        ("reembed", "Keeper"),
    ]
    for words in commands:
        outcome = world.run(*words)
        failed(outcome, 3, "offbook.toml", server.base_url, "chat.base_url")
    assert server.count() == 0
    assert world.leaks(KEY) == []


@pytest.mark.parametrize("role", ["embed", "extract", "judge"])
def test_nor_can_it_for_another_role(world, server, monkeypatch, role):
    world.unset()
    monkeypatch.setenv(f"OFFBOOK_{role.upper()}_API_KEY", KEY)
    lines = [f'{role}.model = "m"', f'{role}.base_url = "{server.base_url}"']
    (world.folder / "offbook.toml").write_text("\n".join(lines))
    failed(world.run("doctor"), 3, "offbook.toml", f"{role}.base_url")
    assert server.count() == 0
