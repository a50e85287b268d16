"""Who says the names of a group."""

from offbook.names.person import parse_name
from offbook.rules.group_verification import Speech


def names(*texts):
    return [parse_name(text) for text in texts]


def test_what_somebody_is_heard_to_say_as_often_as_it_is_told():
    speech = Speech(names("Tom", "Ida"), [["Mrs. Wren", "Mrs. Wren"], ["Tom Wren"]])
    assert speech.heard_from(parse_name("Mrs. Wren")) == {0: 2}
    assert not speech.heard_from(parse_name("Mr. Wren"))


def test_wives_say_mr_and_their_own_surname():
    speech = Speech(names("Mr. Wren", "Mr. Lane"), [["Ida Wren"], ["Hetty Wren"]])
    assert speech.is_wife(parse_name("Ida Wren"))
    assert not speech.is_wife(parse_name("Hetty Wren"))
    assert speech.is_wife(parse_name("Mrs. Hetty Wren"))


def test_the_part_of_the_speakers_who_bear_a_name_themselves():
    speech = Speech(names("Tom", "Ida"), [["Tom Wren", "Ida Lane"], []])
    assert speech.own_part(0, names("Tom Wren")) == 0.5
    assert speech.own_part(1, names("Tom Wren")) == 0.0
