"""Scripts of many turns: one conversation each, rated by turn, drift; resumed where it stopped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from offbook.errors import UsageError
from offbook.evaluation.benchmark import limited
from offbook.evaluation.datasets.loading import load_dataset
from offbook.evaluation.record import CellKey
from offbook.evaluation.reply_metrics import Places
from offbook.evaluation.report.writing import write_report
from offbook.evaluation.scripts import ScriptProtocol
from offbook.stores import conversations
from tests.app.homes import home_with, text
from tests.cli.texts import ADA
from tests.evaluation import made
from tests.evaluation.asked import stored_cells

TURNS = [
    {"say": "My dog is called Biscuit, and I drive a yellow van.", "check": ["persona"]},
    "Good evening.",
    *(f"What do you do on day {n} of the week, I wonder?" for n in range(1, 29)),
    {"say": "What is my dog called?", "answers": ["Biscuit"]},
    "Good evening.",
]


def scripts(folder: Path, *rows: object) -> Path:
    file = folder / "scripts.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return file


def test_a_script_is_read_turn_by_turn_and_the_same_words_may_come_again(tmp_path: Path):
    data = load_dataset("scripts", scripts(tmp_path, {"id": "s1", "turns": TURNS}))
    assert len(data.questions) == len(TURNS)
    first, *_, recall, last = data.questions
    assert (first.id, first.script, first.turn, first.checks) == ("s1/001", "s1", 1, ("persona",))
    assert (recall.answers, recall.subject) == (("Biscuit",), None)
    assert last.text == data.questions[1].text
    assert len(limited(data.questions, 1, 0)) == len(TURNS), "a limit counts scripts"


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"id": "s1"}, "has no 'turns'"),
        ({"turns": ["Hello.", {"answers": ["x"]}]}, "turn 2 says nothing"),
        ({"turns": [{"say": "Hello.", "check": ["mood"]}]}, "no check 'mood'"),
    ],
)
def test_a_script_that_cannot_be_said_is_refused(tmp_path: Path, row, why):
    with pytest.raises(UsageError, match=why):
        load_dataset("scripts", scripts(tmp_path, row))


def test_a_turn_is_rated_with_what_bears_on_it_and_by_its_checks(tmp_path: Path):
    data = load_dataset("scripts", scripts(tmp_path, {"id": "s1", "turns": TURNS}))
    data = replace(data, subjects=(made.NORA,))
    run = made.run(("persona", "consistency", "acc"), dataset="scripts")
    cells = [made.cell(q.id, f"I answer {q.turn}.") for q in data.questions]
    asked = {
        (each.keys[0].unit, each.keys[0].metric): each
        for each in ScriptProtocol().judgements(run, data, cells)
    }
    assert [metric for unit, metric in asked if unit == "s1/001"] == ["persona"]
    assert [metric for unit, metric in asked if unit == "s1/002"] == ["persona", "consistency"]
    recall = [metric for unit, metric in asked if unit == "s1/031"]
    assert recall == ["persona", "consistency", "acc"]
    earlier = asked["s1/031", "consistency"].inputs.earlier
    assert any("Biscuit" in turn for turn in earlier), "found by its words, thirty turns before"
    assert len(earlier) <= 8
    assert "I answer 30." in earlier[-1]
    assert Places(data).is_spoken(CellKey("Nora Vey", "s1/001", "naive"))


def test_drift_is_the_last_third_less_the_first(tmp_path: Path):
    data = load_dataset("scripts", scripts(tmp_path, {"id": "s1", "turns": TURNS}))
    data = replace(data, subjects=(made.NORA,))
    run = made.run(("persona",), dataset="scripts")
    cells = [made.cell(q.id) for q in data.questions]
    ratings = [made.rating("persona", q.id, 9.0 if q.turn < 17 else 5.0) for q in data.questions]
    scores = ScriptProtocol().scores(run, data, cells, ratings)
    found = {(score.metric, score.group): score.estimate for score in scores}
    assert found["persona_drift", "all"].mean == -4.0
    assert (found["persona", "turn=001"].mean, found["persona", "turn=032"].mean) == (9.0, 5.0)


async def test_a_script_is_one_conversation_that_goes_on_where_it_stopped(tmp_path: Path):
    file = scripts(tmp_path, {"id": "s1", "character": "Ada Byrne", "turns": TURNS})
    wanted = {"characters": ["Ada Byrne"], "methods": ["naive", "vanilla"], "path": file}
    async with home_with(tmp_path, "Ada Byrne", text("ada.md", ADA)) as book:
        report = await book.evaluation.run("scripts", **wanted)
        assert (report.cells, report.failed) == (2 * len(TURNS), 0)
        ada = await book.find("Ada Byrne")
        talks = await book.store.read(conversations.list_all, ada.id)
        assert len({talk.principal for talk in talks}) == len(talks) == 2, "one a method"
        before = {cell.key: cell.reply for cell in await stored_cells(book.store, "scripts-1")}

        def lose(conn):
            conn.exec_driver_sql("DELETE FROM evaluation_cells WHERE question > 's1/020'")

        await book.store.write(lose)
        await book.evaluation.run("scripts", **wanted)
        after = {cell.key: cell.reply for cell in await stored_cells(book.store, "scripts-1")}
        assert after == before, "what was said already is not said again"
        await write_report(book, ["scripts-1"], tmp_path / "r", with_pictures=False)
        curve = (tmp_path / "r" / "tables" / "scores.csv").read_text("utf-8")
        assert "turn=032" in curve
        assert "persona_drift" in curve
        assert "Scores by turn" in (tmp_path / "r" / "report.md").read_text("utf-8")
