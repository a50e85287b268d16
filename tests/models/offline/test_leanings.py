"""How the character is, told by the character, where that is what is asked."""

from __future__ import annotations

import pytest

from offbook.models.offline.reply import reply
from offbook.prompts.reply import ReplyInputs
from offbook.types import ContextItem, Message

NAME = "Nora Quill"
PLACE = "Nora Quill kept the lock at Sedge Mill. The lock has two gates of oak."
WAITS = "Nora waited eleven months for the answer, and never hurried anybody."
ELSE = "Nora gave her coat to a beggar."


def said(question: str, *traits: str, history: tuple[Message, ...] = ()) -> str:
    context = [ContextItem("knowledge", NAME, PLACE, 1.0)]
    context += [ContextItem("attribute", "Psychological traits", text, 1.0) for text in traits]
    return reply(ReplyInputs(NAME, "", (), history, tuple(context), question))


@pytest.mark.parametrize(
    "question", ["Are you patient?", "Can you wait for what you want?", "Would you say: no hurry?"]
)
def test_what_was_inferred_answers_how_one_is(question):
    assert "I waited eleven months" in said(question, f"{WAITS} {ELSE}")


def test_what_does_not_bear_on_it_is_not_told():
    assert "coat" not in said("Are you patient?", f"{WAITS} {ELSE}")
    assert "waited" not in said("Are you jealous?", WAITS)


def test_a_question_for_a_fact_is_answered_from_what_is_known():
    told = said("Where is your lock?", WAITS)
    assert "Sedge Mill" in told
    assert "waited" not in told


def test_what_was_said_is_said_again_as_such_and_only_where_nothing_else_bears_on_it():
    first = said("Are you patient?", WAITS)
    history = (Message("user", "Are you patient?"), Message("assistant", first))
    again = said("Are you patient?", WAITS, history=history)
    assert again != first
    assert again.endswith(first)
    other = "Nora is patient with children and slow to anger."
    assert said("Are you patient?", f"{WAITS} {other}", history=history).startswith("I am patient")


def test_without_attributes_nothing_changes():
    assert "waited" not in said("Are you patient?")


def test_an_attribute_of_a_models_own_words_is_told_as_well():
    assert said("Are you patient?", "Nora is patient and slow to anger.").startswith("I am patient")


def test_whom_somebody_has_and_how_good_they_are_at_something_are_facts():
    for asked in ("Do you have children?", "Have you any friends?", "How good a waiter are you?"):
        assert "waited" not in said(asked, f"{WAITS} Nora loved the children of her friends.")
