"""Open interviews rated in batches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.evaluation.metrics.incharacter import (
    LabelScore,
    agreement_with_labels,
    batched_score,
    batches,
    bfi_option_score,
    code,
    label_type,
    predicted_type,
    sign_of,
    sixteen_option_scores,
)
from offbook.evaluation.metrics.scales import scale
from offbook.evaluation.metrics.typology import ItemRating
from tests.evaluation.metrics.whole import there

BFI, SIXTEEN = scale("bfi_batch"), scale("16p_batch")
FEW = settings(max_examples=30, deadline=None)


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


def test_a_short_last_batch_takes_the_last_answer_of_the_first_ones():
    assert batches("abcdefghi") == [list("abc"), list("efg"), list("idh")]


@FEW
@given(st.integers(0, 130))
def test_every_answer_is_in_one_batch(answers):
    found = batches(range(answers))
    assert sorted(itertools.chain(*found)) == list(range(answers))
    assert answers < 6 or {len(batch) for batch in found} <= {3, 4}


def test_a_dimension_is_the_plain_mean_of_its_batches():
    found = batched_score([20.0, 20.0, 0.0, None])
    assert found.score == pytest.approx(40 / 3)
    assert found.deviation == pytest.approx(np.std([20, 20, 0]))
    assert (found.n, found.missing) == (3, 1)


def test_a_dimension_without_a_rated_batch_has_no_score():
    assert batched_score([None, None]).score is None
    assert batched_score([None]).missing == 1
    assert batched_score([]).deviation is None


@pytest.mark.parametrize(
    ("score", "on", "expected"),
    [
        (2.59, BFI, "L"),
        (2.6, BFI, "X"),
        (3.0, BFI, "X"),
        (3.4, BFI, "X"),
        (3.41, BFI, "H"),
        (39.9, SIXTEEN, "L"),
        (40, SIXTEEN, "X"),
        (60, SIXTEEN, "X"),
        (60.1, SIXTEEN, "H"),
    ],
)
def test_labels_near_the_middle_are_undecided(score, on, expected):
    assert label_type(score, on) == expected
    assert LabelScore.of(score, on) == LabelScore(expected, score)


def test_a_prediction_is_high_only_above_the_midpoint():
    assert [predicted_type(score, BFI) for score in (2.9, 3.0, 3.1)] == ["L", "L", "H"]
    assert [predicted_type(score, SIXTEEN) for score in (50, 50.5)] == ["L", "H"]


def test_the_code_has_the_first_letter_above_fifty():
    dimensions = ["E/I", "S/N", "T/F", "P/J"]
    assert code({"E/I": 80, "S/N": 13.3, "T/F": 50, "P/J": 75}, dimensions) == "ENFP"
    assert code({"E/I": 80, "S/N": None}, dimensions) == "E---"


def test_items_are_keyed_by_their_category():
    assert [sign_of("positive", "Openness"), sign_of("negative", "Openness")] == [1, -1]
    assert [sign_of("E", "E/I"), sign_of("I", "E/I"), sign_of("positive", "E/I")] == [1, -1, 1]


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
    found = bfi_option_score(items, "Openness")
    assert found.score == pytest.approx((5 + 5 + 2) / 3)
    assert (found.letter, found.n, found.missing) == ("H", 3, 1)
    assert bfi_option_score(items, "Agreeableness").letter is None
    with pytest.raises(ValueError, match="6 is no rating"):
        bfi_option_score([ItemRating("Openness", 1, 6)], "Openness")


def test_converted_options_of_sixteen_are_percentages_of_the_first_pole():
    scores = sixteen_option_scores([ItemRating("E/I", 1, 1), ItemRating("E/I", -1, 7)])
    assert scores[0].score == 100


LABELS = {
    ("a", "E/I"): LabelScore("H", 90.0),
    ("a", "S/N"): LabelScore("L", 10.0),
    ("b", "E/I"): LabelScore("H", 70.0),
    ("b", "S/N"): LabelScore("X", 50.0),
}


def test_types_and_errors_are_those_of_pairs_that_are_decided():
    predicted = {("a", "E/I"): 80.0, ("a", "S/N"): 60.0, ("b", "E/I"): 50.0, ("b", "S/N"): 0.0}
    found = agreement_with_labels([predicted], LABELS, SIXTEEN)
    assert (found.pairs, found.undecided, found.characters) == (3, 1, 2)
    assert found.acc_dim.mean == pytest.approx(1 / 3)
    assert found.acc_full.mean == 0
    assert found.mae.mean == pytest.approx((0.1 + 0.5 + 0.2) / 3)
    assert found.mse.mean == pytest.approx((0.01 + 0.25 + 0.04) / 3)
    assert (found.acc_dim.n, found.acc_full.n, found.mse.n) == (3, 2, 3)


def test_a_character_is_right_where_all_that_is_decided_is():
    predicted = {("a", "E/I"): 80.0, ("a", "S/N"): 60.0, ("b", "E/I"): 51.0, ("b", "S/N"): 0.0}
    assert agreement_with_labels([predicted], LABELS, SIXTEEN).acc_full.mean == 0.5


def test_a_missing_score_is_counted_and_its_character_is_neither_right_nor_wrong():
    predicted = {("a", "E/I"): 80.0, ("a", "S/N"): None, ("b", "E/I"): 60.0}
    found = agreement_with_labels([predicted], LABELS, SIXTEEN)
    assert (found.acc_dim.mean, found.acc_dim.n, found.acc_dim.missing) == (1, 2, 1)
    assert (found.acc_full.mean, found.acc_full.n, found.acc_full.missing) == (1, 1, 1)
    assert (found.mse.n, found.mse.missing) == (2, 1)


def test_a_label_without_a_score_tells_right_from_wrong_and_no_error():
    labels = {("a", "E/I"): LabelScore("H"), ("b", "E/I"): LabelScore("L", 0.0)}
    predicted = {("a", "E/I"): 80.0, ("b", "E/I"): 0.0}
    found = agreement_with_labels([predicted], labels, SIXTEEN)
    assert (found.acc_dim.mean, found.acc_dim.n) == (1, 2)
    assert (found.mae.mean, found.mae.n, found.mae.missing) == (0, 1, 1)


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


def test_a_repeat_without_any_score_does_not_count():
    one = {("a", "E/I"): 80.0, ("a", "S/N"): 0.0, ("b", "E/I"): 60.0}
    found = agreement_with_labels([one, {}], LABELS, SIXTEEN)
    assert (found.acc_dim.mean, found.acc_dim.n, found.acc_dim.missing) == (1, 3, 3)


def test_one_character_has_no_interval():
    labels = {place: label for place, label in LABELS.items() if place[0] == "a"}
    found = agreement_with_labels([{("a", "E/I"): 80.0}], labels, SIXTEEN)
    assert (found.acc_dim.mean, found.acc_dim.interval) == (1, None)


def test_without_labels_or_scores_there_is_no_number():
    nobody = agreement_with_labels([{("a", "E/I"): 80.0}], {}, SIXTEEN)
    assert (nobody.acc_dim.mean, nobody.acc_dim.n, nobody.pairs) == (None, 0, 0)
    undecided = agreement_with_labels([{}], {("a", "E/I"): LabelScore("X", 50.0)}, SIXTEEN)
    assert (undecided.acc_full.mean, undecided.undecided) == (None, 1)
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
    labels = {place: LabelScore.of(score, SIXTEEN) for place, score in scores.items()}
    perfect = agreement_with_labels([scores], labels, SIXTEEN)
    if perfect.pairs:
        assert (perfect.acc_dim.mean, perfect.acc_full.mean, perfect.mse.mean) == (1, 1, 0)
    found = agreement_with_labels([predicted], labels, SIXTEEN)
    assert found.acc_dim.n + found.acc_dim.missing == found.pairs
    if found.mse.mean is not None:
        assert 0 <= found.mse.mean <= there(found.mae.mean) <= 1
