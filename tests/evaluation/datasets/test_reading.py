"""Files of rows: every ending, and every way in which a file can be broken."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.datasets.loading import load_dataset
from offbook.evaluation.datasets.reading import read_json, read_rows
from tests.evaluation.datasets.files import write, write_json, write_lines
from tests.sizes import examples

ROWS = [{"question": "Who, then?", "answer": "Tom"}, {"question": "When?", "answer": '"Then"'}]
CSV = 'question,answer\n"Who, then?",Tom\nWhen?,"""Then"""\n'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.csv", CSV),
        ("q.csv", CSV.replace("\n", "\r\n")),
        ("q.csv", 'question;answer\n"Who, then?";Tom\nWhen?;"""Then"""\n'),
        ("q.tsv", 'question\tanswer\nWho, then?\tTom\nWhen?\t"""Then"""\n'),
    ],
)
def test_csv_is_read_with_its_own_delimiter(tmp_path, name, text):
    assert [row.values for row in read_rows(write(tmp_path / name, text))] == ROWS


def test_a_long_document_in_a_field_of_csv_is_read(tmp_path):
    long = "She keeps the light. " * 10_000
    (row,) = read_rows(write(tmp_path / "q.csv", f"character,document\nAda,{long}\n"))
    assert row.values["document"] == long


def test_json_lines_and_lists_give_the_same_rows(tmp_path):
    lines = read_rows(write_lines(tmp_path / "q.jsonl", ROWS))
    listed = read_rows(write_json(tmp_path / "q.json", ROWS))
    misnamed = read_rows(write_json(tmp_path / "list.jsonl", ROWS))
    under = read_rows(write_json(tmp_path / "u.json", {"data": ROWS}))
    assert [row.values for row in lines] == ROWS
    for other in (listed, misnamed, under):
        assert [(row.number, row.values) for row in other] == [
            (row.number, row.values) for row in lines
        ]


def test_one_object_in_a_json_file_is_one_row(tmp_path):
    assert [row.values for row in read_rows(write_json(tmp_path / "q.json", ROWS[0]))] == ROWS[:1]


def test_a_byte_order_mark_and_blank_lines_are_passed_over(tmp_path):
    data = codecs.BOM_UTF8 + b'\n{"question": "Who?"}\r\n\n{"question": "When?"}\n'
    rows = read_rows(write(tmp_path / "q.jsonl", data))
    assert [(row.number, row.values["question"]) for row in rows] == [(2, "Who?"), (4, "When?")]


@pytest.mark.parametrize(
    ("name", "text", "said", "mend"),
    [
        ("q.jsonl", '{"question": "a"}\n{"question": "b"\n', "line 2 of", "mend that line"),
        ("q.jsonl", '{"question": "a"}\n["b"]\n', "line 2 of", "a line is"),
        ("q.jsonl", "[" * 100_000, "brackets within brackets", ""),
        ("q.jsonl", '{"a":' + "[" * 100_000, "line 1 of", "mend that line"),
        ("q.json", '[{"question": "a"},\n {"question": }]', "line 2 of", "fetch the file again"),
        ("q.json", '["a"]', "element 1 of", "an element is"),
        ("q.csv", "question,answer\na,b\nc,d,e\n", "line 3 of", "double quotes"),
        ("q.csv", 'question,answer\n"a"b,c\n', "line 2 of", "double quotes"),
        ("q.jsonl", "", "is empty", "question a line"),
        ("q.jsonl", " \n\n", "is empty", "question a line"),
    ],
)
def test_a_broken_file_is_refused_with_the_place_and_how_to_mend_it(
    tmp_path, name, text, said, mend
):
    with pytest.raises(UsageError) as caught:
        read_rows(write(tmp_path / name, text))
    assert said in caught.value.message
    assert name in caught.value.message
    assert mend in caught.value.hint


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("q.jsonl", '{"question": "Ça va"}'.encode("latin-1"), "byte 0xc7 at offset 14"),
        ("q.jsonl", b'{"question": "a\0"}', "binary"),
        ("q.parquet", b"PAR1", "Parquet"),
    ],
)
def test_another_encoding_is_never_guessed(tmp_path, name, data, said):
    with pytest.raises(UnreadableDocument, match=said):
        read_rows(write(tmp_path / name, data))


def test_json_that_is_none_is_refused(tmp_path):
    with pytest.raises(UsageError, match="line 2 of"):
        read_json(write(tmp_path / "q.json", '{"a": 1,\n"b"}'))
    with pytest.raises(UsageError, match="brackets within brackets"):
        read_json(write(tmp_path / "deep.json", "[" * 100_000))


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.dictionaries(st.text(min_size=1), st.text() | st.integers(), max_size=3), min_size=1
    )
)
def test_what_is_written_as_json_lines_is_read_back(tmp_path, rows):
    assert [row.values for row in read_rows(write_lines(tmp_path / "q.jsonl", rows))] == rows


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("file", {"colour": "red"}, "no option 'colour'"),
        ("mbti-60", {"language": "fr"}, "language is 'fr'"),
        ("demo", {"questions": "none"}, "questions is 'none'"),
    ],
)
def test_an_option_that_there_is_not_names_those_there_are(name, options, said):
    with pytest.raises(UsageError, match=said) as caught:
        load_dataset(name, options=options)
    assert "known: " in caught.value.hint
