"""Which names fit one person by their form."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.names.likeness import likeness
from offbook.names.person import parse_name
from tests.tables import cases

WORDS = (
    "Mr. Mrs. Miss Sir Lady Dr. Captain my dear old young aunt Tom Thomas Margaret Peggy Wren Lane"
    " van T. the Admiral mother's father"
)
PARTS = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=4).map(" ".join)


def fit(a, b):
    return likeness(parse_name(a), parse_name(b))


def is_as_the_table_says(expected, a, b):
    result = fit(a, b)
    match expected:
        case "two":
            return result.conflict and result.reason
        case "open":
            return result.strength < 0.4
    return not result.conflict and result.strength >= float(expected)


def test_which_names_may_be_one_is_as_the_table_says():
    """Two contradict one another, open does not suffice, a number is the least strength."""
    lines = (Path(__file__).parent / "likeness.tsv").read_text("utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    assert len(rows) > 100
    assert [row for row in rows if not is_as_the_table_says(*row)] == []
    assert [row for row in rows if fit(*row[1:]) != fit(*row[:0:-1])] == []


@given(PARTS, PARTS)
def test_likeness_is_symmetric_and_bounded(a, b):
    assert fit(a, b) == fit(b, a)
    assert 0.0 <= fit(a, b).strength <= 1.0
    assert not (fit(a, b).conflict and fit(a, b).strength)


@given(PARTS)
def test_a_name_never_contradicts_itself(a):
    assert not fit(a, a).conflict


@pytest.mark.parametrize(
    ("surname", "mans", "womans"),
    cases(__file__, "a surname alone is a mans"),
)
def test_a_surname_alone_is_a_mans_before_it_is_a_womans(surname, mans, womans):
    assert fit(surname, mans).strength > fit(surname, womans).strength + 0.1


@pytest.mark.parametrize(
    ("given_name", "exact", "short"),
    cases(__file__, "the given name itself fits"),
)
def test_the_given_name_itself_fits_better_than_a_short_form(given_name, exact, short):
    assert fit(given_name, exact).strength > fit(given_name, short).strength > 0.4
