"""What another package brings works by its name, as docs/plugins says."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from offbook import registry
from offbook.app import Offbook
from offbook.documents.readers import read_content, read_document
from offbook.errors import ConfigurationError, UnreadableDocument
from offbook.rules import OfflineModel
from offbook.settings import load_settings
from offbook.settings.endpoints import endpoint_of
from tests.app.homes import opened, text
from tests.cli.texts import ADA
from tests.pages import plugin_code

THEIRS = {
    "model": "parrot:Parrot",
    "embedder": "hash64:Hash64",
    "splitter": "verse:Verse",
    "reader": "ipynb:read_notebook",
}


@pytest.fixture(autouse=True)
def _their_package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the classes that the pages show under the names that they give them."""
    package = ModuleType("their_package")
    for kind in THEIRS:
        exec(plugin_code(kind), package.__dict__)
    monkeypatch.setitem(sys.modules, "their_package", package)

    def entry_points(group: str) -> list[EntryPoint]:
        name, _, attribute = THEIRS.get(group.removeprefix("offbook."), "::").partition(":")
        return [EntryPoint(name, f"their_package:{attribute}", group)] if attribute != ":" else []

    monkeypatch.setattr(registry, "entry_points", entry_points)
    registry._table.cache_clear()
    yield
    monkeypatch.undo()
    registry._table.cache_clear()


async def test_all_three_answer_a_question(tmp_path: Path):
    flags = {"chat__model": "parrot", "embed__model": "hash64", "naive__splitter": "verse"}
    async with await opened(tmp_path, method="naive", **flags) as book:
        await book.create("Ada")
        await book.ingest_texts("ada", [text("ada.md", ADA)])
        reply = await book.ask("ada", "Who taught you to trim the lamp?")
        assert "Who taught you to trim the lamp?" in reply.text
        assert (reply.usage.calls, reply.usage.embed_calls) == (0, 0)
        assert [item.text for item in reply.recall.context if item.text in ADA.splitlines()]
        character = await book.find("ada")
        assert (character.embedder, character.dimension) == ("hash64", 64)


CELLS = [("markdown", "# Ada\n\n"), ("code", "1 + 1"), ("markdown", "Tom taught her to trim.\n")]


async def test_a_reader_takes_files_by_their_ending(tmp_path: Path):
    cells = [{"cell_type": kind, "source": [source]} for kind, source in CELLS]
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ada.IPYNB").write_text(json.dumps({"cells": cells}))
    (folder / "other.xyz").write_text("?")
    async with await opened(tmp_path, method="naive") as book:
        await book.create("Ada")
        report = await book.ingest("ada", folder)
        assert [row.name for row in report.documents] == ["ada.IPYNB"]
        assert [Path(name).name for name in report.unknown_files] == ["other.xyz"]
        reply = await book.ask("ada", "Who taught you to trim?")
        assert [item.text for item in reply.recall.context] == ["Tom taught her to trim."]


def test_what_a_reader_cannot_read_names_the_file_and_the_reader(tmp_path: Path):
    with pytest.raises(
        UnreadableDocument, match=r"'ada.ipynb' cannot be read: JSONDecodeError"
    ) as e:
        read_content("ada.ipynb", b"{")
    assert "read_notebook" in e.value.hint
    (tmp_path / "ada.xyz").write_text("?")
    with pytest.raises(UnreadableDocument, match="of a type") as e:
        read_document(tmp_path / "ada.xyz", "ada")
    assert ".ipynb" in e.value.hint


@pytest.mark.parametrize(
    ("flags", "role", "known"),
    [
        ({"chat.model": "parot"}, "chat", "offline, parrot"),
        ({"embed.model": "hash46"}, "embed", "builtin, hash64"),
    ],
)
def test_an_unknown_name_without_an_address_names_the_known_ones(flags, role, known, tmp_path):
    settings = load_settings(flags, {}, tmp_path, tmp_path / "none")
    with pytest.raises(ConfigurationError, match="nothing says where it answers") as error:
        endpoint_of(settings, role)
    assert known in error.value.hint


def test_an_unknown_splitter_is_refused_with_the_settings(tmp_path):
    with pytest.raises(ConfigurationError, match=r"no splitter 'vers'; known: .*verse"):
        load_settings({"naive.splitter": "vers"}, {}, tmp_path, tmp_path / "none")


@pytest.mark.parametrize("configured", [True, False])
async def test_the_offline_model_asks_a_configured_embedder(tmp_path: Path, configured: bool):
    flags: dict[str, Any] = {}
    if configured:
        flags = {"embed__model": "m", "embed__base_url": "http://127.0.0.1:9/v1"}
    async with await Offbook.open(home=str(tmp_path), **flags) as book:
        runtime = book.runtime()
        for model in (runtime.actor, runtime.extractor, runtime.judge):
            assert isinstance(model, OfflineModel)
            assert model.embedder is (runtime.embedder if configured else None)
