"""Texts that are embedded already are not embedded again."""

from __future__ import annotations

import numpy as np

from offbook.models.known_vectors import KnownVectors
from tests.graph.world import Trigrams


class Counting(Trigrams):
    def __init__(self) -> None:
        self.requests: list[list[str]] = []

    async def embed(self, texts, kind):
        self.requests.append(list(texts))
        return await super().embed(texts, kind)


async def test_one_request_for_all_each_text_once():
    inner = Counting()
    known = await KnownVectors.of(inner, ["who", "tom", "who"])
    found = await known.embed(["tom", "who"], "query")
    assert inner.requests == [["who", "tom"]]
    assert np.array_equal(found, await inner.embed(["tom", "who"], "query"))
    assert known.name == inner.name


async def test_what_is_not_known_is_asked_for():
    inner = Counting()
    known = await KnownVectors.of(inner, ["who"])
    await known.embed(["who", "ada"], "query")
    await known.embed(["who"], "document")
    assert inner.requests[1:] == [["who", "ada"], ["who"]]
