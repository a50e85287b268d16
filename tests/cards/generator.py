"""Our own maker of cards, lorebooks and chat logs: well-formed ones, odd ones, and mutations.

Takes: sizes and seeds.  Gives: bytes and raw objects; no file of anybody else is used.
"""

from __future__ import annotations

import base64
import copy
import io
import json
import random
import struct
import zipfile
import zlib
from typing import Any

from hypothesis import strategies as st

from offbook.cards import ReadCard, ReadLorebook, read_card, read_lorebook

PNG = b"\x89PNG\r\n\x1a\n"


def read_raw(raw: Any, **more: Any) -> ReadCard:
    """Read a raw object as the card of a JSON file."""
    return read_card(json.dumps(raw).encode(), **more)


def read_raw_book(raw: Any) -> ReadLorebook:
    """Read a raw object as a lorebook of its own."""
    return read_lorebook(json.dumps(raw).encode())


def v1(**fields: Any) -> dict[str, Any]:
    return {
        "name": "Mira Vale",
        "description": "{{char}} keeps the tide tables of Harrow Point.",
        "personality": "patient, dry",
        "scenario": "{{user}} has missed the ferry.",
        "first_mes": "The next one goes at six, {{user}}.",
        "mes_example": "<START>\n{{user}}: Is it late?\n{{char}}: It is always late.\n",
        **fields,
    }


def entry(**fields: Any) -> dict[str, Any]:
    return {
        "keys": ["ferry"],
        "content": "The ferry is called Petrel.",
        "extensions": {},
        "enabled": True,
        "insertion_order": 10,
        **fields,
    }


def book(*entries: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"name": "Harrow", "extensions": {}, "entries": list(entries or (entry(),)), **fields}


def v2(**fields: Any) -> dict[str, Any]:
    data = {
        **v1(),
        "creator_notes": "For calm evenings.",
        "system_prompt": "",
        "post_history_instructions": "",
        "alternate_greetings": ["You again?"],
        "character_book": book(),
        "tags": ["sea", "calm"],
        "creator": "somebody",
        "character_version": "1",
        "extensions": {"app/colour": "blue"},
        **fields,
    }
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def v3(**fields: Any) -> dict[str, Any]:
    third = {
        "character_book": book(entry(use_regex=False)),
        "group_only_greetings": [],
        "nickname": "Mi",
        "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}],
        "source": ["own:1"],
        "creation_date": 1_700_000_000,
        "creator_notes_multilingual": {"de": "Ruhig."},
    }
    card = v2(**{**third, **fields})
    return {**card, "spec": "chara_card_v3", "spec_version": "3.0"}


def chunk(kind: bytes, data: bytes, crc: int | None = None) -> bytes:
    right = zlib.crc32(kind + data) if crc is None else crc
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", right)


HEADER = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
PIXELS = chunk(b"IDAT", zlib.compress(b"\0\1\2\3"))
END = chunk(b"IEND", b"")


def packed(raw: Any) -> bytes:
    return base64.b64encode(json.dumps(raw).encode())


def text_chunk(keyword: str, text: bytes, kind: str = "tEXt", crc: int | None = None) -> bytes:
    word = keyword.encode("latin-1") + b"\0"
    if kind == "zTXt":
        return chunk(b"zTXt", word + b"\0" + zlib.compress(text), crc)
    if kind == "iTXt":
        return chunk(b"iTXt", word + b"\1\0en\0" + word + zlib.compress(text), crc)
    if kind == "iTXt-plain":
        return chunk(b"iTXt", word + b"\0\0\0\0" + text, crc)
    return chunk(b"tEXt", word + text, crc)


def picture(*before: bytes, after: tuple[bytes, ...] = (), end: bytes = END) -> bytes:
    return b"".join((PNG, HEADER, *before, PIXELS, *after, end))


def zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def charx(raw: Any, **members: bytes) -> bytes:
    return zipped({"card.json": json.dumps(raw).encode(), **members})


def webp(raw: Any, *, numbers: bool = False) -> bytes:
    text = json.dumps(raw).encode()
    comment = b",".join(str(b).encode() for b in text) if numbers else text
    value = b"ASCII\0\0\0" + comment
    ifd = struct.pack("<H", 1) + struct.pack("<HHII", 0x8769, 4, 1, 26) + struct.pack("<I", 0)
    exif = struct.pack("<H", 1) + struct.pack("<HHII", 0x9286, 7, len(value), 44)
    tiff = b"II*\0" + struct.pack("<I", 8) + ifd + exif + struct.pack("<I", 0) + value
    tiff = tiff[:44].ljust(44, b"\0") + value
    body = b"WEBP" + b"VP8 " + struct.pack("<I", 3) + b"abc\0"
    body += b"EXIF" + struct.pack("<I", len(tiff)) + tiff
    return b"RIFF" + struct.pack("<I", len(body)) + body


