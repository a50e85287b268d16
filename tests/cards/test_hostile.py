"""Files that are small and ask for much: time, memory, numbers that nothing can hold."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import textwrap
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from offbook.cards import (
    CardLimits,
    LoreMessage,
    MacroValues,
    expand,
    lint,
    persona_document,
    read_card,
    read_lorebook,
    recall_lore,
    write_card,
    write_lorebook,
)
from offbook.cards.files import carried, open_file
from offbook.cards.lenient_json import within
from offbook.cards.lore_timers import Span, Timers
from offbook.errors import UnreadableCard
from tests.cards.generator import (
    book,
    charx,
    chunk,
    entry,
    packed,
    picture,
    read_raw,
    read_raw_book,
    text_chunk,
    v1,
    v2,
    v3,
    world_info,
)
from tests.waiting import work_below

ROOT = Path(__file__).resolve().parents[2]
BEYOND = 10**400
"""A whole number that JSON holds and no other number type does."""


def as_json(raw: Any) -> bytes:
    return json.dumps(raw).encode()


def codes(read: Any) -> set[str]:
    return {finding.code for finding in read.warnings}


# -- numbers --------------------------------------------------------------------------------------


def test_a_number_beyond_all_numbers_is_kept_unread():
    item = entry(use_regex=False, insertion_order=BEYOND, priority=-BEYOND)
    read = read_raw(v3(creation_date=BEYOND, character_book=book(item)))
    assert read.card.book is not None
    (mended,) = read.card.book.entries
    assert (mended.insertion_order, mended.priority) == (0, 0)
    assert mended.extensions["offbook/unread"] == {"insertion_order": BEYOND, "priority": -BEYOND}
    assert codes(read) == {"field-type"}
    assert lint(read.card) is not None
    assert read_card(write_card(read.card, "png").data).card.raw == read.card.raw


@pytest.mark.parametrize("number", [BEYOND, -BEYOND, 1e308, -1, 0, True])
def test_an_entry_of_such_numbers_can_be_recalled(number: Any):
    names = (
        "probability", "sticky", "cooldown", "delay", "depth", "group_weight", "scan_depth",
        "selectiveLogic", "position", "delay_until_recursion", "role",
    )  # fmt: skip
    item = entry(constant=True, extensions={**dict.fromkeys(names, number), "group": "a"})
    other = entry(constant=True, extensions={"group": "a", "group_weight": 0.5})
    made = book(item, other, item, scan_depth=number, token_budget=number, recursive_scanning=True)
    read = read_raw_book(made)
    recall_lore(
        read.book,
        [LoreMessage("the ferry")] * 3,
        MacroValues("M"),
        activated={"#0": Timers(Span(1, 4))},
    )
    assert read_lorebook(write_lorebook(read.book, "sillytavern")).source_format == "sillytavern"


# -- macros ---------------------------------------------------------------------------------------


def test_a_long_name_does_not_fill_the_memory():
    text = "{{char}} <bot> {{user}}" * 50_000
    made = expand(text, MacroValues("A" * 1_000_000, "B" * 1_000_000))
    assert len(made.text) < 4 * len(text)
    assert "{{char}}" in made.unknown
    assert made.text.startswith("A" * 200 + " ")


def test_a_card_of_macros_becomes_a_document_of_a_bearable_length():
    read = read_raw(v2(name="A" * 100_000, description="<bot>" * 100_000,
                                alternate_greetings=["{{char}}"] * 5_000))  # fmt: skip
    assert len(persona_document(read.card)) < 4_000_000


# -- containers -----------------------------------------------------------------------------------


def test_thousands_of_assets_are_read_in_one_pass(tmp_path: Path):
    zipped, png = tmp_path / "a.charx", tmp_path / "a.png"
    zipped.write_bytes(charx(v3(), **{f"a/{n}": b"x" for n in range(4_900)}))
    asset = base64.b64encode(b"x")
    chunks = [text_chunk(f"chara-ext-asset_:{n}", asset) for n in range(9_000)]
    png.write_bytes(picture(text_chunk("ccv3", packed(v3())), *chunks))
    for file, count in ((zipped, 4_900), (png, 9_000)):
        with work_below(3):
            _, assets, lost = carried(read_card(file))
        assert (len(assets), lost) == (count, [])


def test_an_asset_that_is_named_again_and_again_is_read_once(tmp_path: Path):
    item = {"type": "x_a", "uri": "embeded://a/big", "name": "a", "ext": "b"}
    file = tmp_path / "a.charx"
    file.write_bytes(charx(v3(assets=[item] * 5_000), **{"a/big": bytes(range(256)) * 400}))
    with work_below(3):
        _, assets, _ = carried(read_card(file))
    assert list(assets) == ["a/big"]


def test_what_is_too_long_to_be_kept_is_not_even_read(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("offbook.cards.files._KEPT_BYTES", 1_000)
    file = tmp_path / "a.charx"
    file.write_bytes(charx(v3(), a=b"1" * 900, b=b"2" * 900, c=b"3" * 90))
    _, assets, lost = carried(read_card(file))
    assert list(assets) == ["a", "c"]
    assert [finding.code for finding in lost] == ["asset-lost"]
    assert "900 bytes are more than is left" in lost[0].message


def test_the_picture_in_front_of_a_charx_is_not_lost_in_silence(tmp_path: Path):
    file = tmp_path / "a.jpg"
    file.write_bytes(b"\xff\xd8\xff\xe0rest" + charx(v3()))
    _, _, lost = carried(read_card(file))
    assert ["it is jpeg" in finding.message for finding in lost] == [True]


def test_of_many_broken_chunks_few_are_tried():
    broken = b'{"a": ' + b'{"b" ' * 9_000
    with work_below(3), pytest.raises(UnreadableCard):
        read_card(picture(*[text_chunk("chara", broken)] * 300))


def test_a_compressed_text_that_is_cut_off_is_told():
    stream = zlib.compress(packed(v2()))
    for cut in (5, 20):
        read = read_card(picture(chunk(b"zTXt", b"chara\0\0" + stream[:-cut])))
        assert read.card.name == "Mira Vale"
        assert "png-inflate" in codes(read)
    plain = chunk(b"iTXt", b"chara\0\1\0\0\0" + stream[:-20])
    assert "png-inflate" in codes(read_card(picture(plain)))


# -- JSON -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"name":' + '{"b" ' * 12_000,
        '{"a":' + "[" * 90 + '"\\u12' * 12_000,
        "{" + "[{" * 30_000,
        '{"name":"' + 'a"b' * 20_000,
        "{" + "'a':" * 15_000,
        '{"a": /*' * 7_000,
    ],
)
def test_a_text_that_takes_long_to_repair_does_not_take_long(text: str):
    with work_below(2), suppress(UnreadableCard):
        read_card(text.encode())


def test_work_without_end_is_stopped_and_the_profiler_stays():
    def forever() -> None:
        while True:
            len("")

    def seen(frame: object, event: str, argument: object) -> None:
        return

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        with pytest.raises(TimeoutError, match=r"0\.05 seconds"):
            within(0.05, forever)
        assert sys.getprofile() is seen
    finally:
        sys.setprofile(before)
    assert within(60, lambda: sum(range(10))) == 45


def test_keys_that_become_the_same_are_told_apart():
    raw = b'{"name":"a","personality":"","own":{"\\udc00":1,"\\udc01":2,"\\ufffd\\ufffd":3}}'
    own = read_card(raw).card.raw["own"]
    assert sorted(own.values()) == [1, 2, 3]


def test_a_long_text_is_not_mended():
    text = as_json(v1(description="a" * 3_000))[:-1] + b" , }"
    assert "json-comma" in codes(read_card(text))
    with pytest.raises(UnreadableCard, match="not JSON"):
        read_card(text, CardLimits(mend_chars=2_000, repair_chars=0))


# -- memory ---------------------------------------------------------------------------------------

MEMORY = """
    import sys
    from pathlib import Path
    from offbook.cards import exchanges, read_card, read_chatlog, write_card
    from offbook.cards.sources import DEFAULT_LIMITS
    from offbook.errors import UnreadableCard

    def peak():
        lines = open("/proc/self/status").read().splitlines()
        return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))

    # A sign beyond the first plane makes every sign take four bytes.
    sign, folder = "\\U0001f600".encode(), Path(sys.argv[2])
    if sys.argv[1] == "card":
        text = b"a" * (DEFAULT_LIMITS.card_bytes - 200)
        card = folder / "card.json"
        card.write_bytes(b'{"name": "M", "description": "' + sign + text + b'\\n"}')
        del text
        read = read_card(card)
        assert [w.code for w in read.warnings] == ["json-control"], read.warnings
        write_card(read.card, "png")
    else:
        row = b'{"name": "M", "mes": "' + sign + b"a" * (2 << 20) + b'"}\\n'
        count = DEFAULT_LIMITS.chat_bytes // len(row)
        log = folder / "log.jsonl"
        with log.open("wb") as file:
            for _ in range(count):
                file.write(row)
        assert len(exchanges(read_chatlog(log))) == 0
        with log.open("ab") as file:
            file.write(row)
        try:
            read_chatlog(log)
        except UnreadableCard as error:
            assert "chat_bytes" in error.message
        else:
            raise SystemExit("no limit")
    print(peak())
