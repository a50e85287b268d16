import base64
import io
import json
import os
import random
import struct
import zipfile

import pytest

from offbook.cards import (
    CardLimits,
    load_asset,
    read_card,
    write_card,
)
from offbook.cards.findings import Findings
from offbook.cards.png import HEIGHT, SIGNATURE, WIDTH, default_avatar, text_chunks
from offbook.cards.sources import DEFAULT_LIMITS
from offbook.errors import UnreadableCard, UsageError
from tests.cards.generator import (
    END,
    PNG,
    book,
    charx,
    chunk,
    packed,
    picture,
    read_raw,
    text_chunk,
    v1,
    v2,
    v3,
    webp,
    zipped,
)


def codes(read):
    return [finding.code for finding in read.warnings]


def keywords(data):
    return [c.keyword for c in text_chunks(io.BytesIO(data), Findings(), DEFAULT_LIMITS)]


def test_both_versions_are_written_before_the_end_and_old_ones_go():
    old = picture(
        text_chunk("Chara", packed(v1(name="Old")), "zTXt"),
        text_chunk("Software", b"kept"),
        after=(text_chunk("ccv3", packed(v3(name="Older"))), chunk(b"fdAT", b"frame")),
    )
    written = write_card(read_raw(v3()).card, "png", picture=old)
    assert written.losses == ()
    assert keywords(written.data) == ["Software", "chara", "ccv3"]
    assert written.data.endswith(END)
    assert chunk(b"fdAT", b"frame") in written.data
    read = read_card(written.data)
    assert (read.card.version, read.card.raw, read.warnings) == (3, v3(), ())


def test_the_older_card_in_a_picture_says_that_there_is_a_newer_one():
    card = read_raw(v3()).card
    data = write_card(card, "png", picture=picture()).data
    at = data.index(b"ccv3\0") - 8
    (length,) = struct.unpack(">I", data[at : at + 4])
    only_v2 = data[:at] + data[at + 12 + length :]
    read = read_card(only_v2)
    assert read.card.version == 2
    assert read.card.creator_notes.startswith("[This is a Character Card V3")
    assert read.card.creator_notes.endswith(v3()["data"]["creator_notes"])
    plain = write_card(read_raw(v2()).card, "png", picture=picture()).data
    first = plain[plain.index(b"chara\0") + 6 :]
    (length,) = struct.unpack(">I", plain[plain.index(b"chara\0") - 8 :][:4])
    assert json.loads(base64.b64decode(first[: length - 6])) == v2()


def test_a_card_without_a_picture_gets_one_of_its_own():
    data = write_card(read_raw(v2()).card, "png").data
    assert data.startswith(SIGNATURE)
    assert struct.unpack(">II", data[16:24]) == (WIDTH, HEIGHT)
    assert default_avatar("a") == default_avatar("a") != default_avatar("b")
    assert len(default_avatar("a")) < 5_000


def test_a_picture_that_is_cut_off_is_mended_when_written():
    whole = picture()
    card = read_raw(v2()).card
    for end in (len(whole) - 12, len(whole) - 14, len(whole) - 20):
        data = write_card(card, "png", picture=whole[:end]).data
        assert data.endswith(END)
        assert read_card(data).warnings == ()
    cut = write_card(card, "png", picture=whole[:-20])
    assert [loss.code for loss in cut.losses] == ["png-cut"]


@pytest.mark.parametrize("form", ["png", "charx"])
def test_what_is_no_png_is_no_picture(form):
    with pytest.raises(UsageError, match="no PNG"):
        write_card(read_raw(v2()).card, form, picture=b"\xff\xd8\xff")


def test_the_newer_of_two_cards_counts_and_the_other_stands_in():
    both = picture(
        text_chunk("chara", packed(v2(name="Two"))), text_chunk("ccv3", packed(v3(name="Three")))
    )
    assert read_card(both).card.name == "Three"
    broken = picture(text_chunk("chara", packed(v2(name="Two"))), text_chunk("ccv3", b"!!!"))
    read = read_card(broken)
    assert (read.card.name, codes(read)) == ("Two", ["png-unreadable"])
    twice = picture(*[text_chunk("chara", packed(v2(name=name))) for name in ("One", "Two")])
    read = read_card(twice)
    assert (read.card.name, codes(read)) == ("One", ["png-twice"])


