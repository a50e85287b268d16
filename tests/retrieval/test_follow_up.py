"""Follow-up questions are searched together with what they refer back to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.methods.knowledge import with_antecedent
from offbook.types import Message

BEFORE = (
    Message("user", "Tell me about the Abbé."),
    Message("assistant", "He was my teacher. Do you know her?"),
)


@pytest.mark.parametrize(
    "question",
    [
        "Who taught him?",
        "And then?",
        "Why?",
        "What did you do there?",
        "How did they meet?",
        "What about his books?",
        "Is that true?",
        "Tell me more.",
        "Please go on.",
        "他教了你什么？",
        "그는 누구였나요?",
        "それはなぜ？",
    ],
)
def test_a_question_that_refers_back_takes_the_one_before_along(question: str):
    assert with_antecedent(question, BEFORE) == f"Tell me about the Abbé.\n{question}"


@pytest.mark.parametrize(
    "question",
    [
        "Where were you born?",
        "What do you think of honesty?",
        "Did Louis find his hat?",
        "What did Mercédès tell you about her cousin?",
        "Are there islands near Marseille?",
        "你喜欢什么？",
        "무엇을 좋아하나요?",
    ],
)
def test_a_question_that_stands_alone_is_left_alone(question: str):
    assert with_antecedent(question, BEFORE) == question


def test_it_is_the_latest_of_what_the_person_said():
    history = (*BEFORE, Message("user", "And of the Count?"), Message("assistant", "Proud."))
    assert with_antecedent("Did he lie?", history) == "And of the Count?\nDid he lie?"


def test_a_row_of_follow_ups_goes_back_to_what_they_are_about():
    history = (*BEFORE, Message("user", "And then?"), Message("assistant", "He died."))
    assert with_antecedent("Tell me more.", history) == "Tell me about the Abbé.\nTell me more."


@given(st.text())
def test_without_a_conversation_nothing_is_added(question: str):
    assert with_antecedent(question, ()) == question
    assert with_antecedent(question, BEFORE[1:]) == question


@given(st.text())
def test_the_question_itself_always_stays_whole_and_last(question: str):
    assert with_antecedent(question, BEFORE).endswith(question)
