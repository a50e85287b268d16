from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.text.sentences import TERMINATORS, first_sentence_end, last_sentence_end, sentences
from tests.tables import cases

PIECES = (
    *(
        "a",
        "Bc ",
        "dr. ",
        "J. ",
        "No. 5",
        ". ",
        "? ",
        "!",
        "…",
        "...",
        "。",
        "」",
        "」と",
        '"',
        "\n",
    ),
    *("\n\n", "- ", "1. ", "e.g. ", "中文", "한국", " ", "I. ", "etc. The", "  "),
)
messy = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize("text", cases(__file__, "one sentence"))
def test_one_sentence(text: str):
    assert split(text) == [text]


@pytest.mark.parametrize(("text", "expected"), cases(__file__, "several sentences"))
def test_several_sentences(text: str, expected: list[str]):
    assert split(text) == expected


def test_wrapped_prose_goes_on_behind_the_line_break():
    text = (
        "It was a bright cold day in the town and all the clocks that hung in\n"
        "Paris were striking, as they did when the mayor rode by on his\n"
        "horse. He waved."
    )
    assert len(split(text)) == 2
    assert split("and he was\nlate") == ["and he was\nlate"]


@given(messy)
def test_sentences_hold_everything_but_white_space(text: str):
    last = 0
    for start, end in sentences(text):
        assert not text[last:start].strip()
        assert text[start:end] == text[start:end].strip() != ""
        last = end
    assert not text[last:].strip()


@given(messy, st.integers(0, 40), st.integers(0, 80))
def test_a_boundary_found_from_either_side_is_one(text: str, low: int, high: int):
    low, high = min(low, len(text)), min(high, len(text))
    ends = {end for end in range(len(text) + 1) if low < end <= high}
    for found in (last_sentence_end(text, low, high), first_sentence_end(text, low, high)):
        assert found == -1 or (found in ends and any(c in TERMINATORS for c in text[:found]))


@given(
    st.lists(st.sampled_from(["He came.", "She left!", "Why?", "他来了。"]), min_size=2, max_size=9)
)
def test_boundaries_agree_with_sentences(parts: list[str]):
    text = " ".join(parts)
    spans = sentences(text)
    assert [text[start:end] for start, end in spans] == parts
    for start, end in spans:
        assert first_sentence_end(text, start, len(text)) == end
        assert last_sentence_end(text, start, end) == end
    assert last_sentence_end(text, 0, spans[1][1] - 1) == spans[0][1]


def test_an_end_may_begin_before_the_stretch_and_go_on_behind_it():
    assert first_sentence_end("What?! No.", 5, 10) == 6
    assert first_sentence_end('He said "Go!" Then left.', 0, 12) == -1
    assert first_sentence_end('He said "Go!" Then left.', 0, 13) == 13


@pytest.mark.parametrize(
    "text",
    [
        *("." * 300_000, "a." * 150_000, "Mr. " * 75_000, ". " * 150_000, '"' * 300_000),
        *("\n" * 300_000, "。" * 300_000, "x" * 300_000, ".\"'" * 100_000, "1. " * 100_000),
    ],
)
def test_no_shape_takes_more_than_linear_time(text: str):
    assert sum(end - start for start, end in sentences(text)) <= len(text)
