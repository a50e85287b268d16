"""The demo character keeps what docs/demo.md promises to whoever evaluates on it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from importlib.resources import files
from typing import get_args

import pytest

from offbook import demo
from offbook.demo import Attribute, Mood

HEADING = re.compile(r"^(#{1,6}) (\S.*)$")
SAMPLE = re.compile(r'^- "([^"]+[.!?])"$')
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,]\d+)*")
DATA_FILES = (demo.PERSONA_FILE, "memories.jsonl", "moods.jsonl", "questions.jsonl")


def raw(name: str) -> str:
    return files("offbook.demo").joinpath(name).read_bytes().decode("utf-8", errors="strict")


def body_lines() -> list[str]:
    return [line for line in demo.persona_text().split("\n") if line and not HEADING.match(line)]


def sections() -> dict[tuple[str, ...], list[str]]:
    """Body lines by heading path."""
    path: list[str] = []
    found: dict[tuple[str, ...], list[str]] = {}
    for line in demo.persona_text().split("\n"):
        if match := HEADING.match(line):
            path = [*path[: len(match[1]) - 1], match[2]]
        elif line:
            found.setdefault(tuple(path), []).append(line)
    return found


@pytest.mark.parametrize("name", DATA_FILES)
def test_files_are_plain_text_in_nfc(name: str):
    text = raw(name)
    assert unicodedata.normalize("NFC", text) == text
    assert not re.search(r"[\r\t\ufeff\ufffd\u2028\u2029]", text)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


class TestPersona:
    def test_has_the_promised_length_in_body_words(self):
        assert 5_000 <= sum(len(WORD.findall(line)) for line in body_lines()) <= 7_000

    def test_is_titled_with_the_character_and_names_all_disguises(self):
        assert demo.persona_text().startswith(f"# {demo.CHARACTER_NAME}")
        disguises = sections().keys()
        for name in ("Sinbad the Sailor", "Abbé Busoni", "Lord Wilmore", "Number 34"):
            assert any(path[-1] == name for path in disguises)

    def test_voice_section_holds_first_person_samples(self):
        lines = [line for path, ls in sections().items() if "Voice" in path[-1] for line in ls]
        bullets = [line for line in lines if line.startswith("- ")]
        samples = [match[1] for line in bullets if (match := SAMPLE.match(line))]
        assert len(samples) == len(bullets) >= 15
        assert len(set(samples)) == len(samples)
        first_person = [s for s in samples if re.search(r"\b(I|me|my|mine)\b", s)]
        assert len(first_person) >= 15

    def test_no_paragraph_is_long(self):
        # ACTS takes the longest paragraph of the document as its chunk length.
        assert max(map(len, body_lines())) <= 800


class TestMemories:
    def test_there_are_enough_and_none_repeats(self):
        pairs = demo.memories()
        assert len(pairs) >= 90
        for field in ("said", "answered"):
            folded = [" ".join(getattr(row, field).casefold().split()) for row in pairs]
            assert len(set(folded)) == len(folded)
            assert all(folded)

    def test_every_emotion_is_the_chief_mood_of_at_least_ten(self):
        moods = Counter(row.mood for row in demo.memories())
        assert set(moods) == set(get_args(Mood))
        assert min(moods.values()) >= 10

    def test_moods_are_numbered_like_the_memories(self):
        numbers = [json.loads(line)["number"] for line in raw("moods.jsonl").split("\n") if line]
        assert numbers == list(range(1, len(demo.memories()) + 1))


class TestQuestions:
    def test_kinds_are_as_many_as_promised(self):
        assert Counter(row.kind for row in demo.questions()) == {
            "knowledge": 40,
            "out_of_scope": 10,
            "behaviour": 10,
        }

    def test_ids_and_questions_are_unique(self):
        rows = demo.questions()
        assert len({row.id for row in rows}) == len({row.question for row in rows}) == len(rows)

    def test_knowledge_is_spread_over_the_six_attributes(self):
        spread = Counter(row.attribute for row in demo.questions("knowledge"))
        assert set(spread) == set(get_args(Attribute))
        assert set(spread.values()) <= {6, 7}

    def test_every_piece_of_evidence_stands_once_in_one_paragraph(self):
        lines = body_lines()
        for row in demo.questions():
            for piece in row.evidence:
                assert sum(line.count(piece) for line in lines) == 1, (row.id, piece)

    def test_what_is_answered_has_an_answer_and_evidence(self):
        for kind in ("knowledge", "behaviour"):
            for row in demo.questions(kind):
                assert row.answer
                assert row.evidence
                assert row.attribute in get_args(Attribute)
        assert all(row.reason is None for row in demo.questions("knowledge"))

    def test_what_is_out_of_scope_has_a_reason_and_nothing_else(self):
        for row in demo.questions("out_of_scope"):
            assert row.reason
            assert (row.attribute, row.answer, row.evidence) == (None, None, ())

    def test_behaviour_implies_a_trait_that_no_sentence_states(self):
        text = demo.persona_text().casefold()
        for row in demo.questions("behaviour"):
            assert row.reason
            assert row.answer is not None
            trait, colon, _ = row.answer.partition(":")
            assert colon
            assert trait.casefold()[:6] not in text
            assert row.attribute in ("belief_and_value", "psychological_traits")


class TestDemonstration:
    def test_scope_and_trait_questions_are_rows_of_their_kind(self):
        of_kind = {row.question: row.kind for row in demo.questions()}
        by_label = {asked.label: asked.question for asked in demo.DEMO_QUESTIONS}
        assert of_kind[by_label["decline"]] == "out_of_scope"
        assert of_kind[by_label["unstated trait"]] == "behaviour"

    def test_the_alias_is_not_the_name_and_the_document_connects_them(self):
        assert demo.CHARACTER_NAME not in demo.DEMO_QUESTIONS[0].question
        lines = sections()[
            f"{demo.CHARACTER_NAME}, Count of Monte Cristo",
            "Identity and names",
            "Names and disguises",
            "Sinbad the Sailor",
        ]
        assert demo.CHARACTER_NAME in " ".join(lines)
