"""A dataset and a file of gold passages as the study needs them; bad rows."""

from __future__ import annotations

import json

import pytest

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset, Question, Subject, SubjectDocument
from offbook.evaluation.splitter_study.reading import characters_of, documents_of

TEXT = "# Ada\n\nThe lamp burns\nwhale oil.\n\nTom drowned in 1880.\n"


def dataset(*questions):
    subjects = (Subject("Ada", documents=(SubjectDocument("ada.md", TEXT),)), Subject("Tom"))
    return Dataset("own", "1", "ours", "here", subjects, questions)


LAMP = Question("q1", "What burns in the lamp?", "Ada", "in")
FAR = Question("q2", "What is a telephone?", "Ada", "out")


def gold_file(tmp_path, *rows):
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def read(tmp_path, *rows, questions=(LAMP, FAR)):
    found = dataset(*questions)
    return characters_of(found, documents_of(found.subjects), gold_file(tmp_path, *rows))


def test_questions_out_of_scope_and_characters_without_texts_are_left_out():
    found = dataset(LAMP, FAR)
    (ada,), notes = characters_of(found, documents_of(found.subjects))
    assert [question.id for question in ada.questions] == ["q1"]
    assert any("characters without a document, left out: 1 (Tom)" in note for note in notes)


def test_quotes_are_found_whatever_their_white_space(tmp_path):
    row = {"character": "Ada", "question": LAMP.text, "evidence": ["lamp burns whale  oil."]}
    (ada,), _ = read(tmp_path, row)
    (question,) = ada.questions
    (place,) = question.gold
    assert TEXT[place.start : place.end] == "lamp burns\nwhale oil."


def test_paragraphs_are_read_from_the_file_beside(tmp_path):
    beside = {"id": "p1", "text": "Tom drowned in 1880."}
    (tmp_path / "profile_paragraphs.jsonl").write_text(json.dumps(beside) + "\n", "utf-8")
    row = {"character": "Ada", "question": "When did Tom drown?", "gold_paragraphs": ["p1"]}
    (ada,), _ = read(tmp_path, row)
    assert [question.text for question in ada.questions] == [LAMP.text, "When did Tom drown?"]
    (place,) = ada.questions[1].gold
    assert TEXT[place.start : place.end] == beside["text"]
    with pytest.raises(UsageError, match="'p2'"):
        read(tmp_path, {**row, "gold_paragraphs": ["p2"]})


def test_a_quote_that_stands_nowhere_is_noted(tmp_path):
    row = {"character": "Ada", "question": LAMP.text, "evidence": ["The sea is wide."]}
    (ada,), notes = read(tmp_path, row)
    assert ada.questions[0].gold == ()
    assert any("gold passages that stand in no document" in note for note in notes)
    assert any("questions without a gold passage" in note for note in notes)


@pytest.mark.parametrize("row", [{"character": "Ada"}, {"question": "What?"}])
def test_a_row_without_question_or_character_is_refused(tmp_path, row):
    found = dataset(LAMP)
    documents = {**documents_of(found.subjects), "Tom": ()}
    with pytest.raises(UsageError, match="lacks a column"):
        characters_of(found, documents, gold_file(tmp_path, row))


def test_with_nobody_to_ask_there_is_no_study():
    found = dataset(FAR)
    with pytest.raises(UsageError, match="no character with a document"):
        characters_of(found, documents_of(found.subjects))
