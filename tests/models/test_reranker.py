"""A reranker at an endpoint: both dialects, bad answers, what it costs, and where it is used."""

from __future__ import annotations

import pytest

from offbook import Offbook
from offbook.errors import BudgetReached, ConfigurationError, ModelError
from offbook.models.failures import Place
from offbook.models.limits import Limiter, Limits
from offbook.models.metering import Meter
from offbook.models.reranker import EndpointReranker
from tests.loopback import LoopbackServer

TEXTS = ["the boats rose", "a letter", "who keeps the boats", "a letter"]


def reranker(server: LoopbackServer) -> EndpointReranker:
    place = Place(server.base_url, "r", "rerank", "sk-key")
    return EndpointReranker(place, limiter=Limiter(Limits(backoff_seconds=0.001)))


async def test_best_first_and_equal_ones_as_they_came(loopback):
    assert await reranker(loopback).rank("who keeps the boats", TEXTS) == [2, 0, 1, 3]
    assert loopback.requests[0].body["documents"] == TEXTS


async def test_one_that_calls_documents_texts_is_learned_once(loopback):
    loopback.refuses = {"documents"}
    ranks = reranker(loopback)
    for _ in range(2):
        assert await ranks.rank("who keeps the boats", TEXTS) == [2, 0, 1, 3]
    assert loopback.count("/rerank") == 3


async def test_what_one_command_learns_all_know_and_a_refused_text_teaches_nothing(loopback):
    ranks = reranker(loopback)
    loopback.script("400", "400")
    with pytest.raises(ModelError):
        await ranks.metered(Meter()).rank("who keeps the boats", TEXTS)
    assert await ranks.metered(Meter()).rank("who keeps the boats", TEXTS) == [2, 0, 1, 3]
    assert loopback.count("/rerank") == 3
    loopback.refuses = {"documents"}
    for _ in range(2):
        await ranks.metered(Meter()).rank("who keeps the boats", TEXTS)
    assert loopback.count("/rerank") == 6


async def test_fewer_than_two_texts_are_no_request(loopback):
    assert await reranker(loopback).rank("who?", ["a letter"]) == [0]
    assert await reranker(loopback).rank("who?", []) == []
    assert loopback.count() == 0


async def test_a_text_without_a_score_is_an_error_that_says_what_to_do(loopback):
    loopback.always("missing_embedding")
    with pytest.raises(ModelError, match="scored 3 of 4 texts") as error:
        await reranker(loopback).rank("who?", TEXTS)
    assert "rerank.model" in error.value.hint


async def test_requests_are_counted_and_the_budget_holds(loopback):
    meter = Meter(budget_calls=1)
    ranks = reranker(loopback).metered(meter)
    await ranks.rank("who keeps the boats", TEXTS)
    usage = meter.usage()
    assert (usage.calls, usage.by_task["rerank"].calls) == (1, 1)
    assert usage.prompt_tokens > 0
    with pytest.raises(BudgetReached):
        await ranks.rank("who keeps the boats", TEXTS)
    assert loopback.count() == 1


async def test_what_a_search_found_is_put_in_its_order(loopback, tmp_path):
    text = "# Ada\n\nAda trims the lamp.\n\n## Boats\n\nShe does not like boats at all.\n"
    flags = {"home": tmp_path, "method": "naive", "naive__k": 1}
    (tmp_path / "ada.md").write_text(text)
    async with await Offbook.open(**flags) as book:
        ada = (await book.create("Ada")).id
        await book.ingest(ada, [tmp_path / "ada.md"])
        before = await book.recall(ada, "does she like the lamp")
    flags |= {"rerank__model": "r", "rerank__base_url": loopback.base_url}
    async with await Offbook.open(**flags) as book:
        after = await book.recall(ada, "does she like the lamp")
        loopback.always("missing_embedding")
        unordered = await book.recall(ada, "does she like the lamp")
    assert [item.text for item in before.context] != [item.text for item in after.context]
    assert after.context[0].text.startswith("She does not like boats")
    assert after.usage.calls == 1
    assert unordered.context == before.context
    assert [each.why.partition(":")[0] for each in unordered.skipped] == [
        "not reordered, they stay as found"
    ]


async def test_a_reranker_needs_an_endpoint(tmp_path):
    async with await Offbook.open(home=tmp_path, rerank__model="offline") as book:
        await book.create("Ada")
        with pytest.raises(ConfigurationError, match="no model at an endpoint"):
            await book.recall("ada", "who?")
