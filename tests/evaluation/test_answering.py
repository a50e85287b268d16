from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from offbook.evaluation import streaming
from tests.app.evaluation.test_evaluating import questions
from tests.app.homes import opened, text

PLAIN = "# Nora Vey\n\nThe harbour has two piers.\n\nThe tide turns twice a day.\n"
REVEALING = "# Nora Vey\n\nNora Vey waited nine years for the boat and never asked for help.\n"


@pytest.mark.parametrize("method", ["amadeus", "ensemble"])
@pytest.mark.parametrize(("persona", "expected"), [(PLAIN, True), (REVEALING, False)])
async def test_whether_guided_selection_found_nothing_is_recorded(
    tmp_path: Path, method: str, persona: str, expected: bool
):
    row = {"id": "q", "question": "Are you patient?"}
    file = questions(tmp_path, [row])
    async with await opened(tmp_path, method=method) as book:
        await book.create("Nora Vey")
        await book.ingest_texts("nora-vey", [text("nora.md", persona)])
        told: dict[str, Any] = {"characters": ["Nora Vey"], "path": file}
        await book.evaluation.run("file", **told)
        (cell,) = [cell async for cell in streaming.cells(book.store, "file-1")]
    assert cell.fallback is expected


@pytest.mark.parametrize(("method", "flags"), [("naive", {}), ("amadeus", {"amadeus__gs": "off"})])
async def test_what_does_not_select_cannot_fall_back(
    tmp_path: Path, method: str, flags: dict[str, Any]
):
    async with await opened(tmp_path, method=method, **flags) as book:
        await book.create("Nora Vey")
        await book.ingest_texts("nora-vey", [text("nora.md", REVEALING)])
        found, _ = await book.recall("nora-vey", "Are you patient?")
    assert found.fallback is None
