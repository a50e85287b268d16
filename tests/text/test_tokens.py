from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.text.tokens import WIDE, count_tokens, token_runs, truncate_to_tokens
from tests.tables import cases

texts = st.text(st.sampled_from("abcdefgh  \n\t.,中文字한国カé\u3000\U00020000"), max_size=60)


@pytest.mark.parametrize(("text", "tokens"), cases(__file__, "the estimate"))
def test_the_estimate(text: str, tokens: int):
    assert count_tokens(text) == tokens


@given(texts)
def test_it_is_the_sum_over_runs(text: str):
    runs = re.findall(f"[{WIDE}]|[^\\s{WIDE}]+", text)
    assert count_tokens(text) == sum(-(-len(run) // 4) for run in runs)
    assert count_tokens(text) == sum(
        -(-(end - start) // per) for start, end, per in token_runs(text)
    )


@given(texts, texts)
def test_a_blank_between_texts_adds_their_tokens(first: str, second: str):
    assert count_tokens(f"{first} {second}") == count_tokens(first) + count_tokens(second)


@given(texts, texts)
def test_joined_texts_never_count_more(first: str, second: str):
    assert count_tokens(first + second) <= count_tokens(first) + count_tokens(second)
    assert count_tokens(first) <= count_tokens(first + second)


@given(texts)
def test_runs_hold_all_but_white_space(text: str):
    ends = 0
    for start, end, _ in token_runs(text):
        assert not text[ends:start].strip()
        assert text[start:end].split() == [text[start:end]]
        ends = end
    assert not text[ends:].strip()


@given(texts, st.integers(-2, 40))
def test_truncation_is_a_beginning_within_the_budget(text: str, budget: int):
    cut = truncate_to_tokens(text, budget)
    assert text.startswith(cut)
    assert count_tokens(cut) <= max(budget, 0)
    if count_tokens(text) <= budget:
        assert cut == text


@pytest.mark.parametrize(("text", "budget", "cut"), cases(__file__, "truncation cuts no word but"))
def test_truncation_cuts_no_word_but_the_first(text: str, budget: int, cut: str):
    assert truncate_to_tokens(text, budget) == cut


def test_megabytes_take_no_time_to_speak_of():
    assert count_tokens("x" * 5_000_000) == 1_250_000
    assert count_tokens("é" * 5_000_000) == 1_250_000
    assert count_tokens("語" * 5_000_000) == 5_000_000
    assert truncate_to_tokens("word " * 1_000_000, 2) == "word word"
