"""One variant less another: ratings of replies, letters against labels, types and errors, costs."""

from __future__ import annotations

import pytest

from offbook.evaluation.benchmark import Label, Subject
from offbook.evaluation.comparison import cost_differences, differences, why_no_differences
from offbook.evaluation.personality import personality_scores
from offbook.evaluation.protocols import ItemsProtocol
from offbook.evaluation.scores import Measured
from offbook.types import Usage
from tests.evaluation.made import cell, dataset, item, rating, run

NAMES = ("Ada", "Bo", "Cy")
VERY, NOT_AT_ALL = 1.0, 7.0
ITEMS = (item(1, "E/I"), item(2, "S/N"))
CELLS = [
    cell(q.id, variant=v, subject=s) for q in ITEMS for v in ("naive", "vanilla") for s in NAMES
]


def said(letters):
    """A subject of whom people say E or I, S or N, or have not decided."""
    return [
        Subject(name, labels=(Label("mbti", "E/I", e), Label("mbti", "S/N", s)))
        for name, (e, s) in zip(NAMES, letters, strict=True)
    ]


def asked(letters, rated):
    """What was measured of ``rated``: values of E/I and S/N by variant and subject."""
    of_run = run(("mbti_item",), protocol="items", subjects={n: n.casefold() for n in NAMES})
    ratings = [
        rating("mbti_item", question.id, value, variant, subject)
        for (variant, subject), values in rated.items()
        for question, value in zip(ITEMS, values, strict=True)
    ]
    return of_run, dataset(*ITEMS, subjects=said(letters)), ratings


RATED = {
    **{("naive", name): (VERY, VERY) for name in NAMES},
    ("vanilla", "Ada"): (VERY, NOT_AT_ALL),
    ("vanilla", "Bo"): (NOT_AT_ALL, NOT_AT_ALL),
    ("vanilla", "Cy"): (VERY, None),
}


def test_letters_are_compared_where_people_decided_and_both_have_one():
    of_run, data, ratings = asked(("ES", "ES", "XS"), RATED)
    measured = Measured(of_run, data, CELLS, ratings)
    (found,) = differences(measured, "naive", measured, "vanilla")
    assert (found.metric, found.better, found.unit) == ("mbti_item.accuracy", "higher", "share")
    # Ada: one letter of two better; Bo: both; Cy: undecided, and no rating.
    assert found.estimate.mean == pytest.approx(3 / 4)
    assert (found.estimate.n, found.estimate.missing) == (4, 1)
    assert found.estimate.interval is not None
    assert found.as_json()["mean"] == found.estimate.mean
    assert why_no_differences(measured) == []
    scores = {
        (s.metric, s.variant): s.estimate
        for s in ItemsProtocol().scores(of_run, data, CELLS, ratings)
        if s.group == "all"
    }
    wrong, accuracy = scores["mbti_item.sum_d", "vanilla"], scores["mbti_item.accuracy", "vanilla"]
    assert (wrong.mean, wrong.n) == (3.0, 4)
    assert accuracy.interval is not None
    low, high = accuracy.interval
    assert wrong.interval == pytest.approx(((1 - high) * 4, (1 - low) * 4))


def test_without_labels_it_is_said_that_there_is_nothing_to_compare():
    of_run, data, ratings = asked(("XX", "XX", "XX"), RATED)
    measured = Measured(of_run, data, CELLS, ratings)
    assert not list(differences(measured, "naive", measured, "vanilla"))
    (why,) = why_no_differences(measured)
    assert "no labels" in why


def test_types_and_errors_of_interviews_are_compared_repeat_by_repeat():
    subjects = [
        Subject(name, labels=(Label("16Personalities", "E/I", kind, score),))
        for name, kind, score in (("Ada", "H", 80.0), ("Bo", "L", 20.0), ("Cy", "X", 50.0))
    ]
    named = {name: name.casefold() for name in NAMES}
    of_run = run(("16p_batch",), protocol="open_interview", subjects=named, repeats=2)
    rated = {"naive": (80.0, 30.0), "vanilla": (30.0, 30.0)}
    ratings = [
        rating("16p_batch", "E/I/1", rated[variant][repeat], variant, name, repeat)
        for variant in rated
        for name in NAMES
        for repeat in (0, 1)
    ]
    measured = Measured(of_run, dataset(ITEMS[0], subjects=subjects), [], ratings)
    found = {one.metric: one for one in differences(measured, "naive", measured, "vanilla")}
    right, error = found["16p_batch.acc_dim"], found["16p_batch.mae"]
    # Ada is right once more, Bo is wrong once more; Cy is undecided.
    assert (right.estimate.mean, right.estimate.n, right.better) == (0.0, 4, "higher")
    # Ada: 0 for 0.5; Bo: 0.6 for 0.1; the second repeats are equal.
    assert error.estimate.mean == pytest.approx(0.0)
    assert error.better == "lower"
    assert [s for s in personality_scores(measured) if s.metric == "16p_batch.acc_dim"]


def test_costs_are_compared_where_both_have_one():
    cells = [
        cell("i1", variant=variant, usage=Usage(calls=calls, seconds=1.0))
        for variant, calls in (("naive", 3), ("vanilla", 1))
    ]
    measured = Measured(run(("ke",)), dataset(ITEMS[0]), cells, [])
    found = {one.metric: one for one in cost_differences(measured, "naive", measured, "vanilla")}
    assert found["calls"].estimate.mean == 2.0
    assert (found["calls"].unit, found["failed"].unit) == ("calls", "share")
    assert "cost_usd" not in found
