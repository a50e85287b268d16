"""Names are masked longest first, as whole words, in one pass."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from offbook.evaluation.benchmark import Label, Subject
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.typology import written
from offbook.evaluation.personality import personalities
from offbook.evaluation.protocols import (
    ITEMS_A_CALL,
    OPTION_TESTS,
    ItemsProtocol,
    OpenInterviewProtocol,
    masking,
)
from offbook.evaluation.scores import Measured
from offbook.prompts.interviewing import (
    CONVERT_OPTIONS,
    RATE_16P_BATCH,
    RATE_BFI_BATCH,
    RATE_BIGFIVE_ITEM,
    RATE_MBTI_ITEM,
    BatchRating,
    ChosenOption,
    ChosenOptions,
    PolePercentage,
    PolePercentages,
    RatingOfFive,
    RatingOfSeven,
)
from tests.evaluation.made import NORA, cell, dataset, item, judged, run

GRANGER = Subject("Hermione-en", ("Hermione", "Hermione Granger"), interviewer="Harry")


@pytest.mark.parametrize(
    ("subject", "text", "masked"),
    [
        (GRANGER, "I am Hermione Granger.", "I am the participant."),
        (GRANGER, "Hermione, Harry asks.", "the participant, the interviewer asks."),
        (GRANGER, "Harrys and Hermiones", "Harrys and Hermiones"),
        (GRANGER, "Hermione's book", "the participant's book"),
        (GRANGER, "在下Hermione是也", "在下the participant是也"),
        (Subject("hutao-zh", ("胡桃",)), "胡桃:「hutao」", "the participant:「the participant」"),
        (Subject("胡桃", ("胡",)), "胡桃和胡", "the participant和the participant"),
        (Subject("The", ("participant",)), "The participant", "the participant the participant"),
        (Subject("", ("", " ")), "Nobody here.", "Nobody here."),
        (Subject("A.B. (Jr)", ()), "A.B. (Jr) or AxB. (Jr)", "the participant or AxB. (Jr)"),
    ],
)  # fmt: skip
def test_names_are_masked(subject, text, masked):
    assert masking(subject)(text) == masked


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


ITEMS = tuple(item(number, "E/I", 1 if number % 2 else -1) for number in range(1, 14))
LABELLED_OPEN_INTERVIEW = replace(NORA, labels=(Label("16Personalities", "E/I", "H", 80.0),))


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


def test_the_rating_of_a_batch_is_the_percentage_of_the_first_pole_whatever_the_keys():
    of_run = run(("16p_batch",), variants=("naive",))
    data = dataset(*ITEMS, subjects=(LABELLED_OPEN_INTERVIEW,))
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
