"""From ratings to scores: means with n, what is missing and what is undefined, groups, pairs."""

from __future__ import annotations

import itertools
import tracemalloc
from dataclasses import replace

import pytest

from offbook.evaluation.benchmark import Question, Subject
from offbook.evaluation.protocols import QuestionsProtocol
from offbook.evaluation.scores import Measured
from offbook.stores.evaluations import UNJUDGED
from offbook.types import Usage
from tests.evaluation.made import NORA, cell, dataset, passage, rating, run

QUESTIONS = (
    Question("q1", "What do you hate?", answers=("rain",), scope="in", kind="tastes"),
    Question("q2", "What is radar?", scope="out", kind="things"),
    Question("q3", "Where do you live?", answers=("Hull",), scope="in", kind="places"),
)
BO = Subject("Bo")


def scored(of_run, data, cells, ratings):
    found = QuestionsProtocol().scores(of_run, data, iter(cells), iter(ratings))
    named = {(score.metric, score.variant, score.group): score for score in found}
    assert len(named) == len(found), "a score is given twice"
    return named


def test_means_come_by_variant_and_group_with_n_and_interval():
    cells = [cell(q.id, variant=v) for q in QUESTIONS for v in ("naive", "vanilla")]
    ratings = [rating("ke", q.id, v) for q, v in zip(QUESTIONS, (8.0, 2.0, 5.0), strict=True)]
    ratings += [rating("ke", q.id, 3.0, "vanilla") for q in QUESTIONS]
    found = scored(run(("ke",)), dataset(*QUESTIONS), cells, ratings)
    every = found["ke", "naive", "all"].estimate
    assert (every.mean, every.n, every.missing) == (5.0, 3, 0)
    assert every.interval is not None
    assert every.interval[0] < 5.0 < every.interval[1]
    assert found["ke", "naive", "scope=in"].estimate.mean == 6.5
    assert found["ke", "naive", "scope=out"].estimate.mean == 2.0
    assert found["ke", "naive", "kind=places"].estimate.mean == 5.0
    assert found["ke", "vanilla", "all"].estimate.mean == 3.0
    assert found["ke", "naive", "all"].better == "higher"
    assert not [key for key in found if key[2].startswith("subject=")]


def test_a_missing_rating_is_left_out_and_counted_and_so_is_a_failed_reply():
    cells = [cell("q1"), cell("q2"), cell("q3", None)]
    ratings = [rating("ke", "q1", 8.0), rating("ke", "q2", None)]
    found = scored(run(("ke",), variants=("naive",)), dataset(*QUESTIONS), cells, ratings)
    every = found["ke", "naive", "all"].estimate
    assert (every.mean, every.n, every.missing) == (8.0, 1, 2)
    assert found["failed", "naive", "all"].estimate.mean == pytest.approx(1 / 3)


def test_what_cannot_be_judged_is_neither_a_value_nor_missing():
    run_ = run(("ke",))
    questions = [Question(f"q{n}", f"What is {n}?") for n in range(3)]
    ratings = [rating("ke", "q0", 8.0), rating("ke", "q1", None)]
    unjudged = replace(rating("ke", "q2", None), missing=UNJUDGED)
    cells = [cell(q.id) for q in questions]
    found = scored(run_, dataset(*questions), cells, [*ratings, unjudged])
    score = found["ke", "naive", "all"].estimate
    assert (score.mean, score.n, score.missing) == (8.0, 1, 1)
    assert found["ke_unjudged", "naive", "all"].estimate.mean == pytest.approx(1 / 3)
    ruled = replace(unjudged, person=4.0)
    found = scored(run_, dataset(*questions), cells, [*ratings, ruled])
    assert found["ke", "naive", "all"].estimate.mean == 6.0
    assert ("ke_unjudged", "naive", "all") not in found


def test_what_is_undefined_is_neither_a_value_nor_missing():
    of_run = run(("acc", "hs"))
    chunks = (passage("She hates rain."),)
    cells = [cell(q.id, context=chunks) for q in QUESTIONS]
    cells += [cell(q.id, variant="vanilla") for q in QUESTIONS]
    ratings = [rating("acc", q, 1.0, v) for q in ("q1", "q3") for v in ("naive", "vanilla")]
    ratings += [rating("hs", q, 2.0) for q in ("q1", "q3")]
    found = scored(of_run, dataset(*QUESTIONS), cells, ratings)
    told = found["acc", "naive", "all"].estimate
    assert (told.mean, told.n, told.missing) == (1.0, 2, 0)
    assert found["acc_undefined", "naive", "all"].estimate.mean == pytest.approx(1 / 3)
    assert found["hs", "naive", "all"].estimate.mean == 2.0
    nothing = found["hs", "vanilla", "all"].estimate
    assert (nothing.mean, nothing.n, nothing.missing) == (None, 0, 0)
    assert found["hs_undefined", "vanilla", "all"].estimate.mean == 1.0


def test_a_failed_reply_of_a_method_without_chunks_is_not_missing_in_what_it_never_has():
    cells = [cell("q1", variant="vanilla"), cell("q3", None, variant="vanilla")]
    found = scored(run(("hs",)), dataset(*QUESTIONS), cells, [])
    assert found["hs", "vanilla", "all"].estimate.missing == 0


def test_a_failed_reply_to_a_question_without_a_right_answer_is_not_missing_in_acc():
    told = (passage("She hates rain."),)
    cells = [cell("q1", context=told), cell("q2", None, context=told), cell("q3", None)]
    of_run = run(("acc", "hs"), variants=("naive",))
    found = scored(of_run, dataset(*QUESTIONS), cells, [rating("acc", "q1", 1.0)])
    assert found["acc", "naive", "all"].estimate.missing == 1
    assert found["hs", "naive", "all"].estimate.missing == 2


