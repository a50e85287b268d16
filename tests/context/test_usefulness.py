"""What is of little use for a question is left out, and said so."""

from __future__ import annotations

import pytest

from offbook.context.usefulness import like_enough, likeness, most_like, named
from offbook.types import ContextItem

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
