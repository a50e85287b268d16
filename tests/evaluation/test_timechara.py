"""TimeChara: rows as published, points in the story, one verdict on all facts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from offbook.errors import UsageError
from offbook.evaluation.datasets.loading import load_dataset
from offbook.evaluation.protocols import QuestionsProtocol
from tests.app.homes import home_with, text
from tests.evaluation import made
from tests.evaluation.asked import stored_cells

EARLY = "# One\n\nNora Vey learned to mend clocks in Hull from old Marten."
LATE = "# Two\n\nNora Vey sold the great clock of Riga to a sea captain called Brandt."
ROW = {
    "series": "clocks",
    "character": "Nora Vey",
    "data_type": "future",
    "character_period": "before Riga",
    "question": "To whom did you sell the great clock of Riga?",
    "question_period": "after Riga",
    "participants": "['Nora Vey']",
    "temporal_label": "future: the clock of Riga is sold after this moment",
    "spatial_label": "-",
}
THERE = {
    **ROW,
    "data_type": "past-presence",
    "character_period": "after Riga",
    "temporal_label": "past: the clock was sold",
    "spatial_label": "past-presence: Nora was there",
}


def written(folder: Path, *rows: dict[str, str]) -> Path:
    (folder / "timechara.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    points = {"before Riga": "one.md", "after Riga": "two.md"}
    (folder / "points.json").write_text(json.dumps(points), "utf-8")
    return folder / "timechara.jsonl"


def test_rows_are_read_as_published_with_their_points(tmp_path: Path):
    file = written(tmp_path, ROW, THERE)
    data = load_dataset("timechara", file, {"points": str(tmp_path / "points.json")})
    found = [(q.kind, q.scope, q.as_of, len(q.facts)) for q in data.questions]
    assert found == [("future", "out", "one.md", 1), ("past-presence", "in", "two.md", 2)]
    told = load_dataset("timechara", file)
    assert told.questions[0].text.startswith("(It is before Riga.) To whom")
    assert any("bounds nothing" in note for note in told.notes)
    other = written(tmp_path, {**ROW, "character_period": "in spring"})
    with pytest.raises(UsageError, match="no point for 'in spring'"):
        load_dataset("timechara", other, {"points": str(tmp_path / "points.json")})


def test_a_reply_is_judged_once_against_all_facts(tmp_path: Path):
    data = replace(load_dataset("timechara", written(tmp_path, THERE)), subjects=(made.NORA,))
    (question,) = data.questions
    run = made.run(("spacetime",), dataset="timechara")
    (judgement,) = QuestionsProtocol().judgements(run, data, [made.cell(question.id)])
    assert judgement.inputs.facts == (THERE["temporal_label"], THERE["spatial_label"])


async def test_what_comes_later_is_not_recalled(tmp_path: Path):
    file = written(tmp_path, ROW, THERE)
    texts = text("one.md", EARLY), text("two.md", LATE)
    async with home_with(tmp_path, "Nora Vey", *texts) as book:
        options = {"points": str(tmp_path / "points.json")}
        await book.evaluation.run(
            "timechara", characters=["Nora Vey"], methods=["naive"], path=file, options=options
        )
        cells = {cell.key.question: cell for cell in await stored_cells(book.store, "timechara-1")}
        before, after = (str(cells[name].context) for name in ("tc-00001", "tc-00002"))
        assert "Brandt" not in before
        assert "Brandt" in after
