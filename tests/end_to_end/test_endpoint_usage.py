"""Whole commands at an endpoint: where it is named, what was used, budgets, estimates."""

from __future__ import annotations

import json
import re

import pytest

from offbook.language.tokens import count_tokens
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
def keeper(world: World) -> World:
    """A character with a document, indexed for `naive` by the endpoint's embedder."""
    world.done("create", "Keeper")
    world.done("ingest", "Keeper", world.write("light.md", story(8)))
    assert world.server is not None
    world.server.answer = lambda _: REPLY
    world.server.clear()
    return world


def at(server: LoopbackServer) -> dict[str, str]:
    return {
        "chat.model": "m",
        "chat.base_url": server.base_url,
        "chat.api_key": KEY,
        "embed.model": "e",
    }


def by_flag(world: World, told: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    world.set(*(f"{name}={value}" for name, value in told.items()))


def by_environment(world: World, told: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in told.items():
        monkeypatch.setenv("OFFBOOK_" + name.upper().replace(".", "_"), value)


def by_users_file(world: World, told: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f'{name} = "{value}"' for name, value in told.items()]
    (world.folder / "config.toml").write_text("\n".join(lines))


def by_project_file(world: World, told: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f'{name} = "{value}"' for name, value in told.items()]
    (world.folder / "offbook.toml").write_text("\n".join(lines))


@pytest.mark.parametrize("tell", [by_flag, by_environment, by_users_file, by_project_file])
def test_the_endpoint_is_used_wherever_it_was_named(offline, server, monkeypatch, tell):
    tell(offline, at(server), monkeypatch)
    server.answer = lambda _: REPLY
    offline.done("create", "Keeper")
    document = offline.write("light.md", story(3))
    offline.done("ingest", "Keeper", document)
    assert offline.done("ask", "Keeper", "What did you carry?").out == REPLY + "\n"
    assert [request.body["model"] for request in server.requests] == ["e", "e", "m"]
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}


def test_flags_of_the_command_name_the_chat_model(offline, server):
    server.answer = lambda _: REPLY
    offline.done("create", "Keeper")
    offline.done("ingest", "Keeper", offline.write("light.md", story(3)))
    words = ("ask", "Keeper", "Who?", "--model", "m2", "--base-url", server.base_url)
    assert offline.done(*words).out == REPLY + "\n"
    assert [request.body["model"] for request in server.requests] == ["m2"]
    assert "authorization" not in server.requests[0].headers


def test_nothing_is_asked_until_a_model_is_named(offline, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    offline.done("create", "Keeper")
    offline.done("ingest", "Keeper", offline.write("light.md", story(3)))
    offline.done("ask", "Keeper", "What did you carry?")
    assert server.count() == 0
    monkeypatch.setenv("OFFBOOK_CHAT_MODEL", "m")
    offline.done("ask", "Keeper", "What did you carry?")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


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


def test_a_recall_uses_the_embedder_only(keeper):
    usage = keeper.done("recall", "Keeper", "What did you carry?", "--json").json["usage"]
    assert (usage["calls"], usage["embed_calls"], usage["by_task"]) == (0, 1, {})
    assert keeper.server.count("/chat/completions") == 0


def test_retries_count_as_calls(keeper):
    keeper.set("limits.retries=2")
    keeper.server.script("ok", "500", "empty")
    usage = keeper.done("ask", "Keeper", "What did you carry?", "--json").json["usage"]
    assert keeper.server.count("/chat/completions") == 3
    assert (usage["calls"], usage["round_trips"]) == (3, 2)
    assert usage["by_task"]["reply"]["calls"] == 3


def test_a_profile_is_paid_for_once(keeper):
    first = keeper.done("ingest", "Keeper", "--method", "profile", "--json").json["usage"]
    again = keeper.done("ingest", "Keeper", "--method", "profile", "--json").json["usage"]
    assert (first["calls"], first["cached_calls"], first["round_trips"]) == (1, 0, 1)
    assert (again["calls"], again["cached_calls"], again["round_trips"]) == (0, 1, 0)
    assert keeper.server.count() == 1


def test_prices_make_the_cost_exact(keeper):
    keeper.set("prices.m.prompt=2", "prices.m.completion=10")
    words = ("ask", "Keeper", "What did you carry?", "--json")
    assert keeper.done(*words).json["usage"]["cost_usd"] is None, "the embedder has no price"
    keeper.set("prices.e.prompt=0.5", "prices.e.completion=0")
    usage = keeper.done(*words).json["usage"]
    question = len(["What", "did", "you", "carry?"])  # what the loopback says of embeddings
    spent = usage["prompt_tokens"] * 2 + usage["completion_tokens"] * 10 + question * 0.5
    assert usage["cost_usd"] == pytest.approx(spent / 1_000_000, rel=1e-12)


def test_a_budget_in_money_needs_prices(keeper):
    outcome = keeper.run("ask", "Keeper", "Who?", "--budget-usd", "1", "--json")
    assert outcome.code == 3
    assert outcome.error["kind"] == "configuration"
    assert re.search(r"prices\.[em]\.prompt", outcome.error["hint"])
    assert keeper.server.count() == 0


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


def test_a_budget_of_calls_covers_chat_and_embeddings(keeper):
    outcome = keeper.run("ask", "Keeper", "Who?", "--budget-calls", "1")
    assert outcome.code == 1
    assert keeper.server.count() == 1
    assert outcome.out == ""
    assert keeper.done("ask", "Keeper", "Who?", "--budget-calls", "2").out == REPLY + "\n"


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


def test_an_interrupted_run_is_estimated_at_what_is_left(world, server):
    world.set("embed.batch=1", "naive.splitter=fixed", "fixed.size=150", "fixed.overlap=0")
    world.done("create", "Keeper")
    document = world.write("light.md", story(4))
    whole = world.done("ingest", "Keeper", document, "--estimate", "--json").json["embed_calls"]
    assert world.run("ingest", "Keeper", document, "--budget-calls", "2").code == 1
    left = world.done("ingest", "Keeper", document, "--estimate", "--json").json["embed_calls"]
    assert left == whole - 2


def test_offline_work_is_estimated_at_nothing(offline):
    offline.done("create", "Keeper")
    document = offline.write("light.md", story(5))
    told = offline.done("ingest", "Keeper", document, "--estimate", "--json", "-m", "profile").json
    assert (told["calls"], told["embed_calls"], told["by_task"]) == (0, 0, {})


def test_the_doctor_says_what_works_and_fails_with_4(world, server):
    outcome = world.run("doctor", "--json")
    checks = {check["name"]: check for check in outcome.json["checks"]}
    assert checks["chat: streaming"]["ok"]
    assert checks["embeddings"]["detail"] == "e, 8 dimensions"
    assert not checks["chat: long prompts"]["ok"], "the loopback repeats no password"
    assert "context length" in checks["chat: long prompts"]["hint"]
    assert outcome.code == 4


def test_the_doctor_is_content_with_an_endpoint_that_does_as_told(world, server):
    words = ["anchor", "lantern", "harbour"]

    def answer(body):
        if "response_format" not in body:
            return "periwinkle" if "Password" in body["messages"][-1]["content"] else REPLY
        items = [{"number": n, "word": word} for n, word in enumerate(words, 1)]
        return json.dumps({"items": items})

    server.answer = answer
    outcome = world.done("doctor", "--json")
    assert all(check["ok"] for check in outcome.json["checks"])
    assert outcome.json["offline"] is False
