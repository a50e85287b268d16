"""What is written is what was read, unknown fields at every level included."""

from __future__ import annotations

import base64
import copy
import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offbook.cards import (
    BOOK_FORMATS,
    DEFAULT_LIMITS,
    convert,
    read_card,
    read_lorebook,
    write_card,
    write_lorebook,
)
from offbook.cards.findings import Findings
from offbook.cards.lorebook_losses import lorebook_losses
from offbook.cards.png import chunk_text, text_chunks
from offbook.cards.residue import residue, restore, same
from tests.cards.generator import (
    AGNAI,
    NOVELAI,
    RISU,
    book,
    books,
    cards,
    entry,
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
    assert same(json.loads(write_card(read.card).data), raw)
    version = read.card.version
    for form in ("png", "charx"):
        data = write_card(read.card, form, picture=PICTURE).data
        again = read_card(data).card
        assert again.version == 3
        # V2 has its own form beside V3 in a picture; on the way back to it decorators go.
        wanted = convert(read.card, 3).card.raw if version == 2 else raw
        back = convert(again, 1 if version == 1 else 3).card.raw
        assert same(_without_assets(back), _without_assets(wanted))
        if form == "png" and version == 2:
            assert same(_in_chunk(data, "chara"), raw)


def _in_chunk(data, keyword):
    file, heard = io.BytesIO(data), Findings()
    found = [c for c in text_chunks(file, heard, DEFAULT_LIMITS) if c.keyword == keyword]
    (text,) = (chunk_text(file, chunk, heard, DEFAULT_LIMITS) for chunk in found)
    return json.loads(base64.b64decode(text))


def _without_assets(raw):
    """A CHARX gives assets a place of their own; everything else is the same."""
    made = copy.deepcopy(raw)
    made.get("data", made).pop("assets", None)
    return made


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
    [
        (world_info(), "sillytavern"),
        (AGNAI, "agnai"),
        (NOVELAI, "novelai"),
        (RISU, "risu"),
        ({"entries": AGNAI["entries"]}, "agnai"),
        ({"entries": NOVELAI["entries"]}, "novelai"),
        ({"data": RISU["data"], "own": 1}, "risu"),
    ],
)
def test_a_foreign_lorebook_is_written_as_it_was_read(raw, form):
    found = read_lorebook(json.dumps(raw).encode())
    assert found.source_format == form
    assert "Petrel" in found.book.entries[0].content
    assert json.loads(write_lorebook(found.book, form)) == raw
    assert lorebook_losses(found.book, form) == ()


def test_what_another_format_has_no_place_for_is_named():
    off = entry(keys=["storm"], name="Storm", comment="the storm", enabled=False, own=1)
    said = entry(keys=["/pe(a|o)rl/"], use_regex=True, position="after_char", constant=True, id=7)
    wishes = entry(secondary_keys=["late"], selective=True, extensions={"sticky": 2, "depth": 4})
    raw = book(off, said, wishes, scan_depth=3, own=2, extensions={"a/b": {}, "c": 1})
    found = read_lorebook(json.dumps(raw).encode()).book
    lost = {
        form: [loss.path.removeprefix("entries[].") for loss in lorebook_losses(found, form)]
        for form in BOOK_FORMATS
    }
    rest = ["scan_depth", "own", "extensions.c"]
    assert lost == {
        "book": [],
        "lorebook_v3": [],
        "sillytavern": [*rest, "name", "own"],
        "agnai": [*rest, "comment", "own", "use_regex", "position", "constant",
                  "secondary_keys", "selective", "extensions.sticky"],
        "novelai": ["name", *rest, "comment", "own", "position",
                    "secondary_keys", "selective", "extensions.sticky"],
        "risu": ["name", *rest, "enabled", "name", "own", "position", "extensions.sticky"],
    }  # fmt: skip
    shown = next(one for one in lorebook_losses(found, "risu") if one.path == "entries[].enabled")
    assert shown.message == "risu has no place for enabled; it is left out of 'Storm' (1)"


def test_what_only_one_program_knows_is_named_where_it_does_not_go():
    found = read_lorebook(json.dumps({**world_info(), "originalData": {}}).encode()).book
    paths = [loss.path for loss in lorebook_losses(found, "agnai")]
    assert {"originalData", "entries[].mine"} <= set(paths)
    assert [loss.path for loss in lorebook_losses(found, "sillytavern")] == []
    agnai = read_lorebook(json.dumps(AGNAI).encode()).book
    titled = json.loads(write_lorebook(agnai, "sillytavern"))["entries"]
    assert [item["comment"] for item in titled.values()] == ["ferry"]


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
