from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.rulers import Ruler, Unit, ruler
from offbook.language.tokens import count_tokens

texts = st.text(st.sampled_from("abcdefg  \n中文字한。é"), max_size=60)
units = st.sampled_from(["characters", "tokens"])


def measure(text: str, unit: Unit) -> int:
    return len(text) if unit == "characters" else count_tokens(text)


@given(texts, units, st.integers(0, 60), st.integers(0, 60))
def test_length_is_that_of_the_slice(text: str, unit: Unit, start: int, end: int):
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    assert ruler(text, unit).length(start, end) == measure(text[start:end], unit)


@given(texts, units, st.integers(0, 60), st.integers(1, 30))
def test_forward_is_the_furthest_end_within_the_budget(
    text: str, unit: Unit, start: int, budget: int
):
    start = min(start, len(text))
    end = min(ruler(text, unit).forward(start, budget), len(text))
    assert measure(text[start:end], unit) <= budget
    if end < len(text):
        assert measure(text[start : end + 1], unit) > budget or text[end].isspace()


@given(texts, units, st.integers(0, 60), st.integers(0, 30))
def test_backward_is_the_furthest_start_within_the_budget(
    text: str, unit: Unit, end: int, budget: int
):
    end = min(end, len(text))
    start = max(ruler(text, unit).backward(end, budget), 0)
    assert measure(text[start:end], unit) <= budget
    if start > 0:
        assert measure(text[start - 1 : end], unit) > budget or text[start - 1].isspace()


def test_both_rulers_satisfy_the_protocol():
    found: list[Ruler] = [ruler("abc", "characters"), ruler("abc", "tokens")]
    assert [rule.length(0, 3) for rule in found] == [3, 1]