"""


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells a process its peak")
@pytest.mark.parametrize("kind", ["card", "chat"])
def test_the_longest_files_that_are_read_take_less_than_300_megabytes(kind: str, tmp_path: Path):
    command = [sys.executable, "-c", textwrap.dedent(MEMORY), kind, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2_000:]
    assert int(done.stdout) < 300


# -- files by what is in them ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.lorebook", "a", "a.txt", "a.json"])
def test_a_lorebook_is_told_by_what_is_in_it(tmp_path: Path, name: str):
    file = tmp_path / name
    file.write_bytes(as_json({"lorebookVersion": 4, "entries": [{"text": "x", "keys": ["a"]}]}))
    assert open_file(file).source_format == "novelai"
    file.write_bytes(as_json(v2()))
    assert open_file(file).source_format == "json"


def test_world_info_in_a_card_is_read_as_its_lorebook():
    raw = world_info()
    read = read_raw(v2(character_book=raw))
    assert codes(read) == {"book-foreign"}
    assert read.card.book is not None
    first, _ = read.card.book.entries
    assert (first.keys, first.extensions["depth"]) == (("ferry", "/pe(trel|tral)/i"), 2)
    again = read_card(write_card(read.card).data).card.book
    assert again is not None
    assert json.loads(write_lorebook(again, "sillytavern")) == raw
    empty = read_raw(v2(character_book={"entries": {}, "extensions": {}}))
    assert "book-foreign" not in codes(empty)
