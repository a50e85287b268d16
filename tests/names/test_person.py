"""Names of people read into titles, words, kinship and gender."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.names.person import is_demonstrative, parse_name
from tests.tables import cases


@pytest.mark.parametrize(
    ("text", "titles", "words", "gender"),
    [
        ("Mr. Tobias Wren", {"mr"}, ("tobias", "wren"), "m"),
        ("my dear little Hetty", set(), ("hetty",), "f"),
        ("old Mrs. Wren", {"mrs"}, ("wren",), "f"),
        ("Mrs. van der Meer", {"mrs"}, ("meer",), "f"),
        ("cousin Ida van der Meer", set(), ("ida", "meer"), "f"),
        ("Mistah Wren", {"mr"}, ("wren",), "m"),
        ("Mis' Wren's", {"mrs"}, ("wren",), "f"),
        ("_Tobias_", set(), ("tobias",), "m"),
        ("TOBIAS WREN", set(), ("tobias", "wren"), "m"),
        ("Fräulein Krause", {"miss"}, ("krause",), "f"),
        ("M. Lefèvre", {"mr"}, ("lefevre",), "m"),
        ("your brother, Mr. Wren", {"mr"}, ("wren",), "m"),
        ("Tobias of Low Farm", set(), ("tobias",), "m"),
        ("Wren, of Trinity College", set(), ("wren",), ""),
        ("that sharp-tongued Wren woman", set(), ("wren",), "f"),
        ("Dr. Wren", {"dr"}, ("wren",), ""),
        ("Hetty-girl", set(), ("hetty",), "f"),
        ("Mrs. Tobias Wren, Esq.", {"mrs"}, ("tobias", "wren"), "f"),
        ("hetty", set(), ("hetty",), "f"),
        ("Sir Tobias", {"sir"}, ("tobias",), "m"),
        ("Duke of Anholt", {"duke"}, ("anholt",), "m"),
        ("Zorbine Wren", set(), ("zorbine", "wren"), "f"),
        ("Monsieur le Baron de Low", {"mr", "baron"}, ("low",), "m"),
        ("la vicomtesse de Low", {"viscountess"}, ("low",), "f"),
        ("señor don Tobías", {"mr", "don"}, ("tobias",), "m"),
        ("der alte Krause", set(), ("krause",), ""),
        ("Pan Tobiasz", {"mr"}, ("tobiasz",), "m"),
        ("Peter Pan", set(), ("peter", "pan"), "m"),
        ("Long Tom Wren", set(), ("tom", "wren"), "m"),
        ("Long Tom", set(), ("tom",), "m"),
        ("Mr. Long", {"mr"}, ("long",), "m"),
        ("Long Wren", set(), ("long", "wren"), ""),
        ("Tom Long", set(), ("tom", "long"), "m"),
        ("Ida-Ruth Wren", set(), ("ida-ruth", "wren"), "f"),
        ("La Signora Wren", {"mrs"}, ("wren",), "f"),
        ("Le Comte de Low", {"count"}, ("low",), "m"),
        ("Measter Wren", {"mr"}, ("wren",), "m"),
        ("Pan", set(), ("pan",), ""),
        ("Máire Wren", set(), ("maire", "wren"), ""),
        ("monsieur le maire", {"mr", "mayor"}, (), "m"),
        ("der Graf", {"count"}, (), "m"),
        ("Zorba Graf", set(), ("zorba", "graf"), ""),
        ("Tia Wren", set(), ("tia", "wren"), ""),
        ("a mere boy", set(), (), "m"),
        ("граф Алексей Белов", {"count"}, ("aleksei", "belov"), "m"),
    ],
)
def test_parts_of_a_name(text, titles, words, gender):
    name = parse_name(text)
    assert (set(name.titles), name.words, name.gender) == (titles, words, gender)


@pytest.mark.parametrize(("text", "kin", "owner", "gender"), cases(__file__, "terms of kinship"))
def test_terms_of_kinship(text, kin, owner, gender):
    name = parse_name(text)
    assert (name.kin, name.owner, name.gender) == (kin, owner, gender)


@pytest.mark.parametrize(("text", "role"), cases(__file__, "people without a name have"))
def test_people_without_a_name_have_a_role(text, role):
    name = parse_name(text)
    assert (name.words, name.role) == ((), role)


@pytest.mark.parametrize("text", ["my dear", "Sir", "that man", "Poor fellow", "your servant"])
def test_whom_the_speaker_means_is_demonstrative(text):
    assert is_demonstrative(parse_name(text))


@pytest.mark.parametrize("text", ["the Iron Man", "my father", "Hetty", "the sexton", "Admiral"])
def test_designations_names_and_kin_are_not(text):
    assert not is_demonstrative(parse_name(text))


def test_elder_and_younger_are_told_apart():
    assert parse_name("old Wren").age == "old"
    assert parse_name("the youngest Miss Wren").age == "young"


@pytest.mark.parametrize("text", ["Mrs. Wren", "Lady Wren", "my aunt Wren"])
def test_how_wives_are_called(text):
    assert parse_name(text).is_married_woman


@pytest.mark.parametrize("text", ["Miss Wren", "Lady Margaret", "aunt Margaret", "Hetty"])
def test_how_others_are_called(text):
    assert not parse_name(text).is_married_woman


@given(st.text(max_size=60))
def test_any_text_can_be_read(text):
    name = parse_name(text)
    assert name == parse_name(text)
    assert hash(name) == hash(parse_name(text))
    assert all(word == word.strip() and word for word in name.words)


@pytest.mark.parametrize(
    ("text", "words", "epithet", "numeral"), cases(__file__, "epithets and numbers behind")
)
def test_epithets_and_numbers_behind_a_name(text, words, epithet, numeral):
    name = parse_name(text)
    assert (name.words, name.epithet, name.numeral) == (words, epithet, numeral)
