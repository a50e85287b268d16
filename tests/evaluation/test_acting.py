"""CoSER: files as published, a scene acted by all of its characters, penalties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from offbook.errors import InvalidAnswer, UsageError
from offbook.evaluation.benchmark import Circumstance, Role
from offbook.evaluation.datasets.loading import load_dataset
from offbook.evaluation.protocols import QuestionsProtocol
from offbook.evaluation.record import CellKey, Variant
from offbook.evaluation.reply_metrics import Places, PlacesOf, penalized
from offbook.evaluation.solver import Solver
from offbook.models.metering import Meter
from offbook.prompts.acting import (
    DIMENSIONS,
    END,
    Flaw,
    Flaws,
    NextSpeaker,
    SceneSoFar,
    check_speaker,
    spoken,
)
from tests.app.homes import home_with
from tests.evaluation import made
from tests.evaluation.asked import stored_cells, stored_ratings
from tests.methods.world import Answering, World

PLOT: dict[str, Any] = {
    "summary": "The lock keeper hides a crate that the ferryman was to carry.",
    "key_characters": [
        {"name": "Odo Farr", "description": "A ferryman who has been cheated."},
        {"name": "Bettine Kray", "description": "She keeps the lock, and a secret."},
    ],
    "i_p": 3,
}
SAID: dict[str, Any] = {
    "scenario": "The lock house at dusk. Rain drums on the tin roof. A crate stands by the wall.",
    "topic": "Odo asks for his crate.",
    "key_characters": [
        {"name": "Odo Farr", "motivation": "He wants the crate before dark."},
        {"name": "Bettine Kray", "motivation": "She must keep him from looking."},
    ],
    "dialogues": [
        {"character": "Odo Farr", "message": "[She lies.] Where is it? (stamps his foot)"},
        {"character": "Environment", "message": "The rain\ngrows louder."},
        {"character": "Bettine Kray", "message": "[If he looks, I am lost.] Where is what?"},
    ],
}
PROFILES = {"Odo Farr": "Odo Farr is a curt ferryman. He cannot read.", "Bettine Kray": ""}
SCENE = {
    **SAID,
    "plot": PLOT,
    "book": "The Tin Canal",
    "character_profiles": PROFILES,
    "major_characters": ["Odo Farr"],
    "speaking_characters_w_env": ["Odo Farr", "Bettine Kray", "Environment"],
    "i_p": 3,
    "i_c": 0,
}


def test_set(folder: Path, *scenes: dict[str, Any]) -> Path:
    file = folder / "test_set.json"
    file.write_text(json.dumps(scenes), "utf-8")
    return file


test_set.__test__ = False  # type: ignore[attr-defined]


def test_a_scene_of_the_test_set_is_one_question_with_its_cast(tmp_path: Path):
    data = load_dataset("coser", test_set(tmp_path, SCENE))
    (question,) = data.questions
    assert (question.subject, question.text) == ("The Tin Canal", "Odo asks for his crate.")
    assert question.scene == Circumstance(
        "The Tin Canal",
        PLOT["summary"],
        SAID["scenario"],
        (
            Role(
                "Odo Farr",
                "Odo Farr is a curt ferryman. He cannot read.",
                "A ferryman who has been cheated.\nHe wants the crate before dark.",
            ),
            Role(
                "Bettine Kray",
                "Bettine Kray is a character of The Tin Canal.",
                "She keeps the lock, and a secret.\nShe must keep him from looking.",
            ),
        ),
        ("Odo Farr",),
        "Odo Farr: [She lies.] Where is it? (stamps his foot)\n"
        "Environment: The rain grows louder.\n"
        "Bettine Kray: [If he looks, I am lost.] Where is what?",
    )
    (book,) = data.subjects
    assert [each.name for each in book.documents] == ["Odo Farr.md", "Bettine Kray.md"]
    assert book.documents[0].text == "# Odo Farr\n\nOdo Farr is a curt ferryman. He cannot read.\n"


def test_a_file_of_a_book_is_read_plot_by_plot(tmp_path: Path):
    people = {name: {"profile": profile} for name, profile in PROFILES.items()}
    book = {"plots": [{**PLOT, "conversation": [SAID, SAID]}, PLOT], "character_datasets": people}
    (tmp_path / "The Tin Canal.json").write_text(json.dumps(book), "utf-8")
    (tmp_path / "The Zinc Canal.json").write_text(json.dumps(book), "utf-8")
    data = load_dataset("coser", tmp_path)
    assert [each.name for each in data.subjects] == ["The Tin Canal", "The Zinc Canal"]
    assert [len(each.documents) for each in data.subjects] == [2, 2]
    scenes = [question.scene for question in data.questions]
    assert [scene.book for scene in scenes if scene] == ["The Tin Canal", "The Zinc Canal"]
    assert any("come again" in note for note in data.notes)
    one = load_dataset("coser", tmp_path, {"book": "The Zinc Canal"})
    assert [each.name for each in one.subjects] == ["The Zinc Canal"]


@pytest.mark.parametrize("lacking", ["plot", "character_profiles", "dialogues"])
def test_a_file_that_is_not_as_published_is_refused_with_what_it_lacks(tmp_path: Path, lacking):
    scene = {name: value for name, value in SCENE.items() if name != lacking}
    with pytest.raises(UsageError, match=f"scene 1 has no '{lacking}'"):
        load_dataset("coser", test_set(tmp_path, scene))


def test_a_scene_in_which_nobody_speaks_is_left_out_and_noted(tmp_path: Path):
    silent = {**SCENE, "dialogues": [{"character": "Environment", "message": "Rain."}] * 2}
    data = load_dataset("coser", test_set(tmp_path, silent, SCENE))
    assert len(data.questions) == 1
    assert any("nobody speaks" in note for note in data.notes)


def test_a_thought_that_is_cut_off_is_not_spoken():
    assert spoken("Odo: Where is it? [She lies, and I\nBet: No.") == "Odo: Where is it?\nBet: No."


def test_thoughts_are_not_spoken():
    assert spoken("Odo: [She lies.] Where is it? (stamps)\nBet: No [Never].") == (
        "Odo: Where is it? (stamps)\nBet: No."
    )


@pytest.mark.parametrize(
    ("speaker", "may_end", "fits"),
    [("Odo", False, True), ("Odo Farr", False, False), (END, False, False), (END, True, True)],
)
def test_who_is_next_is_of_the_scene_and_it_ends_only_where_it_may(speaker, may_end, fits):
    inputs = SceneSoFar("B", "S", ("Odo", "Environment"), (), may_end)
    if fits:
        check_speaker(inputs, NextSpeaker(speaker=speaker))
    else:
        with pytest.raises(InvalidAnswer, match="name one of Odo"):
            check_speaker(inputs, NextSpeaker(speaker=speaker))


@pytest.mark.parametrize(
    ("severities", "lines", "score"),
    [((), 4, 100), ((1,), 4, 100), ((5, 3), 4, 66), ((5,) * 8, 2, 0), ((2,), 0, 90)],
)
def test_flaws_are_penalized_by_severity_less_what_long_scenes_have_free(
    tmp_path, severities, lines, score
):
    data = load_dataset("coser", test_set(tmp_path, SCENE))
    reply = "\n".join(["Odo Farr: No.", "Environment: Rain."] * lines) or "Environment: Rain."
    cell = made.cell(data.questions[0].id, reply, subject="The Tin Canal")
    (exchange,) = PlacesOf()(data).exchanges([cell])
    flaws = [Flaw(instance="x", kind="self", severity=each) for each in severities]
    assert penalized(exchange, Flaws(flaws=flaws)) == pytest.approx(score)


def test_each_dimension_is_one_judgement_that_sees_no_thoughts(tmp_path: Path):
    data = load_dataset("coser", test_set(tmp_path, SCENE))
    run = made.run(tuple(DIMENSIONS), dataset="coser")
    cell = made.cell(data.questions[0].id, "Odo Farr: [Ha.] No. (leaves)", subject="The Tin Canal")
    asked = QuestionsProtocol().judgements(run, data, [cell])
    assert [each.inputs.dimension for each in asked] == list(DIMENSIONS)
    assert {each.inputs.acted for each in asked} == {"Odo Farr: No. (leaves)"}
    assert all("If he looks" not in each.inputs.original for each in asked)
    flaws = Flaws(flaws=[Flaw(instance="He reads.", kind="knowledge", severity=4)])
    (rating,) = asked[0].read(flaws)
    assert (rating.value, rating.analysis) == (81.5, "knowledge (4): He reads.")


class Company(Answering):
    """Plays everybody: lines, and who is next, in the order that a test gives."""

    def __init__(self, lines: list[str], order: list[str]) -> None:
        super().__init__()
        self.lines, self.order = iter(lines), iter(order)

    def answers(self, inputs: Any) -> dict[str, Any]:
        return {
            "reply": lambda: next(self.lines),
            "set_scene": lambda: next(self.lines),
            "next_speaker": lambda: NextSpeaker(speaker=next(self.order)),
        }


class Canal(World):
    """The book as a character, without any documents."""

    def __init__(self, store: Any, model: Company) -> None:
        self.store, self.model, self.embedder = store, model, None

    def in_force(self) -> dict[str, Any]:
        return {"method": "vanilla"}

    async def solver(self, data: Any) -> Solver:
        await self.create(name="The Tin Canal")
        cast = {"The Tin Canal": await self.character()}
        variants = {"vanilla": Variant("vanilla", "vanilla")}
        return Solver(cast, Places(data), variants, lambda *_: self.runtime, Meter({}))


async def test_each_hears_what_the_others_say_and_not_what_they_think(sqlite_store, tmp_path):
    data = load_dataset("coser", test_set(tmp_path, SCENE))
    lines = [
        "Odo Farr: [She lies.] Where is it?\n(stamps)",
        "The rain grows louder.",
        "[I am lost.] Where is what?",
        "The crate.",
        "What crate?",
    ]
    order = ["Environment", "Bettine Kray", "Odo Farr", "Bettine Kray", END]
    model = Company(lines, order)
    solver = await Canal(sqlite_store, model).solver(data)
    cell = await solver.ask(CellKey("The Tin Canal", data.questions[0].id, "vanilla"))
    assert cell is not None
    assert (cell.reply or "").splitlines() == [
        "Odo Farr: [She lies.] Where is it? (stamps)",
        "Environment: The rain grows louder.",
        "Bettine Kray: [I am lost.] Where is what?",
        "Odo Farr: The crate.",
        "Bettine Kray: What crate?",
    ]
    replies = model.inputs("reply")
    assert [one.character for one in replies] == ["Odo Farr", "Bettine Kray"] * 2
    first, answer, again, last = replies
    assert first.question == "(The scene begins.)"
    assert answer.question == (
        "Odo Farr: Where is it? (stamps)\nEnvironment: The rain grows louder."
    )
    assert again.question == ("Environment: The rain grows louder.\nBettine Kray: Where is what?")
    assert again.history[0].content == "(The scene begins.)"
    assert last.question == "Odo Farr: The crate."
    moved = {item.title: item.text for item in answer.context}
    assert "must keep him from looking" in moved["What moves you now"]
    assert SAID["scenario"] in answer.person
    choices = model.inputs("next_speaker")
    assert all(one.lines[-1].partition(": ")[0] not in one.speakers for one in choices)
    assert [one.may_end for one in choices] == [False] * 4 + [True]
    assert not any("[" in line for one in choices for line in one.lines)


async def test_a_scene_has_no_more_lines_than_in_the_paper(sqlite_store, tmp_path):
    data = load_dataset("coser", test_set(tmp_path, SCENE))
    order = ["Bettine Kray", "Odo Farr"] * 20
    model = Company([f"Line {n}." for n in range(40)], order)
    solver = await Canal(sqlite_store, model).solver(data)
    cell = await solver.ask(CellKey("The Tin Canal", data.questions[0].id, "vanilla"))
    assert cell is not None
    assert len((cell.reply or "").splitlines()) == 20
    assert len(model.inputs("next_speaker")) == 19


async def test_a_scene_whose_next_speaker_cannot_be_had_is_a_failed_cell(sqlite_store, tmp_path):
    data = load_dataset("coser", test_set(tmp_path, SCENE))
    model = Company(["No."] * 9, ["Nobody"] * 9)
    solver = await Canal(sqlite_store, model).solver(data)
    cell = await solver.ask(CellKey("The Tin Canal", data.questions[0].id, "vanilla"))
    assert cell is not None
    assert cell.reply is None
    assert "speaker" in (cell.error or "")


async def test_a_scene_is_acted_and_judged_offline(tmp_path: Path):
    file = test_set(tmp_path, SCENE)
    async with home_with(tmp_path, "Nobody") as book:
        report = await book.evaluation.run("coser", methods=["naive"], path=file, create=True)
        (cell,) = await stored_cells(book.store, report.run.id)
        assert cell.error is None
        lines = (cell.reply or "").splitlines()
        assert lines[0].startswith("Odo Farr: ")
        assert {line.partition(": ")[0] for line in lines} == {"Odo Farr", "Bettine Kray"}
        assert len(lines) == 5
        ratings = await stored_ratings(book.store, report.run.id)
        assert {rating.key.metric for rating in ratings} == set(DIMENSIONS)
        assert report.run.mark is not None, "the offline judge measures nothing"
