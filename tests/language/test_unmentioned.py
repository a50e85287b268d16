"""Which words of a question the texts never use."""

from __future__ import annotations

import pytest

from offbook.retrieval.beyond import unmentioned_words
from offbook.text.words import search_terms
from tests.tables import cases


def lacking(question, text):
    return unmentioned_words(question, frozenset(search_terms(text)).__contains__)


def test_words_in_another_form_are_mentioned():
    assert lacking("Did the dogs howl at Ebba?", "A dog howled.") == ("Ebba",)


@pytest.mark.parametrize(("question", "text"), cases(__file__, "a place is mentioned"))
def test_a_place_is_mentioned_where_its_people_are(question, text):
    places = {"Crimea", "crimea", "Saxony", "Hungary's"}
    assert not places & set(lacking(question, text))


def test_an_english_word_is_no_place():
    assert lacking("Is it a mart?", "A Martian came.") == ("mart",)


def test_a_given_name_is_no_place():
    assert "Julia" in lacking("Do you know Julia?", "Julian went home.")
