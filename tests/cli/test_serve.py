"""``offbook serve``: it starts, answers, ends tidily; and says why it does not."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from offbook.cli import main as cli
from tests.loopback.server import LoopbackServer
from tests.waiting import PATIENCE_SECONDS, until

PROGRAM = [sys.executable, "-c", "from offbook.cli.main import run; run()"]
PATIENT = f"""
from offbook.server import serving, stopping
serving.GRACE_SECONDS = stopping.FAREWELL_SECONDS = {PATIENCE_SECONDS}
{PROGRAM[-1]}
"""
"""The same, except that a signal alone breaks off what is under way, and no time that is over."""


def environment(home: Path) -> dict[str, str]:
    """Nothing of this machine's settings."""
    kept = {name: value for name, value in os.environ.items() if "OFFBOOK" not in name}
    return {**kept, "OFFBOOK_HOME": str(home), "OFFBOOK_METHOD": "vanilla"}


@contextmanager
def serving(
    home: Path, *options: str, program: str = PROGRAM[-1]
) -> Iterator[tuple[subprocess.Popen[Any], str]]:
    """A running ``offbook serve`` and its address."""
    log = home.parent / "log.txt"
    with log.open("w") as out:
        process = subprocess.Popen(
            [*PROGRAM[:-1], program, "serve", "--port", "0", *options],
            stderr=out, stdout=out, env=environment(home), cwd=home.parent,
        )  # fmt: skip
        try:
            until(lambda: "Ctrl-C ends it" in log.read_text() or process.poll() is not None)
            assert process.poll() is None, log.read_text()
            told = log.read_text().partition("serving at ")[2]
            yield process, told.partition("/v1")[0]
        finally:
            process.kill()
            process.wait()


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_until_it_is_ended(tmp_path, number):
    home = tmp_path / "home"
    subprocess.run([*PROGRAM, "create", "Ada"], check=True, env=environment(home),
                   capture_output=True)  # fmt: skip
    with serving(home) as (process, address):
        body = {"model": "ada", "messages": [{"role": "user", "content": "Who are you?"}]}
        found = httpx.post(f"{address}/v1/chat/completions", json=body, timeout=PATIENCE_SECONDS)
        assert found.status_code == 200
        process.send_signal(number)
        assert process.wait(PATIENCE_SECONDS) == 0
    log = (tmp_path / "log.txt").read_text()
    assert "models: ada" in log
    # Nobody is told an address at which nothing is answered yet.
    assert log.index("startup complete") < log.index("serving at")
    assert "Traceback" not in log


@pytest.mark.long
def test_a_second_signal_ends_it_at_once_and_streams_are_told(tmp_path):
    home = tmp_path / "home"
    subprocess.run([*PROGRAM, "create", "Ada"], check=True, env=environment(home),
                   capture_output=True)  # fmt: skip
    with LoopbackServer() as endpoint:
        endpoint.hold_reply()
        model = ("--model", "loopback", "--base-url", endpoint.base_url)
        with serving(home, *model, program=PATIENT) as (process, address):
            body = {"model": "ada", "messages": [{"role": "user", "content": "Who are you?"}]}
            path = f"{address}/v1/chat/completions"
            asked: Any = {"json": {**body, "stream": True}, "timeout": PATIENCE_SECONDS}
            with httpx.stream("POST", path, **asked) as answer:
                lines = answer.iter_lines()
                assert any("I hear" in line for line in lines)
                process.send_signal(signal.SIGTERM)
                until(lambda: "Shutting down" in (tmp_path / "log.txt").read_text())
                process.send_signal(signal.SIGTERM)
                rest = [line for line in lines if line]
            assert '"code":"stopping"' in rest[-2]
            assert rest[-1] == "data: [DONE]"
            assert process.wait(PATIENCE_SECONDS) == 130
    log = (tmp_path / "log.txt").read_text()
    assert "Traceback" not in log
    assert log.rstrip().endswith("offbook: interrupted; what was done is kept")


def run(capsys, *arguments: str) -> tuple[int, str]:
    code = cli.main(list(arguments))
    return code, capsys.readouterr().err


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    """A home of the test's own."""
    for name in list(os.environ):
        if name.startswith("OFFBOOK"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OFFBOOK_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("left_out", ["fastapi", "uvicorn", "prometheus_client"])
def test_each_package_that_it_cannot_do_without_is_named(capsys, monkeypatch, left_out):
    there = find_spec
    monkeypatch.setattr(
        "offbook.cli.server.find_spec", lambda name: None if name == left_out else there(name)
    )
    code, told = run(capsys, "serve")
    assert code == 3
    assert f"the server needs {left_out}, which" in told


def test_others_than_this_machine_are_served_with_keys_only(capsys):
    code, told = run(capsys, "serve", "--host", "0.0.0.0", "--port", "0")
    assert code == 3
    assert "offbook key add" in told


def test_a_port_that_is_taken_is_told(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, told = run(capsys, "serve", "--port", str(taken.getsockname()[1]))
    assert code == 3
    assert "--port" in told
