"""What consults a character in its own process, with the real libraries.

They disagree with one another and with what offbook's tests have, so that each has an environment
of its own, which is thrown away.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.test_wheel import run

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


class Environment:
    """An environment with offbook and some other distribution, and a home with Ada."""

    def __init__(self, folder: Path, *distributions: str) -> None:
        self.folder, self.bin = folder, folder / "venv" / "bin"
        run(sys.executable, "-m", "venv", folder / "venv")
        install: list[str | Path] = [self.bin / "python", "-m", "pip", "install", "-q"]
        try:
            run(*install, "hatchling", *distributions)
        except AssertionError as error:
            pytest.skip(f"no index to install from: {str(error)[-300:]}")
        run(*install, ROOT)
        for words in (["create", "Ada Byrne"], ["ingest", "ada-byrne", EXAMPLES / "ada.md"]):
            self.run(self.bin / "offbook", *words)

    def run(self, *words: str | Path) -> str:
        """Run a command with this home alone; what it printed."""
        mine = {"HOME": self.folder, "OFFBOOK_HOME": self.folder / "home"}
        mine |= {"OFFBOOK_CONFIG": self.folder / "none"}
        others = {k: v for k, v in os.environ.items() if not k.startswith(("OFFBOOK_", "OPENAI_"))}
        others.pop("PYTHONPATH", None)
        done = subprocess.run(
            list(map(str, words)),
            cwd=self.folder,
            env=others | {name: str(value) for name, value in mine.items()},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def example(self, name: str) -> str:
        """Run a program of ``examples/``."""
        return self.run(self.bin / "python", EXAMPLES / name)


def test_llamaindex_retriever(tmp_path: Path):
    printed = Environment(tmp_path, "llama-index-core").example("llamaindex_retriever.py")
    assert "knowledge: " in printed
    assert "watch" in printed.partition("knows of")[0]
    assert printed.endswith("knows of the watch before he came: False\n")


def test_pydantic_ai_tool(tmp_path: Path):
    printed = Environment(tmp_path, "pydantic-ai-slim").example("pydantic_ai_tool.py")
    assert '"ask_character":' in printed
    assert '"recall":' in printed


def test_mcp_client(tmp_path: Path):
    lines = Environment(tmp_path, "mcp>=2.0").example("mcp_client.py").splitlines()
    assert lines[0] == "tools: list_characters, ask_character, recall"
    assert "'id': 'ada-byrne'" in lines[1]
    assert "watch" in lines[2]
    assert lines[3:] == ["knows of the watch before he came: False", "an error: True True"]
