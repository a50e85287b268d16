"""Where names are found, and that what is found reads as the name."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from offbook.graph.mentions import find_mention


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("Ada met Tom.", "Tom", "Tom"),
        ("Anna met Ann.", "Ann", "Ann"),
        ("ada met TOM.", "Tom", "TOM"),
        ("a rose, and Rose", "Rose", "Rose"),
        ("She saw tom byrne, then Tom Byrne.", "Tom Byrne", "Tom Byrne"),
        ("Count of Monte\nCristo spoke.", "Count of Monte Cristo", "Count of Monte\nCristo"),
        ("Edmond Dantes fled.", "Dantès", "Dantes"),
        ("Dante\u0300s fled.", "Dantès", "Dante\u0300s"),
        ("the O’Hara house", "O'Hara", "O’Hara"),
        ("Straße", "STRASSE", "Straße"),
        ("Saint‑Malo", "Saint-Malo", "Saint‑Malo"),
        ("李白写诗", "李白", "李白"),
        ("김철수는 웃었다", "김철수", "김철수"),
        ("\u1100\u1161나", "가나", "\u1100\u1161나"),
        ("ガイと カイ", "カイ", "カイ"),
        ("Tom's hat", "Tom", "Tom"),
        ("  spaced  name ", " spaced name ", "spaced  name"),
    ],
)
def test_a_name_is_found_where_it_stands(text: str, name: str, found: str) -> None:
    span = find_mention(text, name)
    assert span is not None
    assert text[slice(*span)] == found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Annapolis", "Ann"),
        ("Joanna", "anna"),
        ("", "Ann"),
        ("Ann", ""),
        ("Ann", "  "),
        ("Ann", "\u200b"),
        ("Strass", "Stras"),
        ("ß", "s"),
        ("ガイ", "カイ"),
        ("각", "가"),
        ("Dante\u0300", "Dant"),
    ],
)
def test_a_part_of_a_word_is_no_mention(text: str, name: str) -> None:
    assert find_mention(text, name) is None


def _reads(text: str) -> str:
    """The text without case, accents, blanks and the shapes of apostrophes and hyphens."""
    decomposed = unicodedata.normalize("NFKD", text.casefold()).casefold()
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    same: dict[str, str | int | None] = dict(zip("øłđðı", "olddi", strict=True))
    same |= {"þ": "th", "æ": "ae", "œ": "oe"}
    same |= dict.fromkeys("’‘ʼ＇´`", "'") | dict.fromkeys("‐‑‒–", "-")
    same |= dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", "")
    return "".join(plain.translate(str.maketrans(same)).split())


LETTERS = st.text(
    st.sampled_from("aAbBßéè e\u0301\u0300’'`-‑ \n\t李白가각カガ\u3099ı\u0130ﬁø.\u200b"),
    max_size=12,
)


@given(LETTERS, LETTERS, LETTERS)
@example("", "İ", "")
def test_what_is_found_reads_as_the_name(before: str, name: str, after: str) -> None:
    text = before + name + after
    span = find_mention(text, name)
    if span is not None:
        start, end = span
        assert 0 <= start < end <= len(text)
        assert _reads(text[start:end]) == _reads(name)


@given(st.text(max_size=30), st.text(min_size=1, max_size=10))
@example("", "\u0301a")
def test_a_name_between_blanks_is_always_found(around: str, name: str) -> None:
    if not name.strip():
        return
    span = find_mention(f"{around} {name} {around}", name)
    assert span is not None


@pytest.mark.parametrize("name", ["a" * 10_000, "a" * 199 + "b", "é" * 200])
def test_long_words_take_no_time(name: str) -> None:
    assert find_mention("a" * 20_000, name) is None
