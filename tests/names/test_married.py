"""One woman under the surname she was born with and the one she married into."""

import pytest

from offbook.names.person import parse_name
from offbook.names.styles import is_maiden_and_wife
from tests.tables import cases


def names(*texts):
    return [parse_name(text) for text in texts]


def test_a_bride_takes_another_surname():
    assert is_maiden_and_wife(names("Ida Wren", "Miss Wren"), names("Ida Lane", "Mrs. Lane"))
    assert is_maiden_and_wife(names("Ida Wren", "Miss Wren"), names("Countess Ida Lane"))


@pytest.mark.parametrize(("maiden", "wife", "others"), cases(__file__, "others of one given name"))
def test_others_of_one_given_name_are_two(maiden, wife, others):
    assert not is_maiden_and_wife(names(*maiden), names(*wife), names(*others))
