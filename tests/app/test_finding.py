"""Which character a person means."""

from __future__ import annotations

import unicodedata
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.app.home import find_character, fold
from offbook.errors import UnknownName
from offbook.protocols import Store
from offbook.stores import characters


async def with_names(store: Store, *names: str) -> None:
    for name in names:
        await store.write(partial(characters.create, name=name))


async def found(store: Store, typed: str, *, only: bool = False) -> str:
    return (await store.read(lambda conn: find_character(conn, typed, only=only))).id


async def test_an_id_goes_before_a_name_and_a_name_before_what_is_like_it(sqlite_store: Store):
    await with_names(sqlite_store, "Zoë", "Zoe")
    assert await found(sqlite_store, "zoe") == "zoe"
    assert await found(sqlite_store, "Zoë") == "zoë"
    assert await found(sqlite_store, "ZOË") == "zoë"


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Edmond Dantès", "edmond dantes"),
        ("François-Noël O'Neill", "francois noel oneill"),
        ("Straße", "STRASSE"),
        ("ﾊﾙｷ", "ハルキ"),
        ("İstanbul Kedisi", "istanbul kedisi"),
    ],
)
async def test_accents_case_and_what_stands_between_may_be_left_out(
    sqlite_store: Store, name: str, typed: str
):
    await with_names(sqlite_store, name)
    assert await found(sqlite_store, typed) == characters.character_id(name)


async def test_several_that_are_alike_need_an_id(sqlite_store: Store):
    await with_names(sqlite_store, "Zoë", "Zoé")
    with pytest.raises(UnknownName, match="several characters answer to 'zoe'") as error:
        await found(sqlite_store, "zoe")
    assert "'zoé'" in error.value.hint


async def test_of_several_with_one_name_the_first_is_meant_unless_it_has_to_be_the_only(
    sqlite_store: Store,
):
    await with_names(sqlite_store, "Ada", "Ada")
    assert await found(sqlite_store, "Ada") == "ada"
    with pytest.raises(UnknownName, match="several"):
        await found(sqlite_store, "Ada", only=True)
    assert await found(sqlite_store, "ada-2", only=True) == "ada-2"
    assert await found(sqlite_store, "ada", only=True) == "ada"


@given(st.text())
def test_folding_twice_changes_nothing_and_ignores_composition(name: str):
    assert fold(unicodedata.normalize("NFD", name)) == fold(unicodedata.normalize("NFC", name))
    assert not any(unicodedata.combining(letter) for letter in fold(name))
