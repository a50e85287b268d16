"""Patronymics and pet forms, however they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.language.name_likeness import likeness
from offbook.language.nicknames import may_be_one
from offbook.language.person_names import parse_name
from offbook.language.russian_names import latin, patronymic_stem, pet_forms


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("arkadyevna", "arkadyich"),
        ("vassilievna", "vasilyevich"),
        ("dmitrievitch", "dmitrich"),
        ("fyodorowitsch", "fedorovna"),
        ("nikolayevich", "nikolaich"),
        ("ilyinichna", "ilyich"),
        ("аркадьевна", "arkadyevich"),
    ],
)
def test_patronymics_of_one_father(a, b):
    assert patronymic_stem(a) == patronymic_stem(b) != ""


@pytest.mark.parametrize(
    "word", ["heinrich", "goodrich", "aldrich", "edna", "savanna", "ovna", "krishna"]
)
def test_what_is_no_patronymic(word):
    assert patronymic_stem(word) == ""


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Anna Arkadyevna", "Anna Arkadyevna Karenina"),
        ("Anna Arkadyevna", "Anna Karenina"),
        ("Anna Karenina", "Анна Аркадьевна"),
        ("Alexey Ivanovitch", "Alexei Ivanovich"),
        ("Rodya", "Rodion Romanovich Raskolnikov"),
        ("Petrovitch", "Porfiry Petrovich"),
        ("Ivan Hugovich", "Ivan Hugovich Belov"),
        ("Dmitri Zorbovich", "Dmitri Dmitriyevich Zorbovich"),
        ("Karl Ivanovich Belov", "Karl Belov"),
    ],
)
def test_names_of_one_russian(a, b):
    assert likeness(parse_name(a), parse_name(b)).strength >= 0.6


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Alexei Alexandrovich", "Alexei Kirillovich"),
        ("Ivan Petrovich Belov", "Ivan Ilyich"),
        ("Anna Sergeyevna", "Anna Arkadyevna Karenina"),
    ],
)
def test_another_father_is_another_person(a, b):
    assert likeness(parse_name(a), parse_name(b)).conflict


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Tom Zorbovich", "Tom Lane"),
        ("Roman Zorbovich", "Roman Belov"),
        ("Tom Petrovich", "Tom Lane"),
        ("Anna Petrovich", "Anna Belova"),
        ("R. Petrovich", "R. Belov"),
        ("Petrovich", "Anna Petrovna"),
        ("Zorbay Krishna", "Zorbay Lane"),
    ],
)
def test_surnames_that_end_like_patronymics_stay_surnames(a, b):
    assert likeness(parse_name(a), parse_name(b)).strength < 0.4


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
