"""Verb forms that a change of person needs."""

from __future__ import annotations

import pytest

from offbook.text.verbs import (
    first_person,
    is_base,
    is_finite,
    is_known_third,
    is_past,
    is_third_singular,
)
from tests.tables import cases


@pytest.mark.parametrize(("third", "first"), cases(__file__, "the third person becomes"))
def test_the_third_person_becomes_the_first(third, first):
    assert first_person(third) == first


@pytest.mark.parametrize("verb", ["was", "were", "went", "could", "wrote", "married", "must"])
def test_past_and_modal_forms_stay(verb):
    assert first_person(verb) == verb
    assert is_finite(verb)


@pytest.mark.parametrize("word", ["his", "this", "always", "famous", "less", "was", "news", "us"])
def test_other_words_in_s_are_no_verbs(word):
    assert not is_third_singular(word)


def test_known_verbs_are_told_from_unknown_words_in_s():
    assert is_known_third("moves")
    assert is_known_third("establishes")
    assert not is_known_third("symphonies")
    assert is_third_singular("symphonies")  # where a verb must stand, it would be one


def test_past_forms_and_base_forms_are_known():
    assert is_past("lived")
    assert is_past("born")
    assert not is_past("indeed")
    assert is_base("teach")
    assert not is_base("teacher")
