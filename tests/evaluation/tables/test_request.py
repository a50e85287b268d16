"""Published tables against a loopback server: run, shared, found again, planned, offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from offbook.errors import UnknownName, UsageError
from offbook.evaluation.metrics.statistics import Estimate
from offbook.evaluation.record import OFFLINE_MARK
from offbook.evaluation.tables.catalogue import TABLES
from offbook.evaluation.tables.request import filled_table, table_plan
from offbook.evaluation.tables.runs import TableRequest
from tests.app.homes import opened, text
from tests.loopback.judge_answers import judge_answer
from tests.loopback.server import LoopbackServer

PERSONA = {
    "Ada Byrne": "# Ada Byrne\n\nAda keeps a light on a rock.\n\n## Lamp\n\nThe lamp burns oil.\n",
    "Tom Byrne": "# Tom Byrne\n\nTom mends nets in Galway.\n\n## Boat\n\nHis boat is grey.\n",
}
ASKED = (("What burns in the lamp?", "oil"), ("Where are you?", "on the coast"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A CharacterRAG of two characters."""
    root = tmp_path / "data"
    root.mkdir()
    for name, persona in PERSONA.items():
        (root / f"{name}.md").write_text(persona, "utf-8")
        rows = [
            {"character": name, "question": question, "answer": answer, "attribute": "activity"}
            for question, answer in ASKED
        ]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (root / f"{name}.jsonl").write_text(lines, "utf-8")
    return root


async def book_at(tmp_path: Path, server: LoopbackServer, **more: Any) -> Any:
    flags = {
        "chat__model": "some-model",
        "chat__base_url": server.base_url,
        "preset": "faithful",
        **more,
    }
    return await opened(tmp_path, **flags)


@pytest.fixture
def judge(loopback: LoopbackServer) -> LoopbackServer:
    loopback.answer = judge_answer
    return loopback


def of_ours(filled: Any, line: str) -> dict[str, Any]:
    found = {each.line.key: each for block in filled.blocks for each in block.lines}
    return {key: value for row in found[line].ours for key, value in row.values.items()}


async def test_a_table_is_run_and_not_asked_for_twice(tmp_path, judge, folder):
    request = TableRequest({"characterrag": folder}, create=True, limit=2)
    async with await book_at(tmp_path, judge) as book:
        filled = await filled_table(book, "amadeus-usage", request)
        usage = of_ours(filled, "naive")["qa.usage"]
        assert isinstance(usage, Estimate)
        assert usage.n == 2
        assert 0 < (usage.mean or 0) <= 1
        assert of_ours(filled, "amadeus")["qa.failure"].n == 4
        assert len(filled.runs) == 4
        asked = judge.count("chat/completions")
        again = await filled_table(book, "amadeus-usage", request)
        assert judge.count("chat/completions") == asked
        assert again.as_json() == filled.as_json()


async def test_tables_of_one_benchmark_share_their_cells(tmp_path, judge, folder):
    request = TableRequest({"": folder}, create=True)
    async with await book_at(tmp_path, judge) as book:
        await book.evaluation.run(
            "characterrag", methods=["vanilla,naive"], path=folder, create=True
        )
        asked = judge.count("chat/completions")
        plan = await table_plan(book, "amadeus-qa", request)
        stored = {each.method: each.stored for each in plan.runs}
        assert stored["vanilla"] == stored["naive"] == "characterrag-1"
        assert stored["crag"] is None
        assert judge.count("chat/completions") == asked
        only = TableRequest({"": folder}, stored=True)
        filled = await filled_table(book, "amadeus-qa", only)
        assert judge.count("chat/completions") == asked
        assert of_ours(filled, "naive")["acc"].n == 4
        assert of_ours(filled, "vanilla")["hs"] is None
        assert of_ours(filled, "crag") == {}
        assert any("crag: no finished run of it is stored" in note for note in filled.notes)


