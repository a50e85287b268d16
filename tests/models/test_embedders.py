"""Vectors from an endpoint: checked, of unit length, in order, batch by batch."""

from __future__ import annotations

import asyncio
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from offbook.errors import (
    BudgetReached,
    ConfigurationError,
    EmbedderMismatch,
    ModelError,
)
from offbook.models.embedders import KnownVectors, OpenAIEmbedder
from offbook.models.limits import Limiter, Limits
from offbook.models.metering import Meter, Price
from tests.graph.world import Trigrams
from tests.loopback import LoopbackServer
from tests.loopback.answers import vector_of
from tests.waiting import eventually

TEXTS = [f"text {n}" for n in range(10)]
FAST = Limits(backoff_seconds=0.001, backoff_cap_seconds=0.002)


def embedder(server: LoopbackServer, **more: object) -> OpenAIEmbedder:
    settings = {"limiter": Limiter(FAST), "batch": 3, **more}
    return OpenAIEmbedder(server.base_url, "e", "sk-key", **settings)  # type: ignore[arg-type]


def expected(texts: list[str], dimension: int = 8) -> NDArray[np.float64]:
    rows = np.array([vector_of(text, dimension) for text in texts])
    units: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return units


async def test_rows_are_the_texts_unit_vectors_in_order(loopback):
    vectors = await embedder(loopback).embed(TEXTS, "document")
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected(TEXTS), atol=1e-6)
    assert loopback.count("/embeddings") == math.ceil(len(TEXTS) / 3)


async def test_the_order_of_the_response_does_not_matter(loopback):
    loopback.always("shuffled")
    np.testing.assert_allclose(
        await embedder(loopback).embed(TEXTS, "document"), expected(TEXTS), atol=1e-6
    )


async def test_nothing_to_embed_is_no_request(loopback):
    assert (await embedder(loopback, dimension=8).embed([], "document")).shape == (0, 8)
    assert loopback.count() == 0


async def test_blank_texts_get_the_zero_vector(loopback):
    vectors = await embedder(loopback).embed(["a", "  ", "b"], "document")
    assert np.linalg.norm(vectors, axis=1).round(5).tolist() == [1.0, 0.0, 1.0]
    alone = await embedder(loopback).embed([""], "query")
    assert alone.tolist() == [[0.0] * 8]


async def test_a_vector_of_another_length_than_the_stored_ones_is_refused(loopback):
    with pytest.raises(EmbedderMismatch, match=r"8 numbers.*have 384") as caught:
        await embedder(loopback, dimension=384).embed(TEXTS, "document")
    assert "reembed" in caught.value.hint


async def test_a_length_that_changes_between_batches_is_refused(loopback):
    loopback.script("ok", "wrong_dimension")
    slow = embedder(loopback, limiter=Limiter(Limits(concurrency=1)))
    with pytest.raises(EmbedderMismatch, match="9 numbers"):
        await slow.embed(TEXTS, "document")


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("missing_embedding", "gave 2 embeddings for 3 texts"),
        ("nan", "NaN"),
        ("odd_data", "no list of embeddings"),
        ("401", "answered 401"),
        ("404", "answered 404"),
    ],
)
async def test_a_response_that_cannot_be_right_is_told(loopback, fault, told):
    loopback.always(fault)
    with pytest.raises(ModelError, match=told) as caught:
        await embedder(loopback).embed(TEXTS[:3], "document")
    assert "sk-key" not in str(caught.value)


@pytest.mark.parametrize("fault", ["429", "500", "invalid_json", "html", "close"])
async def test_passing_failures_pass(loopback, fault):
    loopback.script("ok", fault)
    assert (await embedder(loopback).embed(TEXTS, "document")).shape == (10, 8)


async def test_after_a_failure_the_other_batches_are_not_asked_for(loopback):
    loopback.script("ok", "401")
    slow = embedder(loopback, batch=1, limiter=Limiter(Limits(concurrency=1)))
    with pytest.raises(ModelError, match="401"):
        await slow.embed(TEXTS, "document")
    assert loopback.count() <= 3


async def test_cancelling_cancels_what_is_left(loopback):
    loopback.hold()
    slow = embedder(loopback, batch=1, limiter=Limiter(Limits(concurrency=1)))
    embedding = asyncio.create_task(slow.embed(TEXTS, "document"))
    await eventually(loopback.count)
    embedding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await embedding
    await eventually(lambda: loopback.in_flight == 0)
    await asyncio.sleep(0.02)
    assert loopback.count() == 1


async def test_requests_are_metered_and_cost_what_their_tokens_cost(loopback):
    meter = Meter({"e": Price(1.0)})
    await embedder(loopback).metered(meter).embed(TEXTS, "document")
    usage = meter.usage()
    assert (usage.embed_calls, usage.calls, usage.prompt_tokens) == (4, 0, 0)
    assert usage.cost_usd == pytest.approx(20e-6)


async def test_the_budget_holds_for_embeddings(loopback):
    meter = Meter(budget_calls=2)
    with pytest.raises(BudgetReached):
        await embedder(loopback).metered(meter).embed(TEXTS, "document")
    assert loopback.count() <= 2
    with pytest.raises(ConfigurationError, match="'e' has no price"):
        embedder(loopback).metered(Meter(budget_usd=1.0))


async def test_rows_of_different_lengths_and_odd_rows_are_told(loopback, monkeypatch):
    from tests.loopback import server

    for make, told in (
        (lambda row: [1.0] * int(100 * abs(row[0])), "lengths"),
        (lambda _: ["one"], "no list"),
        (lambda _: [[1.0, 2.0], [3.0, 4.0]], "no list"),
        (lambda _: None, "no list"),
        (lambda _: "###", "no list"),
    ):
        monkeypatch.setattr(server, "_to_list", make)
        with pytest.raises(ModelError, match=told):
            await embedder(loopback).embed(["a", "bcd"], "document")


async def test_what_is_known_of_the_vectors_can_be_told(loopback):
    metered = embedder(loopback).metered(Meter(), dimension=8)
    assert (metered.name, metered.base_url, metered.dimension) == ("e", loopback.base_url, 8)
    assert "sk-key" not in repr(metered)
    with pytest.raises(ValueError, match="at least one"):
        embedder(loopback, batch=0)


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
