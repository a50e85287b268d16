"""Offline means offline: no name is looked up, no address connected to, no program started."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.texts import ADA
from tests.end_to_end.world import World
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.long

GUARDED = """
import os, sys

def watch(event, arguments):
    network = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
               "socket.sendmsg", "socket.bind", "urllib.Request", "http.client.connect",
               "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")
    if event in network:
        os.write(2, f"NETWORK {event} {arguments}".encode())
        os._exit(99)

sys.addaudithook(watch)
from offbook.cli.main import run
run()
"""
BAIT = {
    "OPENAI_API_KEY": "sk-bait",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
}


def guarded(world: World, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", GUARDED, *words],
        cwd=world.folder,
        env={**os.environ, **BAIT},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def test_the_demo_needs_no_network(offline: World):
    done = guarded(offline, "demo")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("rests on:") == 11


@pytest.mark.parametrize(
    "words",
    [
        ["ask", "ada", "Who taught you?", "--session", "s"],
        ["recall", "ada", "Who taught you?", "--json"],
        ["ingest", "ada", "documents/ada.md"],
        ["ingest", "ada", "--method", "profile"],
        ["reembed", "ada"],
        ["doctor"],
        ["chat", "ada"],
    ],
)
def test_no_command_goes_out_until_a_model_is_named(offline: World, words):
    offline.done("create", "Ada")
    offline.done("ingest", "ada", offline.write("ada.md", ADA))
    done = guarded(offline, *words, stdin="Who taught you?\n/why\n")
    assert done.returncode == 0, done.stderr
    assert "NETWORK" not in done.stderr


def test_with_a_model_the_guard_would_speak(offline: World):
    offline.done("create", "Ada")
    done = guarded(
        offline,
        *("ask", "ada", "Who?", "--method", "vanilla", "--model", "m"),
        *("--base-url", "http://127.0.0.1:9/v1"),
    )
    assert done.returncode == 99
