"""Our numbers beside printed ones: values, types, groups, and how they are written."""

from __future__ import annotations

import json

import pytest

from offbook.errors import UsageError
from offbook.evaluation.metrics.statistics import Estimate
from offbook.evaluation.metrics.typology import MBTI
from offbook.evaluation.record import Score
from offbook.evaluation.tables.catalogue import TABLES, table_named
from offbook.evaluation.tables.filling import (
    fill,
    human_rows,
    labels_of,
    scores_of,
    types_of,
    with_types,
)
from offbook.evaluation.tables.rendering import as_latex, as_markdown, as_text


def estimate_in(row, key):
    value = row.values[key]
    assert isinstance(value, Estimate)
    return value


def table(rows):
    return "".join(" ; ".join(row) + "\n" for row in rows)


def score(metric, mean, group="all", variant="naive", n=4):
    return Score(metric, variant, group, Estimate(mean, n, 0, mean - 0.1, mean + 0.1))


def dimension(subject, name, mean):
    return Score(
        "mbti_item.score", "naive", f"subject={subject}/dimension={name}", Estimate(mean, 15)
    )


def qa(*scores):
    return fill(
        table_named("amadeus-qa"), [scores_of("qa", "naive", "m", "run-1", scores, "naive")]
    )


@pytest.mark.parametrize("name", TABLES)
def test_an_empty_table_shows_all_that_is_printed_and_no_number_of_ours(name):
    filled = fill(TABLES[name], notes=["nothing ran"])
    text = as_text(filled, table)
    ours = [line for line in text.splitlines() if " ; ours ; " in line]
    assert len(ours) == sum(len(block.lines) for block in TABLES[name].blocks)
    assert all(set(line.partition(" ; ours ; ")[2]) <= set(" ;-") for line in ours)
    printed = [row for block in filled.blocks for line in block.lines for row in line.printed]
    assert all(value in text for row in printed for value in row.values.values())
    assert "nothing ran" in text
    for sentence in TABLES[name].differs:
        assert sentence in text
        assert sentence in as_markdown(filled)
    assert json.loads(json.dumps(filled.as_json()))["differs"] == list(TABLES[name].differs)
    assert as_latex(filled).count("\\begin{tabular}") == len(TABLES[name].blocks)


def test_a_number_comes_with_interval_and_n_and_as_the_paper_prints_it():
    filled = qa(score("acc", 0.5), score("acc_l", 7.25))
    assert "50.00 [40.00, 60.00] (n = 4)" in as_text(filled, table)
    assert "7.25 [7.15, 7.35] (n = 4)" in as_markdown(filled)
    assert filled.runs == ("run-1",)
    (row,) = filled.blocks[0].lines[1].ours
    assert row.of == "m"
    assert row.values["hs"] is None


def test_groups_and_subjects_whatever_their_spelling():
    scores = [score("ke", 7.0, "subject=harry potter"), score("ke", 3.0)]
    ours = [scores_of("hp", "naive", "m", "r", scores, "naive")]
    assert fill(table_named("rolerag-frequency"), ours).blocks[0].lines[0].ours == ()
    ours = [scores_of("hp", "vanilla", "m", "r", scores, "naive")]
    lines = fill(table_named("rolerag-frequency"), ours).blocks[0].lines
    assert estimate_in(lines[0].ours[0], "ke").mean == 7.0
    assert all(not line.ours for line in lines[1:])


def test_types_are_letters_of_the_dimensions_and_compared_with_the_printed_labels():
    scores = [
        dimension("anya forger", "E/I", 80.0),
        dimension("anya forger", "S/N", 20.0),
        dimension("anya forger", "T/F", 50.0),
        dimension("Nobody", "E/I", 10.0),
    ]
    assert types_of(scores, "naive", "mbti_item", "second") == {
        "anya forger": ("E", "N", "F", None),
        "Nobody": ("I", None, None, None),
    }
    plain = scores_of("mbti", "naive", "m", "r", scores, "naive")
    ours = with_types(plain, scores, "naive", "mbti_item", labels_of("mbti_item", None), "second")
    filled = fill(table_named("amadeus-mbti"), [ours])
    summary, letters = filled.blocks
    row = summary.lines[0].ours[0]
    wrong = estimate_in(row, "sum_d")
    # Anya is an ENFP: three letters right, the fourth is missing; Nobody has no label.
    assert (wrong.mean, wrong.n, wrong.missing) == (0.0, 3, 1)
    assert estimate_in(row, "accuracy").mean == 1.0
    assert letters.lines[0].ours[0].values["type.naive"] == "ENF-"
    assert letters.lines[1].ours == ()


def test_labels_of_a_file_take_the_place_of_the_printed_ones(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("character,mbti\nAda,INTX\n", "utf-8")
    assert labels_of("mbti_item", file) == {"Ada": ("I", "N", "T", None)}
    with pytest.raises(UsageError, match="no label of sloan"):
        labels_of("bigfive_item", file)
    filled = fill(table_named("amadeus-mbti"), labels={"Anya Forger": MBTI.letters("INTJ")})
    assert filled.blocks[1].lines[0].ours[0].values["type.label"] == "INTJ"


def test_latex_is_escaped():
    filled = fill(table_named("amadeus-qa"), notes=["50 % of\nx_y"])
    text = as_latex(filled)
    assert "ACC \\%" in text
    assert "ACC\\_L" in text
    assert "% Notes: 50 % of x_y\n" in text
    assert all(line for line in text.splitlines()[:3])


RATINGS = "questionnaire,sample,rater,rating\n"


def ratings(tmp_path, *rows):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS + "".join(row + "\n" for row in rows), "utf-8")
    return human_rows(path)


def test_ratings_of_people_by_questionnaire(tmp_path):
    found, notes = ratings(
        tmp_path, "BFI,s1,a,4", "BFI,s1,b,2", "BFI,s2,a,5", "BFI,s2,b,", "mbti,s3,a,1"
    )
    (bfi,) = found["bfi"]
    assert bfi.of == "2 raters"
    assert (bfi.values["mean"].mean, bfi.values["mean"].n) == (4.0, 2)
    assert bfi.values["deviation"].missing == 1
    assert bfi.values["alpha"].mean is None
    assert found["mbti"][0].of == "1 rater"
    assert notes == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("BFI,s1,,4", "lacks a column"),
        ("PANAS,s1,a,4", "lacks a column"),
        ("BFI,s1,a,six", "'six'"),
        ("BFI,s1,a,6", "'6'"),
        ("BFI,s1,a,nan", "'nan'"),
        ("BFI,s0,a,1", "a second time"),
    ],
)
def test_ratings_that_are_none_are_refused(tmp_path, row, message):
    with pytest.raises(UsageError, match=message):
        ratings(tmp_path, "BFI,s0,a,3", row)
