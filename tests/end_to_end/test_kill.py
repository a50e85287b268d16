"""Processes that are killed, and processes side by side: nothing lost, nothing paid for twice."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests import waiting
from tests.end_to_end.world import World, ended, stored_rows, story
from tests.loopback import LoopbackServer

pytestmark = pytest.mark.long

PROFILE = "A keeper of a light, who counts ships."
PARAGRAPHS = 10


def texts(server: LoopbackServer) -> list[str]:
    """Everything that was to be embedded."""
    return [
        text
        for request in list(server.requests)
        if request.path.endswith("/embeddings")
        for text in request.body["input"]
    ]


def until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for a condition; the process must not end before."""

    def come_about() -> bool:
        if condition():
            return True
        assert process.poll() is None, process.communicate()
        return False

    waiting.until(come_about)


def has_vectors(world: World, enough: int) -> bool:
    return len(world.rows()["vectors"]) >= enough


def kill(process: subprocess.Popen[str]) -> None:
    with process:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=waiting.PATIENCE_SECONDS)
    assert process.returncode == -signal.SIGKILL


def settled(server: LoopbackServer) -> None:
    """Wait until the server has noticed that nobody waits any more."""
    waiting.until(lambda: not server.in_flight, "the end of all requests")


@pytest.fixture
def keeper(world: World, server: LoopbackServer) -> World:
    """A character without documents; an endpoint that takes its time, one text a call."""
    server.answer = lambda _: PROFILE
    world.set("embed.batch=1", "limits.concurrency=2")
    world.done("create", "Keeper")
    world.write("one.md", story(PARAGRAPHS))
    world.write("two.md", story(PARAGRAPHS, first=50))
    return world


def sources(world: World) -> list[Path]:
    return [world.folder / "documents" / name for name in ("one.md", "two.md")]


def undisturbed(
    world: World, commands: Iterable[tuple[str, ...]]
) -> dict[str, list[tuple[Any, ...]]]:
    """What the same commands store in a home of their own."""
    home = world.folder / "undisturbed"
    world.done("create", "Keeper", "--home", home)
    for words in commands:
        world.done(*words, *sources(world), "--home", home)
    return stored_rows(home / "offbook.db")


@pytest.mark.parametrize(
    "answered", [1, *(pytest.param(n, marks=pytest.mark.long) for n in (0, 2, 5, 9, 14, 18))]
)
def test_a_killed_embedding_goes_on_where_it_stopped(keeper, server, answered):
    server.hold(answered)
    process = keeper.start("ingest", "Keeper", *sources(keeper))
    until(lambda: server.answered == answered and server.in_flight > 0, process)
    until(partial(has_vectors, keeper, answered - 2), process)
    kill(process)
    settled(server)
    server.release()
    stored = len(keeper.rows()["vectors"])
    before = texts(server)
    assert stored >= answered - 2, "what was answered is stored, but for the two in flight"
    told = keeper.done("ingest", "Keeper", *sources(keeper), "--json").json
    again = [text for text, count in Counter(texts(server)).items() if count > 1]
    assert len(again) <= 2, "at most those in flight at the kill are sent again"
    assert len(texts(server)) - len(before) == told["usage"]["embed_calls"]
    assert keeper.rows() == undisturbed(keeper, [("ingest", "Keeper")])


@pytest.mark.long
@pytest.mark.parametrize("stored", [2, 5])
def test_killed_again_and_again_it_still_ends_as_if_undisturbed(keeper, server, stored):
    for _ in range(2):
        enough = len(keeper.rows()["vectors"]) + stored
        server.hold(stored)
        process = keeper.start("ingest", "Keeper", *sources(keeper))
        until(partial(has_vectors, keeper, enough), process)
        kill(process)
        settled(server)
    server.release()
    keeper.done("ingest", "Keeper", *sources(keeper))
    counts = Counter(texts(server))
    assert sum(counts.values()) - len(counts) <= 2 * 2, "those in flight at a kill, and no others"
    assert keeper.rows() == undisturbed(keeper, [("ingest", "Keeper")])


