from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.rulers import Unit, ruler
from offbook.documents.splitters import FixedSplitter, MarkdownHeaderSplitter, RecursiveSplitter
from offbook.errors import ConfigurationError
from tests.documents.texts import (
    assert_covers,
    assert_exact,
    assert_within_sections,
    document,
    messy_texts,
)

units = st.sampled_from(["characters", "tokens"])


@given(messy_texts, st.integers(1, 30), st.integers(0, 29), units, st.booleans())
def test_windows_cover_the_text_within_size_and_overlap(
    text: str, size: int, overlap: int, unit: Unit, recursive: bool
):
    overlap = min(overlap, size - 1)
    splitter = (RecursiveSplitter if recursive else FixedSplitter)(size, overlap, unit)
    made = splitter.split(document(text))
    assert_exact(made, text)
    assert_covers(made, text, sections_only=False)
    rule = ruler(text, unit)
    for chunk in made:
        assert rule.length(chunk.start, chunk.end) <= size
    for before, after in itertools.pairwise(made):
        assert after.end > before.end
        assert after.start >= before.end or rule.length(after.start, before.end) <= overlap


def test_fixed_token_windows_are_those_of_the_paper():
    words = [f"w{number:03x}" for number in range(1300)]
    made = FixedSplitter().split(document(" ".join(words)))
    assert [len(chunk.text.split()) for chunk in made] == [600, 600, 300]
    assert made[1].text.split()[0] == words[500]
    assert made[0].chunking == "fixed"
    assert made[0].headings == ()


def test_no_last_window_lies_inside_the_one_before():
    text = " ".join(f"w{number:03x}" for number in range(1100))
    made = FixedSplitter().split(document(text))
    assert [(chunk.text[:4], chunk.text[-4:]) for chunk in made] == [
        ("w000", "w257"),
        ("w1f4", "w44b"),
    ]


def test_fixed_character_windows_cut_where_they_end():
    made = FixedSplitter(4, 1, "characters").split(document("abcdefghij"))
    assert [chunk.text for chunk in made] == ["abcd", "defg", "ghij"]


def test_equal_windows_have_distinct_ids():
    made = FixedSplitter(2, 0, "characters").split(document("abababab"))
    assert [chunk.id.removeprefix(made[0].id) for chunk in made] == ["", "-2", "-3", "-4"]


@given(messy_texts, st.integers(1, 60))
def test_markdown_chunks_are_sections(text: str, size: int):
    made = MarkdownHeaderSplitter(size).split(document(text))
    assert_exact(made, text)
    assert_covers(made, text, sections_only=True)
    assert_within_sections(made, text)
    assert all(len(chunk.text) <= size for chunk in made)
    for before, after in itertools.pairwise(made):
        assert before.end <= after.start


def test_markdown_keeps_a_section_whole_while_it_fits():
    made = MarkdownHeaderSplitter().split(document("# A\none\n\ntwo\n## B\nthree"))
    assert [(chunk.headings, chunk.text) for chunk in made] == [
        (("A",), "one\n\ntwo"),
        (("A", "B"), "three"),
    ]


def test_parameters_are_told():
    text = document("x")
    assert FixedSplitter().parameters(text) == {"size": 600, "overlap": 100, "unit": "tokens"}
    assert RecursiveSplitter(9, 3).parameters(text)["unit"] == "characters"
    assert MarkdownHeaderSplitter(7).parameters(text)["size"] == 7


@pytest.mark.parametrize("values", [{"size": 0}, {"size": 5, "overlap": 5}, {"unit": "words"}])
def test_windows_that_never_end_are_refused(values: dict[str, Any]):
    with pytest.raises(ConfigurationError):
        FixedSplitter(**values)


def test_blank_documents_have_no_chunks():
    for splitter in (FixedSplitter(), RecursiveSplitter(), MarkdownHeaderSplitter()):
        assert splitter.split(document(" \n\n")) == []
