"""The offline judge: deterministic, on the scale, and different where replies are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.evaluation.record import ModelNamed
from offbook.models.offline import interviewing, judging
from offbook.prompts.interviewing import (
    AnswersToConvert,
    BatchToRate,
    InterviewAnswer,
    ItemToRate,
    LabelledReply,
    Pole,
    RepliesToCompare,
    check_options,
    check_percentages,
    check_preference,
)
from offbook.prompts.judging import GroundedReply, ReplyToJudge, ReplyWithAnswers
from tests.evaluation.made import run

ABOUT = "Nora Vey, born in 1851, repairs clocks in Hull. Her brother Tom is a sailor."
DECLINES = "I have never heard of radar."
POLES = (Pole("E", "talkative, seeks company"), Pole("I", "quiet, alone"))


def to_judge(question, reply):
    return ReplyToJudge("Nora Vey", ABOUT, question, reply)


def test_exposure_grows_with_particulars():
    rich = to_judge("Who are you?", "I mend clocks in Hull, and my brother Tom is at sea.")
    poor = to_judge("Who are you?", "I am a person like others.")
    assert judging.knowledge_exposure(rich).rating > judging.knowledge_exposure(poor).rating
    declined = judging.knowledge_exposure(to_judge("What is radar?", DECLINES))
    assert declined.rating < judging.knowledge_exposure(poor).rating


def test_what_nobody_told_is_taken_for_made_up():
    made_up = to_judge("Who are you?", "I met Lord Byron in Venice, and Ada in Rome and Paris.")
    told = to_judge("Who are you?", "I repair clocks in Hull, as Tom knows.")
    assert judging.knowledge_hallucination(made_up).rating > 2
    assert judging.knowledge_hallucination(told).rating == 1
    assert judging.knowledge_hallucination(to_judge("What is radar?", DECLINES)).rating == 1


@pytest.mark.parametrize(
    ("question", "reply", "rating"),
    [
        ("Have you ever used a smartphone?", "What a smartphone may be, I do not know.", 1),
        ("Have you ever used a smartphone?", "Every day, to read the news.", 0),
        ("Who is your brother?", "Tom, a sailor.", 1),
        ("Who is your brother?", "I cannot say.", 0),
    ],
)
def test_what_lies_beyond_is_to_be_declined_and_the_rest_to_be_answered(question, reply, rating):
    assert judging.unknown_rejection(to_judge(question, reply)).rating == rating


@pytest.mark.parametrize(
    ("reply", "contained", "quality"),
    [
        ("In a small shop in Hull.", "yes", 10),
        ("In Hull.", "no", 5),
        ("In York.", "no", 1),
    ],
)
def test_answers_are_looked_for_by_their_words(reply, contained, quality):
    inputs = ReplyWithAnswers("Nora Vey", "Where do you work?", reply, ("a shop in Hull",))
    assert judging.answer_contained(inputs).rating == contained
    assert judging.answer_quality(inputs).rating == quality


def test_the_nearest_of_several_answers_counts():
    inputs = ReplyWithAnswers("Nora Vey", "Where?", "In Hull.", ("York", "Hull"))
    assert judging.answer_contained(inputs).rating == "yes"


def test_what_is_added_to_the_passages_counts():
    def rated(reply):
        inputs = GroundedReply("Nora Vey", "Where?", reply, ("Hull",), ("She works in Hull.",))
        return judging.hallucination_score(inputs).rating

    assert rated("I work in Hull.") == 1
    assert rated("I work in Hull, near the harbour.") > 1
    assert rated("Dragons guard my castle.") == 10
    assert rated(DECLINES) == 1


def test_agreement_goes_from_plain_yes_to_plain_no():
    def rated(reply):
        item = ItemToRate("Nora Vey", "I like company.", "Do you like company?", reply)
        mbti, big = interviewing.rate_mbti_item(item), interviewing.rate_bigfive_item(item)
        return mbti.rating, big.rating

    yes = rated("Yes, certainly, I always love company.")
    no = rated("No, never. I do not like it and avoid it.")
    middle = rated("That depends on the day.")
    assert yes == (1, 1)
    assert no == (7, 5)
    assert yes < middle < no


def test_batches_lean_to_the_pole_that_the_answers_speak_for():
    def percent(*pairs):
        answers = tuple(InterviewAnswer(*pair) for pair in pairs)
        batch = BatchToRate("E/I", *POLES, answers)
        found = interviewing.rate_16p_batch(batch)
        check_percentages(batch, found)
        return found.of("E"), interviewing.rate_bfi_batch(batch).rating

    lively = percent(("Are you talkative?", "Yes, always."), ("Are you quiet?", "No, never."))
    shy = percent(("Are you talkative?", "No, never."), ("Are you quiet?", "Yes, always."))
    assert lively[0] > 60 > 40 > shy[0]
    assert lively[1] > 3 > shy[1]


@pytest.mark.parametrize("choices", [("strongly disagree", "agree"), ("agree", "disagree")])
def test_options_are_chosen_in_the_direction_in_which_they_stand(choices):
    answers = (
        InterviewAnswer("Do you like company?", "Yes, always, certainly, I love it."),
        InterviewAnswer("Do you like company?", "No, never. I hate it."),
        InterviewAnswer("Do you like radar?", DECLINES),
    )
    inputs = AnswersToConvert(choices, answers)
    found = interviewing.convert_options(inputs)
    check_options(inputs, found)
    chosen = [None if part.choice is None else choices[part.choice - 1] for part in found.items]
    assert chosen[0] == "agree"
    assert str(chosen[1]).endswith("disagree")
    assert chosen[2] is None


def test_the_better_reply_is_preferred_wherever_it_stands():
    texts = ("I repair clocks in Hull.", DECLINES)
    for first, second in (texts, texts[::-1]):
        inputs = RepliesToCompare(
            "Nora Vey", ABOUT, "What do you do?",
            (LabelledReply("A", "", first), LabelledReply("B", "", second)),
        )  # fmt: skip
        preference = judging.compare_replies(inputs)
        check_preference(inputs, preference)
        assert (first, second)["AB".index(preference.best)] == texts[0]


@given(st.text(max_size=120), st.text(max_size=60))
@settings(deadline=None)
def test_any_reply_is_rated_on_the_scale_and_always_alike(reply, question):
    inputs = to_judge(question, reply)
    rules = (judging.knowledge_exposure, judging.knowledge_hallucination, judging.unknown_rejection)
    for rule in rules:
        assert rule(inputs) == rule(inputs)
    answers = ReplyWithAnswers("Nora Vey", question, reply, (question,))
    assert 1 <= judging.answer_quality(answers).rating <= 10
    grounded = GroundedReply("Nora Vey", question, reply, (), (question,))
    assert 1 <= judging.hallucination_score(grounded).rating <= 10
    item = ItemToRate("Nora Vey", "", question, reply)
    assert 1 <= interviewing.rate_mbti_item(item).rating <= 7
    batch = BatchToRate("E/I", *POLES, (InterviewAnswer(question, reply),))
    check_percentages(batch, interviewing.rate_16p_batch(batch))


def test_a_run_that_it_judged_is_marked():
    offline = run((), models={"judge": ModelNamed("offline", "offline:")})
    assert offline.mark == "offline rules, not a measurement"
    assert run(()).mark is None
