"""Terms of kinship and who says them."""

import pytest

from offbook.language.kinship import kin_likeness, may_share_kin
from offbook.language.person_names import parse_name


def fit(a, said_a, b, said_b=()):
    return kin_likeness(parse_name(a), said_a, parse_name(b), said_b)


@pytest.mark.parametrize(
    ("a", "said", "b", "said_b"),
    [
        ("my father", ["Tom Wren"], "Father", ["Tom Wren"]),
        ("my father", ["Tom Wren"], "papa", ["Ida Wren"]),
        ("my father", ["Tom Wren"], "Mr. Wren", []),
        ("my father", ["Tom Wren"], "Sir Hugh Wren", []),
        ("Mamma", ["Tom Wren"], "Mrs. Wren", []),
        ("my husband", ["Mrs. Wren"], "Mr. Wren", []),
        ("my wife", ["Mr. Wren"], "Mrs. Wren", []),
        ("my sister", ["Tom Wren"], "Miss Wren", []),
        ("Tom's father", ["Ida"], "my father", ["Tom Wren"]),
        ("your father", ["Ida"], "your father", ["Ida"]),
        ("my father", ["Ida Wren"], "the Comte de Wren", []),
        ("my father", ["Tom Wren"], "Lawyer Wren", []),
        ("Mamma", ["Tom Wren"], "the Countess Wren", []),
    ],
)
def test_kin_of_who_speaks(a, said, b, said_b):
    assert fit(a, said, b, said_b).strength >= 0.4
    assert fit(b, said_b, a, said).strength >= 0.4


@pytest.mark.parametrize(
    ("a", "said", "b", "said_b"),
    [
        ("my father", ["Tom Wren"], "my father", ["Ida Lane"]),
        ("my father", ["Tom Wren"], "my mother", ["Tom Wren"]),
        ("my father", ["Tom Wren"], "Mrs. Wren", []),
        ("my father", ["Tom Wren"], "Mr. Lane", []),
        ("my husband", ["Miss Wren"], "Mr. Wren", []),
        ("your father", ["Tom Wren"], "Mr. Wren", []),
        ("Mr. Wren", [], "Mrs. Wren", []),
        ("my father", ["Mrs. Wren"], "Mr. Wren", []),
        ("my brother", ["Mrs. Wren"], "Mr. Wren", []),
        ("Mamma", ["Ida Wren"], "Nurse Wren", []),
    ],
)
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