@pytest.mark.parametrize(
    "data",
    [
        picture(text_chunk("chara", b"rcc||rccv1||abc")),
        picture(text_chunk("ccv3", base64.b64encode(b"rcc||rccv1||abc"))),
        b"rcc||rccv1||abc",
    ],
)
def test_a_locked_card_of_risu_is_refused_politely(data):
    with pytest.raises(UnreadableCard, match="encrypted by RisuAI") as told:
        read_card(data)
    assert "without a password" in told.value.hint


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (picture(), "no card in this PNG"),
        (webp(v1()).replace(b"EXIF", b"XMP "), "no card in this WebP"),
        (b"\xff\xd8\xff\xe0" + b"x" * 99, "no card in this JPEG"),
        (zipped({"a.json": b"{}"}), "no card.json"),
        (charx(v3())[:-30], "zip is damaged"),
        (b"\xff\xd8" + charx(v3())[:-30], "zip is damaged"),
        (b"", "empty"),
        (b"hello", "no card"),
        (b"[1, 2]", "no card"),
        (b"[]", "no card"),
        (b"{}", "none of the fields"),
        (b'{"a": 1}', "none of the fields"),
        (json.dumps({"spec": "lorebook_v3", "data": book()}).encode(), "is a lorebook"),
        (json.dumps({"entries": {}}).encode(), "is a lorebook"),
        (picture(chunk(b"iTXt", b"chara\0\0\0")), "cut off"),
        (picture(chunk(b"zTXt", b"chara\0\0nonsense")), "damaged"),
        (picture(text_chunk("chara", b"####")), "Base64"),
    ],
)
def test_what_is_no_card_says_what_it_is(data, match):
    with pytest.raises(UnreadableCard, match=match):
        read_card(data)


def test_paths_that_cannot_be_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "none", tmp_path / "pipe", "a\0b"):
        with pytest.raises(UnreadableCard):
            read_card(path)


def test_webp_cards_of_old_are_read():
    assert (read_card(webp(v1())).card.name, read_card(webp(v1())).source_format) == (
        "Mira Vale",
        "webp",
    )
    assert read_card(webp(v1(), numbers=True)).card.name == "Mira Vale"
    cut = webp(v1())
    for size in range(12, len(cut), 7):
        with pytest.raises(UnreadableCard):
            read_card(cut[:size], CardLimits(repair_chars=0))
    with pytest.raises(UnreadableCard, match="chunk_bytes"):
        read_card(webp(v1()), CardLimits(chunk_bytes=10))


def test_a_charx_behind_a_jpeg_is_read():
    read = read_card(b"\xff\xd8\xff\xe0 a picture" + charx(v3(), **{"assets/x.bin": b"1"}))
    assert (read.card.name, read.source_format) == ("Mira Vale", "jpeg")
    assert [asset.place for asset in read.assets] == ["", "assets/x.bin"]
    assert load_asset(read, read.assets[1]) == b"1"


def test_assets_travel_from_charx_to_charx():
    listed = [
        {"type": "icon", "uri": "embeded://assets/icon/a.png", "name": "main", "ext": "png"},
        {"type": "emotion", "uri": "embeded://../../b", "name": "sad", "ext": "png"},
        {"type": "icon", "uri": "data:image/png;base64,MTIz", "name": "x", "ext": "png"},
        {"type": "icon", "uri": "data:,a%20b", "name": "y", "ext": "png"},
        {"type": "icon", "uri": "embeded://gone", "name": "z", "ext": "png"},
    ]
    members = {"assets/icon/a.png": b"A", "../../b": b"B", "own/notes.txt": b"N"}
    read = read_card(charx(v3(assets=listed), **members))
    assert codes(read) == ["asset-missing"]
    assert [load_asset(read, asset) for asset in read.assets if asset.kind != "missing"] == [
        b"A",
        b"B",
        b"123",
        b"a b",
        b"N",
    ]
    held = {asset.place: load_asset(read, asset) for asset in read.assets if asset.place}
    written = write_card(read.card, "charx", assets=held)
    assert [loss.path for loss in written.losses] == ["data.assets[4]"]
    names = zipfile.ZipFile(io.BytesIO(written.data)).namelist()
    assert names == ["card.json", "assets/icon/a.png", "b", "own/notes.txt"]
    again = read_card(written.data)
    assert [load_asset(again, asset) for asset in again.assets[:2]] == [b"A", b"B"]
    assert write_card(read.card, "charx", assets=held).data == written.data
    lost = write_card(read.card, "png", picture=picture()).losses
    assert [loss.code for loss in lost] == ["asset-lost"] * 3


