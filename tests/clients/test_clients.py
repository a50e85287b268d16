"""The real clients of other people: each in a throw-away environment, as they pin one another.

Run by `make test-clients`, as they come from the package index. None of them is a dependency.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.answers import Answer, default_answer, minimal_instance
from tests.loopback.server import LoopbackServer
from tests.server.served import MODEL, Served, settings_in, with_ada

PROGRAMS = Path(__file__).parent / "programs"
MINUTE = 60
PACKAGES = {
    "openai_sdk": "openai",
    "openai_agents": "openai-agents",
    "pydantic_agent": "pydantic-ai-slim[openai]",
    "langchain_responses": "langchain-openai",
    "litellm_responses": "litellm",
    "llama_index": "llama-index-llms-openai-like",
}


def calling(body: Mapping[str, Any]) -> Answer:
    """Call the first tool that is offered, until the prompt tells what it gave."""
    if not body.get("tools") or "gave:" in body["messages"][-1]["content"]:
        return default_answer(body)
    function = body["tools"][0]["function"]
    arguments = minimal_instance(function["parameters"])
    return Answer("", "tool_calls", calls={function["name"]: arguments})


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server as it is by default."""
    settings = settings_in(tmp_path_factory.mktemp("offline"))
    asyncio.run(with_ada(settings))
    with Served(settings) as server:
        yield server


@pytest.fixture(scope="module")
def with_tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a model behind it, whose character calls tools."""
    folder = tmp_path_factory.mktemp("calling")
    asyncio.run(with_ada(settings_in(folder)))
    with LoopbackServer(answer=calling) as endpoint:
        flags: Any = {"chat__model": "loopback", "chat__base_url": endpoint.base_url}
        tools = settings_in(folder, extract__model="offline", server__tools_of=MODEL, **flags)
        with Served(tools) as server:
            yield server


@pytest.mark.parametrize("program", sorted(path.stem for path in PROGRAMS.glob("*.py")))
def test_a_client_of_others(program: str, tmp_path: Path, offline: Served, with_tools: Served):
    python = tmp_path / "own" / "bin" / "python"
    run(sys.executable, "-m", "venv", tmp_path / "own")
    installed = run(python, "-m", "pip", "install", "-q", PACKAGES[program], may_fail=True)
    if installed.returncode:
        pytest.skip(f"{PACKAGES[program]} could not be installed: {installed.stderr[-300:]}")
    run(python, PROGRAMS / f"{program}.py", offline.base_url, with_tools.base_url)


def run(*words: str | Path, may_fail: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command away from the sources and their environment."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, words)), env=clean, capture_output=True, text=True, timeout=10 * MINUTE
    )
    assert may_fail or done.returncode == 0, done.stdout + done.stderr
    return done
