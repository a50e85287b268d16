"""What a character cannot know of: what came after it."""

from __future__ import annotations

import pytest

from offbook.retrieval.beyond import last_year, last_year_of, years_in
from tests.tables import cases


@pytest.mark.parametrize(("text", "years"), cases(__file__, "years are told from other"))
def test_years_are_told_from_other_numbers(text, years):
    assert list(years_in(text)) == years


@pytest.mark.parametrize(
    ("told", "last"),
    cases(__file__, "the last year is that"),
)
def test_the_last_year_is_that_of_the_death_or_a_long_life_after_the_first(told, last):
    assert last_year(told) == last


@pytest.mark.parametrize(
    ("character", "texts", "last"),
    cases(__file__, "a life is dated by the bracket"),
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
