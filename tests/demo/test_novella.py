"""The demo novella and the questions on it keep what docs/demo.md promises."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from offbook import demo
from offbook.names.cast import Cast

QUESTIONS = Path(__file__).parents[2] / "benchmarks" / "novella"
STATED = {
    "witnessed": 11,
    "not witnessed": 11,
    "false belief": 8,
    "told later": 6,
    "too early": 6,
    "feeling": 5,
    "who is who": 4,
    "overheard or read": 3,
    "plan": 3,
    "alias": 3,
}


def rows(name: str) -> list[dict[str, Any]]:
    lines = (QUESTIONS / name).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def text() -> str:
    return demo.novella_text()


@pytest.fixture(scope="module")
def headings(text: str) -> list[str]:
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


@pytest.fixture(scope="module")
def cast(text: str) -> Cast:
    from offbook.ingestion.cast import cast_reader

    return cast_reader()([text])


def test_the_text_is_plain_and_as_long_as_promised(text: str):
    assert unicodedata.normalize("NFC", text) == text
    assert not re.search(r"[\r\t\ufeff\ufffd\u2028\u2029]", text)
    assert 70_000 < len(text.encode()) < 90_000
    assert text.endswith(".\n")
    assert text.startswith(f"# {demo.NOVELLA_TITLE}\n\n## Chapter 1: ")


def test_its_chapters_are_numbered_in_order(headings: list[str]):
    assert [heading.partition(":")[0] for heading in headings] == [
        f"Chapter {number}" for number in range(1, 14)
    ]


def test_a_paragraph_is_a_line_between_blank_lines(text: str):
    assert all(line == line.strip() for line in text.split("\n"))
    assert max(map(len, text.split("\n"))) <= 1_000


def test_questions_have_their_shape_and_stand_at_headings(headings: list[str]):
    found = rows("questions.jsonl")
    keys = ["document", "character", "point", "question", "kind", "key", "must_not"]
    assert all(list(row) == keys for row in found)
    assert all(row["question"].endswith("?") and row["key"] for row in found)
    assert {row["point"] for row in found} <= set(headings)
    assert Counter(row["kind"] for row in found) == STATED


def test_ten_questions_a_character_and_point():
    counted = Counter((row["character"], row["point"]) for row in rows("questions.jsonl"))
    assert set(counted.values()) == {10}
    assert Counter(character for character, _ in counted) == dict.fromkeys(
        ("Junie", "Marrable Toft", "Lucian Averdieck"), 2
    )


def test_short_answers_stand_in_evidence_that_stands_once(text: str):
    found = rows("replies.jsonl")
    assert len(found) == 32
    keys = ["document", "character", "question", "answers", "evidence"]
    for row in found:
        assert list(row) == keys
        assert all(text.count(piece) == 1 for piece in row["evidence"]), row["question"]
        proof = " ".join(row["evidence"]).casefold()
        assert any(answer.casefold() in proof for answer in row["answers"]), row["question"]


@pytest.mark.parametrize("name", ["questions.jsonl", "replies.jsonl"])
def test_rows_lead_to_the_novella_and_to_people_of_it(name: str, text: str, cast: Cast):
    people = {alias for member in cast.members for alias in member.aliases}
    for row in rows(name):
        assert (QUESTIONS / row["document"]).resolve().read_text("utf-8") == text
        assert row["character"] in people


def test_the_demo_asks_people_of_it_at_its_chapters(headings: list[str], cast: Cast):
    assert {member.name for member in cast.members} >= set(demo.NOVELLA_PEOPLE)
    numbers = [heading.partition(":")[0] for heading in headings]
    assert set(demo.NOVELLA_POINTS) <= set(numbers)
