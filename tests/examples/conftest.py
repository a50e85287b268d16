"""Fixtures: the character of ``examples/``, served with the embedded model and the default method.

Takes: nothing.  Gives: one server for all tests of a process, and the programs as modules.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from offbook.app import Offbook
from offbook.app.memories import memories_in
from offbook.documents.readers import ReadDocument
from offbook.settings import load_settings
from tests.server.served import Served

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """What the page says to do first: create, ingest, remember, serve."""
    folder = tmp_path_factory.mktemp("examples")
    settings = load_settings({"home": str(folder / "home")}, {}, folder, folder / "none")

    async def prepare() -> None:
        async with await Offbook.open(settings) as book:
            made = await book.create("Ada Byrne")
            text = (EXAMPLES / "ada.md").read_text("utf-8")
            await book.ingest_texts(made.id, [ReadDocument("ada.md", text, "text/markdown")])
            memories = (EXAMPLES / "ada-memories.jsonl").read_text("utf-8")
            await book.memories.remember(made.id, memories_in(memories, "ada-memories.jsonl"))

    asyncio.run(prepare())
    with Served(settings) as server:
        yield server


@pytest.fixture(scope="session")
def example() -> Callable[[str], ModuleType]:
    """A program of ``examples/`` as a module."""

    def load(name: str) -> ModuleType:
        known = sys.modules.get(f"example_{name}")
        if known is not None:
            return known
        spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
        return module

    return load
