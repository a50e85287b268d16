from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from offbook.errors import IndexMissing, InUse, UnknownName, UsageError
from offbook.evaluation.record import OFFLINE_MARK
from offbook.evaluation.report.writing import write_report
from offbook.evaluation.runner import hold_run
from offbook.evaluation.runs import judged_now
from offbook.models.metering import Meter
from offbook.stores import evaluations
from tests.app.homes import home_with, text
from tests.evaluation.asked import stored_cells, stored_ratings

PERSONA = "# Nora Vey\n\nNora Vey mends clocks in Hull. Her brother Tom drowned in 1880.\n"
QUESTIONS = [
    {"id": f"q{n}", "question": f"Where do you mend clocks, number {n}?", "answers": ["Hull"]}
    for n in range(6)
]


def questions(folder: Path, rows: list[dict[str, Any]] = QUESTIONS) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """An open home with Nora Vey, and a file of questions beside it."""
    questions(tmp_path)
    async with home_with(tmp_path, "Nora Vey", text("nora.md", PERSONA)) as found:
        yield found


@pytest.fixture
def asked(tmp_path: Path) -> dict[str, Any]:
    """What a run of these tests asks."""
    told = {"characters": ["Nora Vey"], "methods": ["naive,vanilla"], "limit": 3}
    return {"benchmark": "file", "path": tmp_path / "questions.jsonl", **told}


async def test_a_run_is_recorded_whole(book: Offbook, asked: dict[str, Any]):
    told: list[str] = []
    report = await book.evaluation.run(**asked, notify=told.append)
    assert told == ["began file-1", "left to do, about: no calls"]
    run = report.run
    assert (run.id, run.status, run.dataset_checksum != "") == ("file-1", "finished", True)
    assert run.subjects == {"Nora Vey": "nora-vey"}
    assert run.models["judge"].model == "offline"
    assert run.prompts["reply"] >= 1
    assert (report.planned, report.cells, report.failed) == (6, 6, 0)
    assert report.judges["offline"].missing == 0
    shape = report.as_json()
    assert shape["mark"] == shape["run"]["mark"] == OFFLINE_MARK
    assert json.loads(json.dumps(shape))["run"]["id"] == "file-1"
    assert all(score["n"] >= 0 and "low" in score for score in shape["scores"])


async def test_the_same_again_goes_on_and_asks_nothing(book: Offbook, asked: dict[str, Any]):
    await book.evaluation.run(**asked)
    again = await book.evaluation.run(**asked)
    assert again.run.id == "file-1"
    assert again.done is not None
    assert (again.done.asked, again.done.rated) == (0, 0)
    other = await book.evaluation.run(**asked, new=True)
    assert other.run.id == "file-2"
    assert [line.id for line in await book.evaluation.runs()] == ["file-2", "file-1"]


async def test_a_run_grows_and_never_shrinks(book: Offbook, asked: dict[str, Any]):
    await book.evaluation.run(**asked)
    more = await book.evaluation.run(**{**asked, "limit": 5, "repeats": 2})
    assert (more.run.id, more.planned) == ("file-1", 20)
    assert more.done is not None
    assert more.done.asked == 14
    fewer = await book.evaluation.run(**asked)
    assert fewer.run.id == "file-2"


async def test_a_changed_dataset_makes_another_run_and_says_why(
    book: Offbook, asked: dict[str, Any], tmp_path: Path
):
    await book.evaluation.run(**asked)
    await book.store.write(lambda c: evaluations.change_run(c, "file-1", status="stopped"))
    questions(tmp_path, [*QUESTIONS, {"id": "new", "question": "Who drowned?"}])
    told: list[str] = []
    other = await book.evaluation.run(**asked, notify=told.append)
    assert other.run.id == "file-2"
    assert told[0].startswith("file-1 is another run: the dataset's checksum")
    with pytest.raises(UsageError, match=r"cannot be gone on with.*checksum"):
        await book.evaluation.run(**asked, resume="file-1")
    with pytest.raises(UsageError, match="is not what it was when 'file-1' began") as caught:
        await book.evaluation.show("file-1")
    assert "--path" in caught.value.hint


