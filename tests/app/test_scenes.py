"""Scenes of a book: its people are found or made, and others of the home may join."""

from __future__ import annotations

from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.errors import UnknownName, UsageError
from offbook.retrieval.point import Chapter, chapters_of
from tests.app import casting
from tests.app.homes import opened, text


@pytest.fixture
async def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    casting.use_it(monkeypatch)
    (tmp_path / "rock.md").write_text(casting.BOOK, encoding="utf-8")
    async with await opened(tmp_path) as home:
        yield home


def names(scene: object) -> list[str]:
    return [member.character.name for member in scene.members]  # type: ignore[attr-defined]


async def test_people_that_are_no_characters_yet_are_made_and_others_are_found(
    book: Offbook, tmp_path: Path
):
    scene = await book.scene(tmp_path / "rock.md", "Ada", "Tom Reeve")
    assert names(scene) == ["Ada", "Tom Reeve"]
    again = await book.scene("rock", "Miss Byrne", "Tom Reeve")
    assert names(again) == ["Ada", "Tom Reeve"], "by whatever name the book has for her"
    assert len(await book.characters()) == 2
    assert scene.id != again.id


async def test_a_character_of_another_source_joins_by_its_name(book: Offbook, tmp_path: Path):
    zoe = await book.create("Zoe")
    await book.ingest_texts(zoe.id, [text("zoe.md", "Zoe plants roses.\n")])
    scene = await book.scene(tmp_path / "rock.md", "Ada", "Zoe")
    assert names(scene) == ["Ada", "Zoe"]
    assert names(await book.scene(["zoe", "ada"])) == ["Zoe", "Ada"]
    with pytest.raises(UsageError, match=r"'zoe\.md' has no heading 'Chapter 1'"):
        await book.scene(["zoe", "ada"], at="Chapter 1")


async def test_whom_nobody_knows_is_named_with_the_nearest_and_nobody_is_made(
    book: Offbook, tmp_path: Path
):
    with pytest.raises(UnknownName, match="nobody in 'rock' is called 'Zed'"):
        await book.scene(tmp_path / "rock.md", "Zed", "Ada")
    with pytest.raises(UsageError, match="2 people of 'rock' may be called 'Tom'"):
        await book.scene(tmp_path / "rock.md", "Tom", "Ada")
    assert await book.characters() == []


async def test_a_heading_alone_is_a_point(book: Offbook, tmp_path: Path):
    scene = await book.scene(tmp_path / "rock.md", "Ada", "Tom Reeve", at="Chapter 1")
    assert [member.as_of for member in scene.members] == ["rock.md#Chapter 1"] * 2
    with pytest.raises(UsageError, match="no heading 'Chapter 9'"):
        await book.scene("rock", "Ada", "Tom Reeve", at="Chapter 9")


async def test_chapters_are_the_highest_headings_of_a_story(book: Offbook, tmp_path: Path):
    await book.create_from(tmp_path / "rock.md", "Ada")
    chapters = await book.store.read(chapters_of, "ada")
    assert chapters == [Chapter(f"Chapter {n}", f"rock.md#Chapter {n}") for n in (1, 2, 3)]
    made = await book.create("Zoe")
    words = "# Zoe\n\nZoe is old.\n\n## Voice\n\nSo.\n\n## Family\n\nNone.\n"
    await book.ingest_texts(made.id, [text("zoe.md", words)])
    assert await book.store.read(chapters_of, "zoe") == [], "sections about one person are none"
    parts = "# The Mill\n\n## I\n\nIt rained.\n\n### Noon\n\nSo.\n\n"
    parts += "## II\n\nIt rained.\n\n## II\n\nSun.\n"
    made = await book.create("Yan")
    await book.ingest_texts(made.id, [text("mill.md", parts)])
    twice = [f"mill.md@{parts.index('## II', 50) - 2}", f"mill.md@{len(parts)}"]
    found = await book.store.read(chapters_of, "yan")
    assert [each.title for each in found] == ["I", "II", "II"]
    assert found[0].point == "mill.md#The Mill, I"
    assert [each.point for each in found[1:]] == twice, "what a heading does not tell, a place does"
