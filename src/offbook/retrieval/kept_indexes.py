"""Indexes that were loaded stay in memory, until what they were loaded from has changed.

Takes: a store, what tells an index from others of its kind, and how an index is loaded.  Gives: the
index. So many are kept for each store; the one not used for longest goes first.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from offbook.protocols import Store

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class KeptIndexes(Generic[K, V]):
    """The indexes of one kind.

    Args:
        most: How many are kept for each store.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: WeakKeyDictionary[Store, OrderedDict[K, tuple[int, V]]] = WeakKeyDictionary()
        self._turns: WeakKeyDictionary[Store, asyncio.Lock] = WeakKeyDictionary()

    async def get(self, store: Store, key: K, revision: int, load: Callable[[], Awaitable[V]]) -> V:
        """The index of this key, loaded where it is not kept or is of another revision.

        Questions that come side by side have it loaded once.

        Args:
            store: Where it is loaded from.
            key: What tells it from others of its kind.
            revision: Of the character, as the caller saw it.
            load: Loads it.
        """
        kept = self._kept.setdefault(store, OrderedDict())
        if not _has(kept, key, revision):
            async with self._turns.setdefault(store, asyncio.Lock()):
                if not _has(kept, key, revision):
                    kept[key] = revision, await load()
                    kept.move_to_end(key)
        found = kept[key][1]
        kept.move_to_end(key)
        while len(kept) > self.most:
            kept.popitem(last=False)
        return found

    def count(self, store: Store) -> int:
        """How many are kept of a store."""
        return len(self._kept.get(store, ()))

    def clear(self) -> None:
        """Keep none."""
        self._kept.clear()


def _has(kept: Mapping[K, tuple[int, V]], key: K, revision: int) -> bool:
    return key in kept and kept[key][0] == revision
