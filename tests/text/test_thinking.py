"""Thoughts are removed; text that speaks of the tags is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.text.thinking import ThinkingFilter, strip_thinking
from tests.waiting import work_below

CASES = [
    ("I am Ada.", "I am Ada."),
    ("<think>Hm.</think>I am Ada.", "I am Ada."),
    ("\n<think>\nHm.\n</think>\n\nI am Ada.\n", "I am Ada.\n"),
    ("<THINKING>Hm.</Thinking> Yes.", "Yes."),
    ("<think></think>\n\nYes.", "Yes."),
    ("so she is Ada.\n</think>\n\nI am Ada.", "I am Ada."),
    ("Yes.</think>No.", "No."),
    ("<think>a<think>b</think>c</think>Yes.", "Yes."),
    ("<think>one</think>Yes.\n<think>two</think>No.", "Yes.\nNo."),
    ("Yes, <think>aside</think>indeed.", "Yes, indeed."),
    ("<think>only a thought</think>", ""),
    ("<think>never closed, and so on", ""),
    ("Yes.\n<think>never closed", "Yes.\n"),
    ("Models write <think> before they think.", "Models write <think> before they think."),
    ("<think>I say <think> now</think>Yes.", "Yes."),
    ("a < b, and <thin is no tag", "a < b, and <thin is no tag"),
    ("<think>Hm.</think></think>Yes.", "Yes."),
    ("", ""),
]


@pytest.mark.parametrize(("text", "answer"), CASES)
def test_thoughts_are_removed(text, answer):
    assert strip_thinking(text) == answer


TOKENS = st.sampled_from(["<think>", "</think>", "<thinking>", "\n", " ", "Yes", "<", "think", ">"])


@given(st.lists(TOKENS, max_size=14).map("".join), st.data())
def test_pieces_of_a_stream_make_the_same_answer(text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    thinking = ThinkingFilter()
    answer = ""
    for part in [part for piece in pieces for part in thinking.feed(piece)] + thinking.finish():
        answer = "" if part is None else answer + part
    assert answer.lstrip() == strip_thinking(text)


@given(st.text(st.characters(exclude_characters="<"), max_size=40))
def test_text_without_tags_is_left_alone(text):
    assert strip_thinking(text) == text.lstrip()


def test_a_filter_that_begins_inside_a_thought_waits_for_its_end():
    thinking = ThinkingFilter(inside=True)
    assert thinking.feed("so she is Ada. </thi") == []
    assert thinking.feed("nk>I am ") == ["I am "]
    assert thinking.feed("Ada.") == ["Ada."]
    assert thinking.finish() == []


def test_where_no_thought_ends_there_was_none():
    thinking = ThinkingFilter(inside=True)
    assert thinking.feed("I am ") + thinking.feed("Ada.") == []
    assert thinking.finish() == ["I am Ada."]


def test_many_tags_take_linear_time():
    with work_below(10):
        assert strip_thinking("<think>a</think>" * 50_000 + "Yes.") == "Yes."


def test_a_thought_that_was_shown_is_taken_back():
    thinking = ThinkingFilter()
    assert thinking.feed("so she is Ada.") == ["so she is Ada."]
    assert thinking.feed("</think>I am Ada.") == [None, "I am Ada."]


@pytest.mark.parametrize("text", ['{"a": "the tag <think> and </think>"}', '{"a": "</think>"}'])
def test_tags_in_the_strings_of_a_structured_answer_are_text(text):
    assert strip_thinking(text, structured=True) == text


def test_thoughts_before_a_structured_answer_are_removed():
    assert strip_thinking('<think>{"a": 0}</think>{"a": 1}', structured=True) == '{"a": 1}'
    assert strip_thinking('like {"a": 0}</think>{"a": 1}', structured=True) == '{"a": 1}'
