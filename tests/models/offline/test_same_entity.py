"""Pairs judged offline, and what the model answers to the prompts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.prompts.entities import (
    Comparison,
    Described,
    LinkedGroup,
    SameEntityInputs,
    VerifyGroupInputs,
    check_same_entity,
    check_verify_group,
)
from offbook.rules.group_verification import same_entity, verify_group
from offbook.rules.identity import fit

DESCRIBED = st.builds(
    Described,
    st.sampled_from(
        ["Hetty Wren", "Hetty", "Miss Wren", "Mr. Wren", "my father", "the Fox", "Low Farm", "?"]
    ),
    st.sampled_from(["character", "location", ""]),
    st.sampled_from(["", "Known as the Fox.", "Said by Ida Wren: come", "Said by Tom Lane: go"]),
)


def described(name, description="", kind="character"):
    return Described(name, kind, description)


def same(a, b):
    answer = same_entity(SameEntityInputs("Ida", (Comparison(a, (b,)),)))
    return answer.items[0].same == [1]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (described("Hetty"), described("Hetty Wren")),
        (described("Miss Wren"), described("Hetty Wren")),
        (described("the Fox"), described("Tom Lane", "A smuggler, known as the Fox.")),
        (described("Jack Lane"), described("Tom Wren", "Tom Wren, alias Jack Lane, fled.")),
        (described("Mrs. Lane"), described("Hetty Wren", "Hetty Wren, now Mrs. Lane, came.")),
        (described("my father", "Said by Tom Wren: go"), described("Mr. Wren")),
        (described("my dear", "Said by Ida: go"), described("My dear", "Said by Ida: stay")),
        (described("the Low Farm", kind="location"), described("Low Farm", kind="location")),
        (described("Low Hall", kind="location"), described("Low", kind="location")),
        (described("Gulf of Anholt", kind="location"), described("the Gulf", kind="location")),
        (
            described("Fox Inn", "The Fox Inn, formerly known as Wren House.", "location"),
            described("Wren House", kind="location"),
        ),
        (
            described("Low Head", "A ship struck below Low Head."),
            described("Low Head", kind="location"),
        ),
        (described("Grey Fox"), described("the Grey Fox", kind="object")),
    ],
)
def test_the_same(a, b):
    assert same(a, b)
    assert same(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (described("Wren"), described("Wren", kind="location")),
        (described("Mr. Wren"), described("Mrs. Wren")),
        (described("Mrs. Wren"), described("Zorb Wren")),
        (described("my dear", "Said by Ida: go"), described("My dear", "Said by Tom: stay")),
        (described("my father", "Said by Tom Wren: go"), described("father", "Said by Ida: go")),
        (described("my mother", "Said by Ida Wren: go"), described("Ida")),
        (described("Anholt", kind="location"), described("Low Farm", kind="location")),
        (described("that man", "Said by Ida: go"), described("Tom")),
        (described("Low Head", kind="object"), described("Low Head", kind="location")),
        (described("Hetty Wren"), described("Hetty Wren", kind="object")),
        (described("Lady Wren"), described("Lady Wren", kind="object")),
        (described("Low"), described("Low", kind="location")),
    ],
)
def test_not_the_same(a, b):
    assert not same(a, b)
    assert not same(b, a)


@given(DESCRIBED, DESCRIBED)
def test_a_pair_is_judged_alike_both_ways_and_with_a_reason(a, b):
    assert fit(a, b).strength == fit(b, a).strength
    assert fit(a, b).reason


@given(st.lists(st.tuples(DESCRIBED, st.lists(DESCRIBED, min_size=1, max_size=3)), min_size=1))
def test_a_judgement_does_not_depend_on_the_rest_of_the_batch(items):
    comparisons = tuple(Comparison(entity, tuple(others)) for entity, others in items)
    inputs = SameEntityInputs("Ida", comparisons)
    together = same_entity(inputs)
    check_same_entity(inputs, together)
    for comparison, part in zip(comparisons, together.items, strict=True):
        alone = [same(comparison.entity, candidate) for candidate in comparison.candidates]
        assert [n in part.same for n in range(1, len(alone) + 1)] == alone


@given(st.lists(st.lists(DESCRIBED, min_size=1, max_size=6), min_size=1, max_size=4))
def test_every_group_gets_a_verdict_that_is_a_partition(groups):
    inputs = VerifyGroupInputs("Ida", tuple(LinkedGroup(tuple(group)) for group in groups))
    answer = verify_group(inputs)
    check_verify_group(inputs, answer)
    assert all(verdict.reason for verdict in answer.items)
    assert all(verdict.split == (len(verdict.parts) > 1) for verdict in answer.items)
