"""A point in the story, from what a person types."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import UsageError
from offbook.names.story import Reach, Stretch
from offbook.retrieval.point import documents_until, known_parts, order_of, parse_point
from offbook.stores import characters, chunks, documents
from offbook.types import Chunk, Document, Position
from tests.ingestion.runtime import read as reading
from tests.ingestion.runtime import stored

BOOK = (
    "# The Light\n\nIntro.\n\n## Part One\n\n### Arrival\n\nShe came.\n\n### Storm, night\n\n"
    "It blew.\n\n## Part Two\n\n### Arrival\n\nHe came.\n"
)


@pytest.fixture
async def story(sqlite_store):
    """A character with two documents; the first of three was deleted."""
    await sqlite_store.write(characters.create, "Keeper")
    await stored(
        sqlite_store,
        reading("gone.md", "Gone."),
        reading("book.md", BOOK),
        reading("a#b@c.md", "# One\n\nOdd name."),
    )
    gone = await sqlite_store.read(documents.require, "keeper", "gone.md")
    await sqlite_store.write(documents.remove, "keeper", gone.id)
    return sqlite_store


async def point(store, text: str) -> Position:
    found: Position = await store.read(parse_point, "keeper", text)
    return found


async def refusal(store, text: str) -> UsageError:
    with pytest.raises(UsageError) as error:
        await point(store, text)
    return error.value


@pytest.mark.parametrize("name", ["book.md", "book-md", "BOOK.md", " book.md "])
async def test_a_document_is_its_end(story, name):
    assert await point(story, name) == Position(0, len(BOOK))


async def test_documents_are_counted_without_gaps(story):
    assert await story.read(order_of, "keeper") == {"book-md": 0, "a-b-c-md": 1}
    assert (await point(story, "a#b@c.md")).document_ordinal == 1


@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("Storm, night", "It blew."),
        ("storm, NIGHT", "It blew."),
        ("The Light, Part One, Storm, night", "It blew."),
        ("The Light / Part One / Storm, night", "It blew."),
        ("Part One > Arrival", "She came."),
        ("Part One", "It blew."),
        ("Part Two, Arrival", "He came.\n"),
        ("The Light", "He came.\n"),
        ("Part Two", "He came.\n"),
    ],
)
async def test_a_heading_is_the_end_of_its_section(story, path, last):
    found = await point(story, f"book.md#{path}")
    assert BOOK[: found.offset].endswith(last)


async def test_an_offset_is_itself(story):
    assert await point(story, "book.md@17") == Position(0, 17)
    assert await point(story, "book@17") == Position(0, 17)
    assert await point(story, "a#b@c.md@3") == Position(1, 3)
    assert (await point(story, "a#b@c.md#One")).document_ordinal == 1


async def test_a_chunk_is_its_end(story):
    found = await story.read(chunks.list_chunks, "keeper", document="book-md")
    assert await point(story, found[1].id) == Position(0, found[1].end)


async def test_an_ambiguous_heading_names_the_places(story):
    error = await refusal(story, "book.md#Arrival")
    assert "2 sections 'Arrival'" in error.message
    for place in error.hint.removeprefix("give the place: ").split("; "):
        offset, _, heading = place.partition(" (")
        assert heading in ("The Light, Part One, Arrival)", "The Light, Part Two, Arrival)")
        assert "came." in BOOK[: (await point(story, offset)).offset][-10:]


NUMBERED = (
    "# Part Two: Night\n\n## Chapter 1: Moon\n\nShe rose.\n\n## Chapter 2: Sun, rain\n\nIt set.\n\n"
    "# Part Three\n\n## Chapter 3: Moon\n\nHe left.\n"
)


@pytest.mark.parametrize(
    ("wanted", "last"),
    [("1", "She rose."), ("III", None), ("2", None), ("Sun, rain", "It set."), ("Night", "It set."),
     ("moon", None), ("3", None), ("chapter 3", "He left.\n")],
)  # fmt: skip
async def test_a_number_or_a_title_alone_is_enough_where_one_has_it(story, wanted, last):
    await stored(story, reading("two.md", NUMBERED))
    if last is None:
        assert "2 sections" in (error := await refusal(story, f"two#{wanted}")).message
        assert "two.md@" in error.hint
        assert ("Chapter 3: Moon)" in error.hint) is (wanted != "2")
    else:
        assert NUMBERED[: (await point(story, f"two#{wanted}")).offset].endswith(last)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("bok.md", "did you mean 'book.md'?"),
        ("zzz", "documents: 'book.md'"),
        ("", "documents: 'book.md'"),
        ("book.md#Strom, night", "did you mean"),
        ("book.md#", "its headings"),
        ("book.md#zzzzz", "its headings: The Light"),
        ("book.md@x", "book.md@N"),
        ("book.md@-1", "book.md@N"),
        ("book.md@99999", "behind"),
        ("book.md@", "book.md@N"),
    ],
)
async def test_an_unknown_point_is_refused_with_the_nearest(story, text, told):
    error = await refusal(story, text)
    assert told in error.hint + error.message
    assert error.exit_code == 2


def chunk(start: int, end: int, document: str = "d") -> Chunk:
    return Chunk("c", document, "graph", 0, start, end, (), "x" * (end - start))


@given(st.integers(0, 20), st.integers(1, 20), st.integers(0, 2), st.integers(0, 40))
def test_a_chunk_shows_nothing_from_behind_the_point(start, length, ordinal, offset):
    whole = chunk(start, start + length)
    parts = known_parts(whole, {"d": 1}, Reach(Position(ordinal, offset)))
    if ordinal == 0 or (ordinal == 1 and offset <= start):
        assert parts == []
    else:
        (kept,) = parts
        last = whole.end if ordinal == 2 else min(whole.end, offset)
        assert (kept.end, len(kept.text)) == (last, last - start)


def test_a_chunk_of_an_unknown_document_is_behind_every_point():
    assert known_parts(chunk(0, 5), {}, Reach(Position(9, 9))) == []


def test_the_beginning_of_a_chunk_keeps_the_law_of_its_offsets():
    text = "One.  \n Two."
    whole = Chunk("c", "d", "graph", 0, 0, len(text), (), text)
    (kept,) = known_parts(whole, {"d": 0}, Reach(Position(0, 7)))
    assert kept.text == text[kept.start : kept.end] == "One."
    assert known_parts(replace_text(whole, "   "), {"d": 0}, Reach(Position(0, 2))) == []


def test_of_a_chunk_over_several_scenes_the_witnessed_ones_are_known_up_to_the_point():
    text = "They met. She slept. He came. He left."
    whole = Chunk("c", "d", "graph", 0, 10, 10 + len(text), (), text)
    met = Stretch("d", 0, 10 + text.index("She"), 0)
    came = Stretch("d", 10 + text.index("He came"), 10 + text.index("He left"), 2)
    left = Stretch("d", 10 + text.index("He left"), 90, 3)

    def known(*stretches: Stretch, until: Position | None = None) -> list[str]:
        parts = known_parts(whole, {"d": 0}, Reach(until, stretches))
        assert all(p.text == text[p.start - 10 : p.end - 10] for p in parts)
        return [part.text for part in parts]

    assert known(met, came) == ["They met.", "He came."]
    assert known(met, came, left) == ["They met.", "He came. He left."]
    assert known(met, came, left, until=Position(0, came.start + 2)) == ["They met.", "He"]
    assert known(Stretch("other", 0, 90)) == []
    assert known(Stretch("d", 0, 90)) == [text]


def replace_text(chunk_: Chunk, text: str) -> Chunk:
    from dataclasses import replace

    return replace(chunk_, text=text, end=len(text))


def test_documents_up_to_a_point_are_cut_there():
    found = [Document(name, name, "0123456789", "", ordinal=n) for n, name in enumerate("abc")]
    at = documents_until(found, Position(1, 4))
    assert [(d.id, d.text) for d in at] == [("a", "0123456789"), ("b", "0123")]
    assert [d.id for d in documents_until(found, Position(1, 0))] == ["a"]
    assert documents_until(found, Position(0, 0)) == []
    assert documents_until(found, Position(9, 9)) == found
