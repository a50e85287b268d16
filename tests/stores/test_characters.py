from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import UsageError
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


async def test_equal_names_get_numbered_ids(store: Store):
    made = [await store.write(characters.create, "Ada") for _ in range(3)]
    assert [character.id for character in made] == ["ada", "ada-2", "ada-3"]
    other = await store.write(characters.create, "Ada_%")
    assert other.id == "ada-4"


async def test_a_character_is_found_by_id_before_name(store: Store):
    await store.write(characters.create, "Ada")
    second = await store.write(characters.create, "ada")
    assert second.id == "ada-2"
    for name, wanted in {"ada": "ada", "ada-2": "ada-2", "Ada": "ada", "ADA": "ada"}.items():
        assert (await store.read(characters.require, name=name)).id == wanted


async def test_the_revision_grows_and_never_returns(store: Store):
    first = await store.write(characters.create, "Ada")
    other = await store.write(characters.create, "Bea")
    await store.write(characters.touch, "ada")
    after = await store.read(characters.require, "ada")
    assert after.revision > first.revision
    assert await store.read(characters.require, "bea") == other
    await store.write(characters.remove, "ada")
    again = await store.write(characters.create, "Ada")
    assert again.revision > after.revision


async def test_profile_voice_and_settings_are_kept(store: Store):
    await store.write(characters.create, "Ada", settings={"a": [1, None, "ü"]})
    await store.write(characters.set_profile, "ada", "P", voice=["Oh!"], documents=["b", "a"])
    found = await store.read(characters.require, "ada")
    assert found.settings == {"a": [1, None, "ü"]}
    assert (found.profile, found.voice, found.profile_documents) == ("P", ("Oh!",), ("a", "b"))


async def test_deleting_a_character_leaves_no_row_of_it(store: Store):
    character = await store.write(data.build_character)
    await store.write(data.talk, character)
    assert await store.write(characters.remove, character)
    assert not await store.write(characters.remove, character)
    assert await store.read(data.count_rows) == {"principals": 1}
