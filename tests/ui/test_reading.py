"""Reading that costs is asked about first; what costs nothing begins at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from offbook.documents.readers import ReadDocument
from offbook.stores import queue
from offbook.ui import documents as reading
from tests.cli.texts import ADA
from tests.server.inside import opened

PAID = {
    "method": "rolerag",
    "extract.model": "m",
    "extract.base_url": "http://127.0.0.1:9/v1",
    "extract.api_key": "k",
}
"""An endpoint that is not there: an estimate asks nobody."""
TEXTS = (ReadDocument("ada.md", ADA, "text/markdown"),)


class Asked:
    """A person who says the same to every question."""

    def __init__(self, says: bool) -> None:
        self.says = says
        self.told: list[tuple[str, str, str]] = []

    async def __call__(self, title: str, told: str, yes: str) -> bool:
        self.told.append((title, told, yes))
        return self.says


class Behind:
    """What does the work behind requests."""

    def __init__(self, book: Offbook) -> None:
        self._book = book
        self.woken = 0

    def wake(self) -> None:
        self.woken += 1

    async def aside(self, work: Any) -> Any:
        return await work(self._book)


@pytest.fixture
def begin(visitor, monkeypatch: pytest.MonkeyPatch):
    """Begins to read; how many ingestions are queued then."""

    async def begin(book: Offbook, asked: Asked, texts: Sequence[ReadDocument] = TEXTS) -> int:
        monkeypatch.setattr(reading, "confirmed", asked)
        character, worker = await book.find("ada-byrne"), Behind(book)
        it = visitor(book, background=worker)
        begun = await reading.begin_reading(it, character, texts)
        queued = await book.store.read(queue.list_ingestions, character.id)
        assert begun is bool(queued)
        assert worker.woken == len(queued)
        return len(queued)

    return begin


@pytest.mark.parametrize("says", [True, False])
async def test_what_is_paid_for_is_asked_about_with_its_estimate(tmp_path: Path, begin, says: bool):
    asked = Asked(says)
    async with opened(tmp_path, **PAID) as book:
        await book.create("Ada Byrne")
        assert await begin(book, asked) == int(says)
    ((title, told, yes),) = asked.told
    assert (title, yes) == ("Add 1 document?", "Add")
    assert "calls" in told


async def test_texts_that_are_there_are_read_when_somebody_says_so(tmp_path: Path, begin):
    async with opened(tmp_path) as book:
        await book.create("Ada Byrne")
        await book.ingest_texts("ada-byrne", TEXTS)
    asked = Asked(False)
    async with opened(tmp_path, **PAID) as book:
        assert await begin(book, asked, texts=()) == 0
    assert asked.told[0][0] == "Read the texts of Ada Byrne?"


async def test_what_costs_nothing_begins_at_once(tmp_path: Path, begin):
    asked = Asked(False)
    async with opened(tmp_path) as book:
        await book.create("Ada Byrne")
        assert await begin(book, asked) == 1
    assert asked.told == []