def test_names_in_a_charx_never_collide():
    data = write_card(
        read_raw(v3()).card,
        "charx",
        assets={"a/../x.png": b"1", "a/x.png": b"2", "card.json": b"3", "": b"4", "..": b"5"},
    ).data
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.namelist() == [
        "card.json",
        "a/x.png",
        "a/x-2.png",
        "card-2.json",
        "asset",
        "asset-2",
    ]
    assert json.loads(archive.read("card.json"))["data"]["name"] == "Mira Vale"


def test_the_picture_becomes_the_icon_of_a_charx():
    card = read_raw(v3()).card
    read = read_card(write_card(card, "charx", picture=picture()).data)
    assert load_asset(read, read.assets[0]) == picture()
    from_picture = read_card(picture(text_chunk("ccv3", packed(v3()))))
    assert load_asset(from_picture, from_picture.assets[0]).startswith(PNG)
    with pytest.raises(UnreadableCard, match="default"):
        load_asset(read_raw(v3()), from_picture.assets[0])


def test_risu_assets_in_a_picture_stay_in_it():
    listed = [{"type": "icon", "uri": "__asset:0", "name": "main", "ext": "png"}]
    carrier = picture(text_chunk("chara-ext-asset_:0", base64.b64encode(b"bytes")))
    card = read_raw(v3(assets=listed)).card
    written = write_card(card, "png", picture=carrier)
    assert written.losses == ()
    read = read_card(written.data)
    assert load_asset(read, read.assets[0]) == b"bytes"
    held = {asset.place: load_asset(read, asset) for asset in read.assets}
    moved = read_card(write_card(read.card, "charx", assets=held).data)
    assert load_asset(moved, moved.assets[0]) == b"bytes"
    assert moved.card.asset_list[0]["uri"] == "embeded://0"


def test_members_that_lie_or_are_locked_are_refused():
    with pytest.raises(UnreadableCard, match="packed in a way"):
        read_card(charx(v3()).replace(b"\x08\x00", b"\x63\x00"))
    made = bytearray(charx(v3()))
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        at = made.index(mark) + (6 if mark == b"PK\x03\x04" else 8)
        made[at] |= 1
    with pytest.raises(UnreadableCard, match="encrypted"):
        read_card(bytes(made))
    packed_otherwise = io.BytesIO()
    with zipfile.ZipFile(packed_otherwise, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("card.json", json.dumps(v3()))
    with pytest.raises(UnreadableCard, match="packed in a way"):
        read_card(packed_otherwise.getvalue())
    twice = io.BytesIO()
    with zipfile.ZipFile(twice, "w") as archive:
        archive.writestr("card.json", json.dumps(v3(name="One")))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("card.json", json.dumps(v3(name="Two")))
    read = read_card(twice.getvalue())
    assert (read.card.name, codes(read)) == ("Two", ["charx-twice"])


YAML = (
    "name: Yes\ncontext: |\n  {{char}} keeps tide tables.\ngreeting: Hello.\n"
    "own:\n  - 1\n  - {a: b}\n"
)


def test_yaml_is_read_as_text_alone(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(YAML)
    for read in (read_card(path), read_card(YAML.encode())):
        assert (read.card.name, read.card.first_mes, read.source_format) == (
            "Yes",
            "Hello.",
            "yaml",
        )
        assert read.card.extensions == {"offbook/textgen": {"own": ["1", {"a": "b"}]}}
        assert codes(read) == ["card-foreign"]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("name: &a x\ncontext: *a\n", "references"),
        ("name: [\n", "no YAML"),
        ("name: " + "[" * 200 + "]" * 200, "nested deeper"),
        ("name: x\n? [a]\n: b\n", "unhashable key"),
        ("name: " + "x" * 1_000_000, "yaml_bytes"),
        ("name: !!python/object/apply:os.system [ls]\n", None),
    ],
)
def test_yaml_builds_no_bombs_and_no_objects(text, match):
    if match is None:
        assert read_card(text.encode()).card.name == "ls"
    else:
        with pytest.raises(UnreadableCard, match=match):
            read_card(text.encode())


