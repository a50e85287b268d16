"""Files of the user's own, good and bad."""

import json

import pytest

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.catalogue import benchmark
from offbook.evaluation.datasets.loading import load_benchmark, load_dataset
from tests.evaluation.datasets.files import item, noted, write, write_lines


def test_a_file_of_the_users_own(tmp_path):
    file = write_lines(
        tmp_path / "mine.jsonl",
        [
            {"question": "Who?", "answers": ["Tom", "Thomas"], "scope": "in", "id": "a"},
            {"Question": "Trains?", "answer": "", "Scope": "out-of-scope", "character": "Ada"},
            {"question": "Sing?", "dimension": "Openness", "key": "-", "number": 4, "colour": 1},
        ],
    )
    labels = write(tmp_path / "labels.csv", "character,mbti\nAda,ISTJ\n")
    dataset = load_dataset("file", file, {"labels": str(labels), "licence": "secret"})
    who, trains, sing = dataset.questions
    assert (who.id, who.answers, who.scope, who.subject) == ("a", ("Tom", "Thomas"), "in", None)
    assert (trains.scope, trains.answers, trains.subject) == ("out", (), "Ada")
    assert (item(sing).questionnaire, item(sing).number, item(sing).sign) == ("mine", "4", -1)
    assert (dataset.name, dataset.licence) == ("mine", "secret")
    assert len(dataset.subject("Ada").labels) == 4
    assert noted(dataset, "field 'colour' is not read (in 1 of 3 rows)")
    assert noted(dataset, "questions without an id, which is made from the content: 2")


def test_bad_files_of_the_users_own(tmp_path):
    with pytest.raises(UsageError, match="is a folder"):
        load_dataset("file", tmp_path)
    with pytest.raises(UsageError, match="none was named"):
        load_dataset("file")
    with pytest.raises(UnreadableDocument, match="there is nothing at"):
        load_dataset("file", tmp_path / "gone.jsonl")
    keyless = write_lines(tmp_path / "k.jsonl", [{"question": "Sing?", "dimension": "Openness"}])
    with pytest.raises(UsageError, match=r"row 1 of .* has the key ''"):
        load_dataset("file", keyless)
    nested = write_lines(tmp_path / "n.jsonl", [{"question": {"a": 1}}])
    with pytest.raises(UsageError, match=r"'question' in row 1 of .* is no text"):
        load_dataset("file", nested)
    lists = write_lines(tmp_path / "l.jsonl", [{"question": "Who?", "answers": [["Tom"]]}])
    with pytest.raises(UsageError, match="no list of texts"):
        load_dataset("file", lists)


def test_questions_that_lie_in_no_file_are_read_as_those_of_one(tmp_path):
    rows = [{"question": "Who lit the lamp?", "id": "q1", "answers": ["Nora"], "scope": "in"}]
    lines = "\n".join(json.dumps(row) for row in rows)
    file = write_lines(tmp_path / "questions.jsonl", rows)
    sent = load_dataset("file", None, {"rows": lines})
    assert sent.questions == load_dataset("file", file).questions
    assert load_benchmark(benchmark("file"), None, {"rows": lines}).checksum == sent.checksum
    with pytest.raises(UsageError, match="line 2 of 'questions'"):
        load_dataset("file", None, {"rows": lines + "\n{"})
