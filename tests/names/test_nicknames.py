"""Short forms of given names, their gender, and names of their own."""

import pytest

from offbook.names.nicknames import (
    formal_names,
    gender_of_given,
    is_given,
    is_own_name,
    may_be_one,
)
from tests.tables import cases


@pytest.mark.parametrize(("a", "b"), cases(__file__, "forms of one name"))
def test_forms_of_one_name_are_recognised_both_ways(a, b):
    assert may_be_one(a, b)
    assert may_be_one(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [("mary", "maria"), ("tom", "tim"), ("ann", "ida"), ("ida-ruth", "ida-ann"), ("ida-x", "x")],
)
def test_different_names_stay_different(a, b):
    assert not may_be_one(a, b)


@pytest.mark.parametrize(("name", "gender"), cases(__file__, "gender is told only"))
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
