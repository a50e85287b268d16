"""Which names fit one person by their form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.language.name_likeness import likeness
from offbook.language.person_names import parse_name

WORDS = (
    "Mr. Mrs. Miss Sir Lady Dr. Captain my dear old young aunt Tom Thomas Margaret Peggy Wren Lane"
    " van T. the Admiral mother's father"
)
PARTS = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=4).map(" ".join)


def fit(a, b):
    return likeness(parse_name(a), parse_name(b))


@pytest.mark.parametrize(
    ("a", "b", "least"),
    [
        ("Hetty Wren", "Hetty", 0.8),
        ("Peggy", "Margaret Wren", 0.8),
        ("T. Wren", "Tobias Wren", 0.8),
        ("Miss Wren", "Hetty Wren", 0.6),
        ("Mr. Wren", "Wren", 0.7),
        ("Captain Wren", "Tobias Wren", 0.6),
        ("the Captain", "Captain Wren", 0.5),
        ("aunt Wren", "Mrs. Wren", 0.5),
        ("Anna Maria Wren", "Anna Maria", 0.8),
        ("Mr. Ned", "Mr. Edward Wren", 0.6),
        ("Wrensy", "Mr. Wrens", 0.6),
        ("the Iron Duke", "Iron Duke", 0.7),
        ("the matron", "the matron of the asylum", 0.5),
        ("my dear Hetty", "poor Hetty", 0.9),
        ("Tobias the Great", "Tobias", 0.8),
        ("Tobias the Great", "Tobias of Low", 0.8),
        ("Hetty the Wanderer", "Hetty Wanderer", 0.8),
        ("Tobias the Great", "Tobias III", 0.8),
        ("Tobias the Third", "King Tobias III", 0.8),
        ("Tobias the Third", "Tobias", 0.8),
        ("Henry", "William Henry", 0.4),
        ("la comtesse de Low", "Madame de Low", 0.6),
        ("Herr von Low", "Major von Low", 0.6),
        ("le père Wren", "M. Wren", 0.6),
        ("don Tobias", "señor don Tobias", 0.7),
        ("D'Arnet", "Charles d'Arnet", 0.6),
        ("Mrs. Wren", "Ida Wren", 0.4),
        ("Peter Pan", "Pan", 0.6),
        ("the Duke of Low Water", "Low Water", 0.6),
        ("the Duke of Low Water", "Monsieur de Low Water", 0.6),
        ("M. Zorba", "M. Zorba de Low", 0.6),
        ("Long Tom Wren", "Tom Wren", 0.9),
        ("Long Tom", "Tom Wren", 0.8),
        ("Ida-Ruth Wren", "Ida", 0.8),
        ("an Unseen Man", "the Unseen Man", 0.6),
    ],
)
def test_names_of_one_person(a, b, least):
    assert fit(a, b).strength >= least
    assert not fit(a, b).conflict


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Mr. Wren", "Miss Wren"),
        ("Mrs. Wren", "Miss Wren"),
        ("Hetty Wren", "Ida Wren"),
        ("Hetty Wren", "Ida Lane"),
        ("Tom Wren", "Tom Lane"),
        ("Mr. Wren", "Mr. Lane"),
        ("old Wren", "young Wren"),
        ("Admiral Wren", "Mr. Wren"),
        ("Dr. Wren", "Mrs. Wren"),
        ("Tobias the Great", "Tobias Wren"),
        ("Tobias the Great", "Tobias the Bald"),
        ("Tobias the Great", "Sir Tobias Wren"),
        ("Tobias the Third", "Tobias II"),
        ("Tobias the Third", "Tobias Wren"),
        ("Mrs. Tom", "Tom"),
    ],
)
def test_names_that_cannot_be_one(a, b):
    assert fit(a, b).conflict
    assert fit(a, b).reason


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Hetty", "Mr. Wren"),
        ("Hetty Wren", "Hetty Lane"),
        ("Nancy", "Anne"),
        ("Bill", "Sir William"),
        ("the sexton", "the miller"),
        ("Sir", "Sir Tobias Wren"),
        ("Miss Zorba", "Zorba Wren"),
        ("Captain Wren", "Wren Lane"),
        ("Zorb", "Zorbalina Wren"),
        ("Nelly", "Cornelius Wren"),
        ("Pan", "Pan Tobias"),
    ],
)
def test_what_does_not_suffice(a, b):
    assert fit(a, b).strength < 0.4


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
    [
        ("Wren", "Mr. Wren", "aunt Wren"),
        ("Wren", "Mr. Wren", "sister Wren"),
        ("Wren", "Sir Tobias Wren", "Lady Wren"),
    ],
)
def test_a_surname_alone_is_a_mans_before_it_is_a_womans(surname, mans, womans):
    assert fit(surname, mans).strength > fit(surname, womans).strength + 0.1


@pytest.mark.parametrize(
    ("given_name", "exact", "short"),
    [
        ("Edmund", "Edmund Lane", "Ned Wren"),
        ("Monsieur Edmund", "Edmund Lane", "Ned Wren"),
    ],
)
def test_the_given_name_itself_fits_better_than_a_short_form(given_name, exact, short):
    assert fit(given_name, exact).strength > fit(given_name, short).strength > 0.4


@pytest.mark.parametrize(("a", "b"), [("that man", "the poor man"), ("dear girl", "the girl")])
def test_what_is_said_of_anybody_is_no_description(a, b):
    assert fit(a, b).strength < 0.4
