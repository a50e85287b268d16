"""No network traffic but to the endpoints that the settings name: watched by an audit hook."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.end_to_end.world import KEY, Outcome, World, ended, story
from tests.loopback import LoopbackServer

WATCHED = """
import json, os, sys

LOG = os.open(os.environ["CONTACTS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
EVENTS = {
    "socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind", "socket.getaddrinfo",
    "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo", "subprocess.Popen",
    "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "urllib.Request",
}

def watch(event, arguments):
    if event in EVENTS:
        os.write(LOG, (json.dumps([event, [str(part) for part in arguments]]) + "\\n").encode())

sys.addaudithook(watch)
from offbook.cli.main import run
run()
"""
"""Runs the command line and notes whatever could leave the machine."""


def watched(world: World, *words: str | Path, stdin: str = "") -> tuple[Outcome, list[list[str]]]:
    """The outcome of a command, and what it contacted: the event and its arguments, flat."""
    log = world.folder / "contacts.jsonl"
    log.unlink(missing_ok=True)
    process = world.start(
        *words, environment={"CONTACTS": str(log)}, command=(sys.executable, "-c", WATCHED)
    )
    outcome = ended(process, stdin)
    lines = log.read_text().splitlines()
    return outcome, [[event, *arguments] for event, arguments in map(json.loads, lines)]


def seen(contacts: list[list[str]]) -> set[str]:
    """Addresses and names that were contacted, without the sockets' own descriptions."""
    return {
        part
        for event, *arguments in contacts
        for part in arguments[1:]
        if event.startswith(("socket.connect", "socket.send"))
    } | {arguments[0] for event, *arguments in contacts if event == "socket.getaddrinfo"}


@pytest.mark.long
def test_only_the_configured_endpoint_is_contacted(world, server):
    document = world.write("light.md", story(6))
    world.done("create", "Keeper")
    commands: list[tuple[str | Path, ...]] = [
        ("ingest", "Keeper", document, "--method", "profile"),
        ("ingest", "Keeper", document),
        ("chat", "Keeper"),
        ("doctor",),
    ]
    for words in commands:
        _, contacts = watched(world, *words, stdin="Who are you?\n")
        assert seen(contacts) <= {f"('127.0.0.1', {server.port})", "127.0.0.1"}, words
        others = [contact for contact in contacts if not contact[0].startswith("socket.")]
        # The SDK asks for the name of the platform, for a header that is not sent.
        assert {tuple(contact[1:3]) for contact in others} <= {("uname", "['uname', '-p']")}
    assert server.count("/chat/completions") >= 2
    assert server.count("/embeddings") >= 2


def test_a_redirect_is_not_followed(world, server, monkeypatch):
    from starlette.responses import RedirectResponse

    with LoopbackServer() as elsewhere:
        target = elsewhere.base_url + "/chat/completions"
        world.set(f"chat.api_key={KEY}", "retrieval.mode=lexical", "limits.retries=0")
        world.done("create", "Keeper")
        world.done("ingest", "Keeper", world.write("light.md", story(3)))
        monkeypatch.setattr(
            LoopbackServer, "_refusal", lambda *_: RedirectResponse(target, status_code=307)
        )
        assert world.run("ask", "Keeper", "Who?").code == 4
        assert elsewhere.count() == 0


def test_proxies_and_keys_of_the_environment_are_left_alone(world, server, monkeypatch):
    with LoopbackServer() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
        world.done("create", "Keeper")
        world.done("ingest", "Keeper", world.write("light.md", story(3)))
        world.done("ask", "Keeper", "Who?")
        assert proxy.count() == 0
        for request in server.requests:
            assert "authorization" not in request.headers
            assert "openai-organization" not in request.headers
            told = {name for name in request.headers if name.startswith("x-")}
            assert told <= {"x-stainless-raw-response"}, "how the SDK talks to itself"
