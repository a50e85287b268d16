"""Recorded replies and ratings become a run: scored as any other, refused with their line."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from offbook.errors import UnknownName, UsageError
from offbook.evaluation import storage
from offbook.evaluation.metrics.typology import written
from offbook.evaluation.personality import personalities
from offbook.evaluation.record import OFFLINE_MARK
from offbook.evaluation.scores import Measured
from tests.app.homes import home_with, text
from tests.evaluation.asked import stored_cells, stored_ratings

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
QUESTIONS = [
    {"id": "q1", "question": "Who trims the lamp?", "answers": ["Ada"]},
    {"id": "q2", "question": "Where are you from?", "answers": ["Galway"]},
]


def row(question: str = "q1", reply: str = "I do.", **more: Any) -> dict[str, Any]:
    return {"character": "Ada", "question": question, "method": "theirs", "reply": reply} | more


def lines(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return file


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    lines(tmp_path, "questions.jsonl", QUESTIONS)
    async with home_with(tmp_path, "Ada", text("ada.md", "Ada trims the lamp.")) as home:
        yield home


async def imported(book: Offbook, folder: Path, rows: list[dict[str, Any]]) -> Any:
    return await book.evaluation.import_(
        "file", lines(folder, "rows.jsonl", rows), path=folder / "questions.jsonl"
    )


async def test_replies_and_ratings_become_a_run_by_whoever_rated(book: Offbook, tmp_path: Path):
    rows = [
        row(ratings={"ke": 9, "acc": 1}, rated_by="Ines"),
        row("Where are you from?", "Dublin.", ratings={"ke": 2, "acc": 0}, rated_by="Ines"),
        row(method="another"),
    ]
    report = await imported(book, tmp_path, rows)
    assert [each.label for each in report.run.variants] == ["theirs", "another"]
    assert (report.run.models["judge"].model, report.run.mark) == ("Ines", None)
    scores = {(s.metric, s.variant): s.estimate for s in report.scores if s.group == "all"}
    assert (scores["ke", "theirs"].mean, scores["acc", "theirs"].mean) == (5.5, 0.5)
    assert (scores["ke", "another"].mean, scores["ke", "another"].missing) == (None, 1)
    assert ("calls", "theirs") not in scores, "what they cost nobody knows"
    cells = await stored_cells(book.store, "file-1")
    assert {(c.key.question, c.reply) for c in cells} == {("q1", "I do."), ("q2", "Dublin.")}


async def test_a_judge_rates_what_was_imported_and_no_reply_is_asked(book: Offbook, tmp_path: Path):
    await imported(book, tmp_path, [row(ratings={"ke": 9}, rated_by="Ines")])
    report = await book.evaluation.score("file-1")
    assert (report.run.models["judge"].model, report.run.mark) == ("offline", OFFLINE_MARK)
    assert report.done is not None
    assert (report.done.asked, report.cells) == (0, 1)
    (theirs,) = await stored_ratings(book.store, "file-1", "Ines")
    assert theirs.value == 9
    shown = await book.evaluation.show("file-1", judge="Ines")
    assert [s.estimate.mean for s in shown.scores if s.metric == "ke"][:1] == [9]


async def test_ratings_of_the_offline_rules_stay_marked(book: Offbook, tmp_path: Path):
    report = await imported(book, tmp_path, [row(ratings={"ke": 9}, rated_by="offline")])
    assert report.run.mark == OFFLINE_MARK


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (row("q9"), "line 2: the dataset has no question 'q9' for 'Ada'"),
        (row(), "line 2: a second reply of 'theirs' to 'q1'"),
        (row("q2", " "), "line 2: a question needs a reply"),
        (row("q2", replay="?"), "line 2: replay: Extra inputs"),
        (row("q2", ratings={"ke": 11}, rated_by="I"), "line 2: ke 11 is not a whole number from 1"),
        (row("q2", ratings={"ke": "9"}, rated_by="I"), "line 2: ratings.ke: Input should be"),
        (row("q2", ratings={"kf": 1}, rated_by="I"), "line 2: 'file' has no metric 'kf'"),
        (row("q2", ratings={"ke": 1}), "line 2: ratings need rated_by"),
        (row("q2", unit="E/I/1"), "line 2: a row has either a question or a unit"),
        ({"character": "Ada", "method": "m", "unit": "E/I/1"}, "line 2: a unit needs ratings"),
    ],
)
async def test_a_bad_row_is_refused_with_its_line_and_nothing_is_taken(
    book: Offbook, tmp_path: Path, bad: dict[str, Any], why: str
):
    with pytest.raises(UsageError, match="nothing was taken over") as caught:
        await imported(book, tmp_path, [row(), bad])
    assert why in caught.value.message
    assert await book.evaluation.runs() == []


async def test_a_subject_without_a_character_is_named(book: Offbook, tmp_path: Path):
    with pytest.raises(UnknownName, match="Bo"):
        await imported(book, tmp_path, [row() | {"character": "Bo"}])


@pytest.mark.parametrize("tie", ["first", "second"])
async def test_a_recorded_interview_is_reproduced_to_the_digit(tmp_path: Path, tie: str):
    recording = SHARED / "interviews" / "incharacter_hutao_16p_final.json"
    if not recording.exists():
        pytest.skip("no recorded interviews beside the repository")
    final = json.loads(recording.read_text("utf-8"))
    head = {"character": "hutao-zh", "method": "ChatHaruhi"}
    rows: list[dict[str, Any]] = []
    code = final.pop("code")
    for dimension, each in final.items():
        for number, batch in enumerate(each["details"][0], 1):
            rows += [
                head | {"question": answer["id"], "reply": answer["response_open"]}
                for answer in batch["responses"]
            ]
            rating = {"16p_batch": batch["score"]}
            unit = f"{dimension}/{number}"
            rows.append(head | {"unit": unit, "ratings": rating, "rated_by": "gpt-3.5"})
    async with home_with(
        tmp_path, "胡桃", text("h.md", "往生堂堂主。"), evaluation__tie=tie
    ) as book:
        told: dict[str, Any] = {
            "path": SHARED / "questionnaires",
            "characters": ["hutao-zh=胡桃"],
        }
        report = await book.evaluation.import_(
            "incharacter-16p", lines(tmp_path, "rows.jsonl", rows), **told
        )
        assert report.cells == 60
        found = {
            s.group.partition("dimension=")[2]: s.estimate.mean
            for s in report.scores
            if s.metric == "16p_batch.score"
        }
        assert found == {name: pytest.approx(each["score"]) for name, each in final.items()}
        assert report.run.tie == tie
        opened = await book.evaluation.open(report.run.id)
        measured = await storage.with_stream(
            book.store, opened.run, lambda *both: Measured(opened.run, opened.dataset, *both)
        )
        (one,) = personalities(measured)
        assert written(one.letters) == code == "ENFP"
        rows[-1] = rows[-1] | {"unit": "P/J/9"}
        with pytest.raises(UsageError, match="make no batch 'P/J/9'"):
            await book.evaluation.import_(
                "incharacter-16p", lines(tmp_path, "rows.jsonl", rows), **told
            )
