"""Patronymics and pet forms, however they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.names.likeness import likeness
from offbook.names.nicknames import latin, may_be_one, patronymic_stem, pet_forms
from offbook.names.person import parse_name
from tests.tables import cases


@pytest.mark.parametrize(("a", "b"), cases(__file__, "patronymics of one father"))
def test_patronymics_of_one_father(a, b):
    assert patronymic_stem(a) == patronymic_stem(b) != ""


@pytest.mark.parametrize(
    "word", ["heinrich", "goodrich", "aldrich", "edna", "savanna", "ovna", "krishna"]
)
def test_what_is_no_patronymic(word):
    assert patronymic_stem(word) == ""


def test_a_patronymic_tells_the_gender_where_a_surname_follows():
    assert parse_name("Zorba Borisovna Belova").gender == "f"
    assert parse_name("Зорба Борисовна Белова").gender == "f"
    assert parse_name("Zorba Borisovich Belov").gender == "m"


def test_a_sign_without_a_sound_is_an_initial_like_others():
    hard, other = parse_name("Ъ. Иванов"), parse_name("А. Иванов")
    assert (hard.words, other.words) == (("ъ", "ivanov"), ("a", "ivanov"))
    assert likeness(hard, other).conflict


@pytest.mark.parametrize(
    ("pet", "formal"),
    [("mitenka", "dmitri"), ("alyoshka", "alexei"), ("dunya", "avdotya"), ("grusha", "agrafena")],
)
def test_pet_forms(pet, formal):
    assert may_be_one(pet, formal)


def test_pet_forms_are_made_of_short_ones_only():
    assert "mitenka" in pet_forms("mitya")
    assert pet_forms("ivan") == pet_forms("katka") == ()


@given(st.text(min_size=1))
def test_any_word_can_be_read(word):
    assert isinstance(patronymic_stem(word), str)
    assert isinstance(latin(word), str)