def world_info(**fields: Any) -> dict[str, Any]:
    item = {
        "uid": 0,
        "key": ["ferry", "/pe(trel|tral)/i"],
        "keysecondary": ["late"],
        "comment": "the ferry",
        "content": "The ferry is called Petrel.",
        "constant": False,
        "selective": True,
        "order": 100,
        "position": 4,
        "disable": False,
        "selectiveLogic": 1,
        "depth": 2,
        "probability": 80,
        "useProbability": True,
        "sticky": 3,
        "mine": {"deep": [1, None]},
        **fields,
    }
    return {"entries": {"0": item, "7": {**item, "uid": 7, "key": ["light"]}}, "name": "Harrow"}


AGNAI = {
    "kind": "memory",
    "name": "Harrow",
    "description": "a coast",
    "own": 1,
    "entries": [
        {
            "name": "ferry",
            "entry": "The ferry is called Petrel.",
            "keywords": ["ferry", "boat"],
            "priority": 3,
            "weight": 5,
            "enabled": True,
            "more": {"x": []},
        }
    ],
}
NOVELAI = {
    "lorebookVersion": 4,
    "settings": {"orderByKeyLocations": False},
    "entries": [
        {
            "text": "The ferry is called Petrel.",
            "displayName": "ferry",
            "keys": ["ferry", "/boats?/"],
            "enabled": False,
            "contextConfig": {"budgetPriority": 400, "suffix": "\n"},
        }
    ],
}
RISU = {
    "type": "risu",
    "ver": 1,
    "data": [
        {
            "key": "ferry, boat",
            "secondkey": "late",
            "comment": "the ferry",
            "content": "The ferry is called Petrel.",
            "alwaysActive": False,
            "selective": True,
            "insertorder": 70,
            "activationPercent": 50,
            "bookVersion": 2,
        }
    ],
}


def chat_lines() -> list[dict[str, Any]]:
    def line(name: str, text: str, user: bool, **more: Any) -> dict[str, Any]:
        return {"name": name, "is_user": user, "is_system": False, "mes": text, **more}

    return [
        {"user_name": "Sam", "character_name": "Mira", "chat_metadata": {"note": 1}, "own": [1]},
        line("Mira", "You missed it.", False, send_date="November 5, 2023 2:02pm"),
        line("Sam", "When is the next?", True, send_date="2023-11-05@14h02m30s"),
        line(
            "Mira",
            "At six.",
            False,
            send_date="2023-11-05T14:03:00.000Z",
            swipes=["At five.", "At six."],
            swipe_id=1,
            extra={"token_count": 3, "own": {"deep": None}},
        ),
        {**line("Sam", "(hidden)", True), "is_system": True},
        line("Sam", "And then?", True, send_date=1699193000000),
        line("Mira", "Tomorrow.", False),
    ]


def lines(objects: list[Any]) -> bytes:
    return b"\n".join(json.dumps(item).encode() for item in objects)


# Anything that JSON can hold; text without lone surrogates, which no JSON file can carry as UTF-8.
_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e6, 1e6) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=6,
)


def unknown(prefix: str = "own") -> st.SearchStrategy[dict[str, Any]]:
    """Fields that no specification has."""
    return st.dictionaries(_texts.map(lambda text: f"{prefix}-{text}"), _values, max_size=3)


@st.composite
def cards(draw: st.DrawFn) -> dict[str, Any]:
    """Well-formed cards of all versions, with unknown fields at every level."""
    version = draw(st.sampled_from((1, 2, 3)))
    data: dict[str, Any] = {name: draw(_texts) for name in list(v1())}
    data["name"] = "N" + data["name"]
    if version == 1:
        return _shuffled(draw, {**data, **draw(unknown())})
    data |= {
        name: draw(_texts)
        for name in (
            "creator_notes",
            "system_prompt",
            "post_history_instructions",
            "creator",
            "character_version",
        )
    }
    data |= {name: draw(st.lists(_texts, max_size=2)) for name in ("alternate_greetings", "tags")}
    data["extensions"] = draw(st.dictionaries(_texts, _values, max_size=3))
    if draw(st.booleans()):
        data["character_book"] = draw(st.none() | books(version))
    if version == 3:
        data["group_only_greetings"] = draw(st.lists(_texts, max_size=2))
        data |= draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "nickname": _texts,
                    "source": st.lists(_texts, max_size=2),
                    "creation_date": st.integers(0, 2**33),
                    "creator_notes_multilingual": st.dictionaries(_texts, _texts, max_size=2),
                    "assets": st.lists(assets(), max_size=2),
                },
            )
        )
    root: dict[str, Any] = {"spec": f"chara_card_v{version}", "spec_version": f"{version}.0"}
    root["data"] = _shuffled(draw, {**data, **draw(unknown())})
    return _shuffled(draw, {**root, **draw(unknown("root"))})


