"""By which names a text speaks of its character."""

from __future__ import annotations

import pytest

from offbook.names.character import Names, learn_names
from offbook.text.clauses import tokens_of
from tests.tables import cases


def mentioned(names: Names, text: str) -> list[str]:
    tokens = tokens_of(text)
    return [
        " ".join(token.text for token in tokens[first:last])
        for first, last in names.mentions(tokens)
    ]


BEETHOVEN = learn_names(
    "Beethoven", ["Ludwig van Beethoven"], ["Beethoven was deaf. He was born in Bonn."]
)


def test_the_heading_gives_the_full_name():
    assert BEETHOVEN.full == "Ludwig van Beethoven"
    assert ("ludwig", "van", "beethoven") in BEETHOVEN.aliases
    assert BEETHOVEN.gender == "m"
    assert BEETHOVEN.words == {"ludwig", "beethoven"}


@pytest.mark.parametrize(("text", "found"), cases(__file__, "mentions are told from other"))
def test_mentions_are_told_from_other_names(text, found):
    assert mentioned(BEETHOVEN, text) == found


def test_numerals_tell_rulers_of_one_name_apart():
    names = learn_names("Cleopatra", [], ["Cleopatra VII Thea was a queen. She ruled Egypt."])
    assert names.full == "Cleopatra VII Thea"
    assert names.gender == "f"
    assert mentioned(names, "Cleopatra ruled after Cleopatra I Syra.") == ["Cleopatra"]


def test_a_name_given_in_passing_is_learned():
    text = "Edmond Dantès was a sailor. He called himself Sinbad the Sailor. He was bold."
    names = learn_names("Edmond Dantès", [], [text])
    assert ("sinbad", "the", "sailor") in names.aliases
    assert names.words == {"edmond", "dantes"}
    known = "Nora, better known as Clockwork, was bold. She was quick."
    assert ("clockwork",) in learn_names("Nora", [], [known]).aliases


def test_what_another_is_called_is_not_learned():
    text = "Nora lived in Hull. Her brother Tom, known as Tinker, was bold. She was not."
    assert ("tinker",) not in learn_names("Nora", [], [text]).aliases
    opera = "Nora wrote an opera known as Fidelio. She wrote it at night."
    assert ("fidelio",) not in learn_names("Nora", [], [opera]).aliases


def test_accents_and_case_do_not_hide_a_name():
    names = learn_names("Edmond Dantes", [], ["Edmond Dantès was a sailor."])
    assert mentioned(names, "Then Dantès came.") == ["Dantès"]


def test_a_dignity_after_the_name_is_the_character_too():
    names = learn_names("Edmond Dantès", ["Edmond Dantès, Count of Monte Cristo, Youth"], [])
    assert mentioned(names, "The Count of Monte Cristo ate; the Count de Morcerf did not.") == [
        "The Count of Monte Cristo"
    ]
    assert mentioned(names, "The Count ate. Count Otto slept.") == ["The Count"]


def test_a_name_that_is_also_a_word_is_known_as_such():
    names = learn_names("Rose", [], ["Rose loved a rose. She slept."])
    assert names.common == {"rose"}
    assert mentioned(names, "Rose slept. Rose petals fell.") == ["Rose"]


def test_a_title_of_the_character_s_own_is_part_of_its_name():
    names = learn_names("Mrs. Bennet", [], ["Mrs. Bennet had five daughters. She was loud."])
    assert mentioned(names, "Mr. Bennet sighed.") == []
    assert mentioned(names, "Mrs. Bennet shouted.") == ["Mrs . Bennet"]


@pytest.mark.parametrize(
    "name", ["孙悟空", "이순신", "Ж", "Number 34", "the cat", "X", "O'Brien", "-"]
)
def test_names_of_any_kind_are_taken(name):
    names = learn_names(name, ["", name], ["", f"{name} was here.", "He was not."])
    assert names.character == name


def test_a_text_without_pronouns_tells_no_gender_but_a_title_does():
    assert learn_names("Vex", [], ["Vex was here."]).gender == ""
    assert learn_names("Lady Ann", [], ["Lady Ann was here."]).gender == "f"
    assert learn_names("King Olaf", [], ["King Olaf was here."]).gender == "m"


def test_the_pronouns_of_others_do_not_make_a_gender():
    text = (
        "Otto came, and he stayed with his men. Xan Vale chose Otto as her heir. Lord Finn said"
        " that he and his son would leave."
    )
    assert learn_names("Xan Vale", [], [text]).gender == "f"
    doubtful = "Finn told his men that he knew her. He wrote to Xan Vale. Otto lost his men."
    assert learn_names("Xan Vale", [], [doubtful]).gender == ""
