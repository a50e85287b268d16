"""Speakers, other names and what a description says first."""

import pytest

from offbook.language.name_evidence import (
    head_gender,
    head_kinship,
    head_name,
    other_names,
    speakers,
)


@pytest.mark.parametrize(
    ("name", "description", "others"),
    [
        ("Tobias Wren", "A smuggler, known as the Fox.", ("fox",)),
        ("Tobias Wren", "Tobias Wren, alias Jack Lane, was hanged.", ("jack lane",)),
        ("Ida Wren", "Ida Wren, née Krause, keeps the inn.", ("krause",)),
        ("the stranger", "The stranger was really Lord Anholt.", ("lord anholt",)),
        ("The stranger", "The stranger was really Lord Anholt.", ("lord anholt",)),
        ("Wren", "He travels under the name of Doctor Lane.", ("doctor lane",)),
        ("Ida Wren", "Ida Wren, known on the coast as the Gull, keeps it.", ("gull",)),
        ("Ida Wren", "Ida Wren was known to the fishermen as Mother Storm.", ("mother storm",)),
        ("Ida Wren", "Ida Wren, known all over Anholt as Peg, sang.", ("peg",)),
        ("Ida Wren", "A keeper, better known in Low Bay as Peg.", ("peg",)),
        ("Ida Wren", "Ida Wren is remembered there as the Gull.", ("gull",)),
        ("Ida Wren", "Ida Wren was known in Low Bay as early as May.", ()),
        ("Ida Wren", "Ida Wren was known in Low Bay. As Peg slept, Tom came.", ()),
        ("Ida Wren", "Ida Wren was known in Low Bay, as Peg well knew.", ()),
        ("Wren", "Wren met Ida. She is called Peg by all.", ()),
        ("Wren", "Wren and his dog, which Ida Lane called Rex.", ()),
        ("Ida", "Said by Wren: the ship was known as the Fox.", ()),
        ("Ida", "Ida wrote of a child called Tom Wren.", ()),
        ("Ida", "Ida lives with an old painter known as Red.", ()),
        ("Tom", "Tom, a child called Red, hid.", ("red",)),
        ("Tom", "Tom is now an old man known as Red.", ("red",)),
        ("Tom", "Tom, who in the village was called Red, hid.", ("red",)),
    ],
)
def test_other_names_are_those_of_the_described(name, description, others):
    assert other_names(description, name) == others


def test_speakers_in_order_with_repetition():
    told = "Said by Ida Wren: he came. / Said by Tom: go. / Said by Tom: stay."
    assert speakers(told) == ("Ida Wren", "Tom", "Tom")
    assert speakers("Ida said so.") == ()


@pytest.mark.parametrize(
    ("description", "gender"),
    [
        ("A man who sells eels.", "m"),
        ("Ida is a countess of Anholt.", "f"),
        ("The friend of a woman.", ""),
        ("Keeps bees.", ""),
        ("Said by Tom: a man came.", ""),
    ],
)
def test_gender_of_the_first_noun(description, gender):
    assert head_gender(description) == gender


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("Hetty Wren, the eldest sister.", "Hetty Wren"),
        ("Mrs. Ida Wren keeps bees.", "Mrs. Ida Wren"),
        ("The Wren family.", ""),
        ("keeps bees", ""),
    ],
)
def test_name_at_the_head(description, name):
    assert head_name(description) == name


@pytest.mark.parametrize(
    ("description", "kinship"),
    [
        ("The father of Tom Wren.", ("father", "tom wren")),
        ("Tom's elder sister.", ("sister", "tom")),
        ("She is the owner of Low Farm.", None),
        ("keeps bees", None),
    ],
)
def test_kinship_at_the_head(description, kinship):
    assert head_kinship(description) == kinship
