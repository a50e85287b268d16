"""Pictures of characters: their card's, or a monogram; nothing of a card but pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.foreign_files import SentFile
from offbook.ui.portrait import media_of, monogram
from tests.app.keeper import as_file, keeper
from tests.cards.generator import packed, picture, text_chunk
from tests.server.inside import bearer, opened
from tests.ui.test_mounting import client_of


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Ada Byrne", "AB"),
        ("Ada of the Rock Byrne", "AB"),
        ("Ada", "A"),
        ("<script>alert(1)</script>", "?"),
        ("& <b>", "?"),
        ("李小龙", "李"),
        ("ß x", "SSX"),
    ],
)
def test_a_monogram_is_svg_with_the_initials_and_nothing_else_of_the_name(name, letters):
    drawn = ET.fromstring(monogram(name))
    assert "".join(drawn.itertext()) == letters
    assert {each.tag.rpartition("}")[2] for each in drawn.iter()} == {
        "svg",
        "rect",
        "circle",
        "text",
    }


def test_the_same_name_has_the_same_colours_and_others_have_others():
    assert monogram("Ada Byrne") == monogram("Ada Byrne")
    fills = {monogram(f"A{n} B")[: monogram(f"A{n} B").index("<text")] for n in range(20)}
    assert len(fills) > 15


async def test_a_card_that_came_in_a_picture_shows_it_and_others_a_monogram(tmp_path: Path):
    sent = picture(text_chunk("chara", packed(keeper())))
    async with opened(tmp_path) as book:
        await book.create("Ada Byrne")
        await book.cards.create(SentFile("tamsin.png", sent))
        with_text = SentFile("other.json", as_file(keeper()).encode())
        await book.cards.create(with_text, "Other Reeve")
        async with client_of(book) as client:
            shown = await client.get("/c/tamsin-reeve/portrait")
            drawn = await client.get("/c/ada-byrne/portrait")
            other = await client.get("/c/other-reeve/portrait")
            none = await client.get("/c/nobody/portrait")
    assert shown.headers["content-type"] == "image/png"
    assert media_of(shown.content) == "image/png"
    assert b"chara" not in shown.content
    assert drawn.headers["content-type"] == other.headers["content-type"] == "image/svg+xml"
    assert ">AB<" in drawn.text
    for answer in (shown, drawn):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert none.status_code == 404


def test_what_only_says_that_it_is_a_picture_is_none():
    for data in (b"<svg onload=alert(1)>", b"<html>", b"", b"BM..."):
        assert media_of(data) is None


async def test_a_key_sees_pictures_of_its_characters_alone(book: Offbook):
    await book.create("Tom Byrne")
    key = await bearer(book, right="chat", characters=["ada-byrne"])
    async with client_of(book, **key) as client:
        assert (await client.get("/c/ada-byrne/portrait")).status_code == 200
        assert (await client.get("/c/tom-byrne/portrait")).status_code == 404