@st.composite
def assets(draw: st.DrawFn) -> dict[str, Any]:
    names = ("type", "uri", "name", "ext")
    return {**{name: draw(_texts) for name in names}, **draw(unknown())}


@st.composite
def books(draw: st.DrawFn, version: int = 3) -> dict[str, Any]:
    entries = st.lists(_entries(version), max_size=3)
    known = {"extensions": draw(unknown()), "entries": draw(entries)}
    return _shuffled(draw, {**known, **draw(unknown("book"))})


@st.composite
def _entries(draw: st.DrawFn, version: int) -> dict[str, Any]:
    made = {
        "keys": draw(st.lists(_texts, max_size=2)),
        "content": draw(_texts | st.just("@@depth 4\n@@own\nAt sea.")),
        "extensions": draw(unknown()),
        "enabled": draw(st.booleans()),
        "insertion_order": draw(st.integers(-9, 9)),
    }
    if version == 3:
        made["use_regex"] = draw(st.booleans())
    optional: dict[str, Any] = {
        "id": st.integers(0, 9) | _texts,
        "constant": st.booleans() | st.none(),
        "secondary_keys": st.lists(_texts, max_size=2),
        "position": st.sampled_from(("before_char", "after_char")),
        "priority": st.integers(-5, 5),
    }
    made |= draw(st.fixed_dictionaries({}, optional=optional))
    return _shuffled(draw, {**made, **draw(unknown("entry"))})


def _shuffled(draw: st.DrawFn, item: dict[str, Any]) -> dict[str, Any]:
    return dict(draw(st.permutations(list(item.items()))))