async def test_a_character_that_learned_something_makes_another_run(
    book: Offbook, asked: dict[str, Any]
):
    await book.evaluation.run(**asked)
    await book.ingest_texts("nora-vey", [text("more.md", "She keeps a cat.")])
    with pytest.raises(UsageError, match="what 'Nora Vey' knows"):
        await book.evaluation.run(**asked, resume="file-1")
    with pytest.raises(UnknownName, match="no run 'file-9'"):
        await book.evaluation.run(**asked, resume="file-9")


async def test_settings_of_a_variant_are_recorded_and_take_effect(
    book: Offbook, asked: dict[str, Any]
):
    report = await book.evaluation.run(
        **{**asked, "methods": ["naive[k=1]", "naive[preset=faithful;naive.splitter=acts]"]}
    )
    one, faithful = report.run.variants
    assert (one.label, one.settings["naive.k"]) == ("naive[naive.k=1]", 1)
    assert (faithful.preset, one.preset) == ("faithful", "default")
    found = await stored_cells(book.store, "file-1")
    assert {len(cell.context) for cell in found if cell.key.variant == one.label} == {1}


@pytest.mark.parametrize(
    ("changes", "error", "why"),
    [
        ({"methods": ["nave"]}, UnknownName, "no method 'nave'"),
        ({"methods": ["naive[chat.model=x]"]}, UsageError, "holds for the whole run"),
        ({"benchmark": "fil"}, UnknownName, "no benchmark 'fil'"),
        ({"path": None}, UsageError, "none was named"),
        ({"limit": 0}, UsageError, "leaves no question"),
        ({"repeats": 0}, UsageError, "ask nothing"),
        ({"metrics": ["charm"]}, UsageError, "no metric 'charm'"),
        ({"characters": ["Nobody"]}, UnknownName, "no character 'Nobody'"),
        ({"characters": []}, UsageError, "whom to ask"),
        ({"options": {"colour": "red"}}, UsageError, "no option 'colour'"),
    ],
)
async def test_what_cannot_be_asked_is_refused_before_anything_is_stored(
    book: Offbook, asked: dict[str, Any], changes: dict[str, Any], error: type[Exception], why: str
):
    with pytest.raises(error, match=why):
        await book.evaluation.run(**{**asked, **changes})
    assert await book.evaluation.runs() == []


async def test_a_missing_index_names_the_command_and_its_price(
    book: Offbook, asked: dict[str, Any]
):
    graph = {**asked, "methods": ["rolerag"]}
    with pytest.raises(IndexMissing) as caught:
        await book.evaluation.run(**graph)
    assert "offbook ingest nora-vey" in caught.value.hint
    assert "--method rolerag" in caught.value.hint
    assert await book.evaluation.runs() == []
    report = await book.evaluation.run(**graph, build=True)
    assert report.cells == 3


async def test_characters_are_made_of_the_datasets_texts_and_used_again(book: Offbook):
    demo: dict[str, Any] = {
        "benchmark": "demo",
        "limit": 2,
        "methods": ["naive"],
        "metrics": ["ke"],
    }
    with pytest.raises(UnknownName) as caught:
        await book.evaluation.run(**demo)
    assert "--create" in caught.value.hint
    first = await book.evaluation.run(**demo, create=True)
    again = await book.evaluation.run(**demo, create=True)
    assert again.run.id == first.run.id
    assert len(await book.characters()) == 2
    with pytest.raises(UsageError, match="brings no texts for 'Nora Vey'"):
        await book.evaluation.run("mbti-60", characters=["Nora Vey"], create=True)


