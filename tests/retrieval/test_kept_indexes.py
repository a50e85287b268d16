"""Indexes in memory: loaded once, anew where something changed, and not too many of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from offbook.retrieval.search import IndexCache


class _Home:
    """Stands for a store."""


def a_store() -> Any:
    return _Home()


class Loading:
    """Loads numbers, and notes what was asked of it."""

    def __init__(self, most: int = 2) -> None:
        self.kept: IndexCache[str, str] = IndexCache(most)
        self.loaded: list[str] = []

    async def get(self, home: Any, key: str, revision: int = 1, *, fails: bool = False) -> str:
        async def load() -> str:
            await asyncio.sleep(0)
            self.loaded.append(key)
            if fails:
                raise ValueError(key)
            return f"{key}{revision}"

        return await self.kept.get(home, key, revision, load)


async def test_who_asks_side_by_side_has_it_loaded_once():
    home, loading = a_store(), Loading()
    found = await asyncio.gather(*(loading.get(home, "a") for _ in range(8)))
    assert (found, loading.loaded) == (["a1"] * 8, ["a"])


async def test_what_has_changed_is_loaded_anew():
    home, loading = a_store(), Loading()
    assert [await loading.get(home, "a", revision) for revision in (1, 1, 2)] == ["a1", "a1", "a2"]
    assert loading.loaded == ["a", "a"]


async def test_what_was_not_used_for_longest_goes_first():
    home, loading = a_store(), Loading(most=2)
    for key in ("a", "b", "a", "c", "a", "b"):
        await loading.get(home, key)
    assert loading.loaded == ["a", "b", "c", "b"]
    assert loading.kept.count(home) == 2


async def test_stores_have_nothing_in_common():
    one, other, loading = a_store(), a_store(), Loading()
    await loading.get(one, "a")
    await loading.get(other, "a")
    assert loading.loaded == ["a", "a"]
    loading.kept.clear()
    assert (loading.kept.count(one), loading.kept.count(other)) == (0, 0)


async def test_what_cannot_be_loaded_is_tried_again():
    home, loading = a_store(), Loading()
    with pytest.raises(ValueError, match="a"):
        await loading.get(home, "a", fails=True)
    assert await loading.get(home, "a") == "a1"
