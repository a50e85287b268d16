"""Personality types in letters."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.typology import (
    MBTI,
    SLOAN,
    ItemRating,
    LabelScore,
    agreement_with_labels,
    batches,
    compare,
    label_type,
    letters_of,
    sign_of,
    written,
)
from offbook.evaluation.metrics.typology import (
    dimension_scores as scores_of,
)
from tests.evaluation.metrics.whole import there
from tests.sizes import examples

FEW = settings(max_examples=examples(30))


def mbti(*ratings, dimension="E/I", sign=1):
    return scores_of("mbti_item", [ItemRating(dimension, sign, rating) for rating in ratings])[0]


def domain(*rated):
    return scores_of(
        "bigfive_item", [ItemRating("Extraversion", sign, rating) for sign, rating in rated]
    )[0]


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


@pytest.mark.parametrize("metric", ["mbti_item", "bigfive_item"])
def test_a_dimension_without_a_rating_has_no_letter(metric):
    assert all(each.letter is None and each.score is None for each in scores_of(metric, []))
    assert set(written(letters_of(scores_of(metric, [])))) == {"-"}
    assert mbti(None).missing == 1


@FEW
@given(st.lists(st.tuples(st.sampled_from([1, -1]), st.integers(1, 7)), min_size=1, max_size=20))
def test_turning_every_item_round_turns_the_score_round(items):
    one = scores_of("mbti_item", [ItemRating("T/F", sign, rating) for sign, rating in items])[2]
    keyed = scores_of("mbti_item", [ItemRating("T/F", -sign, rating) for sign, rating in items])[2]
    rated = scores_of("mbti_item", [ItemRating("T/F", sign, 8 - rating) for sign, rating in items])[
        2
    ]
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
        scores_of("mbti_item", [item])


@pytest.mark.parametrize("text", ["INF", "INFQ", "NIFJ", "SCEOI"])
def test_letters_that_are_no_type_are_said(text):
    with pytest.raises(ValueError, match="is no type of mbti"):
        MBTI.letters(text)


def test_letters_are_read_in_either_case_and_x_is_none():
    assert MBTI.letters("infJ") == ("I", "N", "F", "J")
    assert SLOAN.letters("SXOEI") == ("S", None, "O", "E", "I")
    assert written(SLOAN.letters("S-OEI")) == "S-OEI"


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
    assert (found.wrong, found.accuracy.n) == (1, 4)
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
    decided = sum(letter is not None for letters in labels.values() for letter in letters)
    assert found.accuracy.n + found.accuracy.missing == decided
    if found.accuracy.mean is not None:
        assert found.accuracy.mean == pytest.approx(1 - found.wrong / found.accuracy.n)
        assert 0 <= there(found.average_f1.mean) <= 1


SIXTEEN = SCALES["16p_batch"]


@pytest.mark.parametrize(
    ("answers", "sizes"),
    [
        (0, []),
        (1, [1]),
        (5, [5]),
        (6, [3, 3]),
        (7, [4, 3]),
        (8, [4, 4]),
        (9, [3, 3, 3]),
        (13, [3, 3, 4, 3]),
        (20, [4] * 5),
    ],
)
def test_sizes_of_batches(answers, sizes):
    assert [len(batch) for batch in batches(range(answers))] == sizes


@FEW
@given(st.integers(0, 130))
def test_every_answer_is_in_one_batch(answers):
    found = batches(range(answers))
    assert sorted(itertools.chain(*found)) == list(range(answers))
    assert answers < 6 or {len(batch) for batch in found} <= {3, 4}


@pytest.mark.parametrize(("category", "dimension"), [("J", "E/I"), ("", "Openness"), ("O", "O")])
def test_an_item_of_another_key_is_said(category, dimension):
    with pytest.raises(ValueError, match="cannot be keyed"):
        sign_of(category, dimension)


def test_converted_options_of_bfi_are_turned_where_minus_keyed():
    items = [
        ItemRating("Openness", 1, 5),
        ItemRating("Openness", -1, 1),
        ItemRating("Openness", -1, 4),
        ItemRating("Openness", 1, None),
        ItemRating("Neuroticism", 1, 1),
    ]
    found = scores_of("bfi_option", items)[4]
    assert found.score == pytest.approx((5 + 5 + 2) / 3)
    assert (found.letter, found.n, found.missing) == ("I", 3, 1)
    assert scores_of("bfi_option", items)[3].letter is None
    with pytest.raises(ValueError, match="6 is no rating"):
        scores_of("bfi_option", [ItemRating("Openness", 1, 6)])


LABELS = {
    ("a", "E/I"): LabelScore("H", 90.0),
    ("a", "S/N"): LabelScore("L", 10.0),
    ("b", "E/I"): LabelScore("H", 70.0),
    ("b", "S/N"): LabelScore("X", 50.0),
}


def test_types_and_errors_are_those_of_pairs_that_are_decided():
    predicted = {("a", "E/I"): 80.0, ("a", "S/N"): 60.0, ("b", "E/I"): 50.0, ("b", "S/N"): 0.0}
    found = agreement_with_labels([predicted], LABELS, SIXTEEN)
    assert found.acc_dim.mean == pytest.approx(1 / 3)
    assert found.acc_full.mean == 0
    assert found.mae.mean == pytest.approx((0.1 + 0.5 + 0.2) / 3)
    assert found.mse.mean == pytest.approx((0.01 + 0.25 + 0.04) / 3)
    assert (found.acc_dim.n, found.acc_full.n, found.mse.n) == (3, 2, 3)


def test_a_missing_score_is_counted_and_its_character_is_neither_right_nor_wrong():
    predicted = {("a", "E/I"): 80.0, ("a", "S/N"): None, ("b", "E/I"): 60.0}
    found = agreement_with_labels([predicted], LABELS, SIXTEEN)
    assert (found.acc_dim.mean, found.acc_dim.n, found.acc_dim.missing) == (1, 2, 1)
    assert (found.acc_full.mean, found.acc_full.n, found.acc_full.missing) == (1, 1, 1)
    assert (found.mse.n, found.mse.missing) == (2, 1)


def test_repeats_are_scored_one_by_one_and_then_averaged():
    one = {("a", "E/I"): 80.0, ("a", "S/N"): 0.0, ("b", "E/I"): 60.0}
    two = {("a", "E/I"): 80.0, ("a", "S/N"): None, ("b", "E/I"): 40.0}
    each = [agreement_with_labels([repeat], LABELS, SIXTEEN) for repeat in (one, two)]
    both = agreement_with_labels([one, two], LABELS, SIXTEEN)
    # One repeat has 3 pairs and the other 2: the mean of their means is not that of all pairs.
    assert both.acc_dim.mean == pytest.approx((1 + 1 / 2) / 2)
    for name in ("acc_dim", "acc_full", "mse", "mae"):
        means = [getattr(repeat, name).mean for repeat in each]
        assert getattr(both, name).mean == pytest.approx(np.mean(means))
    assert (both.acc_dim.n, both.acc_dim.missing) == (5, 1)


def test_without_labels_or_scores_there_is_no_number():
    nobody = agreement_with_labels([{("a", "E/I"): 80.0}], {}, SIXTEEN)
    assert (nobody.acc_dim.mean, nobody.acc_dim.n, nobody.acc_dim.missing) == (None, 0, 0)
    undecided = agreement_with_labels([{}], {("a", "E/I"): LabelScore("X", 50.0)}, SIXTEEN)
    assert (undecided.acc_full.mean, undecided.acc_full.missing) == (None, 0)
    unrated = agreement_with_labels([{}], LABELS, SIXTEEN)
    assert (unrated.mse.mean, unrated.mse.missing) == (None, 3)
    assert agreement_with_labels([], LABELS, SIXTEEN).acc_dim.mean is None


PLACES = st.tuples(st.sampled_from("abcd"), st.sampled_from(["E/I", "S/N"]))


@FEW
@given(
    st.dictionaries(PLACES, st.floats(0, 100), min_size=1),
    st.dictionaries(PLACES, st.none() | st.floats(0, 100)),
)
def test_errors_stay_within_the_span_and_a_perfect_prediction_has_none(scores, predicted):
    labels = {
        place: LabelScore(label_type(score, SIXTEEN), score) for place, score in scores.items()
    }
    perfect = agreement_with_labels([scores], labels, SIXTEEN)
    decided = sum(label.type != "X" for label in labels.values())
    if decided:
        assert (perfect.acc_dim.mean, perfect.acc_full.mean, perfect.mse.mean) == (1, 1, 0)
    found = agreement_with_labels([predicted], labels, SIXTEEN)
    assert found.acc_dim.n + found.acc_dim.missing == decided
    if found.mse.mean is not None:
        assert 0 <= found.mse.mean <= there(found.mae.mean) <= 1


@pytest.mark.parametrize(("tie", "letter", "right"), [("first", "E", 1), ("second", "I", 0)])
def test_a_tie_is_read_as_the_one_pole_or_the_other(tie, letter, right):
    (score, *_) = scores_of("mbti_item", [ItemRating("E/I", 1, 4)], tie)
    assert (score.score, score.letter) == (50, letter)
    high = {("Ada", "E/I"): LabelScore("H", 90)}
    found = agreement_with_labels([{("Ada", "E/I"): 50.0}], high, SCALES["16p_batch"], tie)
    assert found.acc_dim.mean == right
    for other in (49.9, 50.1):
        assert MBTI.letter("E/I", other, tie) == ("E" if other > 50 else "I")