async def test_a_run_without_failures_can_be_asked_again_where_it_failed(
    book: Offbook, asked: dict[str, Any]
):
    await book.evaluation.run(**asked)

    def fail(conn: Any) -> None:
        conn.exec_driver_sql(
            "UPDATE evaluation_cells SET reply = NULL, error = 'no' WHERE variant = 'naive'"
        )

    await book.store.write(fail)
    assert (await book.evaluation.run(**asked)).failed == 3
    again = await book.evaluation.run(**asked, retry_failed=True)
    assert again.done is not None
    assert (again.failed, again.done.asked) == (0, 3)


@pytest.mark.parametrize("changes", [{"limit": 5}, {"retry_failed": True}])
async def test_a_run_that_another_process_works_on_neither_grows_nor_loses_cells(
    book: Offbook, asked: dict[str, Any], changes: dict[str, Any]
):
    await book.evaluation.run(**asked)
    failed = "UPDATE evaluation_cells SET reply = NULL, error = 'no'"
    await book.store.write(lambda conn: conn.exec_driver_sql(failed))
    before = await book.store.read(lambda c: evaluations.require_run(c, "file-1"))
    async with hold_run(book.store, "file-1", Meter()):
        with pytest.raises(InUse):
            await book.evaluation.run(**{**asked, **changes})
        with pytest.raises(InUse):
            await book.evaluation.score("file-1", retry_missing=True)
    after = await book.store.read(lambda c: evaluations.require_run(c, "file-1"))
    assert (after.record, after.status) == (before.record, before.status)
    assert len(await stored_cells(book.store, "file-1")) == 6


async def test_judges_that_two_commands_note_are_both_noted(book: Offbook, asked: dict[str, Any]):
    await book.evaluation.run(**asked)
    stale = await book.evaluation.open("file-1")
    both = {"offline": "offline:", "stricter": "http://127.0.0.1:1/v1"}
    await book.store.write(lambda c: evaluations.change_run(c, "file-1", judges=both))
    _, judges = await judged_now(book, stale)
    assert judges == both
    assert (await book.store.read(lambda c: evaluations.require_run(c, "file-1"))).judges == both


async def test_methods_of_a_run_are_compared_on_the_same_questions(
    book: Offbook, asked: dict[str, Any]
):
    await book.evaluation.run(**asked)
    found = await book.evaluation.compare("file-1", "file-1")
    assert {(each.first, each.second) for each in found.differences} == {("vanilla", "naive")}
    by_metric = {each.metric: each for each in found.differences}
    assert by_metric["ke"].estimate.n == 3
    assert by_metric["acc"].better == "higher"
    assert found.as_json()["mark"] == OFFLINE_MARK


async def test_runs_are_compared_by_what_they_share(book: Offbook, asked: dict[str, Any]):
    await book.evaluation.run(**asked)
    await book.evaluation.run(**{**asked, "methods": ["naive"], "seed": 3})
    await book.evaluation.run(**{**asked, "methods": ["profile"]}, build=True)
    found = await book.evaluation.compare("file-1", "file-2")
    assert {each.first for each in found.differences} == {"file-1:naive"}
    only = await book.evaluation.compare("file-2", "file-3")
    assert {each.second for each in only.differences} == {"file-3:profile"}
    with pytest.raises(UsageError, match="no method in common"):
        await book.evaluation.compare("file-1", "file-3")
    with pytest.raises(UsageError, match="one method only"):
        await book.evaluation.compare("file-2", "file-2")


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({"dataset_checksum": "x"}, "is not what it was"),
        ({"benchmark_version": 9}, "not of the same benchmark version"),
        ({"prompts": {}}, "in other words"),
        ({"models": {"judge": {"model": "gpt", "base_url": "https://x/v1"}}}, "different judges"),
    ],
)
async def test_what_is_not_comparable_is_not_compared(
    book: Offbook, asked: dict[str, Any], record: dict[str, Any], why: str
):
    await book.evaluation.run(**asked)
    await book.evaluation.run(**asked, new=True)
    stored = await book.store.read(lambda c: evaluations.require_run(c, "file-2"))
    changed = {**stored.record, **record}
    await book.store.write(lambda c: evaluations.change_run(c, "file-2", record=changed))
    with pytest.raises(UsageError, match=why) as caught:
        await book.evaluation.compare("file-1", "file-2")
    assert caught.value.hint


