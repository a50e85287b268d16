from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.sections import trimmed
from offbook.documents.windows import CharacterRuler, Unit, WindowCutter, ruler
from offbook.text.tokens import count_tokens
from tests.documents.texts import messy_texts


def cut(text: str, longest: int, overlap: int = 0, unit: Unit = "characters") -> list[str]:
    start, end = trimmed(text, 0, len(text))
    cutter = WindowCutter(text, ruler(text, unit), longest, overlap)
    return [text[low:high] for low, high in cutter.cut(start, end)] if end > start else []


def test_paragraphs_come_before_lines_before_sentences_before_words_before_characters():
    assert cut("aaa bb\n\ncc dd\nee ff", 15) == ["aaa bb", "cc dd\nee ff"]
    assert cut("aaa bb\ncc dd\nee ff", 13) == ["aaa bb\ncc dd", "ee ff"]
    assert cut("One two. Three four. Five", 20) == ["One two. Three four.", "Five"]
    assert cut("one two three four", 9) == ["one two", "three", "four"]
    assert cut("abcdefghij", 4) == ["abcd", "efgh", "ij"]


def test_a_unit_that_fits_a_piece_is_not_cut():
    # "short" could take words of the second line along; the line stays whole instead.
    assert cut("short\nthis line fits a piece", 22, 4) == ["short", "this line fits a piece"]
    assert cut("A b. This sentence fits a piece.", 28, 3) == ["A b.", "This sentence fits a piece."]


def test_chinese_is_cut_at_its_full_stops():
    assert cut("他来了。她走了。我在。", 9) == ["他来了。她走了。", "我在。"]


def test_blanks_at_the_end_of_a_line_do_not_push_it_out_of_its_piece():
    assert cut("aa bb" + " " * 40 + "\ncc dd", 6) == ["aa bb", "cc dd"]


def test_overlap_begins_at_lines_and_sentences_and_at_words_where_one_was_cut():
    assert cut("Aa. Bb. Cc. Dd. Ee. Ff.", 11, 5) == ["Aa. Bb. Cc.", "Cc. Dd. Ee.", "Ee. Ff."]
    assert cut("aaaa\nbbbb\ncccc\ndddd", 9, 5) == ["aaaa\nbbbb", "bbbb\ncccc", "cccc\ndddd"]
    assert cut("aa bb cc dd ee ff gg", 8, 4) == ["aa bb cc", "cc dd ee", "ee ff gg"]
    assert cut("abcdefghijkl", 6, 3) == ["abcdef", "defghi", "ghijkl"]


def test_no_piece_begins_within_a_sentence_that_was_not_cut():
    assert cut("Many words are in it. More words are here.", 24, 20) == [
        "Many words are in it.",
        "More words are here.",
    ]


def test_an_overlap_as_long_as_a_piece_is_refused():
    with pytest.raises(ValueError, match="overlap 5"):
        WindowCutter("text", CharacterRuler(), 5, 5)


@given(
    messy_texts, st.integers(1, 40), st.integers(0, 39), st.sampled_from(["characters", "tokens"])
)
def test_the_laws_of_windows(text: str, longest: int, overlap: int, unit: Unit):
    overlap = min(overlap, longest - 1)
    start, end = trimmed(text, 0, len(text))
    if start == end:
        return
    rule = ruler(text, unit)
    pieces = WindowCutter(text, rule, longest, overlap).cut(start, end)
    assert pieces[0][0] == start
    assert pieces[-1][1] == end
    for low, high in pieces:
        assert rule.length(low, high) <= longest
        assert text[low:high] == text[low:high].strip() != ""
    for (low, high), (next_low, next_high) in itertools.pairwise(pieces):
        assert low < next_low
        assert high < next_high
        assert not text[high:next_low].strip()
        assert next_low >= high or rule.length(next_low, high) <= overlap


texts = st.text(st.sampled_from("abcdefg  \n中文字한。é"), max_size=60)


def measure(text: str, unit: Unit) -> int:
    return len(text) if unit == "characters" else count_tokens(text)


@pytest.mark.parametrize("unit", ["characters", "tokens"])
@given(texts, st.integers(0, 60), st.integers(0, 30))
def test_a_budget_reaches_as_far_as_it_may_and_no_further(
    unit: Unit, text: str, place: int, budget: int
):
    rule, place = ruler(text, unit), min(place, len(text))
    assert rule.length(0, place) == measure(text[:place], unit)
    end = min(rule.forward(0, budget), len(text))
    assert measure(text[:end], unit) <= budget
    if end < len(text):
        assert measure(text[: end + 1], unit) > budget or text[end].isspace()
    start = max(rule.backward(place, budget), 0)
    assert rule.length(start, place) <= budget
    assert measure(text[start:place], unit) <= budget
    if start > 0:
        assert rule.length(start - 1, place) > budget or text[start - 1].isspace()
