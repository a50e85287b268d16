"""What the offline reply makes of what it was told, and of who tells it something."""

from __future__ import annotations

import pytest

from offbook.prompts.emotion import HERE, IN_CONVERSATION, write_memory
from offbook.prompts.reply import ReplyInputs
from offbook.rules.declining import DECLINES
from offbook.rules.reply import is_answered, reply
from offbook.types import ContextItem, Message

NORA = "Nora Vey was a clockmaker in Hull. Her sister Ruth is called Ruthie by everybody."
INTRODUCED = "My sister is called Ilse."


def inputs(
    question: str,
    *told: str,
    before: tuple[str, ...] = (),
    outside: tuple[str, ...] = (),
    text: str = NORA,
) -> ReplyInputs:
    history = [m for said in before for m in (Message("user", said), Message("assistant", "So?"))]
    context = [ContextItem("knowledge", "Nora Vey", text, 1.0)] if text else []
    context += [ContextItem("memory", HERE, write_memory(said, "So?"), 1.0) for said in told]
    context += [ContextItem("out_of_scope", name, "r", 1.0) for name in outside]
    return ReplyInputs("Nora Vey", "", (), tuple(history), tuple(context), question)


@pytest.mark.parametrize(
    "question",
    ["Do you remember my sister Ilse?", "Who is Ilse?", "What is my sister called?"],
)
@pytest.mark.parametrize("here", [True, False])
def test_what_a_person_told_is_told_back_in_their_words(question: str, here: bool):
    asked = inputs(question, before=(INTRODUCED,)) if here else inputs(question, INTRODUCED)
    assert f"“{INTRODUCED}”" in reply(asked)
    assert is_answered(asked)


def test_what_says_most_is_told_back():
    told = (INTRODUCED, "Ilse lives in Bergen.", "Do you remember my sister Ilse?")
    assert reply(inputs("Where does Ilse live?", *told)).endswith("“Ilse lives in Bergen.”")


def test_what_is_the_askers_is_not_the_characters():
    answer = reply(inputs("What is your sister called?", INTRODUCED))
    assert "Ilse" not in answer
    assert "Ruthie" in answer


def test_what_was_only_asked_is_not_told_back():
    declined = reply(inputs("Who is Gudrun?", before=("Do you know Gudrun?",)))
    assert DECLINES.search(declined)
    assert "You" not in declined


def test_whoever_tells_of_a_stranger_is_heard_and_nothing_is_claimed():
    answer = reply(inputs(INTRODUCED, outside=("Ilse",)))
    assert "Ilse" in answer
    assert DECLINES.search(answer)
    assert answer != reply(inputs("Do you know Ilse?", outside=("Ilse",)))
    assert not is_answered(inputs(INTRODUCED, outside=("Ilse",)))


@pytest.mark.parametrize("said", ["My cat had kittens.", "I come from the north.", "I'm a baker."])
def test_who_tells_of_themselves_is_not_told_that_it_is_unknown(said: str):
    answer = reply(inputs(said, before=(INTRODUCED,)))
    assert not DECLINES.search(answer)
    assert "Ilse" not in answer
    assert not is_answered(inputs(said))


def remembered(title: str, said: str, answered: str, question: str) -> str:
    memory = ContextItem("memory", title, write_memory(said, answered), 1.0)
    return reply(ReplyInputs("Nora Vey", "", (), (), (memory,), question))


TALKED = f"1890-01-02 12:00, {IN_CONVERSATION}"


def test_an_authored_memory_answers_what_it_speaks_of():
    answered = "I left the ferry at dawn."
    assert remembered("", "What of the ferry?", answered, "When did the ferry come?") == answered


def test_an_answer_of_a_conversation_answers_its_own_question_only():
    said, answered = "Where does the ferry stop?", "It stops at the mill."
    assert remembered(TALKED, said, answered, "Where does the ferry stop?") == answered
    other = remembered(TALKED, said, answered, "Who built the ferry and paid the carpenters?")
    assert other != answered


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ("Where is the ferry?", "I know nothing of Gudrun."),
        ("My ferry is at the mill.", "I hear you."),
    ],
)
def test_a_turn_that_answered_nothing_answers_nothing_later(said: str, answered: str):
    assert remembered(TALKED, said, answered, "Where is the ferry?") != answered


def test_what_an_authored_memory_tells_was_not_told_by_the_asker():
    assert "You told" not in remembered("", "Rolf is my son.", "So he is.", "Who is Rolf?")


def test_what_the_texts_hold_is_told_to_who_tells_something():
    assert "Hull" in reply(inputs("I have heard of the clockmaker in Hull."))
