"""Labels: whole types, single dimensions, X, and rows that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import UsageError
from offbook.evaluation.datasets.collector import (
    Collector,
    language_of,
    made_id,
    read_labels,
    scored,
    type_labels,
)
from offbook.evaluation.datasets.reading import Notes, Row
from offbook.evaluation.metrics.typology import SLOAN
from tests.evaluation.datasets.files import noted


def rows(tmp_path, *values):
    return [Row(tmp_path / "l.jsonl", n, value) for n, value in enumerate(values, 1)]


@given(st.tuples(*(st.sampled_from(f"{d.first}{d.second}X") for d in SLOAN.dimensions)))
def test_every_letter_of_a_type_becomes_the_label_of_its_dimension(letters):
    labels = type_labels(SLOAN, "".join(letters).lower(), "us")
    assert [label.type for label in labels] == list(letters)
    assert [label.dimension for label in labels] == [each.name for each in SLOAN.dimensions]
    assert {label.source for label in labels} == {"us"}


@pytest.mark.parametrize(
    ("questionnaire", "said"),
    [("BFI", {"score": 6}), ("BFI", {"score": float("nan")}), ("Other", {"score": 1}), ("BFI", {})],
)
def test_a_score_off_the_scale_is_no_label(questionnaire, said):
    with pytest.raises(UsageError):
        scored(questionnaire, "D", said, "")


def test_rows_of_every_form_are_read(tmp_path):
    notes = Notes()
    found = read_labels(
        rows(
            tmp_path,
            {"character": "Ada", "mbti": "ISTJ", "BFI_sloan": "RCOAX", "alias": ["Ada Byrne"]},
            {"role": "Tom", "label": "EXTP", "experimenter": "Ada"},
            {"character": "Tom", "questionnaire": "BFI", "dimension": "Openness", "score": 4.5},
            {"character": "Tom", "colour": "red"},
        ),
        notes,
    )
    ada, tom = found["Ada"], found["Tom"]
    assert "".join(label.type for label in ada.labels) == "ISTJRCOAX"
    assert [(label.questionnaire, label.type) for label in tom.labels] == [
        *(("mbti", letter) for letter in "EXTP"),
        ("BFI", "H"),
    ]
    assert (ada.names, tom.names) == (("Ada Byrne",), ())
    assert tom.interviewer == "Ada"
    assert notes.listed(4) == ("field 'colour' is not read (in 1 of 4 rows)",)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"mbti": "ISTJ"}, "no 'character'"),
        ({"character": "Ada", "mbti": "IST"}, "row 1 of .*: 'IST' is no type"),
        ({"character": "Ada", "questionnaire": "BFI", "dimension": "O", "score": "much"}, "row 1"),
        ({"character": "Ada", "dimension": "O"}, "neither type nor score"),
        ({"character": ["Ada", "Tom"], "mbti": "ISTJ"}, "no text"),
    ],
)
def test_a_row_that_is_no_label_is_refused_with_its_place(tmp_path, values, said):
    with pytest.raises(UsageError, match=said):
        read_labels(rows(tmp_path, values), Notes())


def collector():
    return Collector("mine", licence="ours", source="test")


def test_a_question_that_comes_twice_is_asked_once_with_the_answers_of_both():
    found = collector()
    found.ask("Who?", place=1, id="a", subject="Ada", answers=("Tom",))
    found.ask(" Who? ", place=2, id="b", subject="Ada", answers=("Tom", "Thomas"))
    found.ask("Who?", place=3, id="c", subject="Tom", answers=("Ada",))
    dataset = found.dataset()
    assert [(q.id, q.answers) for q in dataset.questions] == [
        ("a", ("Tom", "Thomas")),
        ("c", ("Ada",)),
    ]
    assert noted(dataset, "asked once, with the answers of all: 1 (2)")


def test_a_question_that_comes_again_with_another_scope_keeps_the_first():
    found = collector()
    found.ask("Who?", place=1, id="a", scope="out")
    found.ask("Who?", place=2, id="b", scope="in")
    dataset = found.dataset()
    assert [question.scope for question in dataset.questions] == ["out"]
    assert noted(dataset, "with another scope, the first counts: 1 (2)")


def test_a_missing_id_is_made_from_the_content_and_noted():
    first, second = collector(), collector()
    first.ask("Other?", place=1)
    for found in (first, second):
        found.ask("Who?", place=2, subject="Ada")
    made = second.dataset().questions[0].id
    assert made == first.dataset().questions[1].id == made_id("Ada", "Who?", "")
    assert noted(second.dataset(), "questions without an id")


def test_rows_without_a_question_are_left_out_with_their_places():
    found = collector()
    found.ask("Who?", place=1)
    for place in range(2, 14):
        found.ask("  ", place=place)
    assert noted(
        found.dataset(), "rows without a question, left out: 12 (2, 3, 4, 5, 6, 7, 8, 9, ...)"
    )


def test_a_dataset_without_a_question_is_refused_with_what_was_met():
    found = collector()
    found.ask("", place=7)
    with pytest.raises(UsageError) as caught:
        found.dataset()
    assert "'mine' has no question" in caught.value.message
    assert "left out: 1 (7)" in caught.value.hint


def test_a_scope_that_is_not_understood_is_none_and_noted():
    found = collector()
    assert found.scope("maybe", 3) is None
    found.ask("Who?", place=1)
    assert noted(found.dataset(), "scope 'maybe' is not understood (in, out), taken as none: 1 (3)")


def test_memories_and_names_of_a_subject_come_together():
    found = collector()
    found.ask("Who?", place=1, subject="Ada")
    found.memory("Ada", "Hello", "Good day")
    found.memory("Ada", "Hello", "Good day")
    found.subject("Ada", names=["Ada Byrne", "", "Ada"], interviewer="Tom")
    found.subject("Ada", names=["Miss Byrne"], interviewer="Other", description="keeper")
    dataset = found.dataset()
    ada = dataset.subject("Ada")
    assert ada.names == ("Ada Byrne", "Miss Byrne")
    assert (ada.interviewer, ada.description, len(ada.memories)) == ("Tom", "keeper", 1)
    assert noted(dataset, "a memory that comes twice is kept once: 1 (Ada)")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Who?", "en"),
        ("你是谁？", "zh"),
        ("あなたは誰ですか", "ja"),
        ("누구세요?", "ko"),
        ("Où ?", "en"),
    ],
)
def test_the_language_is_told_by_the_script(text, language):
    assert language_of(text) == language


@given(st.lists(st.tuples(st.sampled_from(["", "a", "b"]), st.text(max_size=3)), max_size=12))
def test_ids_are_unique_and_every_row_is_asked_or_noted(rows):
    found = collector()
    found.ask("always?", place=0, id="z")
    for place, (given_id, text) in enumerate(rows, 1):
        found.ask(text, place=place, id=given_id)
    questions = found.dataset().questions
    assert len({q.id for q in questions}) == len(questions)
    assert {q.text for q in questions} == {"always?"} | {t.strip() for _, t in rows if t.strip()}
