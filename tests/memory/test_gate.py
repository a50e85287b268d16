"""The write gate: small talk stays out, everything else comes in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.memory.gate import PHRASES, kept_out

SHORT = "Good day to you."


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Hello", "a greeting"),
        ("Hello, Edmond!", "a greeting"),
        ("Good morning, my dear Edmond Dantes. How are you?", "a question after health"),
        ("What's up?", "a question after health"),
        ("Thank you very much, sir", "thanks"),
        ("Au revoir", "a farewell"),
        ("ok", "a word in passing"),
        ("你好！", "a greeting"),
        ("晚安，Edmond", "a farewell"),
        ("ありがとうございます。", "thanks"),
        ("안녕하세요!", "a greeting"),
        ("...", "no words"),
        ("👍", "no words"),
    ],
)
def test_small_talk_is_kept_out_and_says_why(said, why):
    assert why in kept_out(said, SHORT, ["Edmond Dantès"])


@pytest.mark.parametrize(
    "said",
    [
        "Hello, my sister died last night.",
        "Good wine is rare here.",
        "Yes",
        "No.",
        "你好，我叫小明",
        "Thank you for saving my father",
        "Who are you?",
        "Edmond!",
        "Fine clothes make fine birds",
        "42",
    ],
)
def test_what_says_something_comes_in(said):
    assert kept_out(said, SHORT, ["Edmond Dantès"]) == ""


def test_a_long_answer_comes_in_whatever_it_answers():
    assert kept_out("Hello", "I have waited fourteen years for this night. " * 10) == ""


def test_a_megabyte_is_no_small_talk_and_takes_no_time():
    assert kept_out("hello " * 200_000, SHORT) == ""
    assert kept_out("hello", "word " * 200_000) == ""


@given(st.text(), st.text())
def test_any_text_is_answered(said, answered):
    assert isinstance(kept_out(said, answered, [said]), str)


@given(st.sampled_from(sorted(frozenset().union(*PHRASES.values()))))
def test_every_listed_phrase_alone_is_kept_out(phrase):
    assert kept_out(f"{phrase.upper()}!", SHORT)


@pytest.mark.parametrize(
    "said",
    ["<pyai:plan>find it</pyai:plan>", '<x:y a="1"/> <x:z>', '{"title": "A talk"}', "[1, 2]"],
)
def test_what_programs_say_to_one_another_is_kept_out(said: str):
    assert (
        kept_out(said, "I am the keeper of this light." * 9) == "it is markup or data of a program"
    )


@pytest.mark.parametrize(
    "said", ["I <b>love</b> it.", "a < b: c > d", "[sighs] I lost it.", "<pyai:x> I am ill."]
)
def test_words_between_marks_come_in(said: str):
    assert kept_out(said, "So?") == ""


def test_a_question_without_an_answer_is_kept_out_and_what_was_told_is_not():
    assert "declined or was cut" in kept_out("What is radar?", "Radar?", is_answered=False)
    assert kept_out("What is radar?", "Radar?") == ""
    assert kept_out("What is radar? I sell it.", "Radar?", is_answered=False) == ""
