"""Terms of kinship and who says them."""

import pytest

from offbook.names.likeness import kin_likeness, may_share_kin
from offbook.names.person import parse_name
from tests.tables import cases


def fit(a, said_a, b, said_b=()):
    return kin_likeness(parse_name(a), said_a, parse_name(b), said_b)


@pytest.mark.parametrize(("a", "said", "b", "said_b"), cases(__file__, "kin of who speaks"))
def test_kin_of_who_speaks(a, said, b, said_b):
    assert fit(a, said, b, said_b).strength >= 0.4
    assert fit(b, said_b, a, said).strength >= 0.4


@pytest.mark.parametrize(("a", "said", "b", "said_b"), cases(__file__, "what is no tie"))
def test_what_is_no_tie(a, said, b, said_b):
    assert fit(a, said, b, said_b).strength < 0.4


def test_nobody_is_their_own_parent():
    assert fit("my mother", ["Ida Wren"], "Ida").conflict
    assert fit("Ida's mother", [], "Ida Wren").conflict


def test_brothers_and_sisters_share_parents_but_not_spouses():
    assert may_share_kin("father", "my", ["Tom Wren"], ["Ida Wren"])
    assert not may_share_kin("husband", "my", ["Tom Wren"], ["Ida Wren"])
    assert not may_share_kin("father", "your", ["Tom Wren"], ["Ida Wren"])
    assert not may_share_kin("father", "my", ["Mr. Tom Wren"], ["Ida Wren"])
