"""How the actor is told to sound."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.context.speech import fitting_lines, mood_sentence, repeated_phrases, style_card
from offbook.text.emotion_names import EMOTIONS

LINES = (
    "The sea does not argue, friend.",
    "Well, I have trimmed that lamp since I was six.",
    "Ah, the light. It won't wait for you, friend.",
    "Well, I can't say that I mind the quiet!",
    "Nobody, friend, asked the gulls.",
    "Storms pass, and the lamp stays lit, truly.",
)


def test_a_card_says_what_several_lines_have():
    card = style_card(LINES)
    assert "Sentences of about 6 words." in card
    assert "Openings: well." in card
    assert "Forms of address: friend." in card
    assert "Favourite words: lamp." in card
    assert "Contractions now and then." in card
    for single in ("truly", "gulls", "Exclamations"):
        assert single not in card


def test_few_lines_and_scripts_without_blanks_show_no_habit():
    assert style_card(LINES[:3]) == ""
    assert style_card(("我从来没有见过这样的大海在夜里这样安静",) * 4) == ""


def test_lines_are_those_that_share_rare_words_with_the_question():
    chosen = fitting_lines("Do you fear storms and gulls?", LINES, 2)
    assert chosen == (LINES[4], LINES[5])


def test_lines_without_a_common_word_take_turns():
    turns = [fitting_lines("Why?", LINES, 2, turn) for turn in range(4)]
    assert turns[:3] == [LINES[:2], LINES[2:4], LINES[4:]]
    assert turns[3] == turns[0]


@given(st.lists(st.text(max_size=20), max_size=8), st.text(), st.integers(0, 9), st.integers(0, 9))
def test_as_many_lines_as_wanted_and_no_others(lines, question, most, turn):
    chosen = fitting_lines(question, lines, most, turn)
    assert len(chosen) == min(most, len(lines))
    assert set(chosen) <= set(lines)


def test_a_phrase_of_two_replies_is_named_once_and_as_long_as_it_is():
    replies = (
        "I told you. The sea does not argue, and neither do I.",
        "Ask Tom.",
        "No. The sea does  not argue, and that is all.",
        "It was all of it and so on.",
    )
    assert repeated_phrases(replies) == ("The sea does not argue, and",)
    assert repeated_phrases(replies[1:]) == ()
    assert repeated_phrases(("So it was and so it is.", "And so it was and so it is.")) == ()
    assert repeated_phrases((*replies[:1], *replies[1:2] * 6)) == ()


@given(st.lists(st.text(alphabet="abc .", max_size=60), max_size=8))
def test_a_phrase_stands_in_two_replies(replies):
    for phrase in repeated_phrases(replies):
        assert len(re.findall(r"\w+", phrase)) >= 4


@pytest.mark.parametrize(
    ("levels", "felt"),
    [
        ({}, ""),
        ({"joy": 3.4}, ""),
        ({"joy": 3.5}, "joy (a little)"),
        ({"fear": 7, "anger": 5, "joy": 4}, "fear (strongly), anger (clearly)"),
    ],
)
def test_a_mood_names_what_stands_out(levels, felt):
    sentence = mood_sentence(dict.fromkeys(EMOTIONS, 1.0) | levels)
    assert felt in sentence
    assert bool(sentence) == bool(felt)
    assert mood_sentence(None) == ""