async def test_types_are_compared_with_a_persons_labels(tmp_path, judge):
    labels = tmp_path / "labels.csv"
    labels.write_text("character,mbti\nAda Byrne,INTJ\n", "utf-8")
    async with await book_at(tmp_path, judge) as book:
        for name, persona in PERSONA.items():
            character = await book.create(name)
            await book.ingest_texts(character.id, [text("persona.md", persona)])
        named = list(PERSONA)
        request = TableRequest(characters=named, labels=labels, build=True, limit=4)
        filled = await filled_table(book, "amadeus-ablation", request)
        full = of_ours(filled, "ae")
        # Tom has no label: of eight letters only Ada's four can count.
        assert full["sum_d"].n + full["sum_d"].missing == 4
        assert full["accuracy"].mean == pytest.approx(1 - full["sum_d"].mean / full["sum_d"].n)
        plan = await table_plan(book, "amadeus-mbti", request)
        shared = {each.method: each.stored for each in plan.runs}
        assert shared["naive"] in filled.runs
        assert shared["amadeus"] in filled.runs
        assert shared["crag"] is None


async def test_without_data_a_part_stays_empty_and_says_why(tmp_path, judge):
    async with await book_at(tmp_path, judge) as book:
        filled = await filled_table(book, "rolerag-main", TableRequest())
        assert all(not line.ours for block in filled.blocks for line in block.lines)
        assert any("--data harry-potter=PATH" in note for note in filled.notes)
        assert judge.count() == 0


@pytest.mark.parametrize("name", [n for n, table in TABLES.items() if table.kind == "runs"])
async def test_with_the_offline_judge_nothing_stands_beside_printed_numbers(tmp_path, name):
    async with await opened(tmp_path) as book:
        filled = await filled_table(book, name, TableRequest())
        assert all(not line.ours for block in filled.blocks for line in block.lines)
        assert any(OFFLINE_MARK in note for note in filled.notes)
        assert OFFLINE_MARK in filled.about["judge"]
        plan = await table_plan(book, name, TableRequest())
        assert all(each.problem for each in plan.runs)
        assert await book.evaluation.runs() == []


async def test_the_similarity_table_rests_on_the_study(tmp_path, folder):
    async with await opened(tmp_path) as book:
        request = TableRequest({"characterrag": folder})
        filled = await filled_table(book, "amadeus-similarity", request)
        acts = of_ours(filled, "acts")
        assert acts["sum_of_means"].mean is not None
        assert -2 <= acts["sum_of_means"].mean <= 2
        (row,) = next(
            line for b in filled.blocks for line in b.lines if line.line.key == "ats"
        ).ours
        assert row.of == "builtin-768-v1"
        alphas = await filled_table(book, "amadeus-alpha", request)
        assert all(line.ours for block in alphas.blocks for line in block.lines)


async def test_the_human_study_is_made_of_a_file(tmp_path):
    ratings = tmp_path / "ratings.csv"
    rows = [f"BFI,s{s},r{r},{1 + (s * r) % 5}" for s in range(4) for r in range(3)]
    ratings.write_text("questionnaire,sample,rater,rating\n" + "\n".join(rows) + "\n", "utf-8")
    async with await opened(tmp_path) as book:
        filled = await filled_table(book, "amadeus-human", TableRequest(ratings=ratings))
        assert of_ours(filled, "bfi")["mean"].n == 4
        assert of_ours(filled, "mbti") == {}
        with pytest.raises(UsageError, match="no file of them") as caught:
            await filled_table(book, "amadeus-human", TableRequest())
        assert "questionnaire" in caught.value.hint
        assert (await table_plan(book, "amadeus-human", TableRequest())).notes
        with pytest.raises(UnknownName) as unknown:
            await filled_table(book, "amadeus-humans", TableRequest())
        assert "'amadeus-human'" in unknown.value.hint


