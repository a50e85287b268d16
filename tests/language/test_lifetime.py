"""What a character cannot tell of: what came after it."""

from __future__ import annotations

import pytest

from offbook.language.lifetime import last_year, last_year_of, within_life, years_in


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("I left Hull in 1871, and York in 1880.", [1871, 1880]),
        ("I ruled from 51 to 30 BC.", [-30]),
        ("I was crowned in 12 AD and 13 BCE.", [12, -13]),
        ("It was lost in the 18th century.", [1701]),
        ("It stood in the 2nd century BC.", [-200]),
        ("It was played in the 1920s.", [1920]),
        ("I led 1500 men and paid 2,000 crowns.", []),
        ("Number 1234 is mine.", [1234]),
        ("I was nineteen.", []),
    ],
)
def test_years_are_told_from_other_numbers(text, years):
    assert list(years_in(text)) == years


@pytest.mark.parametrize(
    ("told", "last"),
    [
        (["I (17 May 1871 – 3 June 1940) was a smith."], 1940),
        (["I, (100 BC – 15 March 44 BC) was a general."], -44),
        (["I was born in 1871.", "I died in Hull on 3 June 1940 of a fever."], 1940),
        (["I was executed in 44 BC."], -44),
        (["I left Hull in 1890.", "I was born in 1871."], 1971),
        (["I hate rain."], None),
    ],
)
def test_the_last_year_is_that_of_the_death_or_a_long_life_after_the_first(told, last):
    assert last_year(told) == last


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I sold clocks in Hull.", "I sold clocks in Hull."),
        ("After my death, the shop was sold.", ""),
        ("My remains were moved to York.", ""),
        (
            "I also drew the plans of four mills, and this was found ten years after my death.",
            "I also drew the plans of four mills.",
        ),
        ("I lived in Hull until my sudden death in 1940.", "I lived in Hull."),
        ("The mill was sold in 1990, and burned.", ""),
        ("I made a clock for the mayor; it was sold in 1990.", "I made a clock for the mayor."),
        (
            "I wrote notebooks which I showed to no one and which have only recently been found.",
            "I wrote notebooks which I showed to no one.",
        ),
        ("Until 1990 I walked the streets of Hull.", "Until 1990 I walked the streets of Hull."),
        ("Although I hated it, the shop was posthumously called mine.", ""),
    ],
)
def test_what_came_after_the_character_is_left_out(text, kept):
    assert within_life(text, 1940) == kept


def test_without_a_known_year_no_year_is_too_late():
    assert within_life("The mill was sold in 1990.", None) == "The mill was sold in 1990."


@pytest.mark.parametrize(
    ("character", "texts", "last"),
    [
        ("Nora Quill", ["Nora Quill (3 May 1611 – 9 June 1688/89) kept a lock."], 1688),
        ("Pollo", ["# Gaius Pollo\n\nGaius Pollo (c. 90/89 BC – 40 BC) was a tribune."], -40),
        ("Pollo", ["Pollo followed Marcus (80 BC – 60 BC). Pollo was born in 90 BC."], 10),
        ("Pollo", ["Pollo is fond of figs.", "Pollo died in 40 BC."], -40),
        ("Ysolt", ["Ysolt is a dragon of Carrow Fell.", ""], None),
    ],
)
def test_a_life_is_dated_by_the_bracket_behind_the_name_else_by_what_is_told(
    character, texts, last
):
    assert last_year_of(character, texts) == last


_CASES = (
    "# Ebba Holm\n\nEbba Holm is a detective. In 1881 the doctor moved in; in 1888 a pearl was lost"
    ", and the doctor married in 1889. In 1894 the baker was shot."
)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (_CASES, 1904),
        (_CASES + " The case was shown on television.", None),
        (_CASES + " In 1984 a film was made of it.", None),
        ("# Ebba Holm\n\nEbba Holm is a witch. A house burned in 1881, a school in 1888.", None),
        (_CASES.replace("1881", "1410").replace("1888", "1520"), None),
    ],
)
def test_a_story_without_a_life_in_years_is_dated_by_the_years_that_it_names(text, last):
    assert last_year_of("Ebba Holm", [text]) == last