def test_gradio_characters_are_read():
    raw = {
        "char_name": "Mira",
        "char_persona": "dry",
        "char_greeting": "Hi.",
        "example_dialogue": "",
        "world_scenario": "a coast",
        "own": [1],
    }
    read = read_raw(raw)
    assert (read.card.name, read.card.description, read.card.scenario) == ("Mira", "dry", "a coast")
    assert read.card.extensions == {"offbook/gradio": {"own": [1]}}
    assert codes(read) == ["card-foreign"]


def test_a_card_in_a_list_and_one_without_data_are_read():
    assert codes(read_raw([v1()])) == ["card-list"]
    flat = {"spec": "chara_card_v2", "spec_version": "2.0", **v2()["data"]}
    read = read_raw(flat)
    assert (read.card.alternate_greetings, codes(read)) == (("You again?",), ["card-data"])
    odd = read_raw({**flat, "data": [1]})
    assert odd.card.raw["extensions"]["offbook/unread"] == {"data": [1]}


def test_odd_lorebooks_in_cards_are_mended_or_kept():
    as_list = read_raw(v2(character_book=book()["entries"]))
    assert as_list.card.book is not None
    assert len(as_list.card.book.entries) == 1
    odd = read_raw(v2(character_book="none"))
    assert odd.card.book is None
    assert odd.card.extensions["offbook/unread"] == {"character_book": "none"}
    strange = {
        "extensions": {},
        "entries": [3, {"keys": "a, b", "enabled": "no", "insertion_order": "5"}],
    }
    mended = read_raw(v2(character_book=strange)).card.book
    assert mended is not None
    (item,) = mended.entries
    assert (item.keys, item.enabled, item.insertion_order) == (("a", "b"), False, 5)
    assert mended.extensions["offbook/unread"] == {"entries": [3]}
    none = read_raw(v2(character_book={"entries": 3})).card.book
    assert none is not None
    assert (none.entries, none.extensions) == ((), {"offbook/unread": {"entries": 3}})


@pytest.mark.parametrize("kind", ["charx", "jpeg", "webp"])
def test_broken_tables_of_contents_are_refused_or_read(kind):
    whole = {"charx": charx(v3(), a=b"1" * 50), "webp": webp(v1())}
    whole["jpeg"] = b"\xff\xd8" + whole["charx"]
    refused = 0
    for seed in range(400):
        chance = random.Random(seed)
        data = bytearray(whole[kind])
        for _ in range(chance.randint(1, 5)):
            size = chance.choice((1, 2, 4, 8))
            reach = chance.randrange(min(260, len(data) - 12))
            at = 12 + reach if kind == "webp" else len(data) - 1 - reach
            data[at : at + size] = chance.choice((b"\xff", b"\0", chance.randbytes(1))) * size
        try:
            read = read_card(bytes(data))
            for asset in read.assets:
                if asset.kind == "member":
                    load_asset(read, asset)
        except UnreadableCard:
            refused += 1
    assert 100 < refused < 400


def test_all_chunks_of_a_picture_that_are_no_card_are_kept_byte_by_byte():
    others = [
        chunk(b"oFFs", b"\0" * 9),
        chunk(b"prVt", b"of nobody we know"),
        text_chunk("Comment", b"kept", "zTXt"),
        chunk(b"acTL", b"\0\0\0\1\0\0\0\0"),
        chunk(b"baDc", b"a wrong checksum", crc=1),
    ]
    card = read_raw(v3()).card
    first, *rest = others
    made = write_card(card, "png", picture=picture(first, after=tuple(rest))).data
    at = [made.index(other) for other in others]
    assert at == sorted(at)
    again = write_card(card, "png", picture=made).data
    assert again == made
