"""Personality types in letters."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.evaluation.metrics.typology import (
    MBTI,
    SLOAN,
    ItemRating,
    compare,
    letters_of,
    mbti_scores,
    sloan_scores,
    written,
)
from tests.evaluation.metrics.whole import there

FEW = settings(max_examples=30, deadline=None)


def mbti(*ratings, dimension="E/I", sign=1):
    return mbti_scores([ItemRating(dimension, sign, rating) for rating in ratings])[0]


def domain(*rated):
    return sloan_scores([ItemRating("Extraversion", sign, rating) for sign, rating in rated])[0]


def table(predicted, labels, typology=MBTI):
    return compare(
        {name: typology.letters(text) for name, text in predicted.items()},
        {name: typology.letters(text) for name, text in labels.items()},
        typology,
    )


@pytest.mark.parametrize(
    ("ratings", "score", "letter"),
    [
        ((1,), 100, "E"),
        ((7,), 0, "I"),
        ((4,), 50, "I"),
        ((3, 4), 50 + 50 / 6, "E"),
        ((1, 7), 50, "I"),
    ],
)
def test_one_means_very_much_so_and_a_tie_is_the_second_pole(ratings, score, letter):
    found = mbti(*ratings)
    assert (found.score, found.letter) == (pytest.approx(score), letter)


def test_an_item_of_the_other_pole_counts_the_other_way():
    assert mbti(1, sign=-1).letter == "I"
    assert mbti(7, sign=-1).score == 100


def test_the_letters_are_in_the_order_of_the_type():
    items = [
        ItemRating("P/J", -1, 1),
        ItemRating("T/F", -1, 2),
        ItemRating("S/N", -1, 3),
        ItemRating("E/I", -1, 1),
    ]
    assert written(letters_of(mbti_scores(items))) == "INFJ"


@pytest.mark.parametrize(
    ("rated", "score", "letter"),
    [
        ([(1, 1)], 5, "S"),
        ([(1, 5)], 1, "R"),
        ([(-1, 1)], 1, "R"),
        ([(1, 3)], 3, "R"),
        ([(1, 2), (-1, 2), (1, 3)], 3, "R"),
        ([(1, 2), (-1, 3)], 3.5, "S"),
    ],
)
def test_big_five_agreement_is_turned_for_minus_keyed_items(rated, score, letter):
    found = domain(*rated)
    assert (found.score, found.letter) == (score, letter)


def test_the_five_domains_have_the_letters_of_sloan():
    names = [each.name for each in SLOAN.dimensions]
    assert written(letters_of(sloan_scores([ItemRating(name, 1, 1) for name in names]))) == "SLOAI"
    assert written(letters_of(sloan_scores([ItemRating(name, 1, 5) for name in names]))) == "RCUEN"


def test_a_missing_rating_is_left_out_and_counted():
    found = mbti(1, None, None)
    assert (found.score, found.n, found.missing) == (100, 1, 2)


@pytest.mark.parametrize("scores", [mbti_scores, sloan_scores])
def test_a_dimension_without_a_rating_has_no_letter(scores):
    assert all(each.letter is None and each.score is None for each in scores([]))
    assert set(written(letters_of(scores([])))) == {"-"}
    assert mbti(None).missing == 1


@FEW
@given(st.lists(st.tuples(st.sampled_from([1, -1]), st.integers(1, 7)), min_size=1, max_size=20))
def test_turning_every_item_round_turns_the_score_round(items):
    one = mbti_scores([ItemRating("T/F", sign, rating) for sign, rating in items])[2]
    keyed = mbti_scores([ItemRating("T/F", -sign, rating) for sign, rating in items])[2]
    rated = mbti_scores([ItemRating("T/F", sign, 8 - rating) for sign, rating in items])[2]
    assert keyed.score == pytest.approx(100 - there(one.score))
    assert rated.score == pytest.approx(keyed.score)
    assert 0 <= there(one.score) <= 100


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (ItemRating("E/I", 1, 8), "8 is no rating"),
        (ItemRating("E/I", 1, 2.5), "no rating"),
        (ItemRating("E/I", 0, 3), "sign 0"),
        (ItemRating("J/P", 1, 3), "no dimension 'J/P'"),
    ],
)
def test_what_cannot_be_scored_is_said(item, message):
    with pytest.raises(ValueError, match=message):
        mbti_scores([item])


@pytest.mark.parametrize("text", ["INF", "INFQ", "NIFJ", "SCEOI"])
def test_letters_that_are_no_type_are_said(text):
    with pytest.raises(ValueError, match="is no type of mbti"):
        MBTI.letters(text)


def test_letters_are_read_in_either_case_and_x_is_none():
    assert MBTI.letters("infJ") == ("I", "N", "F", "J")
    assert SLOAN.letters("SXOEI") == ("S", None, "O", "E", "I")
    assert written(SLOAN.letters("S-OEI")) == "S-OEI"


def test_what_is_right_everywhere_is_right():
    labels = {"a": "INFJ", "b": "ESTP"}
    found = table(labels, labels)
    assert found.wrong == 0
    assert (found.accuracy.mean, found.accuracy.n) == (1, 8)
    assert found.average_f1.mean == 1


def test_what_is_wrong_everywhere_is_nought():
    found = table({"a": "INFJ", "b": "ESTP"}, {"a": "ESTP", "b": "INFJ"})
    assert (found.wrong, found.accuracy.mean, found.average_f1.mean) == (8, 0, 0)


def test_a_pole_that_nobody_has_counts_as_nought():
    # All right, but nobody is an introvert: F1 of I is 0 / 0 and counts 0, as in the papers.
    found = table({"a": "ESTP", "b": "ENFJ"}, {"a": "ESTP", "b": "ENFJ"})
    assert found.f1 == {"E/I": 0.5, "S/N": 1, "T/F": 1, "P/J": 1}
    assert found.average_f1.mean == 0.875


def test_f1_is_that_of_precision_and_recall():
    predicted, labels = "EEEEIIIIEI", "EEEIIIIEEE"
    found = table(
        {str(i): f"{p}STP" for i, p in enumerate(predicted)},
        {str(i): f"{p}STP" for i, p in enumerate(labels)},
    )
    poles = []
    for pole in "EI":
        hits = sum(p == pole == g for p, g in zip(predicted, labels, strict=True))
        precision, recall = hits / predicted.count(pole), hits / labels.count(pole)
        poles.append(2 * precision * recall / (precision + recall))
    assert found.f1["E/I"] == pytest.approx(sum(poles) / 2)


def test_an_undecided_label_is_not_compared():
    found = table({"a": "SLOAI", "b": "SLOAI"}, {"a": "SXOEI", "b": "XXXXX"}, SLOAN)
    assert (found.wrong, found.undecided, found.accuracy.n) == (1, 6, 4)
    assert found.accuracy.missing == 0
    assert found.f1["Neuroticism"] is None
    assert found.average_f1.mean == pytest.approx((0.5 + 0.5 + 0 + 0.5) / 4)


def test_a_letter_that_is_missing_is_neither_right_nor_wrong():
    found = table({"a": "I-FJ"}, {"a": "ENFJ", "b": "ESTP"})
    assert (found.wrong, found.accuracy.n, found.accuracy.missing) == (1, 3, 5)
    assert found.accuracy.mean == pytest.approx(2 / 3)
    assert [row.missing for row in found.rows] == [1, 4]


def test_nothing_to_compare_gives_no_number():
    for found in (table({}, {}), table({"a": "INFJ"}, {}), table({}, {"a": "INFJ"})):
        assert found.accuracy.mean is None
        assert found.average_f1.mean is None
        assert set(found.f1.values()) == {None}
    assert table({"a": "INFJ"}, {}).unlabelled == ("a",)


def test_one_character_has_no_interval():
    found = table({"a": "INFJ"}, {"a": "INFP"})
    assert (found.accuracy.mean, found.accuracy.interval) == (0.75, None)
    assert found.average_f1.interval is None


def test_letters_of_another_typology_are_not_compared():
    with pytest.raises(ValueError, match="no types of mbti"):
        compare({"a": SLOAN.letters("SLOAI")}, {"a": SLOAN.letters("SLOAI")}, MBTI)


TYPES = st.dictionaries(
    st.sampled_from("abcdef"),
    st.tuples(*(st.sampled_from((d.first, d.second, None)) for d in MBTI.dimensions)),
)


@FEW
@given(TYPES, TYPES)
def test_every_label_is_compared_missing_or_undecided(predicted, labels):
    found = compare(predicted, labels, MBTI)
    assert found.accuracy.n + found.accuracy.missing + found.undecided == 4 * len(labels)
    if found.accuracy.mean is not None:
        assert found.accuracy.mean == pytest.approx(1 - found.wrong / found.accuracy.n)
        assert 0 <= there(found.average_f1.mean) <= 1


@FEW
@given(TYPES, TYPES)
def test_the_names_of_the_poles_do_not_matter(predicted, labels):
    other = {
        pole: d.second if pole == d.first else d.first
        for d in MBTI.dimensions
        for pole in (d.first, d.second)
    }

    def turned(types):
        return {
            who: tuple(letter and other[letter] for letter in each) for who, each in types.items()
        }

    one, two = compare(predicted, labels, MBTI), compare(turned(predicted), turned(labels), MBTI)
    assert one.wrong == two.wrong
    assert one.average_f1 == two.average_f1


def test_all_sixteen_types_can_be_reached():
    found = set()
    for ratings in itertools.product((1, 7), repeat=4):
        items = [
            ItemRating(dimension.name, 1, rating)
            for dimension, rating in zip(MBTI.dimensions, ratings, strict=True)
        ]
        found.add(written(letters_of(mbti_scores(items))))
    assert len(found) == 16
