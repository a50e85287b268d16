"""Labels: whole types, single dimensions, X, and rows that are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import UsageError
from offbook.evaluation.datasets.columns import Notes
from offbook.evaluation.datasets.labels import banded, read_labels, scored, type_labels
from offbook.evaluation.datasets.reading import Row
from offbook.evaluation.metrics.typology import MBTI, SLOAN


def rows(tmp_path, *values):
    return [Row(tmp_path / "l.jsonl", n, value) for n, value in enumerate(values, 1)]


@given(st.tuples(*(st.sampled_from(f"{d.first}{d.second}X") for d in SLOAN.dimensions)))
def test_every_letter_of_a_type_becomes_the_label_of_its_dimension(letters):
    labels = type_labels(SLOAN, "".join(letters).lower(), "us")
    assert [label.type for label in labels] == list(letters)
    assert [label.dimension for label in labels] == [each.name for each in SLOAN.dimensions]
    assert {label.source for label in labels} == {"us"}


@pytest.mark.parametrize("letters", ["", "EST", "ESTJJ", "ESTZ", "JTSE"])
def test_letters_that_are_no_type_are_refused(letters):
    with pytest.raises(UsageError, match="no type of mbti") as caught:
        type_labels(MBTI, letters)
    assert "E|I|X" in caught.value.hint


@pytest.mark.parametrize(
    ("questionnaire", "score", "kind"),
    [
        ("BFI", 2.6, "X"),
        ("BFI", 3.4, "X"),
        ("BFI", 3.41, "H"),
        ("BFI", 1.0, "L"),
        ("16Personalities", 40, "X"),
        ("16Personalities", 60, "X"),
        ("16Personalities", 39.9, "L"),
        ("16Personalities", 100, "H"),
    ],
)
def test_a_label_without_a_type_gets_it_from_its_score(questionnaire, score, kind):
    assert banded(questionnaire, score) == kind
    assert scored(questionnaire, "D", {"score": score}, "pdb").type == kind


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
        "us",
    )
    assert "".join(label.type for label in found.labels["Ada"]) == "ISTJRCOAX"
    assert [(label.questionnaire, label.type) for label in found.labels["Tom"]] == [
        *(("mbti", letter) for letter in "EXTP"),
        ("BFI", "H"),
    ]
    assert found.names == {"Ada": ("Ada Byrne",)}
    assert found.interviewers == {"Tom": "Ada"}
    assert notes.told(4) == ("field 'colour' is not read (in 1 of 4 rows)",)


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
