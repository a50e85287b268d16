"""Speakers, other names and what a description says first."""

import pytest

from offbook.names.evidence import head_gender, head_kinship, head_name, other_names, speakers
from tests.tables import cases


@pytest.mark.parametrize(
    ("name", "description", "others"), cases(__file__, "other names are those")
)
def test_other_names_are_those_of_the_described(name, description, others):
    assert other_names(description, name) == others


def test_speakers_in_order_with_repetition():
    told = "Said by Ida Wren: he came. / Said by Tom: go. / Said by Tom: stay."
    assert speakers(told) == ("Ida Wren", "Tom", "Tom")
    assert speakers("Ida said so.") == ()


@pytest.mark.parametrize(("description", "gender"), cases(__file__, "gender of the first noun"))
def test_gender_of_the_first_noun(description, gender):
    assert head_gender(description) == gender


@pytest.mark.parametrize(("description", "name"), cases(__file__, "name at the head"))
def test_name_at_the_head(description, name):
    assert head_name(description) == name


@pytest.mark.parametrize(("description", "kinship"), cases(__file__, "kinship at the head"))
def test_kinship_at_the_head(description, kinship):
    assert head_kinship(description) == kinship