def test_ratings_of_another_judge_do_not_count():
    ratings = [rating("ke", "q1", 8.0), rating("ke", "q1", 1.0, judge="other")]
    for order in itertools.permutations(ratings):
        found = scored(run(("ke",)), dataset(*QUESTIONS), [cell("q1")], order)
        assert found["ke", "naive", "all"].estimate.mean == 8.0


def test_several_characters_are_drawn_whole():
    of_run = run(("ke",), subjects={"Nora Vey": "n", "Bo": "b"}, variants=("naive",))
    data = dataset(*QUESTIONS, subjects=(NORA, BO))
    cells = [cell(q.id, subject=s) for q in QUESTIONS for s in ("Nora Vey", "Bo")]
    ratings = [rating("ke", q.id, 9.0, subject="Nora Vey") for q in QUESTIONS]
    ratings += [rating("ke", q.id, 1.0, subject="Bo") for q in QUESTIONS]
    found = scored(of_run, data, cells, ratings)
    assert found["ke", "naive", "all"].estimate.interval == (1.0, 9.0)
    assert found["ke", "naive", "subject=Bo"].estimate.mean == 1.0
    assert found["ke", "naive", "subject=Nora Vey"].estimate.n == 3


def test_repeats_of_a_question_go_together():
    data = dataset(*QUESTIONS)
    once = run(("ke",), variants=("naive",))
    cells = [cell(q.id, repeat=r) for q in QUESTIONS for r in range(20)]
    ratings = [
        rating("ke", q.id, value, repeat=r)
        for q, value in zip(QUESTIONS, (2.0, 5.0, 8.0), strict=True)
        for r in range(20)
    ]
    width = []
    for of_run in (once, replace(once, repeats=20)):
        low, high = scored(of_run, data, cells, ratings)["ke", "naive", "all"].estimate.interval
        width.append(high - low)
    assert width[1] > 2 * width[0]


def test_costs_are_means_of_a_reply_and_one_that_nobody_configured_is_left_out():
    usage = Usage(calls=3, prompt_tokens=100, completion_tokens=20, seconds=1.5)
    cells = [cell("q1", usage=usage), cell("q2", usage=replace(usage, calls=5))]
    found = scored(run(("ke",), variants=("naive",)), dataset(*QUESTIONS), cells, [])
    assert found["calls", "naive", "all"].estimate.mean == 4.0
    assert found["prompt_tokens", "naive", "all"].unit == "tokens"
    assert found["seconds", "naive", "all"].estimate.n == 2
    assert ("cost_usd", "naive", "all") not in found
    priced = [replace(each, usage=replace(usage, cost_usd=0.25)) for each in cells]
    found = scored(run(("ke",), variants=("naive",)), dataset(*QUESTIONS), priced, [])
    assert found["cost_usd", "naive", "all"].estimate.mean == 0.25


def test_use_of_chunks_and_failures_of_guided_selection():
    context = (passage("a", "c1"), passage("b", "c2"))
    cells = [
        cell("q1", context=context, fallback=False),
        cell("q2", context=context[:1], fallback=True),
    ]
    chunks = {"naive": {"Nora Vey": 8}}
    of_run = run(("ke",), variants=("naive",), chunks=chunks)
    data = dataset(*QUESTIONS)
    found = scored(of_run, data, cells, [])
    assert found["chunk_usage", "naive", "all"].estimate.mean == 0.25
    assert found["duplication", "naive", "all"].estimate.mean == 1.5
    assert found["gs_failure", "naive", "all"].estimate.mean == 0.5
    use = Measured(of_run, data, cells, []).retrieval("naive")
    assert use is not None
    assert use.duplication == {0: 6, 1: 1, 2: 1}
    older = scored(replace(of_run, chunks={}), data, cells, [])
    assert ("chunk_usage", "naive", "all") not in older, "an older run does not know"
    assert older["duplication", "naive", "all"] == found["duplication", "naive", "all"]


def test_of_a_method_that_selects_only_what_it_selected_counts_as_used():
    context = (passage("a", "c1"), passage("b", "c2"), passage("c", "c3"))
    cells = [
        cell("q1", context=context, fallback=False, selected=("c3", "c4")),
        cell("q2", context=context, fallback=None, selected=()),
    ]
    of_run = run(("ke",), variants=("naive",), chunks={"naive": {"Nora Vey": 8}})
    use = Measured(of_run, dataset(*QUESTIONS), cells, []).retrieval("naive")
    assert use is not None
    assert use.usage_rate.mean == 0.25
    assert use.duplication == {0: 6, 1: 2}


def test_memory_holds_numbers_and_no_text():
    count = 2_000
    data = dataset(*(Question(f"q{number}", "What?") for number in range(count)))
    of_run = run(("ke", "kh", "uqr"), variants=("naive",))
    text = "Rain. " * 500

    def cells():
        for number in range(count):
            yield cell(f"q{number}", f"{number} {text}", context=(passage(f"{number} {text}"),))

    def ratings():
        for number in range(count):
            for metric in of_run.metrics:
                yield rating(metric, f"q{number}", 1.0, analysis=f"{number} {text}")

    tracemalloc.start()
    measured = Measured(of_run, data, cells(), ratings())
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(measured.values("naive", "ke")) == count
    # A cell's text alone is 6,000 characters: held, it would be 12 MB for the replies.
    assert held < 4_000_000
