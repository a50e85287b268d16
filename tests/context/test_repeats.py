"""What is said once is not said again, and what is most like the question comes first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from offbook.context.assembly import (
    named,
    passages_joined,
    sentences_once,
)
from offbook.types import ContextItem, Source

TEXT = "".join(chr(ord("a") + place % 26) for place in range(200))


def passage(start: int, end: int, document: str = "d") -> ContextItem:
    name, text = f"{document}{start}-{end}", TEXT[start:end]
    return ContextItem("knowledge", name, text, 1.0, (Source(document, name, start, end),))


def relation(text: str, title: str = "A → B") -> ContextItem:
    return ContextItem("relation", title, text, 0.5)


def spans(items: list[ContextItem]) -> list[tuple[int, int]]:
    return [(source.start, source.end) for item in items for source in item.sources]


def test_passages_that_overlap_are_one_and_the_joined_ones_are_named():
    kept, skipped = passages_joined([passage(10, 100), passage(120, 150), passage(50, 130)])
    assert spans(kept) == [(10, 150)]
    assert kept[0].title == "d10-100"
    assert [(each.kind, each.title) for each in skipped] == [("knowledge", "d50-130")]
    assert "shown" in skipped[0].why


def test_passages_that_only_touch_stay_two():
    kept, skipped = passages_joined([passage(0, 50), passage(50, 90)])
    assert (spans(kept), skipped) == ([(0, 50), (50, 90)], [])


def test_the_same_places_of_two_documents_are_two_passages():
    kept, skipped = passages_joined([passage(0, 100), passage(0, 100, "e")])
    assert (len(kept), skipped) == (2, [])


def test_without_sources_nothing_can_be_told():
    item = ContextItem("knowledge", "", "x", 1.0)
    assert passages_joined([item, item])[0] == [item, item]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30)), max_size=12))
def test_no_letter_is_lost_or_shown_twice(places: list[tuple[int, int]]):
    items = [passage(start, start + length) for start, length in places]
    kept, _ = passages_joined(items)
    shown = [letter for start, end in spans(kept) for letter in range(start, end)]
    assert sorted(shown) == sorted({n for start, end in spans(items) for n in range(start, end)})
    assert all(
        item.text == TEXT[start:end] for item, (start, end) in zip(kept, spans(kept), strict=True)
    )
    assert spans(kept)[:1] == [] or kept[0].title == items[0].title


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


def test_what_a_passage_says_in_another_order_is_said():
    item = relation("To trim the lamp Tom taught Ada. Tom is dead.")
    kept, _ = sentences_once([item], ["It was cold. Tom taught Ada early to trim the lamp."])
    assert [each.text for each in kept] == ["Tom is dead."]


def test_what_denies_what_is_shown_is_news():
    for text in ("Tom is not the father of Ada.", "Tom wasn't the father of Ada."):
        item = relation(text)
        assert sentences_once([item], ["Tom is the father of Ada."])[0] == [item]
        assert sentences_once([item], [text])[0] == []


def test_words_of_two_places_say_nothing_together():
    shown = "Ada lives with Tom. It was cold. It rained. Maud has a sister."
    item = relation("Ada is the sister of Tom.")
    assert sentences_once([item], [shown])[0] == [item]


def test_what_has_no_title_is_named_by_its_beginning():
    long = ContextItem("memory", "", "You were told: " + "x" * 100, 0.5)
    assert named(long).startswith("You were told: xx")
    assert len(named(long)) == 60
    assert named(relation("x", "Tom → Ada")) == "Tom → Ada"
