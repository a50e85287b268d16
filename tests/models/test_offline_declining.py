"""How the unknown is named: a clean noun phrase, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.language.questions import read_question
from offbook.models.offline.declining import (
    decline,
    decline_outside,
    noun_phrase,
    with_article,
)


@pytest.mark.parametrize(
    ("text", "word", "phrase"),
    [
        ("Talk about the car you drove yesterday?", "car", ("the car", False)),
        ("Where is your refrigerator?", "refrigerator", ("refrigerator", True)),
        ("What is your telephone number?", "telephone", ("telephone number", True)),
        ("What is your favourite movie?", "movie", ("movie", True)),
        ("What was your biggest mistake?", "biggest", ("mistake", True)),
        ("Do you own an electric lamp?", "lamp", ("an electric lamp", False)),
        ("Do you own an lamp?", "lamp", ("a lamp", False)),
        ("What do you think about equality?", "equality", ("equality", False)),
        ("Can you hide it in front of others?", "front", None),
        ("What do you owe to others?", "others", None),
        ("Has music the ability to heal?", "ability", None),
        ("Where did loyalty to your father stem from?", "stem", None),
        ("Share a tale where your ingenuity saved the day.", "ingenuity", None),
        ("What are the complexities of your friendships?", "complexities", None),
        ("Can you navigate?", "navigate", None),
        ("Who was it?", "absent", None),
    ],
)
def test_the_phrase_is_whole_or_there_is_none(text, word, phrase):
    assert noun_phrase(text, word) == phrase


def test_a_name_keeps_its_article():
    assert with_article("Did you see the Titanic sink?", "Titanic") == "the Titanic"
    assert with_article("Did you see Rome?", "Rome") == "Rome"


def test_several_names_are_not_called_one():
    question = read_question("Did Holmes meet Watson?")
    assert {"that name" in decline(question, (), ["Holmes", "Watson"])} == {False}


def test_how_important_is_not_how_it_is_done():
    assert "How that is done" not in decline(read_question("How important is honesty to you?"), ())
    asked = [read_question(f"How do you {verb} it?") for verb in ("bake", "bind", "mend", "cut")]
    assert any("how" in decline(question, ()).lower() for question in asked)


@pytest.mark.parametrize(
    ("text", "entity", "expected"),
    [
        ("Have you ever flown in an aeroplane?", "aeroplane", "an aeroplane"),
        ("Where is your refrigerator?", "refrigerator", "any refrigerator"),
        ("Did you sail on the Titanic?", "Titanic", "the Titanic"),
        ("Who is Sherlock Holmes?", "Sherlock Holmes", "Sherlock Holmes"),
    ],
)
def test_what_is_shut_out_is_named_as_it_was_asked(text, entity, expected):
    said = decline_outside(read_question(text), [entity])
    assert expected.lower() in said.lower()
    if expected[0].islower() and entity[0].islower():
        assert "name" not in said, "a thing has a word, not a name"


@given(st.text(max_size=60), st.text(max_size=12))
def test_any_question_can_be_declined(text, word):
    assert decline(read_question(text), [word]).strip()
