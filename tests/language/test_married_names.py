"""One woman under the surname she was born with and the one she married into."""

import pytest

from offbook.language.married_names import is_maiden_and_wife
from offbook.language.person_names import parse_name


def names(*texts):
    return [parse_name(text) for text in texts]


def test_a_bride_takes_another_surname():
    assert is_maiden_and_wife(names("Ida Wren", "Miss Wren"), names("Ida Lane", "Mrs. Lane"))
    assert is_maiden_and_wife(names("Ida Wren", "Miss Wren"), names("Countess Ida Lane"))


@pytest.mark.parametrize(
    ("maiden", "wife", "others"),
    [
        (("Ida Wren",), ("Ida Lane",), ()),
        (("Ida Wren",), ("Ida Lane", "Mrs. Lane"), ()),  # a mother and her daughter, it may be
        (("Ida Wren", "Miss Wren"), ("Ida Lane", "Mrs. Lane"), ("Miss Lane",)),
        (("Ida Wren", "Miss Wren", "Mrs. Wren"), ("Ida Lane", "Mrs. Lane"), ()),
        (("Ida Wren", "Miss Wren"), ("Ida Lane", "Mrs. Lane"), ("Ida Holt",)),
        (("Hetty Wren", "Miss Wren"), ("Ida Lane", "Mrs. Lane"), ()),
        (("Zorb Wren",), ("Zorb Lane", "Mr. Lane"), ()),
    ],
)
def test_others_of_one_given_name_are_two(maiden, wife, others):
    assert not is_maiden_and_wife(names(*maiden), names(*wife), names(*others))
