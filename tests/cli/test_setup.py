"""`setup`: a model is found or named, tried, priced and written down; else nothing is."""

from __future__ import annotations

import stat
import tomllib
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from offbook.models import servers
from tests.cli.shapes import NAMED, keys
from tests.cli.texts import Keyboard
from tests.end_to_end.world import KEY, World
from tests.loopback import LoopbackServer, dialects

LOCAL_SERVERS = servers.local_servers
PAGES = {
    "ollama": dialects.ollama,
    "lm studio": dialects.lm_studio,
    "llama.cpp": dialects.llama_cpp,
    "vllm": dialects.vllm,
}


@pytest.fixture
def server(loopback: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> LoopbackServer:
    """A server that answers well, on the only port that is looked at."""
    loopback.answer, loopback.pages = dialects.able, dialects.ollama("qwen3")
    look_at(monkeypatch, loopback.port)
    return loopback


def look_at(monkeypatch: pytest.MonkeyPatch, *ports: int) -> None:
    looks = partial(LOCAL_SERVERS, ports)
    monkeypatch.setattr("offbook.models.servers.local_servers", looks)


def file_of(world: World) -> Path:
    return world.folder / "config.toml"


def written(world: World) -> dict[str, Any]:
    return tomllib.loads(file_of(world).read_text("utf-8"))


def type_in(monkeypatch: pytest.MonkeyPatch, *lines: str, key: str = "") -> None:
    monkeypatch.setattr("sys.stdin", Keyboard("".join(f"{line}\n" for line in lines)))
    monkeypatch.setattr("getpass.getpass", lambda *_, **__: key)


@pytest.mark.parametrize("dialect", PAGES)
def test_a_server_of_this_machine_is_found_tried_and_used(offline: World, server, dialect):
    server.pages = PAGES[dialect]("qwen3", window=6_000)
    outcome = offline.done("setup", "-y")
    assert written(offline) == {"chat": {"model": "qwen3", "base_url": server.base_url}}
    for check in ("structured answers", "streaming", "long prompts"):
        assert f"ok   chat: {check}" in outcome.out
    assert "6000 tokens" in outcome.out
    assert "no price of the model is known" in outcome.out
    shown = offline.done("doctor", "--json").json
    assert not shown["offline"]
    assert all(check["ok"] for check in shown["checks"])


def test_the_document_is_documented_and_the_only_output(offline: World, server):
    outcome = offline.done("setup", "-y", "--json")
    assert set(keys(outcome.json)) - NAMED == set()
    assert outcome.out.count("\n") == 1
    assert (outcome.json["model"], outcome.json["written"]) == ("qwen3", True)
    assert {"name": "chat.model", "before": None, "after": "qwen3"} in outcome.json["changes"]


def test_a_key_is_kept_where_nobody_else_reads_it(offline: World, server, monkeypatch):
    server.key = KEY
    monkeypatch.setenv("MY_KEY", KEY)
    flags = ["--base-url", server.base_url, "--key-from", "MY_KEY", "-y"]
    outcome = offline.done("setup", *flags)
    assert KEY not in outcome.out + outcome.err
    assert offline.leaks(KEY) == ["config.toml"]
    assert stat.S_IMODE(file_of(offline).stat().st_mode) == 0o600
    monkeypatch.delenv("MY_KEY")
    offline.done("setup", "--base-url", server.base_url, "-y")  # the key that is there is kept
    assert written(offline)["chat"]["api_key"] == KEY


def test_a_key_does_not_follow_to_another_address(offline: World, server):
    file_of(offline).write_text(f'[chat]\nmodel="a"\nbase_url="http://e.org/v1"\napi_key="{KEY}"\n')
    offline.done("setup", "-y")
    assert offline.leaks(KEY) == []
    assert all(KEY not in str(request.headers) for request in server.requests)


def test_comments_stay_the_old_value_is_told_and_what_was_of_the_old_model_goes(
    offline: World, server
):
    file_of(offline).write_text(
        '# mine\n[chat]\n# a good one\nmodel = "old"\ncontext_tokens = 600\n[naive]\nk = 4 # four\n'
    )
    outcome = offline.done("setup", "-y")
    assert "chat.model = qwen3 (before: old)" in outcome.err
    assert "chat.context_tokens: unset (before: 600)" in outcome.err
    text = file_of(offline).read_text()
    assert all(comment in text for comment in ("# mine", "# a good one", "# four"))
    assert "context_tokens" not in text


def test_what_the_environment_sets_before_the_file_is_said(offline: World, server, monkeypatch):
    monkeypatch.setenv("OFFBOOK_CHAT_MODEL", "other")
    assert "chat.model of environment comes before" in offline.done("setup", "-y").err


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["--model", "qwen4"], 2, "no model 'qwen4'"),
        (["--key-from", "NO_SUCH_KEY"], 3, "NO_SUCH_KEY"),
        (["--provider", "opnai"], 2, "opnai"),
        (["--base-url", "localhost:11434"], 3, "not an http or https address"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(
    offline: World, server, words, code, part
):
    outcome = offline.run("setup", *words, "-y", "--json")
    assert (outcome.code, part in outcome.error["message"]) == (code, True)
    assert not file_of(offline).exists()


def test_a_wrong_key_writes_nothing(offline: World, server):
    server.key = KEY
    outcome = offline.run("setup", "--base-url", server.base_url, "-y", "--json")
    assert (outcome.code, outcome.error["kind"]) == (4, "model_failed")
    assert not file_of(offline).exists()


def test_no_server_and_several_say_what_to_name(offline: World, server, nobody, monkeypatch):
    with LoopbackServer(pages=dialects.vllm("m")) as other:
        look_at(monkeypatch, server.port, other.port)
        several = offline.run("setup", "-y", "--json")
    look_at(monkeypatch, urlsplit(nobody).port or 0)
    nobody_there = offline.run("setup", "-y", "--json")
    assert (several.code, nobody_there.code) == (2, 2)
    assert "--base-url" in several.error["hint"]
    assert "--provider" in nobody_there.error["hint"]
    assert not file_of(offline).exists()


def test_a_model_that_fails_a_probe_is_not_written_and_the_probe_is_told(offline: World, server):
    server.answer = lambda _: "I would rather not."
    outcome = offline.run("setup", "-y")
    assert outcome.code == 4
    assert "FAIL chat: structured answers" in outcome.out
    assert "no setting was written" in outcome.err
    assert not file_of(offline).exists()


def test_without_a_terminal_it_wants_to_be_told(offline: World, server):
    outcome = offline.run("setup", "--json")
    assert (outcome.code, "-y" in outcome.error["hint"]) == (2, True)
    assert server.count() == 0


def test_at_a_terminal_it_asks_for_server_key_and_model(offline: World, server, monkeypatch):
    server.pages = dialects.ollama("qwen3", "llama3.2")
    type_in(monkeypatch, "1", "2", "y")
    offline.done("setup")
    assert written(offline)["chat"]["model"] == "llama3.2"


def test_any_address_may_be_typed_with_a_key_that_is_not_shown(offline: World, server, monkeypatch):
    server.key = KEY
    type_in(monkeypatch, "99", "8", server.base_url, "y", key=KEY)
    monkeypatch.setattr("offbook.models.servers.local_servers", no_servers)
    outcome = offline.done("setup")
    assert KEY not in outcome.out + outcome.err
    assert written(offline)["chat"]["api_key"] == KEY


async def no_servers() -> list[servers.ModelServer]:
    return []


@pytest.mark.parametrize("lines", [[], ["1"], ["1", "n"]])
def test_whoever_leaves_or_says_no_finds_nothing_written(
    offline: World, server, monkeypatch, lines
):
    type_in(monkeypatch, *lines)
    outcome = offline.run("setup")
    assert outcome.code == 130
    assert "no setting was written" in outcome.err
    assert not file_of(offline).exists()


def test_ctrl_c_while_it_looks_writes_nothing(offline: World, server, monkeypatch):
    async def interrupted() -> list[servers.ModelServer]:
        raise KeyboardInterrupt

    monkeypatch.setattr("offbook.models.servers.local_servers", interrupted)
    assert offline.run("setup", "-y").code == 130
    assert not file_of(offline).exists()
