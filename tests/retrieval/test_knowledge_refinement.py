"""Knowledge refinement: what is left of a passage, and where it stands in the document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.methods.crag import recomposed, sharing_words
from offbook.text.sentences import strips_of
from offbook.types import ContextItem, Source

PASSAGE = "She trims the lamp. She likes bread.\n\nThe rock is grey. Tom drowned in 1880."


def item(text: str = PASSAGE, at: int = 100, *more: Source) -> ContextItem:
    sources = (Source("a-md", "c1", at, at + len(text)), *more)
    return ContextItem("knowledge", "Ada", text, 0.5, sources)


@given(st.sets(st.integers(0, 3)), st.integers(0, 500))
def test_each_source_is_the_very_text_that_is_left(kept, at):
    document = " " * at + PASSAGE
    strips = [strip for place, strip in enumerate(strips_of(PASSAGE, 1)) if place in kept]
    found = recomposed(item(at=at), strips)
    assert "\n\n".join(document[s.start : s.end] for s in found.sources) == found.text
    assert all(strip.of(PASSAGE) in found.text for strip in strips)
    assert len(found.text) <= len(PASSAGE)


def test_strips_that_touch_are_one_stretch_and_a_gap_is_seen():
    first, second, _, last = strips_of(PASSAGE, 1)
    assert recomposed(item(), [second, first]).text == "She trims the lamp. She likes bread."
    found = recomposed(item(), [last, first, first])
    assert found.text == "She trims the lamp.\n\nTom drowned in 1880."
    assert [(s.chunk, s.start) for s in found.sources] == [("c1", 100), ("c1", 156)]


@pytest.mark.parametrize(
    "found",
    [
        ContextItem("knowledge", "a page", PASSAGE, 0.5),
        item(PASSAGE, 100, Source("b-md", "c2", 0, 3)),
        ContextItem("knowledge", "", PASSAGE, 0.5, (Source("a-md", "c1", 0, 9),)),
    ],
)
def test_where_a_text_has_no_place_of_its_own_its_sources_stay(found):
    short = recomposed(found, strips_of(PASSAGE, 1)[:1])
    assert short.text == "She trims the lamp."
    assert short.sources == found.sources


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who trimmed the lamps?", ["She trims the lamp. She likes bread."]),
        ("Did Tom use a smartphone?", ["The rock is grey. Tom drowned in 1880."]),
        ("Who drowned?", ["The rock is grey. Tom drowned in 1880."]),
        ("Who drowned in a submarine?", []),
        ("Who are you, Ada?", []),
    ],
)
def test_strips_are_kept_by_the_words_that_tell(question, expected):
    found = sharing_words(PASSAGE, question, "Ada", 2)
    assert [strip.of(PASSAGE) for strip in found] == expected


def test_in_scripts_without_blanks_pairs_of_characters_are_shared():
    text = "汤姆教她点灯。她喜欢面包。"
    found = sharing_words(text, "谁教你点灯？", "艾达", 1)
    assert [strip.of(text) for strip in found] == ["汤姆教她点灯。"]