async def test_a_run_of_an_unreadable_record_is_listed_with_the_reason_and_can_be_deleted(
    book: Offbook, asked: dict[str, Any]
):
    await book.evaluation.run(**asked)
    await book.store.write(lambda c: evaluations.change_run(c, "file-1", format=99))
    (line,) = await book.evaluation.runs()
    assert "format 99" in (line.problem or "")
    with pytest.raises(UsageError, match="format 99"):
        await book.evaluation.show("file-1")
    assert (await book.evaluation.run(**asked)).run.id == "file-2"
    await book.evaluation.delete("file-1")
    assert [each.id for each in await book.evaluation.runs()] == ["file-2"]
    with pytest.raises(UnknownName):
        await book.evaluation.delete("file-1")


async def test_a_run_that_is_deleted_leaves_nothing_in_the_home(
    book: Offbook, asked: dict[str, Any], tmp_path: Path
):
    def written() -> bytes:
        return b"".join(file.read_bytes() for file in (tmp_path / "home").iterdir())

    await book.evaluation.run(**asked)
    told = (b"file-1", b"words in common")
    assert all(words in written() for words in told)
    await book.evaluation.delete("file-1")
    await book.close()
    assert not any(words in written() for words in told)


async def test_a_forgotten_document_leaves_the_runs_that_rest_on_it(
    book: Offbook, asked: dict[str, Any], tmp_path: Path
):
    await book.evaluation.run(**asked)
    await book.forget("nora-vey", "nora.md", with_memories=True)
    found = await stored_cells(book.store, "file-1")
    assert {cell.reply is None for cell in found if cell.key.variant == "naive"} == {True}
    await book.close()
    for file in (tmp_path / "home").iterdir():
        assert b"drowned in 1880" not in file.read_bytes()


async def test_the_judge_is_told_who_a_character_of_ones_own_is(
    book: Offbook, asked: dict[str, Any]
):
    report = await book.evaluation.run(**{**asked, "methods": ["vanilla"]})
    assert report.run.chunks == {}
    found = (await book.evaluation.open("file-1")).dataset.introductions["Nora Vey"]
    assert found.text.startswith("Nora Vey mends clocks in Hull.")
    rated = await stored_ratings(book.store, "file-1")
    assert all(one.analysis for one in rated)
    await book.forget("nora-vey", "nora.md")
    left = await stored_ratings(book.store, "file-1")
    assert {one.key.metric for one in left if not one.analysis} == {"ke", "kh", "uqr"}
    assert [one.value for one in left] == [one.value for one in rated]
    assert (await book.evaluation.open("file-1")).dataset.introductions == {}


async def test_a_character_with_a_summary_is_introduced_by_it_and_the_run_is_another(
    book: Offbook, asked: dict[str, Any]
):
    life = "\n\n".join(f"Nora Vey mended clock {n} in the year {1900 + n}." for n in range(60))
    await book.ingest_texts("nora-vey", [text("life.md", life)])
    await book.evaluation.run(**{**asked, "methods": ["naive"]})
    await book.evaluation.run(**{**asked, "methods": ["profile"]}, build=True)
    character = await book.find("nora-vey")
    found = (await book.evaluation.open("file-1")).dataset.introductions["Nora Vey"]
    assert (found.text, found.documents) == (character.profile, character.profile_documents)
    notes = (await book.evaluation.show("file-1")).notes
    assert any("told of 'Nora Vey' otherwise" in note for note in notes)
    with pytest.raises(UsageError, match="who the judge is told that 'Nora Vey' is"):
        await book.evaluation.run(**{**asked, "methods": ["naive"]}, resume="file-1")


