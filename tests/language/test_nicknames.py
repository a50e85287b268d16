"""Short forms of given names, their gender, and names of their own."""

import pytest

from offbook.language.nicknames import (
    formal_names,
    gender_of_given,
    is_given,
    is_own_name,
    may_be_one,
)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("peggy", "margaret"),
        ("bill", "william"),
        ("will", "bill"),
        ("dick", "richard"),
        ("fannie", "fanny"),
        ("fan", "fanny"),
        ("bobkins", "bob"),
        ("torvald", "torvald"),
        ("pepe", "jose"),
        ("grete", "margarete"),
        ("katharine", "catherine"),
        ("tilda", "matilda"),
        ("bertie", "ethelbert"),
        ("geordie", "george"),
        ("dodo", "dorothea"),
        ("issy", "isabel"),
        ("andre", "andrei"),
        ("ida", "ida-ruth"),
        ("lizzy", "elizabeth-ann"),
    ],
)
def test_forms_of_one_name_are_recognised_both_ways(a, b):
    assert may_be_one(a, b)
    assert may_be_one(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [("mary", "maria"), ("tom", "tim"), ("ann", "ida"), ("ida-ruth", "ida-ann"), ("ida-x", "x")],
)
def test_different_names_stay_different(a, b):
    assert not may_be_one(a, b)


@pytest.mark.parametrize(
    ("name", "gender"),
    [
        ("margaret", "f"),
        ("ned", "m"),
        ("pat", ""),
        ("nelly", "f"),
        ("tony", "m"),
        ("zorblax", ""),
        ("winifred", "f"),
        ("dolly", "f"),
        ("jo", "f"),
    ],
)
def test_gender_is_told_only_where_one_sex_bears_the_name(name, gender):
    assert gender_of_given(name) == gender


def test_a_name_is_among_its_own_formal_names():
    assert formal_names("zorblax") == {"zorblax"}
    assert {"edward", "edmund", "theodore", "ted"} <= formal_names("ted")


def test_known_names_and_names_of_their_own():
    assert is_given("harriet")
    assert not is_given("ironmonger")
    assert is_own_name("nancy")
    assert not is_own_name("peggy")
