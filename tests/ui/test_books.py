"""A book on pages: who is in it, where a character of it is from, who may change it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from offbook import registry
from offbook.app import Offbook
from offbook.app.casts import CastRow
from offbook.documents.readers import ReadDocument
from offbook.names.cast import Cast, CastMember, CastMention
from offbook.server.dependencies import Caller
from offbook.server.failures import RequestRefused
from offbook.stores import queue
from offbook.ui.books import bars, shared_start, when
from tests.server.inside import bearer, opened
from tests.ui.test_mounting import client_of
from tests.ui.test_pages import NOTHING
from tests.ui.test_reading import PAID

NELL, OSRIC = "Nell Carver", "Osric Thane"
BOOK = "".join(
    f"# Chapter {number}\n\n{who} came to the quay, and {who} did not speak.\n\n"
    for number, who in enumerate((NELL, NELL, OSRIC, NELL), 1)
)
BOOK += f"{NELL} slept.\n"
TEXT = ReadDocument("quay.txt", BOOK, "text/plain")


def read_cast(texts: list[str], *_: object) -> Cast:
    """Who is in the book above, whatever the rules make of so short a text."""
    mentions = [
        CastMention(0, at, at + len(name), member)
        for member, name in enumerate((NELL, OSRIC))
        for at in range(len(texts[0]))
        if texts[0].startswith(name, at)
    ]
    members = (CastMember(NELL, (NELL, "Nell")), CastMember(OSRIC, (OSRIC,)))
    return Cast(members, tuple(mentions))


@pytest.fixture(autouse=True)
def _cast(monkeypatch: pytest.MonkeyPatch) -> None:
    load = registry.load

    def loaded(kind: str, name: str) -> object:
        return read_cast if kind == "cast" else load(kind, name)

    monkeypatch.setattr(registry, "load", loaded)


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """An open home with two people of one book."""
    async with opened(tmp_path) as made:
        for name in (NELL, OSRIC):
            await made.create_from([TEXT], name)
        yield made


def row(first: str, last: str, most: str, appears: tuple[int, ...]) -> CastRow:
    return CastRow("A", (), "", sum(appears), 0, 0, first, last, most, (), appears)


@pytest.mark.parametrize(
    ("places", "start", "told"),
    [
        (("Chapter 1", "Chapter 4", "Chapter 2"), 0, "Chapter 1 to Chapter 4, most in Chapter 2"),
        (("Quay, I, 1", "Quay, I, 4", "Quay, I, 2"), 9, "1 to 4, most in 2"),
        (("quay.txt#One", "quay.txt#One", "quay.txt#One"), 9, "in One"),
        (("@12", "@40", "@20"), 0, "0% to 75%, most at 38%"),
        (("a.txt@12", "b.txt@40", "a.txt@20"), 0, "a.txt 0% to b.txt 75%, most at a.txt 38%"),
    ],
)
def test_when_somebody_appears_is_told_in_words(
    places: tuple[str, str, str], start: int, told: str
):
    assert shared_start(places) == start
    assert when(row(*places, (1, 3, 2, 0)), start) == told


def test_bars_stand_where_somebody_is_named_and_grow_with_how_often():
    drawn = bars((0, 4, 1), most=4)
    assert drawn == "M10 20v-20.0h8v20.0zM20 20v-10.0h8v10.0z"
    assert bars((1,), most=10_000) == "M0 20v-2.5h8v2.5z"


async def test_the_cast_of_a_book_stands_on_the_page_of_each_of_its_characters(book: Offbook):
    async with client_of(book) as client:
        shown = (await client.get("/c/nell-carver/cast")).text
    for told in (
        "quay.txt",
        "2 people",
        "7 mentions",
        "also Nell",
        "Chapter 1 to Chapter 4, most in Chapter 4",
    ):
        assert told in shown
    assert "Talk to Osric Thane" in shown
    assert "/c/osric-thane" in shown


async def test_of_many_people_the_first_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    names = [f"Mr {chr(65 + n)}{chr(97 + n)}th" for n in range(25)]
    many = Cast(
        tuple(CastMember(name, (name,)) for name in names),
        tuple(CastMention(0, 1, 2, n) for n in range(25) for _ in range(25 - n)),
    )
    async with opened(tmp_path) as book:
        monkeypatch.setattr(f"{__name__}.read_cast", lambda *_: many)
        await book.create("Tom")
        await book.ingest_texts("tom", [TEXT])
        async with client_of(book) as client:
            shown = (await client.get("/c/tom/cast")).text
    assert "25 people" in shown
    assert "Show all 25" in shown
    assert "Search people" in shown
    assert [name for name in names if f"Talk to {name}" in shown] == names[:20]


async def test_a_key_is_led_to_its_own_characters_of_a_book_and_makes_none(tmp_path: Path):
    async with opened(tmp_path) as book:
        await book.create_from([TEXT], NELL)
        key = await bearer(book, right="admin", characters=("nell-carver",))
        async with client_of(book, **key) as client:
            shown = (await client.get("/c/nell-carver/cast")).text
        async with client_of(book, **await bearer(book, right="admin")) as client:
            offered = (await client.get("/c/nell-carver/cast")).text
        await book.create_from([TEXT], OSRIC)
        async with client_of(book, **key) as client:
            later = (await client.get("/c/nell-carver/cast")).text
    assert "Osric Thane" in shown
    assert "Talk to Nell Carver" in shown
    assert "Talk to Osric Thane" not in shown
    assert "Talk to Osric Thane" in offered
    assert "/c/osric-thane" not in later


async def test_a_character_of_a_book_says_where_it_is_from(book: Offbook):
    await book.create("Tom")
    async with client_of(book) as client:
        shown = (await client.get("/c/nell-carver")).text
        other = (await client.get("/c/tom")).text
    assert "From quay.txt" in shown
    assert "Add names, relations and a profile" not in shown  # no model is configured
    assert "From " not in other


async def test_what_a_model_would_add_is_offered_until_it_is_under_way(tmp_path: Path):
    paid = {name: value for name, value in PAID.items() if name != "method"}
    words = "Add names, relations and a profile"
    async with opened(tmp_path, **paid) as book:
        await book.create_from([TEXT], NELL)
        async with client_of(book) as client:
            assert words in (await client.get("/c/nell-carver")).text
        key = await bearer(book, right="chat")
        async with client_of(book, **key) as client:
            assert words not in (await client.get("/c/nell-carver")).text
        writer = await bearer(book, right="write")
        async with client_of(book, **writer) as client:
            assert words in (await client.get("/c/nell-carver")).text
            await book.store.write(queue.add, "i1", "ingestion", NOTHING, character="nell-carver")
            shown = (await client.get("/c/nell-carver")).text
    assert words not in shown
    assert "A model reads the book" in shown


async def test_who_does_not_open_all_characters_of_a_book_changes_nothing_of_it(
    book: Offbook, visitor
):
    one = visitor(book, Caller("k", "write", ("nell-carver",)))
    both = visitor(book, Caller("k", "write", ("nell-carver", "osric-thane")))
    nell = await book.find("nell-carver")
    assert (await one.may_change(nell), await both.may_change(nell)) == (False, True)
    with pytest.raises(RequestRefused, match="shared with others"):
        await one.admit("write", changing=nell)
    await both.admit("write", changing=nell)
    key = await bearer(book, right="write", characters=("nell-carver",))
    async with client_of(book, **key) as client:
        shown = (await client.get("/c/nell-carver/documents")).text
    assert "quay.txt" in shown
    for control in ("Choose files", "Delete quay.txt"):
        assert control not in shown
