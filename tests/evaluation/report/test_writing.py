"""A report from the library: what it tells at once, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.errors import StoreFailed, UsageError
from offbook.evaluation.report.writing import write_report
from offbook.stores import evaluations
from tests.app.homes import home_with, opened, text
from tests.cli.texts import ADA

ROWS = (
    {"id": "q1", "question": "Who taught you to trim the lamp?", "answers": ["Thomas Byrne"]},
    {"id": "q2", "question": "Where were you born?", "answers": ["Galway"]},
)


@pytest.fixture
async def asked(tmp_path: Path) -> AsyncIterator[Offbook]:
    """A home with a finished run of one method."""
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    async with home_with(tmp_path, "Ada Byrne", text("ada.md", ADA)) as book:
        await book.evaluation.run("file", characters=["Ada Byrne"], methods=["naive"], path=file)
        yield book


async def test_two_runs_of_the_same_questions_stand_side_by_side(asked: Offbook, tmp_path: Path):
    file = tmp_path / "questions.jsonl"
    await asked.evaluation.run("file", characters=["Ada Byrne"], methods=["vanilla"], path=file)
    found = await write_report(
        asked, ["file-1", "file-2", "file-1"], tmp_path / "r", with_pictures=False
    )
    assert found.runs == ("file-1", "file-2")
    text = (tmp_path / "r" / "report.md").read_text("utf-8")
    assert "file-2: vanilla − file-1: naive" in text


async def test_what_is_missing_is_told_at_once(asked: Offbook, tmp_path: Path):
    def lose(conn):
        conn.exec_driver_sql("UPDATE evaluation_ratings SET value = NULL, missing = 'refused'")
        conn.exec_driver_sql(
            "UPDATE evaluation_cells SET reply = NULL, error = 'gone' WHERE question = 'q1'"
        )

    await asked.store.write(lose)
    found = await write_report(asked, ["file-1"], tmp_path / "r", with_pictures=False)
    assert "file-1: 1 cells have no reply" in found.notes
    assert any(note.endswith("ratings are missing") for note in found.notes)
    text = (tmp_path / "r" / "report.md").read_text("utf-8")
    assert "refused" in text
    assert "gone" in text


async def test_a_run_without_a_cell_gives_a_report(asked: Offbook, tmp_path: Path):
    await asked.store.write(lambda conn: conn.exec_driver_sql("DELETE FROM evaluation_cells"))
    await asked.store.write(lambda conn: conn.exec_driver_sql("DELETE FROM evaluation_ratings"))
    pytest.importorskip("matplotlib", reason="pictures need the extra 'eval'")
    found = await write_report(asked, ["file-1"], tmp_path / "r")
    assert "file-1: 0 of 2 cells are there" in found.notes
    assert (tmp_path / "r" / "report.html").exists()


async def test_similarity_of_another_embedder_is_left_out_and_said(asked: Offbook, tmp_path: Path):
    def change(conn):
        stored = evaluations.require_run(conn, "file-1")
        record = {**stored.record, "embedder": "bge-m3"}
        evaluations.change_run(conn, "file-1", record=record)

    await asked.store.write(change)
    found = await write_report(asked, ["file-1"], tmp_path / "r", with_pictures=False)
    assert any("embedder 'bge-m3'" in note for note in found.notes)
    assert "tables/similarity.csv" not in found.files


async def test_an_endpoint_embeds_for_a_report_only_when_it_is_told_to(
    asked: Offbook, tmp_path: Path
):
    def change(conn):
        stored = evaluations.require_run(conn, "file-1")
        evaluations.change_run(conn, "file-1", record={**stored.record, "embedder": "remote"})

    await asked.store.write(change)
    await asked.close()
    remote = {"embed__model": "remote", "embed__base_url": "http://127.0.0.1:1/v1"}
    async with await opened(tmp_path, **remote) as book:
        found = await write_report(book, ["file-1"], tmp_path / "r", with_pictures=False)
    assert any("--embed" in note for note in found.notes)


async def test_a_folder_that_cannot_be_made_is_said(asked: Offbook, tmp_path: Path):
    (tmp_path / "taken").write_text("a file", "utf-8")
    with pytest.raises(StoreFailed, match="cannot be made"):
        await write_report(asked, ["file-1"], tmp_path / "taken" / "r", with_pictures=False)
    with pytest.raises(UsageError, match="no run is named"):
        await write_report(asked, [], tmp_path / "r", with_pictures=False)