def mutated(data: bytes, chance: random.Random) -> bytes:
    """``data`` with a few things wrong: flipped, cut, doubled, inserted, or words replaced."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(made) + 1)
        size = chance.choice((1, 2, 4, 16, 200))
        match chance.randrange(7):
            case 0 if made:
                made[min(at, len(made) - 1)] ^= 1 << chance.randrange(8)
            case 1:
                del made[at : at + size]
            case 2:
                made[at:at] = made[at : at + size]
            case 3:
                made[at:at] = chance.randbytes(size)
            case 4:
                del made[at:]
            case 5:
                made[at:at] = chance.choice(NASTY)
            case _:
                old = chance.choice((b'"', b"[", b"{", b"null", b"true", b":", b",", b"\n", b"}"))
                made = bytearray(
                    bytes(made).replace(old, chance.choice(NASTY), chance.randint(1, 3))
                )
    return bytes(made)


NASTY = (
    b"null", b"[]", b"{}", b'""', b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"\x00",
    b"\xff\xfe", b"[" * 300, b'{"a":' * 200, b'"\\ud800"', b"../../../../etc/passwd",
    b"rcc||rccv1||", b"true", b"PK\x03\x04", b"IEND", b"\r\n", b"//", b"@@depth x\n", b"{{" * 40,
    b"/(a|aa)+$/", "龙".encode(), b"\\", b'\\"', b"<!--", b"-1", b"0.5",
)  # fmt: skip


def mutation_seeds() -> list[bytes]:
    """Cards of every kind, to be mutated; text chunks by themselves are mutated before packing."""
    return [
        json.dumps(v1()).encode(),
        json.dumps(v2()).encode(),
        json.dumps(v3()).encode(),
        picture(text_chunk("chara", packed(v2())), after=(text_chunk("ccv3", packed(v3())),)),
        picture(text_chunk("chara", packed(v1()), "zTXt")),
        picture(text_chunk("ccv3", packed(v3()), "iTXt")),
        charx(v3(), **{"assets/icon/images/main.png": picture()}),
        b"\xff\xd8\xff\xe0rest" + charx(v3()),
        webp(v1()),
        b"name: Mira\ncontext: keeps tide tables\ngreeting: |\n  Hello.\n",
        json.dumps(
            {"char_name": "Mira", "char_persona": "dry", "char_greeting": "Hello."}
        ).encode(),
    ]


ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 10**400, -(10**400), 1e308, 0.5, "", " ", "x" * 5_000, "9" * 30,
    "{{char}}" * 300, "{{user}}" * 3, "{{random:a,b}}{{trim}}", "/(a|aa)+$/", "/(/", "ferry", "龙",
    "@@depth 9\n@@@role user\nx", "@@activate\n@@dont_activate\nx", "<script>" * 50, "\0\x1b[31m",
    [], {}, [None], [[]], [[[]]], [{}], [True, "a", 3], {"0": "a", "1": "b"}, {"x": {"y": []}},
)  # fmt: skip


def odd_entry(chance: random.Random) -> dict[str, Any]:
    """An entry of a lorebook with wishes of all kinds, some of which make no sense."""
    names = (
        "position", "depth", "role", "selectiveLogic", "scan_depth", "case_sensitive",
        "match_whole_words", "probability", "useProbability", "group", "group_override",
        "group_weight", "use_group_scoring", "exclude_recursion", "prevent_recursion",
        "delay_until_recursion", "sticky", "cooldown", "delay", "triggers", "ignore_budget",
        "offbook/sillytavern", "offbook/v3", "offbook/unread",
    )  # fmt: skip
    values = (1, 2, True, "a", *ODD_VALUES)
    extensions = {name: copy.deepcopy(chance.choice(values)) for name in names}
    own = {name: extensions[name] for name in chance.sample(names, 6)}
    secondary = {"selective": True, "secondary_keys": ["late"]}
    return entry(use_regex=chance.random() < 0.5, extensions=own, constant=True, **secondary)


def odd_parts(raw: Any, chance: random.Random) -> Any:
    """``raw`` with other values, other names or nothing at some of its places."""
    made = copy.deepcopy(raw)
    for _ in range(chance.randint(1, 4)):
        holder, place = made, None
        while isinstance(holder, dict | list) and holder:
            place = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            if chance.random() < 0.3 or not isinstance(holder[place], dict | list):
                break
            holder = holder[place]
        if place is None or not isinstance(holder, dict | list) or not holder:
            continue
        match chance.randrange(4):
            case 0:
                del holder[place]
            case 1 if isinstance(holder, dict):
                holder[f"{place}_"] = holder.pop(place)
            case _:
                holder[place] = copy.deepcopy(chance.choice(ODD_VALUES))
    return made


def odd_card(chance: random.Random) -> bytes:
    """JSON of a card that parses, and in which things are of another kind than they should be."""
    lore = chance.choice((book(*[odd_entry(chance) for _ in range(3)]), world_info(), AGNAI, RISU))
    raw = odd_parts(chance.choice((v1(), v2(character_book=lore), v3(character_book=lore))), chance)
    return json.dumps(raw, ensure_ascii=False).encode(*chance.choice(ENCODINGS))


ENCODINGS = (("utf-8",), ("utf-8",), ("utf-8-sig",), ("utf-16",), ("utf-16-le",), ("utf-32-be",))


def mutated_card(seed: int) -> bytes:
    """A mutated card: of bytes, inside of the container so that it is opened, or of values."""
    chance = random.Random(seed)
    if seed % 3 == 1:
        return mutated(chance.choice(mutation_seeds()), chance)
    whole = json.dumps(chance.choice((v1(), v2(), v3()))).encode()
    inner = odd_card(chance) if seed % 3 else mutated(whole, chance)
    match chance.randrange(4):
        case 0:
            return inner
        case 1:
            return picture(
                text_chunk(
                    "chara", base64.b64encode(inner), chance.choice(("tEXt", "zTXt", "iTXt"))
                )
            )
        case 2:
            return zipped({"card.json": inner, "../x": b"1"})
        case _:
            older = text_chunk("chara", packed(v2(name="Older")))
            return picture(older, after=(text_chunk("ccv3", inner),))


def mutated_chat(seed: int) -> bytes:
    chance = random.Random(seed)
    seeds = [
        lines(chat_lines()),
        json.dumps({"data_visible": [["Hi", "Hello"], ["", "Yes"]]}).encode(),
        json.dumps(
            {"name": "Mira", "messages": [{"msg": "Hi", "userId": "1"}, {"msg": "Ho"}]}
        ).encode(),
        json.dumps(
            {"histories": {"histories": [{"msgs": [{"text": "Hi", "src": {"is_human": True}}]}]}}
        ).encode(),
        lines([{"chat_metadata": {}}, {"name": "M", "is_user": False, "mes": {"message": "Hi"}}]),
    ]
    if seed % 3 == 0:
        rows = [odd_parts(row, chance) for row in chat_lines()]
        return lines(rows).decode().encode(*chance.choice(ENCODINGS))
    return mutated(chance.choice(seeds), chance)
