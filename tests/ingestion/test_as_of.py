"""A character at a point in its story: its profile and voice are of the text before."""

from __future__ import annotations

import pytest

from offbook.errors import UsageError
from offbook.ingestion.as_of import HEAD_TOKENS, at_point, heads
from offbook.language.tokens import count_tokens
from offbook.stores import characters
from offbook.types import Position
from tests.ingestion.stage import read, stored

ONE = '# Keeper\n\nShe keeps a light.\n\n## Voice\n\n- "The sea is wide."\n'
TWO = '# Later\n\nShe is a queen.\n\n## Voice\n\n- "Bow to me."\n'


@pytest.fixture
async def keeper(sqlite_store):
    await sqlite_store.write(lambda conn: characters.create(conn, "Keeper"))
    await stored(sqlite_store, read("one.md", ONE), read("two.md", TWO))
    await sqlite_store.write(
        lambda conn: characters.set_profile(
            conn, "keeper", "A queen.", voice=["Bow to me."], documents=["one-md", "two-md"]
        )
    )
    return sqlite_store


async def at(store, as_of: str):
    def read_(conn):
        return at_point(conn, characters.require(conn, "keeper"), as_of)

    return await store.read(read_)


async def test_profile_and_voice_are_those_of_the_text_before(keeper):
    character, point = await at(keeper, "one.md")
    assert character.profile == ONE.strip()
    assert character.voice == ("The sea is wide.",)
    assert character.profile_documents == ("one-md",)
    assert (point.text, point.position) == ("one.md", Position(0, len(ONE)))


async def test_within_a_document_it_ends_at_the_point(keeper):
    character, _ = await at(keeper, f"two.md@{TWO.index('She')}")
    assert "queen" not in character.profile
    assert "Bow to me." not in character.voice
    assert character.profile_documents == ("one-md", "two-md")


async def test_at_the_end_all_is_there(keeper):
    character, _ = await at(keeper, "two.md")
    assert character.voice == ("The sea is wide.", "Bow to me.")
    assert "queen" in character.profile


async def test_at_the_beginning_there_is_nothing(keeper):
    character, _ = await at(keeper, "one.md@0")
    assert (character.profile, character.voice, character.profile_documents) == ("", (), ())


async def test_the_profile_is_a_head_however_long_the_text_is(keeper):
    await stored(keeper, read("three.md", "word " * 5000))
    character, point = await at(keeper, "three.md")
    assert count_tokens(character.profile) <= HEAD_TOKENS
    begun = await keeper.read(lambda conn: heads(conn, "keeper", point.position))
    assert "\n\n".join(head.text.strip() for head in begun) == character.profile


async def test_an_unknown_point_is_refused(keeper):
    with pytest.raises(UsageError, match=r"no point 'four\.md'"):
        await at(keeper, "four.md")
