"""Reviews: exported for spreadsheets, read back from whatever these made of the file."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Question
from offbook.evaluation.reviews import (
    COLUMNS,
    agreement,
    overrulings,
    read_rows,
    review_id,
    review_rows,
    write_rows,
)
from offbook.evaluation.spreadsheets import guarded, unguarded
from tests.evaluation.made import JUDGE, cell, dataset, item, rating, run

HATES = Question("q1", "What do you hate?", answers=("rain",))
LIVES = Question("q2", "Where do you live?")
DATA = dataset(HATES, LIVES)
RUN = run(("ke", "acc", "uqr"))
CELLS = [cell("q1", "=1+1 is what I hate; rain."), cell("q2", 'In Hull,\n"by the sea".')]
RATINGS = [
    rating("ke", "q1", 8.0, analysis="It fits.\nWell."),
    rating("ke", "q2", 3.0, analysis="-2 for style"),
    rating("acc", "q1", 1.0, analysis="@home"),
    rating("uqr", "q2", None),
]


@pytest.fixture
def exported(tmp_path):
    """The path of a review of ``RATINGS``."""
    path = tmp_path / "review.csv"
    assert write_rows(path, review_rows(DATA, CELLS, RATINGS)) == len(RATINGS)
    return path


def table_of(path, separator=","):
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))


def rewrite(path, rows, separator=",", encoding="utf-8-sig", columns=COLUMNS, end=""):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes((out.getvalue() + end).encode(encoding))


def filled(path, values, separator=",", encoding="utf-8-sig", **cells):
    """Write the review again, with ``values`` of a person, row by row."""
    rows = table_of(path)
    for row, value in zip(rows, values, strict=False):
        row["person_value"] = value
        row.update(cells)
    rewrite(path, rows, separator, encoding)


def test_a_row_has_all_that_a_person_needs(exported):
    first, second, third, fourth = table_of(exported)
    assert tuple(first) == COLUMNS
    assert (first["subject"], first["metric"], first["judge"]) == ("Nora Vey", "ke", JUDGE)
    assert (first["question"], first["right_answers"]) == ("What do you hate?", "rain")
    assert (first["judge_value"], first["person_value"]) == ("8", "")
    assert first["scale"] == "1 to 10, higher is better"
    assert first["analysis"] == "It fits.\nWell."
    assert second["reply"] == 'In Hull,\n"by the sea".'
    assert third["scale"] == "0 to 1, higher is better"
    assert (fourth["judge_value"], fourth["missing_because"]) == ("", "answer_invalid")


def test_no_cell_is_run_as_a_formula(exported):
    for row in table_of(exported):
        for cell_ in row.values():
            assert not cell_.lstrip().startswith(("=", "+", "-", "@"))
    assert table_of(exported)[0]["reply"] == "'=1+1 is what I hate; rain."


def test_a_value_of_a_person_stands_beside_the_judges(exported):
    filled(exported, ["9", "", "no", "1"], person_name="Ann", person_note="seen")
    review = overrulings(read_rows(exported), iter(RATINGS))
    assert review.blank == 1
    found = {(each.key.metric, each.key.unit): each for each in review.overruled}
    assert len(found) == 3
    ke = found["ke", "q1"]
    assert (ke.value, ke.person, ke.final, ke.person_name) == (8.0, 9.0, 9.0, "Ann")
    assert ke.person_note == "seen"
    assert found["acc", "q1"].person == 0.0
    given_where_the_judge_gave_none = found["uqr", "q2"]
    assert (given_where_the_judge_gave_none.value, given_where_the_judge_gave_none.final) == (
        None,
        1,
    )


def test_a_review_that_was_exported_again_brings_the_persons_values_back(tmp_path):
    overruled = [replace(RATINGS[0], person=9.0, person_name="Ann", person_note="-1?")]
    path = tmp_path / "again.csv"
    write_rows(path, review_rows(DATA, CELLS, overruled))
    assert overrulings(read_rows(path), overruled).overruled == tuple(overruled)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_separators_and_encodings_of_spreadsheets_are_read(exported, separator, encoding):
    filled(exported, ["9", "", "", ""], separator, encoding)
    review = overrulings(read_rows(exported), iter(RATINGS))
    assert [each.person for each in review.overruled] == [9.0]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("11", "row 2: '11' is not a whole number from 1 to 10"),
        ("0", "row 2: '0' is not"),
        ("8.5", "row 2: '8.5' is not a whole number"),
        ("8,5", "row 2: '8,5' is not a whole number"),
        ("good", "row 2: 'good' is not"),
        ("nan", "row 2: 'nan' is not"),
        ("=8", "row 2: '=8' is not"),
    ],
)
def test_a_value_off_the_scale_is_refused_with_its_row(exported, value, why):
    filled(exported, [value, "9", "", ""])
    with pytest.raises(UsageError) as caught:
        overrulings(read_rows(exported), iter(RATINGS))
    assert why in caught.value.message
    assert "nothing was taken over" in caught.value.message


def test_every_mistake_is_told_at_once_with_rows_as_a_spreadsheet_numbers_them(exported):
    rows = table_of(exported)
    rows[0]["judge_value"] = "9"
    rows[1]["metric"] = "kh"
    rows[2]["id"] = "r-0000000000000000"
    rows.append(dict(rows[3]))
    rewrite(exported, rows)
    with pytest.raises(UsageError) as caught:
        overrulings(read_rows(exported), iter(RATINGS))
    told = caught.value.message
    assert "4 mistakes" in told
    assert "row 2: judge_value was changed from '8' to '9'" in told
    assert "row 3: metric was changed" in told
    assert "row 4 is no rating of this run" in told
    assert "row 6 is the same as row 5" in told


def test_a_hundred_mistakes_are_counted_and_the_first_are_told():
    from offbook.evaluation.reviews import ReviewRow

    rows = [
        ReviewRow(number, {"id": f"r-{number}", "person_value": "1"}) for number in range(2, 102)
    ]
    with pytest.raises(UsageError, match="and 80 more"):
        overrulings(rows, [])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"id,person_value\n1,2\n", "no column 'judge_value'"),
        (b"", "no column 'id'"),
        (b"PK\x03\x04\xff\xfe\x00", "not in UTF-8"),
        (b'id,judge_value,person_value\n"r-1,8,9\n', "no CSV file"),
    ],
)
def test_a_file_that_is_no_review_is_refused(tmp_path, content, why):
    path = tmp_path / "review.csv"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=why):
        read_rows(path)


def test_a_file_that_is_not_there_and_a_folder_that_is_not_are_told(tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        read_rows(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="cannot write"):
        write_rows(tmp_path / "none" / "review.csv", [])


def test_a_reply_that_is_too_long_for_a_cell_is_cut_and_says_so(tmp_path):
    path = tmp_path / "review.csv"
    long = [cell("q1", "Rain. " * 30_000)]
    write_rows(path, review_rows(DATA, long, RATINGS[:1]))
    (row,) = table_of(path)
    assert len(row["reply"]) < 32_767
    assert row["reply"].endswith("the run holds it whole)")
    assert len(read_rows(path)) == 1


def test_a_batch_of_an_interview_is_shown_with_all_its_answers(tmp_path):
    data = dataset(*(item(number, "E/I") for number in range(1, 8)))
    cells = [cell(f"i{number}", f"Answer {number}.") for number in range(1, 8)]
    path = tmp_path / "review.csv"
    ratings = [rating("16p_batch", "E/I/2", 33.3), rating("preference", "q1/neutral/1", 1.0)]
    assert write_rows(path, review_rows(data, cells, ratings)) == 1
    (row,) = table_of(path)
    assert row["question"] == "E/I/2"
    assert row["judge_value"] == "33.3"
    assert [n for n in range(1, 8) if f"Answer {n}." in row["reply"]] == [5, 6, 7]
    filled(path, ["40,5 %"])
    assert overrulings(read_rows(path), ratings).overruled[0].person == 40.5


def test_ids_are_text_to_a_spreadsheet_and_differ_by_every_part_of_the_key():
    key = RATINGS[0].key
    parts = [
        replace(key, subject="x"),
        replace(key, variant="x"),
        replace(key, repeat=1),
        replace(key, metric="kh"),
        replace(key, unit="x"),
        replace(key, judge="x"),
        replace(key, sample=1),
    ]
    ids = {review_id(each) for each in (key, *parts)}
    assert len(ids) == 8
    assert all(each.startswith("r-") for each in ids)


@given(st.text(max_size=40), st.text(max_size=40))
@example("", "' ")
@example("", "''=1+1")
@settings(deadline=None)
def test_any_name_and_note_come_back_as_they_were(tmp_path_factory, reply, note):
    path = tmp_path_factory.mktemp("review") / "review.csv"
    kept = note.encode("utf-8", "replace").decode("utf-8").replace("\x00", "").replace("\r", "\n")
    overruled = replace(RATINGS[0], person=2.0, person_note=kept.strip())
    write_rows(path, review_rows(DATA, [cell("q1", reply)], [overruled]))
    (row,) = read_rows(path)
    assert row.text("person_note") == kept.strip()
    assert unguarded(guarded(kept)) == kept


def test_agreement_is_counted_over_what_people_rated():
    pairs = [(8, 8), (3, 3), (9, 7), (5, 5), (2, 2), (None, 4)]
    ratings = [
        rating("ke", f"q{at}", None if mine is None else float(mine), person=float(theirs))
        for at, (mine, theirs) in enumerate(pairs)
    ]
    ratings += [rating("ke", "unseen", 1.0), rating("uqr", "q1", 1.0, person=1.0)]
    ke, uqr = agreement(ratings)
    assert (ke.metric, ke.n) == ("ke", 6)
    assert (ke.changed.mean, ke.changed.n, ke.changed.missing) == (0.2, 5, 1)
    assert ke.kappa.mean is not None
    assert ke.quadratic_kappa.mean is not None
    assert 0 < ke.kappa.mean < ke.quadratic_kappa.mean < 1
    assert ke.alpha.mean is not None
    assert 0.8 < ke.alpha.mean < 1
    assert (uqr.metric, uqr.changed.mean) == ("uqr", 0.0)
    assert agreement([RATINGS[0]]) == []


def test_columns_and_rows_may_be_moved_and_blank_rows_are_passed_over(exported):
    rows = table_of(exported)[::-1]
    rows[0]["person_value"] = "1"
    rewrite(exported, rows, columns=COLUMNS[::-1], end=",,,\n\n")
    review = overrulings(read_rows(exported), iter(RATINGS))
    assert [each.key.metric for each in review.overruled] == ["uqr"]
