"""What speaks against equal names."""

import pytest

from offbook.graph.candidates import link_equal_names, speaks_against
from offbook.settings.model import GraphSettings
from offbook.types import RawEntity


def entity(name, description="", kind="character"):
    return RawEntity(f"{name}{description}", "c", 0, name, kind, description)


def test_nothing_speaks_against_a_plain_name():
    assert speaks_against(entity("Wren"), entity("WREN", "Keeps bees.")) is None
    assert speaks_against(entity("Wren", "Said by Ida: hm"), entity("Wren", "Said by Tom:")) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (entity("Wren", kind="location"), entity("Wren", kind="character")),
        (entity("my father", "Said by Ida Lane: go"), entity("My father", "Said by Tom Wren: go")),
        (entity("sir", "Said by Ida Lane: yes"), entity("Sir", "Said by Tom Wren: yes")),
        (entity("your aunt", "Said by Ida: go"), entity("your aunt", "Said by Tom: go")),
        (entity("Leslie", "A woman of forty."), entity("Leslie", "A boy of ten.")),
        (
            entity("Miss Wren", "Hetty Wren, the eldest."),
            entity("Miss Wren", "Ida Wren, her sister."),
        ),
        (entity("Tom", "The father of Ida Wren."), entity("Tom", "The brother of Ida Wren.")),
    ],
)
def test_what_speaks_against(a, b):
    assert speaks_against(a, b)
    assert speaks_against(b, a)


def test_one_speaker_or_one_family_means_one_father():
    ida, tom = entity("father", "Said by Ida Wren: go"), entity("Father", "Said by Tom Wren: go")
    assert speaks_against(ida, tom) is None
    assert speaks_against(ida, ida) is None


def test_a_term_of_kinship_is_found_again_however_many_others_say_it():
    said = [f"Said by Tom {chr(97 + n // 26)}{chr(97 + n % 26)}lane: come" for n in range(120)]
    entities = [
        RawEntity(str(n), str(n), 0, "my father", "character", told)
        for n, told in enumerate([*said, said[0], said[60]])
    ]
    blocks = link_equal_names(entities, GraphSettings(who_is_who=False))
    assert blocks.of[120] == blocks.of[0]
    assert blocks.of[121] == blocks.of[60]
    assert len(set(blocks.of)) == 120
