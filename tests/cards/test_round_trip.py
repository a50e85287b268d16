"""What is written is what was read, unknown fields at every level included."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offbook.cards import convert, read_card, read_lorebook, write_card, write_lorebook
from offbook.cards.residue import residue, restore, same
from tests.cards.generator import (
    AGNAI,
    NOVELAI,
    RISU,
    book,
    books,
    cards,
    picture,
    unknown,
    v2,
    world_info,
)

RULES: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
FEW = settings(max_examples=100, **RULES)
MANY = settings(max_examples=1_000, **RULES)
PICTURE = picture()


def round_trip(raw):
    read = read_card(json.dumps(raw).encode())
    assert [f for f in read.warnings if f.code == "field-type"] == []
    text = write_card(read.card).data
    assert same(json.loads(text), raw)
    version = read.card.version
    if version == 3:
        for form in ("png", "charx"):
            again = read_card(write_card(read.card, form, picture=PICTURE).data).card.raw
            if form == "charx" and "assets" not in again["data"]:
                again = raw
            assert same(_without_assets(again), _without_assets(raw))


def _without_assets(raw):
    """A CHARX gives assets a place of their own; everything else is the same."""
    data = {key: value for key, value in raw["data"].items() if key != "assets"}
    return {**raw, "data": data}


@FEW
@given(cards())
def test_a_card_is_written_as_it_was_read(raw):
    round_trip(raw)


@pytest.mark.long
@MANY
@given(cards())
def test_a_thousand_cards_are_written_as_they_were_read(raw):
    round_trip(raw)


@settings(max_examples=60, **RULES)
@given(cards())
def test_v3_to_v2_and_back_is_the_same_card(raw):
    card = read_card(json.dumps(raw).encode()).card
    before = json.dumps(card.raw)
    there = convert(card, 2).card
    assert there.version == 2
    if card.version == 3:
        assert same(convert(there, 3).card.raw, card.raw)
    assert json.dumps(card.raw) == before


@settings(max_examples=60, **RULES)
@given(cards())
def test_v1_to_v2_and_back_is_the_same_card(raw):
    card = read_card(json.dumps(raw).encode()).card
    if card.version == 1:
        for up in (2, 3):
            assert same(convert(convert(card, up).card, 1).card.raw, card.raw)


@settings(max_examples=60, **RULES)
@given(books())
def test_a_lorebook_is_written_as_it_was_read(raw):
    for shape, form in (
        (raw, "book"),
        ({"spec": "lorebook_v3", "data": raw, "own": 1}, "lorebook_v3"),
    ):
        found = read_lorebook(json.dumps(shape).encode())
        assert found.source_format == form
        assert same(json.loads(write_lorebook(found.book, form)), shape)


@settings(max_examples=60, **RULES)
@given(st.data())
def test_world_info_is_written_as_it_was_read(data):
    item = data.draw(unknown())
    for name, values in (
        ("uid", st.integers(0, 5)),
        ("key", st.lists(st.text(max_size=3), max_size=2)),
        ("order", st.integers() | st.text(max_size=2)),
        ("disable", st.booleans() | st.none()),
        ("position", st.integers(0, 7)),
        ("depth", st.none() | st.integers()),
        ("content", st.text(max_size=5)),
    ):
        if name in ("uid", "key") or data.draw(st.booleans()):
            item[name] = data.draw(values)
    raw = {
        "entries": {data.draw(st.sampled_from(("0", "9", "a"))): item},
        **data.draw(unknown("root")),
    }
    found = read_lorebook(json.dumps(raw).encode())
    assert found.source_format == "sillytavern"
    assert same(json.loads(write_lorebook(found.book, "sillytavern")), raw)


@pytest.mark.parametrize(
    ("raw", "form"),
    [(world_info(), "sillytavern"), (AGNAI, "agnai"), (NOVELAI, "novelai"), (RISU, "risu")],
)
def test_a_foreign_lorebook_is_written_as_it_was_read(raw, form):
    found = read_lorebook(json.dumps(raw).encode())
    assert found.source_format == form
    assert json.loads(write_lorebook(found.book, form)) == raw


@pytest.mark.parametrize("form", ["sillytavern", "agnai", "novelai", "risu", "lorebook_v3", "book"])
def test_a_lorebook_goes_into_every_format_and_is_recognised_there(form):
    found = read_lorebook(json.dumps(book()).encode()).book
    again = read_lorebook(write_lorebook(found, form))
    assert again.source_format == form
    (item,) = again.book.entries
    assert (item.keys, item.content, item.insertion_order) == (
        ("ferry",),
        "The ferry is called Petrel.",
        10,
    )
    assert item.enabled


def test_a_world_info_file_travels_in_a_card_and_comes_out_the_same():
    raw = world_info()
    found = read_lorebook(json.dumps(raw).encode()).book
    card = read_card(json.dumps(v2(character_book=found.raw)).encode()).card
    again = read_card(write_card(card, "png").data).card
    assert again.book is not None
    assert json.loads(write_lorebook(again.book, "sillytavern")) == raw


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.just(1.0) | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=4,
)
objects = st.dictionaries(st.sampled_from("abcd"), values, max_size=4)


@FEW
@given(objects, objects)
def test_restore_gives_back_what_residue_kept(original, rebuilt):
    assert same(restore(rebuilt, residue(original, rebuilt)), original)
    assert residue(original, original) == {}


def test_an_edit_wins_over_what_was_kept():
    kept = residue({"a": "1", "b": 2}, {"a": 1, "c": 3})
    assert restore({"a": 5, "c": 4}, kept) == {"a": 5, "c": 4, "b": 2}
    assert restore({"a": 1}, "nothing that was kept") == {"a": 1}
    assert restore({"a": 1}, {"instead": {"a": 5}, "only": 3}) == {"a": 1}
