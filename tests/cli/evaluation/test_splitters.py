"""`eval splitters`: a file of questions, gold passages, splitters with settings, bad usage."""

from __future__ import annotations

import json

import pytest

from tests.cli.texts import ADA
from tests.end_to_end.world import World

QUESTIONS = "question,character\nWho taught you to trim the lamp?,Ada\nWhat happened to Tom?,Ada\n"


@pytest.fixture
def words(offline: World) -> list[str]:
    document = offline.write("ada.md", ADA)
    questions = offline.write("questions.csv", QUESTIONS)
    row = {"character": "Ada", "question": "What happened to Tom?", "evidence": [ADA.split()[-1]]}
    gold = offline.write("gold.jsonl", json.dumps(row) + "\n")
    return ["eval", "splitters", str(questions), "--document", str(document), "--gold", str(gold)]


def test_all_splitters_by_default(offline: World, words: list[str]):
    shape = offline.done(*words, "--json").json
    labels = [row["splitter"] for row in shape["rows"]]
    assert labels == ["fixed", "recursive", "markdown", "semantic", "ats", "acts", "graph"]
    assert (shape["characters"], shape["questions"], shape["gold"]) == (1, 2, 1)
    assert shape["rows"][0]["at_budget"]["tokens"]["mean"] <= shape["budget_tokens"]
    assert shape["rows"][0]["top"]["hits"]["n"] == 1


def test_splitters_with_settings_of_their_own(offline: World, words: list[str]):
    asked = [
        "--splitter",
        "acts,acts[alpha=1.5]",
        "-s",
        "recursive[fixed.size=100;fixed.overlap=0]",
    ]
    outcome = offline.done(*words, *asked, "--top", "1", "--budget", "40")
    lines = outcome.out.splitlines()
    assert lines[0].startswith("top 1")
    assert [line.split()[0] for line in lines[1:4]] == [
        "acts",
        "acts[acts.alpha=1.5]",
        "recursive[fixed.overlap=0;fixed.size=100]",
    ]
    assert any(line.startswith("40 tokens") for line in lines)
    assert "1 character, 2 questions, 1 of them with gold passages" in outcome.err


def test_a_smaller_study_is_part_of_a_larger_one(offline: World, words: list[str]):
    shape = offline.done(*words, "--limit", "1", "--json", "-s", "acts").json
    assert shape["questions"] == 1


def test_a_source_that_is_neither_benchmark_nor_file(offline: World):
    outcome = offline.run("eval", "splitters", "character-lm")
    assert outcome.code == 2
    assert "no benchmark and no file 'character-lm'; did you mean 'character-llm'?" in outcome.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-s", "act"], "did you mean 'acts'?"),
        (["--embedder", "bge"], "known: builtin, configured"),
        (["--top", "0"], "give 1 or more"),
        (["--document", "none.md"], "none.md"),
        (["-s", "acts[alpha=0.5]"], "alpha"),
    ],
)
def test_bad_usage(offline: World, words: list[str], more: list[str], said: str):
    outcome = offline.run(*words, *more)
    assert outcome.code in (2, 3)
    assert said in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1
