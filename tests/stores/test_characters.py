from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection

from offbook.errors import UnknownName, UsageError
from offbook.protocols import Store
from offbook.stores import characters
from tests.stores import data


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Edmond Dantès", "edmond-dantès"),
        ("  Ludwig  van_Beethoven!  ", "ludwig-van-beethoven"),
        ("Ｈａｌ 9000", "hal-9000"),
        ("夏目漱石", "夏目漱石"),
        ("हिन्दी नाम", "हिन्दी-नाम"),
        ("İstanbul", "i̇stanbul"),
        ("№ 34", "no-34"),
    ],
)
def test_an_id_keeps_letters_and_digits_of_every_script(name: str, wanted: str):
    assert characters.character_id(name) == wanted


@given(st.text(min_size=1, max_size=60))
def test_an_id_is_its_own_id_and_fits_a_path(name: str):
    try:
        made = characters.character_id(name)
    except UsageError:
        assert not any(letter.isalnum() for letter in name.lower()) or not made_of_letters(name)
        return
    assert characters.character_id(made) == made
    assert "/" not in made
    assert not made.startswith("-")
    assert not made.endswith("-")


def made_of_letters(name: str) -> bool:
    import unicodedata

    return any(c.isalnum() for c in unicodedata.normalize("NFKC", name).lower())


@pytest.mark.parametrize("name", ["", "---", "!?", "x" * 201])
def test_a_name_that_gives_no_id_is_refused(name: str):
    with pytest.raises(UsageError) as raised:
        characters.character_id(name)
    assert raised.value.hint


async def test_equal_names_get_numbered_ids(store: Store):
    made = [await store.write(lambda c: characters.create(c, "Ada")) for _ in range(3)]
    assert [character.id for character in made] == ["ada", "ada-2", "ada-3"]
    other = await store.write(lambda c: characters.create(c, "Ada_%"))
    assert other.id == "ada-4"


async def test_a_character_is_found_by_id_before_name(store: Store):
    await store.write(lambda c: characters.create(c, "Ada"))
    second = await store.write(lambda c: characters.create(c, "ada"))
    assert second.id == "ada-2"
    for name, wanted in {"ada": "ada", "ada-2": "ada-2", "Ada": "ada", "ADA": "ada"}.items():
        assert (await store.read(partial(characters.require, name=name))).id == wanted


async def test_an_unknown_character_names_the_nearest(store: Store):
    await store.write(lambda c: characters.create(c, "Edmond Dantes"))
    with pytest.raises(UnknownName) as raised:
        await store.read(lambda c: characters.require(c, "edmund dante"))
    assert "dantes" in raised.value.hint.lower()
    with pytest.raises(UnknownName) as raised:
        await store.read(lambda c: characters.require(c, "zzz"))
    assert "create" in raised.value.hint
    assert await store.read(lambda c: characters.find(c, "!")) is None


async def test_the_revision_grows_once_a_transaction_and_never_returns(store: Store):
    first = await store.write(lambda c: characters.create(c, "Ada"))

    def twice(conn: Connection) -> None:
        characters.touch(conn, "ada")
        characters.touch(conn, "ada")

    await store.write(twice)
    after = await store.read(lambda c: characters.revision(c, "ada"))
    assert after == first.revision + 1
    await store.write(lambda c: characters.remove(c, "ada"))
    again = await store.write(lambda c: characters.create(c, "Ada"))
    assert again.revision > after


async def test_two_characters_in_one_transaction_grow_both(store: Store):
    before = [await store.write(partial(characters.create, name=name)) for name in "AB"]

    def both(conn: Connection) -> None:
        characters.touch(conn, "a")
        characters.touch(conn, "b")
        characters.touch(conn, "a")

    await store.write(both)
    for character in before:
        now = await store.read(partial(characters.revision, character=character.id))
        assert now == character.revision + 1


async def test_touching_a_character_that_is_gone_says_so(store: Store):
    with pytest.raises(UnknownName, match="ada"):
        await store.write(lambda c: characters.touch(c, "ada"))
    with pytest.raises(UnknownName, match="ada"):
        await store.read(lambda c: characters.revision(c, "ada"))


async def test_profile_voice_and_settings_are_kept(store: Store):
    await store.write(lambda c: characters.create(c, "Ada", settings={"a": [1, None, "ü"]}))
    await store.write(
        lambda c: characters.set_profile(c, "ada", "P", voice=["Oh!"], documents=["b", "a"])
    )
    found = await store.read(lambda c: characters.require(c, "ada"))
    assert found.settings == {"a": [1, None, "ü"]}
    assert (found.profile, found.voice, found.profile_documents) == ("P", ("Oh!",), ("a", "b"))


async def test_deleting_a_character_leaves_no_row_of_it(store: Store):
    from sqlalchemy import func, select

    from offbook.stores.schema import metadata

    character = await store.write(data.build_character)
    await store.write(lambda c: data.talk(c, character))
    assert await store.write(lambda c: characters.remove(c, character))
    assert not await store.write(lambda c: characters.remove(c, character))

    def rows(conn: Connection) -> dict[str, int]:
        counts = {
            table.name: conn.execute(select(func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }
        return {name: number for name, number in counts.items() if number}

    assert await store.read(rows) == {"principals": 1}
