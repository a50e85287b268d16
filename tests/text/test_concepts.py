"""What belongs to any life, and what stands for what."""

from __future__ import annotations

import pytest

from offbook.text.concepts import is_general, is_of_any_age, related_terms
from offbook.text.words import word_term


@pytest.mark.parametrize(
    "word", ["life", "friends", "strongest", "largest", "biggest", "happiest", "forgiveness"]
)
def test_words_of_any_life_are_general(word):
    assert is_general(word)


@pytest.mark.parametrize("word", ["telescope", "Dover", "harvest", "tempest", "forest", "est"])
def test_things_and_names_are_not(word):
    assert not is_general(word)


@pytest.mark.parametrize(
    ("asked", "told"), [("family", "sister"), ("died", "murdered"), ("taught", "pupil")]
)
def test_a_text_may_speak_of_it_in_other_words(asked, told):
    near = related_terms(word_term(asked))
    assert word_term(told) in near or near & related_terms(word_term(told))
    assert word_term(asked) not in near


def test_to_look_at_a_thing_says_nothing_of_looks():
    assert word_term("looked") not in related_terms(word_term("appearance"))


@pytest.mark.parametrize(
    "word", ["network", "networking", "library", "bread", "worldview", "friend"]
)
def test_what_people_speak_of_in_any_age(word):
    assert is_of_any_age(word)


@pytest.mark.parametrize("word", ["telephone", "television", "railway", "transistor", "Dover"])
def test_inventions_and_names_are_not_of_any_age(word):
    assert not is_of_any_age(word)
