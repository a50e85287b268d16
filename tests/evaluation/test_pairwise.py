"""Two methods side by side: both orders, ties where they disagree, win rates with n."""

from __future__ import annotations

from typing import Any

from offbook.evaluation.benchmark import Question
from offbook.evaluation.pairwise import Pairwise
from offbook.prompts.interviewing import Preference
from tests.evaluation.made import cell, dataset, run

METHODS = ("naive", "ensemble")
QUESTIONS = [Question(f"q{n}", f"What is {n}?", answers=(f"number {n}",)) for n in range(40)]


def compared(choose, replies=lambda q, method: f"{method} on {q}"):
    """Preferences of a judge that names the label which ``choose`` gives of two replies."""
    run_ = run(("ke",), variants=METHODS)
    cells = [
        cell(q.id, replies(q.id, method), variant=method) for q in QUESTIONS for method in METHODS
    ]
    protocol = Pairwise("ensemble", "naive")
    ratings: list[Any] = []
    for q in QUESTIONS:
        mine = [each for each in cells if each.key.question == q.id]
        for judgement in protocol.judgements(run_, dataset(*QUESTIONS), mine):
            first, second = judgement.inputs.replies
            best = choose(first.text, second.text)
            ratings += judgement.read(Preference(analysis="So.", best=best))
    return protocol.preferences(run_, cells, ratings), ratings


def test_each_pair_is_judged_twice_and_the_better_wins_in_either_order():
    found, ratings = compared(lambda first, second: "A" if first.startswith("ensemble") else "B")
    assert len(ratings) == len({rating.key for rating in ratings}) == 80
    assert (found.wins, found.ties, found.losses) == (40, 0, 0)
    assert (found.win_rate.mean, found.win_rate.n) == (1.0, 40)
    assert found.first_place.mean == 0.5
    assert found.sentence.startswith("ensemble is preferred to naive: it wins 1.00 [1.00 to 1.00]")
    lost, _ = compared(lambda first, second: "B" if first.startswith("ensemble") else "A")
    assert lost.sentence.startswith("naive is preferred to ensemble: it wins 1.00")


def test_a_judge_that_takes_the_first_place_gives_ties():
    found, _ = compared(lambda first, second: "A")
    assert (found.wins, found.ties, found.losses, found.equal) == (0, 40, 0, 0)
    assert (found.win_rate.mean, found.first_place.mean) == (0.5, 1.0)
    assert found.sentence.startswith("Neither ensemble nor naive is preferred")


def test_nobody_is_asked_about_equal_replies_and_failed_ones_are_missing():
    def replies(question, method):
        return None if (question, method) == ("q0", "naive") else "The same."

    found, ratings = compared(lambda first, second: "A", replies)
    assert ratings == []
    assert (found.ties, found.equal, found.win_rate.n, found.win_rate.missing) == (39, 39, 39, 1)