async def test_an_export_holds_cells_with_their_ratings(
    book: Offbook, asked: dict[str, Any], tmp_path: Path
):
    await book.evaluation.run(**asked)
    file = await book.evaluation.export("file-1", tmp_path / "run.jsonl")
    head, *rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert (head["type"], head["mark"], len(rows)) == ("run", OFFLINE_MARK, 6)
    assert {row["mark"] for row in rows} == {OFFLINE_MARK}
    assert all(row["text"].startswith("Where do you") for row in rows)
    assert {r["metric"] for row in rows for r in row["ratings"]} >= {"ke", "kh", "uqr", "acc"}
    for name, why in (("run.csv", "says no format"), ("no/run.jsonl", "no folder")):
        with pytest.raises(UsageError, match=why):
            await book.evaluation.export("file-1", tmp_path / name)
    assert not list(tmp_path.glob("*.part"))


async def test_ids_with_a_slash_are_no_batches_in_an_export(
    book: Offbook, asked: dict[str, Any], tmp_path: Path
):
    rows = [{**row, "id": f"chapter 1/{row['id']}"} for row in QUESTIONS]
    questions(tmp_path, rows)
    await book.evaluation.run(**{**asked, "metrics": ["ke", "acc"]})
    file = await book.evaluation.export("file-1", tmp_path / "run.jsonl")
    _, *lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [[r["metric"] for r in line["ratings"]] for line in lines] == [["acc", "ke"]] * 6
    log = await book.evaluation.export("file-1", tmp_path / "run.eval.json")
    samples = json.loads(log.read_text("utf-8"))["samples"]
    assert {tuple(sorted(sample["scores"])) for sample in samples} == {("acc", "ke")}


async def test_a_log_is_read_by_inspect_ai(book: Offbook, asked: dict[str, Any], tmp_path: Path):
    await book.evaluation.run(**asked)
    file = await book.evaluation.export("file-1", tmp_path / "run.eval.json")
    shape = json.loads(file.read_text("utf-8"))
    assert (shape["version"], shape["status"], len(shape["samples"])) == (2, "success", 6)
    log = pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed")
    read = log.read_eval_log(str(file))
    assert read.results.total_samples == 6
    assert read.samples[0].scores["ke"].value >= 1
    assert read.samples[0].metadata["mark"] == OFFLINE_MARK


async def test_frames_hold_a_row_a_cell_and_a_row_a_rating(book: Offbook, asked: dict[str, Any]):
    pytest.importorskip("pandas", reason="frames need pandas")
    report = await book.evaluation.run(**asked)
    frames = await book.evaluation.frames("file-1")
    assert (len(frames.cells), frames.mark) == (6, OFFLINE_MARK)
    assert len(frames.ratings) == report.judges["offline"].ratings
    joined = frames.ratings.merge(
        frames.cells,
        left_on=["subject", "variant", "repeat", "unit"],
        right_on=["subject", "variant", "repeat", "question"],
    )
    assert len(joined) == len(frames.ratings)
    assert (frames.cells[frames.cells.variant == "naive"].chunks > 0).all()
    assert len((await book.evaluation.frames("file-1", judge="nobody")).ratings) == 0


async def test_one_name_needs_no_list(book: Offbook, asked: dict[str, Any], tmp_path: Path):
    told = {"characters": "Nora Vey", "methods": "naive,vanilla", "metrics": "ke"}
    report = await book.evaluation.run(**{**asked, **told})
    assert (report.planned, report.run.subjects) == (6, {"Nora Vey": "nora-vey"})
    file = tmp_path / "review.csv"
    assert await book.evaluation.reviews.export("file-1", file, metrics="ke") == 6
    written = await write_report(book, "file-1", tmp_path / "report", with_pictures=False)
    assert written.runs == ("file-1",)
