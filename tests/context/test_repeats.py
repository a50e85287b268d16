"""What is said once is not said again, and what is most like the question comes first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.context.assembly import (
    like_enough,
    likeness,
    most_like,
    named,
    passages_once,
    sentences_once,
)
from offbook.types import ContextItem, Source


def passage(start: int, end: int, document: str = "d") -> ContextItem:
    name = f"{document}{start}-{end}"
    return ContextItem("knowledge", name, "text", 1.0, (Source(document, name, start, end),))


def relation(text: str, title: str = "A → B") -> ContextItem:
    return ContextItem("relation", title, text, 0.5)


def test_a_passage_half_of_which_is_shown_is_left_out_and_named():
    kept, skipped = passages_once([passage(0, 100), passage(50, 150), passage(51, 151)])
    assert [item.title for item in kept] == ["d0-100", "d51-151"]
    assert [(each.kind, each.title) for each in skipped] == [("knowledge", "d50-150")]
    assert "shown" in skipped[0].why


def test_the_same_places_of_two_documents_are_two_passages():
    kept, skipped = passages_once([passage(0, 100), passage(0, 100, "e")])
    assert (len(kept), skipped) == (2, [])


def test_a_large_passage_around_a_small_one_is_news():
    kept, _ = passages_once([passage(40, 60), passage(0, 100)])
    assert len(kept) == 2


def test_without_sources_nothing_can_be_told():
    item = ContextItem("knowledge", "", "x", 1.0)
    assert passages_once([item, item])[0] == [item, item]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30)), max_size=12))
def test_nothing_is_lost_and_the_first_always_stays(spans: list[tuple[int, int]]):
    items = [passage(start, start + length) for start, length in spans]
    kept, skipped = passages_once(items)
    assert len(kept) + len(skipped) == len(items)
    assert kept[:1] == items[:1]


def test_sentences_that_are_shown_are_cut_out():
    one = relation("Tom taught Ada. Ada trusts Tom.")
    kept, skipped = sentences_once([one], ["Long ago\nTom taught  Ada. It was cold."])
    assert [item.text for item in kept] == ["Ada trusts Tom."]
    assert skipped == []


def test_what_says_nothing_new_is_left_out_and_named():
    items = [relation("Ada trusts Tom.", "Ada → Tom"), relation("Ada trusts Tom.", "Tom → Ada")]
    kept, skipped = sentences_once(items, [])
    assert kept == items[:1]
    assert [(each.kind, each.title) for each in skipped] == [("relation", "Tom → Ada")]


def test_what_is_new_stays_as_it_is_written():
    item = relation("Ada  trusts\nTom. And he her.")
    assert sentences_once([item], ["Else."])[0] == [item]


QUESTION = "Who taught you to trim the lamp?"
LAMP = ContextItem("relation", "Tom → Ada", "Tom taught Ada to trim the lamp.", 0.1)
GOAT = ContextItem("relation", "Ada → Goat", "A goat ate the washing.", 0.9)


def test_the_most_like_come_first_and_the_others_are_named_with_the_setting():
    kept, skipped = most_like(QUESTION, [GOAT, LAMP], 1, "ensemble.relations")
    assert kept == [LAMP]
    assert [(each.kind, each.title) for each in skipped] == [("relation", "Ada → Goat")]
    assert "ensemble.relations = 1" in skipped[0].why


def test_where_there_is_room_nothing_is_left_out():
    assert most_like(QUESTION, [GOAT, LAMP], 2, "x") == ([LAMP, GOAT], [])


def test_equal_ones_stay_in_their_order():
    first, second = (ContextItem("memory", title, "Same words.", 0.5) for title in "ab")
    assert most_like("Anything?", [first, second], 2, "x")[0] == [first, second]


@pytest.mark.parametrize(("least", "expected"), [(-1.0, [GOAT, LAMP]), (0.2, [LAMP]), (1.0, [])])
def test_a_threshold_keeps_the_order(least, expected):
    kept, skipped = like_enough(QUESTION, [GOAT, LAMP], least, "ensemble.likeness")
    assert kept == expected
    assert len(kept) + len(skipped) == 2
    assert all("ensemble.likeness" in each.why for each in skipped)


def test_what_has_no_title_is_named_by_its_beginning():
    long = ContextItem("memory", "", "You were told: " + "x" * 100, 0.5)
    assert named(long).startswith("You were told: xx")
    assert len(named(long)) == 60
    assert named(LAMP) == "Tom → Ada"


def test_of_nothing_nothing_is_like():
    assert likeness(QUESTION, []) == []
    assert like_enough(QUESTION, [], 0.5, "x") == ([], [])
