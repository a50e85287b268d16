"""Items one by one: each rated alone, on the scale of its test, letters against labels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offbook.evaluation.benchmark import Label
from offbook.evaluation.interviews.item_by_item import ItemsProtocol
from offbook.evaluation.interviews.scoring import personalities
from offbook.evaluation.measured import Measured
from offbook.evaluation.metrics.typology import written
from offbook.prompts.interviewing import (
    RATE_BIGFIVE_ITEM,
    RATE_MBTI_ITEM,
    RatingOfFive,
    RatingOfSeven,
)
from tests.evaluation.made import NORA, cell, dataset, item, judged, run

MBTI = tuple(
    item(number, dimension, 1 if number % 2 else -1)
    for number, dimension in enumerate(("E/I", "E/I", "S/N", "S/N", "T/F", "T/F", "P/J", "P/J"), 1)
)
BIG = tuple(
    item(10 + number, dimension)
    for number, dimension in enumerate(
        ("Extraversion", "Neuroticism", "Conscientiousness", "Agreeableness", "Openness")
    )
)
LABELLED = replace(
    NORA,
    labels=(
        Label("mbti", "E/I", "I"),
        Label("mbti", "S/N", "S"),
        Label("mbti", "T/F", "X"),
        Label("mbti", "P/J", "J"),
    ),
)


def answered(prompt, inputs):
    """Very much so to items of odd number, not at all to those of even number."""
    is_odd = int(inputs.question.rpartition(" i")[2].rstrip("?")) % 2
    if prompt is RATE_MBTI_ITEM:
        return RatingOfSeven(analysis="So it says.", rating=1 if is_odd else 7)
    assert prompt is RATE_BIGFIVE_ITEM
    return RatingOfFive(analysis="So it says.", rating=2 if is_odd else 4)


def scored(of_run, data, cells, ratings):
    found = ItemsProtocol().scores(of_run, data, iter(cells), iter(ratings))
    return {(score.metric, score.variant, score.group): score.estimate for score in found}


def test_each_item_is_rated_once_by_the_test_that_it_belongs_to():
    of_run, data = run(("mbti_item", "bigfive_item")), dataset(*MBTI, *BIG)
    protocol = ItemsProtocol()
    cells = [cell(question.id) for question in data.questions]
    found = [j for each in cells for j in protocol.judgements(of_run, data, (each,))]
    metrics = [judgement.keys[0].metric for judgement in found]
    assert metrics == ["mbti_item"] * 8 + ["bigfive_item"] * 5
    assert found[0].inputs.statement == "I am such as item 1 says."
    assert len({protocol.ready(each.key) for each in cells}) == len(cells)


def test_letters_and_scores_follow_the_keys_and_are_held_against_the_labels():
    of_run = run(("mbti_item",), variants=("naive",))
    data = dataset(*MBTI, subjects=(LABELLED,))
    cells = [cell(question.id) for question in MBTI]
    ratings = judged(ItemsProtocol(), of_run, data, cells, answered)
    measured = Measured(of_run, data, cells, ratings)
    (one,) = personalities(measured)
    assert written(one.letters) == "ESTP"
    assert written(one.labels) == "IS-J"
    assert [score.score for score in one.scores] == [100.0] * 4
    scores = scored(of_run, data, cells, ratings)
    wrong = scores["mbti_item.sum_d", "naive", "all"]
    assert (wrong.mean, wrong.n) == (2.0, 3)
    accuracy = scores["mbti_item.accuracy", "naive", "all"]
    assert accuracy.mean == pytest.approx(1 / 3)
    assert scores["mbti_item.score", "naive", "subject=Nora Vey/dimension=E/I"].mean == 100.0


def test_big_five_items_count_from_agreement_down():
    of_run = run(("bigfive_item",), variants=("naive",))
    data = dataset(*BIG)
    cells = [cell(question.id) for question in BIG]
    ratings = judged(ItemsProtocol(), of_run, data, cells, answered)
    (one,) = personalities(Measured(of_run, data, cells, ratings))
    # 10, 12, 14 are even: "not at all"; 11 and 13 odd.
    assert [score.score for score in one.scores] == [2.0, 4.0, 2.0, 4.0, 2.0]
    assert written(one.letters) == "RLUAN"
    scores = scored(of_run, data, cells, ratings)
    assert not [key for key in scores if "sum_d" in key[0]]


def test_a_missing_item_is_left_out_and_counted():
    of_run = run(("mbti_item",), variants=("naive",))
    data = dataset(*MBTI, subjects=(LABELLED,))
    cells = [cell(question.id, None if question.id == "i1" else "Yes.") for question in MBTI]
    ratings = judged(ItemsProtocol(), of_run, data, cells, answered)
    ratings = [
        replace(each, value=None, missing="broken") if each.key.unit == "i2" else each
        for each in ratings
    ]
    scores = scored(of_run, data, cells, ratings)
    first = scores["mbti_item.score", "naive", "subject=Nora Vey/dimension=E/I"]
    assert (first.mean, first.n, first.missing) == (None, 0, 2)
    wrong = scores["mbti_item.sum_d", "naive", "all"]
    assert (wrong.mean, wrong.n, wrong.missing) == (1.0, 2, 1)


def test_no_mean_is_taken_of_ratings_that_are_keyed():
    of_run = run(("mbti_item",), variants=("naive",))
    data = dataset(*MBTI)
    cells = [cell(question.id) for question in MBTI]
    ratings = judged(ItemsProtocol(), of_run, data, cells, answered)
    assert ("mbti_item", "naive", "all") not in scored(of_run, data, cells, ratings)


def test_labels_of_incharacter_are_letters_too():
    banded = replace(
        NORA,
        labels=(
            Label("16Personalities", "E/I", "L", 20.0),
            Label("16Personalities", "S/N", "H", 80.0),
            Label("16Personalities", "T/F", "X", 50.0),
        ),
    )
    of_run = run(("mbti_item",), variants=("naive",))
    data = dataset(*MBTI, subjects=(banded,))
    cells = [cell(question.id) for question in MBTI]
    ratings = judged(ItemsProtocol(), of_run, data, cells, answered)
    (one,) = personalities(Measured(of_run, data, cells, ratings))
    assert written(one.labels) == "IS--"
