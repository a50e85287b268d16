"""Titles with a given name, and titles that tell who is married."""

import pytest

from offbook.names.person import parse_name
from offbook.names.styles import is_maiden_beside_wife, is_style_of_given
from tests.tables import cases


@pytest.mark.parametrize(("a", "b", "is_style"), cases(__file__, "a title may stand"))
def test_a_title_may_stand_before_the_given_name(a, b, is_style):
    assert is_style_of_given(parse_name(a), parse_name(b), {"hugh"}) is is_style
    assert is_style_of_given(parse_name(b), parse_name(a), {"hugh"}) is is_style


def test_a_wifes_title_beside_an_unmarried_womans():
    wife, maiden, plain = (parse_name(n) for n in ("Mrs. Wren", "Miss Wren", "Ida Wren"))
    assert is_maiden_beside_wife(wife, [plain, maiden])
    assert is_maiden_beside_wife(maiden, [wife])
    assert not is_maiden_beside_wife(plain, [wife, maiden])
    assert not is_maiden_beside_wife(wife, [plain, wife])
