"""A character whose texts a model is still reading answers from passages, and says so."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from offbook import Offbook
from offbook.errors import IndexMissing, OffbookError
from offbook.ingestion import indexing
from offbook.ingestion.embedding import embed_chunks
from offbook.models.batching import failed_around, note_call
from offbook.stores.characters import BEING_READ
from tests.cli.texts import ADA
from tests.loopback import LoopbackServer

QUESTION = "Who taught you to trim the lamp?"


def flags(tmp_path: Path, server: LoopbackServer) -> dict[str, Any]:
    (tmp_path / "ada.md").write_text(ADA)
    return {"home": tmp_path, "chat__model": "m", "chat__base_url": server.base_url}


async def first_recall(book: Offbook):
    """Ask until the passages are there; nothing else is waited for."""
    while True:
        try:
            return await book.recall("Ada Byrne", QUESTION)
        except IndexMissing:
            await asyncio.sleep(0.02)


async def test_while_the_graph_is_made_it_answers_from_passages(loopback, tmp_path: Path):
    settings = flags(tmp_path, loopback)
    async with await Offbook.open(**settings) as book, await Offbook.open(**settings) as other:
        await book.create("Ada Byrne")
        loopback.hold(path="/chat/completions")
        reading = asyncio.create_task(book.ingest("Ada Byrne", [tmp_path / "ada.md"]))
        recalled = await asyncio.wait_for(first_recall(other), 60)
        assert not reading.done()
        assert recalled.method == "naive"
        assert any("Tom taught her" in item.text for item in recalled.context)
        assert BEING_READ in [each.why for each in recalled.skipped]
        loopback.release()
        await reading
        after = await other.recall("Ada Byrne", QUESTION)
    assert after.method == "ensemble"
    assert BEING_READ not in [each.why for each in after.skipped]


@pytest.mark.parametrize("fault", ["400", "401"])
async def test_after_a_failure_it_stays_so_until_the_same_command_has_gone_on(
    loopback, tmp_path: Path, fault: str
):
    settings = flags(tmp_path, loopback)
    async with await Offbook.open(**settings) as book:
        await book.create("Ada Byrne")
        loopback.always(fault)
        with pytest.raises(OffbookError):
            await book.ingest("Ada Byrne", [tmp_path / "ada.md"])
        loopback.forget_script()
        recalled = await book.recall("Ada Byrne", QUESTION)
        assert recalled.method == "naive"
        await book.ingest("Ada Byrne", [])
        after = await book.recall("Ada Byrne", QUESTION)
    assert after.method == "ensemble"


async def test_vectors_that_another_failure_ended_are_made_after_it(
    loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    times: list[int] = []

    async def late(*args: Any) -> Any:
        times.append(1)
        if len(times) == 1:
            note_call()  # it is out, and not given up
            # Where the failure came before, nothing fails beside this any more.
            for _ in range(200):
                if failed_around():
                    break
                await asyncio.sleep(0.01)
        return await embed_chunks(*args)

    monkeypatch.setattr(indexing, "embed_chunks", late)
    settings = flags(tmp_path, loopback)
    async with await Offbook.open(**settings) as book:
        await book.create("Ada Byrne")
        loopback.always("401")
        with pytest.raises(OffbookError):
            await book.ingest("Ada Byrne", [tmp_path / "ada.md"])
        recalled = await book.recall("Ada Byrne", QUESTION)
    assert times
    assert any("Tom taught her" in item.text for item in recalled.context)


async def test_a_method_that_somebody_named_waits_for_its_index(loopback, tmp_path: Path):
    settings = flags(tmp_path, loopback)
    async with await Offbook.open(**settings) as book:
        await book.create("Ada Byrne")
        loopback.always("401")
        with pytest.raises(OffbookError):
            await book.ingest("Ada Byrne", [tmp_path / "ada.md"])
    async with await Offbook.open(**settings, method="ensemble") as book:
        with pytest.raises(IndexMissing):
            await book.recall("Ada Byrne", QUESTION)


async def test_rules_that_go_on_with_what_a_model_began_end_it(loopback, tmp_path: Path):
    settings = flags(tmp_path, loopback)
    async with await Offbook.open(**settings) as book:
        await book.create("Ada Byrne")
        loopback.always("401")
        with pytest.raises(OffbookError):
            await book.ingest("Ada Byrne", [tmp_path / "ada.md"])
    async with await Offbook.open(home=tmp_path) as book:
        await book.ingest("Ada Byrne", [])
        after = await book.recall("Ada Byrne", QUESTION)
    assert after.method == "ensemble"
    assert BEING_READ not in [each.why for each in after.skipped]
