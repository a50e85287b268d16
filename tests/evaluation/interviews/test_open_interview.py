"""Open interviews: batches by dimension, names masked, answers matched by id, not reverse-keyed."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from offbook.evaluation.benchmark import Item, Label, Question, Subject
from offbook.evaluation.interviews.open_interview import OpenInterviewProtocol
from offbook.evaluation.interviews.option_conversion import ITEMS_A_CALL, OPTION_TESTS
from offbook.evaluation.interviews.scoring import personalities
from offbook.evaluation.measured import Measured
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.typology import written
from offbook.prompts.interviewing import (
    CONVERT_OPTIONS,
    RATE_16P_BATCH,
    RATE_BFI_BATCH,
    BatchRating,
    ChosenOption,
    ChosenOptions,
    PolePercentage,
    PolePercentages,
)
from tests.evaluation.made import NORA, cell, dataset, item, judged, run

ITEMS = tuple(item(number, "E/I", 1 if number % 2 else -1) for number in range(1, 14))
LABELLED = replace(NORA, labels=(Label("16Personalities", "E/I", "H", 80.0),))
RECORDED = Path(__file__).resolve().parents[4] / "shared/data/interviews"


def batches_of(cells, questions=ITEMS, metrics=("16p_batch",), subject=NORA):
    data = dataset(*questions, subjects=(subject,))
    return OpenInterviewProtocol().judgements(run(metrics), data, cells)


def leaning(first):
    """An expert who gives ``first`` percent, or points, to every batch."""

    def answer(prompt, inputs):
        if prompt is RATE_BFI_BATCH:
            return BatchRating(analysis="So it reads.", rating=first)
        assert prompt is RATE_16P_BATCH
        parts = [
            PolePercentage(pole=inputs.first.name, percent=first),
            PolePercentage(pole=inputs.second.name, percent=100 - first),
        ]
        return PolePercentages(analysis="So it reads.", percentages=parts)

    return answer


def test_an_interview_is_judged_when_it_is_whole_and_apart_from_others():
    ready = OpenInterviewProtocol().ready
    same = {ready(cell(question.id).key) for question in ITEMS}
    assert len(same) == 1
    others = {ready(cell("i1", variant=v, repeat=r).key) for v in ("naive", "x") for r in (0, 1)}
    assert len(others) == 4


def test_answers_of_a_dimension_are_batched_by_the_rule_in_the_order_of_the_items():
    cells = [cell(question.id, f"Answer {question.id}.") for question in ITEMS]
    random.Random(5).shuffle(cells)
    found = batches_of(cells)
    assert [judgement.keys[0].unit for judgement in found] == [f"E/I/{n}" for n in (1, 2, 3, 4)]
    replies = [[answer.reply for answer in judgement.inputs.answers] for judgement in found]
    assert [len(batch) for batch in replies] == [3, 3, 4, 3]
    assert replies[0] == ["Answer i1.", "Answer i2.", "Answer i3."]
    for judgement in found:
        for answer in judgement.inputs.answers:
            assert answer.reply == f"Answer {answer.question.rpartition(' ')[2].rstrip('?')}."


def test_failed_answers_and_dimensions_of_another_test_are_left_out():
    questions = (*ITEMS, item(20, "Openness"))
    cells = [cell(q.id, None if q.id == "i3" else "Yes.") for q in questions]
    found = batches_of(cells, questions)
    assert sum(len(judgement.inputs.answers) for judgement in found) == 12
    assert {judgement.inputs.dimension for judgement in found} == {"E/I"}


def test_names_are_masked_before_an_expert_sees_them():
    reply = "I am Nora Vey, and Miss Vey to you, Tom. Tomorrow it rains."
    (judgement,) = batches_of([cell("i1", reply)], (ITEMS[0],))
    (answer,) = judgement.inputs.answers
    assert answer.reply == (
        "I am the participant, and the participant to you, the interviewer. Tomorrow it rains."
    )


def test_interviews_of_several_variants_and_repeats_are_told_apart():
    cells = [cell("i1", variant=v, repeat=r) for v in ("naive", "vanilla") for r in (0, 1)]
    found = batches_of(cells, (ITEMS[0],))
    assert len({(j.keys[0].variant, j.keys[0].repeat) for j in found}) == 4


def test_the_rating_of_a_batch_is_the_percentage_of_the_first_pole_whatever_the_keys():
    of_run = run(("16p_batch",), variants=("naive",))
    data = dataset(*ITEMS, subjects=(LABELLED,))
    cells = [cell(question.id) for question in ITEMS]
    ratings = judged(OpenInterviewProtocol(), of_run, data, cells, leaning(70))
    assert {each.value for each in ratings} == {70.0}
    (one,) = personalities(Measured(of_run, data, cells, ratings))
    assert (one.scores[0].score, one.scores[0].n) == (70.0, 4)
    assert written(one.letters) == "E---"
    found = OpenInterviewProtocol().scores(of_run, data, iter(cells), iter(ratings))
    scores = {score.metric: score.estimate for score in found}
    assert scores["16p_batch.acc_dim"].mean == 1.0
    assert scores["16p_batch.acc_full"].mean == 1.0
    assert scores["16p_batch.mae"].mean == pytest.approx(0.1)
    assert scores["16p_batch.mse"].mean == pytest.approx(0.01)


def test_repeats_are_scored_each_and_then_averaged():
    of_run = run(("16p_batch",), variants=("naive",), repeats=2)
    data = dataset(*ITEMS, subjects=(LABELLED,))
    cells = [cell(question.id, repeat=repeat) for question in ITEMS for repeat in (0, 1)]
    ratings = judged(OpenInterviewProtocol(), of_run, data, cells, leaning(90))
    ratings = [replace(r, value=40.0) if r.key.repeat else r for r in ratings]
    found = OpenInterviewProtocol().scores(of_run, data, iter(cells), iter(ratings))
    scores = {score.metric: score.estimate for score in found}
    assert scores["16p_batch.acc_dim"].mean == 0.5
    assert scores["16p_batch.mae"].mean == pytest.approx((0.1 + 0.4) / 2)
    by_repeat = list(personalities(Measured(of_run, data, cells, ratings), by_repeat=True))
    assert [(one.repeat, one.scores[0].score) for one in by_repeat] == [(0, 90.0), (1, 40.0)]


def test_traits_of_the_big_five_are_rated_from_one_to_five():
    questions = tuple(item(number, "Openness") for number in range(1, 8))
    of_run = run(("bfi_batch",), variants=("naive",))
    subject = replace(NORA, labels=(Label("BFI", "Openness", "H", 4.0),))
    data = dataset(*questions, subjects=(subject,))
    cells = [cell(question.id) for question in questions]
    ratings = judged(OpenInterviewProtocol(), of_run, data, cells, leaning(4.5))
    assert len(ratings) == 2
    found = OpenInterviewProtocol().scores(of_run, data, iter(cells), iter(ratings))
    scores = {score.metric: score.estimate for score in found}
    assert scores["bfi_batch.acc_dim"].mean == 1.0
    assert scores["bfi_batch.mae"].mean == pytest.approx(0.5 / 4)
    (one,) = personalities(Measured(of_run, data, cells, ratings))
    assert written(one.letters) == "----I"


def test_labels_without_scores_have_types_to_be_right_about_and_no_errors():
    subject = replace(NORA, labels=(Label("mbti", "E/I", "I"), Label("mbti", "S/N", "X")))
    of_run = run(("16p_batch",), variants=("naive",))
    data = dataset(*ITEMS, subjects=(subject,))
    cells = [cell(question.id) for question in ITEMS]
    ratings = judged(OpenInterviewProtocol(), of_run, data, cells, leaning(70))
    found = OpenInterviewProtocol().scores(of_run, data, iter(cells), iter(ratings))
    scores = {score.metric: score.estimate for score in found}
    assert scores["16p_batch.acc_dim"].mean == 0.0
    assert "16p_batch.mae" not in scores


def options(choice):
    def answer(prompt, inputs):
        assert prompt is CONVERT_OPTIONS
        parts = [
            ChosenOption(item=number, analysis="So it says.", choice=choice(answered))
            for number, answered in enumerate(inputs.answers, 1)
        ]
        # A judge may answer in any order: items are matched by number.
        return ChosenOptions(items=parts[::-1])

    return answer


def test_answers_become_options_many_in_a_call_and_are_keyed():
    of_run = run(("16p_option",), variants=("naive",))
    data = dataset(*ITEMS)
    cells = [cell(q.id, "Yes." if q.item and q.item.sign > 0 else "No.") for q in ITEMS]
    calls = OpenInterviewProtocol().judgements(of_run, data, cells)
    assert [len(call.keys) for call in calls] == [ITEMS_A_CALL, 13 - ITEMS_A_CALL]
    ratings = judged(
        OpenInterviewProtocol(),
        of_run,
        data,
        cells,
        options(lambda answered: 1 if answered.reply == "Yes." else 7),
    )
    (one,) = personalities(Measured(of_run, data, cells, ratings))
    assert one.scores[0].score == 100.0


def test_bfi_options_count_up_to_agreement():
    questions = (item(1, "Openness", 1), item(2, "Openness", -1))
    of_run = run(("bfi_option",), variants=("naive",))
    data = dataset(*questions)
    cells = [cell("i1"), cell("i2")]
    ratings = judged(OpenInterviewProtocol(), of_run, data, cells, options(lambda _: 5))
    (one,) = personalities(Measured(of_run, data, cells, ratings))
    assert one.scores[4].score == 3.0
    assert OPTION_TESTS["bfi_option"].choices[4] == "strongly agree"
    assert OPTION_TESTS["16p_option"].choices[0] == "strongly agree"
    for name, test in OPTION_TESTS.items():
        assert len(test.choices) == SCALES[name].high


def test_an_answer_that_says_nothing_has_no_option_and_is_missing():
    of_run = run(("16p_option",), variants=("naive",))
    data = dataset(*ITEMS[:2])
    ratings = judged(
        OpenInterviewProtocol(), of_run, data, [cell("i1"), cell("i2")], options(lambda _: None)
    )
    assert [each.value for each in ratings] == [None, None]
    assert all(each.missing for each in ratings)


def test_a_recorded_interview_is_batched_as_it_was():
    file = RECORDED / "incharacter_hutao_16p_assessment.json"
    if not file.exists():
        pytest.skip("no ../shared/data/interviews")
    recorded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    given = [
        answer
        for dimension in recorded.values()
        for batch in dimension["details"]
        for answer in batch["responses"] + []
    ]
    dimension_of = {
        answer["id"]: name
        for name, dimension in recorded.items()
        for batch in dimension["details"]
        for answer in batch["responses"]
    }
    questions = tuple(
        Question(
            answer["id"],
            answer["question"],
            item=Item("16Personalities", answer["id"], dimension_of[answer["id"]], 1),
        )
        for answer in sorted(given, key=lambda answer: int(answer["id"]))
    )
    hutao = Subject("hutao-zh", ("胡桃",))
    cells = [cell(a["id"], a["response_open"], subject="hutao-zh") for a in given]
    data = dataset(*questions, subjects=(hutao,))
    of_run = run(("16p_batch",), variants=("naive",), subjects={"hutao-zh": "hutao"})
    found = OpenInterviewProtocol().judgements(of_run, data, cells)
    ids = {question.text: question.id for question in questions}
    ours = [[ids[answer.question] for answer in j.inputs.answers] for j in found]
    theirs = [batch["id"] for dimension in recorded.values() for batch in dimension["details"]]
    assert sorted(ours) == sorted(theirs)
    assert not any("胡桃" in answer.reply for j in found for answer in j.inputs.answers)
    # Their expert's percentages through our scoring give the recorded scores and letters.
    scores = {tuple(b["id"]): b["score"] for d in recorded.values() for b in d["details"]}
    ratings = judged(
        OpenInterviewProtocol(),
        of_run,
        data,
        cells,
        lambda prompt, inputs: leaning(scores[tuple(ids[a.question] for a in inputs.answers)])(
            prompt, inputs
        ),
    )
    (one,) = personalities(Measured(of_run, data, cells, ratings))
    for score in one.scores:
        assert score.score == pytest.approx(recorded[score.dimension]["score"])
