import json

import pytest

from offbook.cards import convert, read_card, write_card
from offbook.cards.card import Card
from offbook.cards.converting import BACKFILL_NOTE, backfill
from tests.cards.generator import book, entry, read_raw, v1, v2, v3


def card(raw):
    return read_raw(raw).card


def paths(converted):
    return [loss.path for loss in converted.losses]


def test_v1_becomes_v2_with_what_sillytavern_adds():
    raw = v1(
        creatorcomment="note",
        tags="a, b",
        talkativeness="0.5",
        fav=True,
        chat="x",
        depth_prompt_prompt="deep",
        depth_prompt_depth=2,
        extensions={"own": 1},
    )
    made = convert(card(raw), 2)
    assert made.losses == ()
    assert made.card.version == 2
    assert made.card.creator_notes == "note"
    assert made.card.tags == ("a", "b")
    assert made.card.extensions["depth_prompt"] == {"prompt": "deep", "depth": 2, "role": "system"}
    assert (made.card.extensions["fav"], made.card.extensions["own"]) == (True, 1)
    assert made.card.raw["chat"] == "x"
    again = convert(made.card, 1)
    assert again.card.raw == {**raw, "tags": ["a", "b"]}
    assert paths(again) == ["data.extensions"]  # "own"; the note has a place of its own


def test_v3_becomes_v2_and_everything_unseen_is_listed():
    raw = v3(
        group_only_greetings=["Hello all."],
        character_book=book(
            entry(content="@@depth 4\n@@role user\nThe ferry.", use_regex=False),
            entry(keys=["/a/"], use_regex=True),
        ),
    )
    made = convert(card(raw), 2)
    assert paths(made) == [
        "data.group_only_greetings",
        "data.nickname",
        "data.creator_notes_multilingual",
        "data.source",
        "data.assets",
        "data.creation_date",
        "data.character_book.entries[0].content",
        "data.character_book.entries[1].use_regex",
    ]
    assert made.card.book is not None
    assert made.card.book.entries[0].content == "The ferry."
    assert "nickname" not in made.card.data
    back = convert(made.card, 3)
    assert back.card.raw == raw
    # an edit made in V2 wins over what was kept
    made.card.book.entries[0].content = "Another ferry."
    again = convert(made.card, 3).card.book
    assert again is not None
    assert again.entries[0].content == "Another ferry."


def test_a_newer_version_survives_the_way_through_v2():
    raw = {**v3(), "spec": "chara_card_v4", "spec_version": "4.1"}
    assert convert(convert(card(raw), 2).card, 3).card.raw == raw
    assert convert(card(raw), 3).card.raw == raw


def test_v2_becomes_v1_and_everything_lost_is_listed():
    made = convert(card(v2(system_prompt="Be brief.", own=1)), 1)
    assert made.card.version == 1
    assert paths(made) == [
        "data.system_prompt",
        "data.alternate_greetings",
        "data.character_book",
        "data.creator",
        "data.character_version",
        "data.extensions",
        "data.own",
    ]
    assert made.card.raw["creatorcomment"] == "For calm evenings."
    assert made.card.raw["tags"] == ["sea", "calm"]
    assert convert(card(v3()), 1).card.version == 1


def test_a_backfill_has_its_note_once_and_loses_it_in_v3():
    made = backfill(card(v3()))
    assert made.creator_notes == f"{BACKFILL_NOTE}\n\nFor calm evenings."
    assert convert(made, 3).card.creator_notes == "For calm evenings."
    plain = v3(nickname="", source=[], assets=None, creation_date=0, creator_notes_multilingual={})
    plain["data"]["creation_date"] = None
    assert BACKFILL_NOTE not in backfill(card(plain)).creator_notes
    assert backfill(card(v3(creator_notes=""))).creator_notes == BACKFILL_NOTE


@pytest.mark.parametrize(
    ("raw", "missing"), [(v1(), "scenario"), (v2(), "tags"), (v3(), "group_only_greetings")]
)
def test_required_fields_are_written(raw, missing):
    original = card(raw)
    del original.data[missing]
    written = json.loads(write_card(original).data)
    assert written.get("data", written)[missing] in ("", [])
    assert missing not in original.data


def test_fields_are_changed_through_the_view():
    made = card(v3())
    made.name, made.tags, made.extensions = "Eve", ("a",), {"app/x": 1}
    assert made.data["name"] == "Eve"
    assert made.data["tags"] == ["a"]
    assert made.data["extensions"] == {"app/x": 1}
    lore = made.book
    assert lore is not None
    lore.scan_depth, lore.recursive_scanning = 3, True
    item = lore.entries[0]
    item.priority, item.case_sensitive, item.enabled = 2, True, False
    assert (lore.scan_depth, item.priority, item.case_sensitive, item.enabled) == (
        3,
        2,
        True,
        False,
    )
    assert item.raw["priority"] == 2
    assert Card({"name": 3, "tags": 3, "extensions": 3}).name == ""
    assert Card({"tags": 3, "extensions": 3}).tags == ()
    assert Card({"extensions": 3}).extensions == {}


def test_a_lorebook_in_a_card_of_v1_is_read_and_travels_along():
    raw = v1(character_book=book(entry(keys="ferry, boat")), own=[1])
    read = read_raw(raw)
    assert [finding.path for finding in read.warnings] == ["character_book.entries[0].keys"]
    assert read.card.book is not None
    assert read.card.book.entries[0].keys == ("ferry", "boat")
    there = convert(read.card, 2)
    assert there.card.book is not None
    assert "character_book" not in there.card.raw
    back = convert(convert(read.card, 3).card, 1)
    assert (back.card.raw, back.losses) == (read.card.raw, ())
    assert read_card(write_card(read.card, "png").data).card.book is not None
