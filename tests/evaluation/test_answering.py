from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from offbook.evaluation import streaming
from offbook.evaluation.answering import fell_back
from offbook.settings import SettingsModel
from offbook.types import Boundary, Recall, Skipped
from tests.app.homes import opened, text
from tests.app.test_evaluating import questions

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


def recall(method: str, *skipped: Skipped, verdict: Any = None) -> Recall:
    boundary = None if verdict is None else Boundary(verdict)
    return Recall("N", "n", method, "default", "q", skipped=skipped, boundary=boundary)


def test_a_method_that_does_not_select_cannot_fall_back():
    settings = SettingsModel()
    assert fell_back(recall("naive"), settings) is None
    off = SettingsModel(amadeus={"gs": "off"})
    assert fell_back(recall("amadeus"), off) is None


def test_what_is_beyond_the_character_says_nothing_of_the_selection():
    beyond = Skipped("attribute", "the attributes", "beyond what the character knows")
    assert fell_back(recall("ensemble", beyond, verdict="out"), SettingsModel()) is None
    assert fell_back(recall("ensemble", verdict="in"), SettingsModel()) is False
