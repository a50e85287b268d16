"""What an ingestion would cost is known before a call is made."""

from __future__ import annotations

import asyncio

import pytest

from offbook import demo
from offbook.app import Offbook
from offbook.app.estimate import CountingModel, estimate_ingestion
from offbook.documents.readers import ReadDocument
from offbook.errors import BudgetReached, UnknownName
from offbook.ingestion.reports import Estimate
from offbook.models.metering import Meter
from offbook.prompts.ask import request_of
from offbook.prompts.probes import PROBE_STRUCTURED, StructuredProbeInputs
from offbook.settings import load_settings
from offbook.types import TaskUsage
from tests.end_to_end.cast import chronicle
from tests.loopback import LoopbackServer
from tests.loopback.graph import answer_about_a_graph
from tests.models.fakes import Scripted


@pytest.fixture
def server():
    with LoopbackServer(answer=answer_about_a_graph) as running:
        yield running


@pytest.fixture
def opened(server, tmp_path, monkeypatch):
    """Opens the same home, as one command after another does."""
    monkeypatch.setenv("OFFBOOK_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.chdir(tmp_path)

    async def open_it(**more) -> Offbook:
        told = {"chat.model": "m", "chat.base_url": server.base_url, "method": "rolerag", **more}
        return await Offbook.open(load_settings({"home": str(tmp_path / "home"), **told}))

    return open_it


async def estimated(book: Offbook, *readings: ReadDocument) -> Estimate:
    character = await book.find("Keeper")
    return await estimate_ingestion(book.runtime(), character, readings)


@pytest.mark.parametrize(
    "text", [demo.persona_text(), chronicle(30), chronicle(150)], ids=["demo", "short", "long"]
)
async def test_the_calls_are_within_a_fifth_of_what_is_made(opened, server, text):
    reading = ReadDocument("one.md", text, "markdown")
    async with await opened() as book:
        await book.create("Keeper")
        told = await estimated(book, reading)
        assert server.count() == 0, "an estimate asks nobody"
        usage = (await book.ingest_texts("Keeper", [reading])).usage
    assert 0.8 * usage.calls <= told.calls <= 1.2 * usage.calls, (told, usage)
    assert told.by_task["extract"].calls == usage.by_task["extract"].calls
    missed = [task.calls for name, task in usage.by_task.items() if name not in told.by_task]
    assert sum(missed) <= 2, "real models find other entities"
    assert sum(task.calls for task in told.by_task.values()) == told.calls
    exact, sent = told.by_task["extract"].prompt_tokens, usage.by_task["extract"].prompt_tokens
    assert exact == sent


async def test_what_is_done_costs_nothing_and_an_edit_little(opened):
    reading = ReadDocument("one.md", chronicle(200), "markdown")
    async with await opened() as book:
        await book.create("Keeper")
        whole = (await book.ingest_texts("Keeper", [reading])).usage.calls
    edited = ReadDocument("one.md", chronicle(201), "markdown")
    async with await opened() as book:
        assert (await estimated(book, reading)).calls == 0
        assert (await estimated(book)).calls == 0
        told = await estimated(book, edited)
        usage = (await book.ingest_texts("Keeper", [edited])).usage
    assert told.by_task["extract"].calls == usage.by_task["extract"].calls == 1
    assert usage.calls < whole / 2
    assert 0.8 * usage.calls <= told.calls <= 1.2 * usage.calls, (told, usage)


@pytest.mark.parametrize("judged", [0, 2], ids=["extracted", "partly judged"])
@pytest.mark.parametrize(
    "text", [demo.persona_text(), chronicle(30), chronicle(150)], ids=["demo", "short", "long"]
)
async def test_what_a_stopped_indexing_has_left_to_ask_is_counted(opened, text, judged):
    reading = ReadDocument("one.md", text, "markdown")
    async with await opened() as book:
        await book.create("Keeper")
        first = (await estimated(book, reading)).by_task["extract"].calls
    async with await opened(**{"limits.budget_calls": first + judged}) as book:
        with pytest.raises(BudgetReached):
            await book.ingest_texts("Keeper", [reading])
    async with await opened() as book:
        told = await estimated(book, reading)
        usage = (await book.ingest_texts("Keeper", [reading])).usage
    assert "extract" not in usage.by_task, "all chunks had been extracted"
    assert 0.8 * usage.calls <= told.calls <= 1.2 * usage.calls, (told, usage)
    assert set(usage.by_task) <= set(told.by_task)
    judging = [each.by_task.get("who_is_who", TaskUsage()).calls for each in (told, usage)]
    assert abs(judging[0] - judging[1]) <= 2


async def test_equal_calls_side_by_side_are_counted_once(sqlite_store):
    meter = Meter({})
    model = CountingModel(Scripted(), sqlite_store, meter)
    request = request_of(PROBE_STRUCTURED, StructuredProbeInputs(("anchor", "lantern")))
    first, second = await asyncio.gather(model.complete(request), model.complete(request))
    assert first == second
    assert meter.usage().calls == 1


async def test_documents_are_estimated_in_the_order_in_which_they_would_be_read(opened, tmp_path):
    one, two = (tmp_path / name for name in ("one.md", "two.md"))
    one.write_text(chronicle(12))
    two.write_text(chronicle(30).partition("Year 12")[2])
    async with await opened() as book:
        await book.create("Keeper")
        with pytest.raises(UnknownName, match="no document"):
            await book.estimate("Keeper", [one, two], order=["three.md"])
        forth = await book.estimate("Keeper", [one, two], order=["one.md", "two.md"])
        back = await book.estimate("Keeper", [one, two], order=["two.md", "one.md"])
        usage = (await book.ingest("Keeper", [one, two], order=["two.md", "one.md"])).usage
    assert back.prompt_tokens != forth.prompt_tokens
    assert 0.8 * usage.calls <= back.calls <= 1.2 * usage.calls