def test_a_killed_reembedding_keeps_the_old_vectors_and_goes_on(keeper, server):
    keeper.done("ingest", "Keeper", *sources(keeper))
    before = keeper.rows()["vectors"]
    new = ("--set", "embed.model=other")
    server.clear()
    server.hold(7)
    process = keeper.start("reembed", "Keeper", *new)
    until(lambda: len(keeper.rows()["vectors"]) >= len(before) + 5, process)
    kill(process)
    settled(server)
    server.release()
    keeper.done("recall", "Keeper", "lantern number 3")
    made = len(keeper.rows()["vectors"]) - len(before)
    told = keeper.done("reembed", "Keeper", *new, "--json").json
    assert told["vectors"] == len(before) - made
    asked = Counter(text for text in texts(server) if text != "dimension")
    assert sum(count > 1 for count in asked.values()) <= 3, "two in flight, and a question"
    keeper.done("recall", "Keeper", "lantern number 3", *new)
    assert len(keeper.rows()["vectors"]) == len(before)


def test_the_lease_of_a_killed_process_is_taken_over_at_once(keeper, server):
    server.hold()
    process = keeper.start("ingest", "Keeper", sources(keeper)[0])
    until(lambda: server.count() > 0, process)
    kill(process)
    server.release()
    outcome = keeper.done("ingest", "Keeper", sources(keeper)[0])
    assert "waiting" not in outcome.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_ingestion_that_is_told_to_end_says_what_is_kept_and_goes_on(
    keeper, server, number, code
):
    server.hold(4)
    process = keeper.start("ingest", "Keeper", *sources(keeper))
    until(lambda: len(keeper.rows()["vectors"]) >= 2, process)
    process.send_signal(number)
    outcome = ended(process)
    assert outcome.code == code, outcome
    assert "what was done is kept, and the same command continues from there" in outcome.err
    assert "Traceback" not in outcome.err
    settled(server)
    server.release()
    keeper.done("ingest", "Keeper", *sources(keeper))
    assert keeper.rows() == undisturbed(keeper, [("ingest", "Keeper")])


def test_sigterm_ends_a_command_that_ctrl_c_may_not_reach(keeper, server):
    """Behind ``&`` a script's shell has Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        server.hold(4)
        process = keeper.start("ingest", "Keeper", *sources(keeper))
        until(lambda: len(keeper.rows()["vectors"]) >= 2, process)
    finally:
        signal.signal(signal.SIGINT, before)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    outcome = ended(process)
    assert outcome.code == 143, outcome
    assert "what was done is kept" in outcome.err
    assert "Traceback" not in outcome.err


def test_two_processes_on_one_character_take_turns(keeper, server):
    server.hold()
    one, two = sources(keeper)
    first = keeper.start("ingest", "Keeper", one)
    until(lambda: server.count() > 0, first)
    second = keeper.start("ingest", "Keeper", one, two)
    assert second.stderr is not None
    assert "'Keeper'; waiting for it" in second.stderr.readline()
    server.release()
    outcomes = [ended(first), ended(second)]
    assert [outcome.code for outcome in outcomes] == [0, 0], outcomes
    assert all("waiting" not in outcome.err for outcome in outcomes), "it is said once"
    assert max(Counter(texts(server)).values()) == 1
    assert keeper.rows() == undisturbed(keeper, [("ingest", "Keeper")])


def test_two_processes_on_two_characters_run_side_by_side(keeper, server):
    keeper.done("create", "Pilot")
    server.latency_seconds = 0.02
    both = [keeper.start("ingest", name, *sources(keeper)) for name in ("Keeper", "Pilot")]
    outcomes = [ended(process) for process in both]
    assert [outcome.code for outcome in outcomes] == [0, 0], outcomes
    assert all("waiting" not in outcome.err for outcome in outcomes)
    rows = keeper.rows()
    assert [row[2] for row in rows["vectors"] if row[0] == "keeper"] == [
        row[2] for row in rows["vectors"] if row[0] == "pilot"
    ]
    only = {name: [row for row in of_all if row[0] == "keeper"] for name, of_all in rows.items()}
    assert only == undisturbed(keeper, [("ingest", "Keeper")])


def test_forgetting_waits_for_an_ingestion(keeper, server):
    one, two = sources(keeper)
    keeper.done("ingest", "Keeper", one)
    server.clear()
    server.hold()
    process = keeper.start("ingest", "Keeper", two)
    until(lambda: server.count() > 0, process)
    forgetting = keeper.start("forget", "Keeper", "one.md", "-y")
    assert forgetting.stderr is not None
    assert "waiting for it" in forgetting.stderr.readline()
    server.release()
    assert [ended(each).code for each in (process, forgetting)] == [0, 0]
    documents = keeper.done("show", "Keeper", "documents", "--json").json
    assert [document["name"] for document in documents] == ["two.md"]
    keeper.done("recall", "Keeper", "lantern number 52")