async def test_the_cast_is_made_of_its_dataset_and_asked_the_items(tmp_path, judge, folder):
    request = TableRequest({"": folder}, create=True, limit=1)
    async with await book_at(tmp_path, judge) as book:
        before = await table_plan(book, "amadeus-ablation", request)
        assert judge.count() == 0
        assert all(each.problem is None for each in before.runs)
        assert all(each.stored is None for each in before.runs)
        first = await filled_table(book, "amadeus-ablation", request)
        assert len(await book.characters()) == 2
        assert len(first.runs) == 4
        # The printed labels are of others than Ada and Tom: there is nothing to count.
        assert of_ours(first, "naive") == {}
        more = TableRequest({"": folder}, create=True, limit=2)
        after = await table_plan(book, "amadeus-ablation", more)
        # Two characters, one reply and one rating more each.
        estimates: dict[str, Any] = {each.method: each.estimate for each in after.runs}
        assert estimates["naive"].calls == 4
        # The same characters again, not others of the same name.
        asked = judge.count("chat/completions")
        await filled_table(book, "amadeus-ablation", request)
        assert judge.count("chat/completions") == asked
        assert len(await book.characters()) == 2


async def test_without_a_dataset_the_cast_is_that_of_the_paper(tmp_path, judge):
    async with await book_at(tmp_path, judge) as book:
        plan = await table_plan(book, "amadeus-mbti", TableRequest())
        assert all("'Anya Forger'" in (each.problem or "") for each in plan.runs)
        create = await table_plan(book, "amadeus-mbti", TableRequest(create=True))
        assert all("characterrag" in (each.problem or "") for each in create.runs)
        filled = await filled_table(book, "amadeus-mbti", TableRequest())
        assert len(filled.notes) == 6
        assert judge.count() == 0


async def test_runs_that_are_not_of_the_same_models_do_not_serve(tmp_path, judge, folder):
    async with await book_at(tmp_path, judge) as book:
        await book.evaluation.run("characterrag", methods=["vanilla"], path=folder, create=True)
    request = TableRequest({"": folder}, stored=True)
    for more, serves in (
        ({}, True),
        ({"chat__model": "another-model"}, False),
        ({"judge__model": "another-model"}, False),
        ({"preset": "default"}, False),
    ):
        async with await book_at(tmp_path, judge, **more) as book:
            filled = await filled_table(book, "amadeus-qa", request)
            assert bool(filled.runs) == serves
    async with await book_at(tmp_path, judge) as book:
        for other in (
            TableRequest({"": folder}, stored=True, seed=1),
            TableRequest({"": folder}, stored=True, repeats=2),
            TableRequest({"": folder}, stored=True, characters=["Ada Byrne"]),
        ):
            assert (await filled_table(book, "amadeus-qa", other)).runs == ()


@pytest.mark.parametrize("part", [{"metrics": ["acc"]}, {"characters": ["Ada Byrne"]}])
async def test_a_run_of_some_metrics_or_characters_does_not_stand_for_all(
    tmp_path, judge, folder, part
):
    request = TableRequest({"": folder}, stored=True)
    async with await book_at(tmp_path, judge) as book:
        told = {"methods": ["vanilla"], "path": folder, "create": True}
        await book.evaluation.run("characterrag", **told, **part)
        assert (await filled_table(book, "amadeus-qa", request)).runs == ()


async def test_what_has_changed_since_is_not_shown(tmp_path, judge, folder):
    shown = TableRequest({"": folder}, stored=True)
    async with await book_at(tmp_path, judge) as book:
        await book.evaluation.run("characterrag", methods=["vanilla"], path=folder, create=True)
        await book.ingest_texts("ada-byrne", [text("more.md", "# More\n\nAda sings.\n")])
        assert (await filled_table(book, "amadeus-qa", shown)).runs
        plan = await table_plan(book, "amadeus-qa", TableRequest({"": folder}))
        assert {each.method: each.stored for each in plan.runs}["vanilla"] is None
        file = folder / "Tom Byrne.jsonl"
        file.write_text(file.read_text("utf-8").replace("Where are you?", "Where?"), "utf-8")
        assert (await filled_table(book, "amadeus-qa", shown)).runs == ()
