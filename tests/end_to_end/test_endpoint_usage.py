"""Whole commands at an endpoint: where it is named, what was used, budgets, estimates."""

from __future__ import annotations

import pytest

from offbook.text.tokens import count_tokens
from tests.end_to_end.world import KEY, World, story
from tests.loopback import LoopbackServer

USAGE = {
    "calls",
    "cached_calls",
    "round_trips",
    "prompt_tokens",
    "completion_tokens",
    "embed_calls",
    "cost_usd",
    "seconds",
    "by_task",
}
REPLY = "I kept the light, and nothing else."


@pytest.fixture
def keeper(world: World, server: LoopbackServer) -> World:
    """A character with a document, indexed for `naive` by the endpoint's embedder."""
    world.done("create", "Keeper")
    world.done("ingest", "Keeper", world.write("light.md", story(8)))
    server.answer = lambda _: REPLY
    server.clear()
    return world


def at(server: LoopbackServer) -> dict[str, str]:
    return {
        "chat.model": "m",
        "chat.base_url": server.base_url,
        "chat.api_key": KEY,
        "embed.model": "e",
    }


def test_a_reply_tells_what_it_used(keeper):
    told = keeper.done("ask", "Keeper", "What did you carry?", "--json").json
    usage = told["usage"]
    assert told["reply"] == REPLY
    assert set(usage) == USAGE
    (sent,) = keeper.server.chat_bodies
    prompt_tokens = sum(count_tokens(message["content"]) for message in sent["messages"])
    completion_tokens = count_tokens(REPLY)
    assert usage["seconds"] > 0
    assert {**usage, "seconds": 0} == {
        "calls": 1,
        "cached_calls": 0,
        "round_trips": 1,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "embed_calls": 1,
        "cost_usd": None,
        "seconds": 0,
        "by_task": {
            "reply": {
                "calls": 1,
                "prompt_tokens": prompt_tokens,
                "completion_tokens": completion_tokens,
            }
        },
    }


def test_retries_count_as_calls(keeper):
    keeper.set("limits.retries=2")
    keeper.server.script("ok", "500", "empty")
    usage = keeper.done("ask", "Keeper", "What did you carry?", "--json").json["usage"]
    assert keeper.server.count("/chat/completions") == 3
    assert (usage["calls"], usage["round_trips"]) == (3, 2)
    assert usage["by_task"]["reply"]["calls"] == 3


def test_a_budget_of_calls_keeps_what_was_done(world, server):
    world.set("naive.splitter=fixed", "fixed.size=120", "fixed.overlap=0", "embed.batch=1")
    world.done("create", "Keeper")
    document = world.write("light.md", story(6))
    outcome = world.run("ingest", "Keeper", document, "--budget-calls", "3", "--json")
    assert (outcome.code, outcome.error["kind"]) == (1, "budget_reached")
    assert "limits.budget_calls" in outcome.error["hint"]
    asked = [text for request in server.requests for text in request.body["input"]]
    assert len(asked) == 3
    rest = world.done("ingest", "Keeper", "--json").json
    texts = [text for request in server.requests for text in request.body["input"]]
    assert len(texts) == len(set(texts)) == rest["documents"][0]["chunks"]
    assert rest["usage"]["embed_calls"] == len(texts) - 3


def test_a_budget_in_money_stops_before_it_is_exceeded(keeper):
    keeper.set("prices.m.prompt=1", "prices.m.completion=1", "prices.e.prompt=1")
    keeper.set("prices.e.completion=0")
    outcome = keeper.run("ask", "Keeper", "Who?", "--budget-usd", "0.0001")
    assert outcome.code == 1
    assert "limits.budget_usd" in outcome.err
    assert keeper.server.count("/chat/completions") == 0
    assert keeper.done("ask", "Keeper", "Who?", "--budget-usd", "1").out == REPLY + "\n"


@pytest.mark.parametrize("splitter", ["acts", "fixed", "semantic"])
@pytest.mark.parametrize("method", ["vanilla", "profile", "naive"])
def test_the_estimate_is_what_the_run_then_does(world, server, method, splitter):
    server.answer = lambda _: REPLY
    server.usage = False  # so that both count alike
    world.set("embed.batch=3", "prices.m.prompt=2", "prices.m.completion=10")
    world.set("prices.e.prompt=0.5", "prices.e.completion=0", f"naive.splitter={splitter}")
    world.set("fixed.size=200", "fixed.overlap=0")
    world.done("create", "Keeper")
    one, two = world.write("one.md", story(9)), world.write("two.md", story(7, first=40))
    double = world.write("double.md", story(9))
    words = ("ingest", "Keeper", "--method", method, "--json")
    for paths in ([one, double], [two], []):
        estimate = world.done(*words, "--estimate", *paths).json
        before = server.count()
        usage = world.done(*words, *paths).json["usage"]
        assert server.count() - before == estimate["calls"] + estimate["embed_calls"]
        assert (estimate["calls"], estimate["embed_calls"]) == (
            usage["calls"],
            usage["embed_calls"],
        )
        assert estimate["prompt_tokens"] == usage["prompt_tokens"]
        assert estimate["completion_tokens"] >= usage["completion_tokens"]
        spared = estimate["completion_tokens"] - usage["completion_tokens"]
        expected = usage["cost_usd"] + spared * 10 / 1_000_000
        tolerance = 0.1 if splitter == "semantic" else 1e-9
        assert estimate["cost_usd"] == pytest.approx(expected, rel=tolerance)
        assert estimate["by_task"].keys() == usage["by_task"].keys()


def test_an_estimate_makes_no_call_and_stores_nothing(world, server):
    world.done("create", "Keeper")
    document = world.write("light.md", story(5))
    for method in ("vanilla", "profile", "naive"):
        told = world.done("ingest", "Keeper", document, "--estimate", "--json", "-m", method).json
        assert {"calls", "prompt_tokens", "completion_tokens", "cost_usd", "by_task"} <= set(told)
        assert told["cost_usd"] is None
    assert server.count() == 0
    assert world.done("show", "Keeper", "documents", "--json").json == []
