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
    write_card,
    write_lorebook,
)
from offbook.cards.findings import Findings
from offbook.cards.lorebook_files import lorebook_losses
from offbook.cards.png import chunk_text, text_chunks
from offbook.cards.raw_json import residue, restore, same
from tests.cards.generator import (
    AGNAI,
    NOVELAI,
    RISU,
    book,
    books,
    cards,
    entry,
    picture,
    read_raw,
    read_raw_book,
    unknown,
    world_info,
)
from tests.sizes import examples

RULES: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
MANY = settings(max_examples=examples(1_000), **RULES)
PICTURE = picture()


def round_trip(raw):
    read = read_raw(raw)
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


@MANY
@given(cards())
def test_a_card_is_written_as_it_was_read(raw):
    round_trip(raw)


@settings(max_examples=examples(60), **RULES)
@given(cards())
def test_v3_to_v2_and_back_is_the_same_card(raw):
    card = read_raw(raw).card
    before = json.dumps(card.raw)
    there = convert(card, 2).card
    assert there.version == 2
    if card.version == 3:
        assert same(convert(there, 3).card.raw, card.raw)
    assert json.dumps(card.raw) == before


@settings(max_examples=examples(60), **RULES)
@given(books())
def test_a_lorebook_is_written_as_it_was_read(raw):
    for shape, form in (
        (raw, "book"),
        ({"spec": "lorebook_v3", "data": raw, "own": 1}, "lorebook_v3"),
    ):
        found = read_raw_book(shape)
        assert found.source_format == form
        assert same(json.loads(write_lorebook(found.book, form)), shape)


@settings(max_examples=examples(60), **RULES)
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
    found = read_raw_book(raw)
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
    found = read_raw_book(raw)
    assert found.source_format == form
    assert "Petrel" in found.book.entries[0].content
    assert json.loads(write_lorebook(found.book, form)) == raw
    assert lorebook_losses(found.book, form) == ()


def test_what_another_format_has_no_place_for_is_named():
    off = entry(keys=["storm"], name="Storm", comment="the storm", enabled=False, own=1)
    said = entry(keys=["/pe(a|o)rl/"], use_regex=True, position="after_char", constant=True, id=7)
    wishes = entry(secondary_keys=["late"], selective=True, extensions={"sticky": 2, "depth": 4})
    raw = book(off, said, wishes, scan_depth=3, own=2, extensions={"a/b": {}, "c": 1})
    found = read_raw_book(raw).book
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


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.just(1.0) | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=4,
)
objects = st.dictionaries(st.sampled_from("abcd"), values, max_size=4)


@MANY
@given(objects, objects)
def test_restore_gives_back_what_residue_kept(original, rebuilt):
    assert same(restore(rebuilt, residue(original, rebuilt)), original)
    assert residue(original, original) == {}


def test_an_edit_wins_over_what_was_kept():
    kept = residue({"a": "1", "b": 2}, {"a": 1, "c": 3})
    assert restore({"a": 5, "c": 4}, kept) == {"a": 5, "c": 4, "b": 2}
    assert restore({"a": 1}, "nothing that was kept") == {"a": 1}
    assert restore({"a": 1}, {"instead": {"a": 5}, "only": 3}) == {"a": 1}
