"""Usage: what was counted, and the longest chain of calls that waited for one another."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import BudgetReached, ConfigurationError, ModelError
from offbook.models.limits import Limiter, Limits
from offbook.models.metering import Budget, Chain, Meter, Price
from offbook.models.wrappers import wrap
from offbook.protocols import ChatModel
from offbook.rules.model import OfflineModel
from offbook.types import ChatResponse, Ending, TaskUsage
from tests.app.homes import opened
from tests.models.fakes import Clock, Said, Scripted, collected, prompt, request

INTERVALS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=9).map(
    lambda pairs: sorted(((float(a), float(a + n)) for a, n in pairs), key=lambda i: i[1])
)


def longest_by_trying(intervals) -> int:
    """The longest chain by dynamic programming over all pairs: slow, and plainly right."""
    best: list[int] = []
    for n, (start, _) in enumerate(intervals):
        before = [best[m] for m in range(n) if intervals[m][1] <= start]
        best.append(1 + max(before, default=0))
    return max(best, default=0)


@given(INTERVALS)
def test_the_chain_is_the_longest_there_is(intervals):
    chain = Chain()
    for submitted, finished in intervals:
        chain.add(submitted, finished)
    assert chain.length == longest_by_trying(intervals)


def wrapped(model: Scripted, meter: Meter, concurrency: int = 16) -> ChatModel:
    return wrap(model, meter=meter, limiter=Limiter(Limits(concurrency, backoff_seconds=0.0)))


async def test_independent_calls_are_one_round_trip_however_few_go_at_once():
    meter, model = Meter(), Scripted(by=lambda _: "Yes.")
    actor = wrapped(model, meter, concurrency=4)
    await asyncio.gather(*(actor.complete(request(f"{n}")) for n in range(100)))
    usage = meter.usage()
    assert (usage.calls, usage.round_trips) == (100, 1)
    assert model.peak <= 4


async def test_calls_that_wait_for_one_another_are_a_chain():
    meter, model = Meter(), Scripted(by=lambda _: "Yes.")
    actor = wrapped(model, meter)
    for runtime in range(3):
        await asyncio.gather(*(actor.complete(request(f"{runtime} {n}")) for n in range(5)))
    assert meter.usage().round_trips == 3


async def test_the_offline_model_stands_alone(tmp_path):
    async with await opened(tmp_path) as book:
        assert type(book.runtime().actor) is OfflineModel


async def test_tokens_and_calls_are_told_by_prompt_and_cost_by_price():
    clock = Clock()
    meter = Meter({"m": Price(1.0, 10.0)}, clock=clock)
    actor = wrapped(Scripted("Yes.", "No.", "Hm."), meter)
    await actor.complete(request())
    await actor.complete(request("Again."))
    await actor.complete(request("Other.", origin=(prompt(name="other"), Said("Other."))))
    clock.now += 2.5
    usage = meter.usage()
    assert usage.by_task == {"echo": TaskUsage(2, 20, 10), "other": TaskUsage(1, 10, 5)}
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (3, 30, 15)
    assert usage.cost_usd == pytest.approx((30 + 15 * 10) / 1e6)
    assert usage.seconds == 2.5


async def test_without_a_price_for_every_model_the_cost_is_unknown():
    assert Meter().usage().cost_usd is None
    meter = Meter({"m": Price(1, 1)})
    assert meter.usage().cost_usd == 0.0
    await wrapped(Scripted("Yes.", name="dear"), meter).complete(request())
    assert meter.usage().cost_usd is None


async def test_tokens_are_estimated_where_the_endpoint_tells_none():
    meter = Meter()
    await wrapped(Scripted(ChatResponse("Yes indeed.")), meter).complete(request("Hello there."))
    assert meter.usage().by_task["echo"] == TaskUsage(1, 4, 3)


async def test_a_stream_is_metered_by_estimate():
    meter = Meter()
    actor = wrapped(Scripted("Yes indeed."), meter)
    assert [piece async for piece in actor.stream(request("Hello there."))] == ["Yes ", "indeed. "]
    usage = meter.usage()
    assert usage.by_task["echo"] == TaskUsage(1, 4, 3)
    assert usage.round_trips == 1


class Told:
    """Whoever counts over many commands: what it was told, in order."""

    def __init__(self) -> None:
        self.of: list[tuple[object, ...]] = []

    def requested(self, task: str, requests: int) -> None:
        self.of.append(("requested", task, requests))

    def answered(self, task: str, prompt_tokens: int, completion_tokens: int) -> None:
        self.of.append(("answered", task, prompt_tokens, completion_tokens))

    def waited(self, task: str, seconds: float) -> None:
        self.of.append(("waited", task, seconds))

    def embedded(self, prompt_tokens: int) -> None:
        self.of.append(("embedded", prompt_tokens))


async def test_what_is_spent_is_told_once_and_while_it_is_spent():
    told, clock = Told(), Clock()
    part = Meter(clock=clock, spending=told).part().part()
    model = Scripted("Yes.", ModelError("gone"))
    model.gate = asyncio.Event()
    actor = wrapped(model, part)
    calling = asyncio.create_task(actor.complete(request()))
    while not model.in_flight:
        await asyncio.sleep(0)
    assert told.of == [("requested", "echo", 1)]
    clock.now += 2.0
    model.gate.set()
    await calling
    assert told.of[1:] == [("answered", "echo", 10, 5), ("waited", "echo", 2.0)]
    with pytest.raises(ModelError):
        await actor.complete(request("Again."))
    part.embedded("e", 7)
    assert told.of[3:] == [("requested", "echo", 1), ("waited", "echo", 0.0), ("embedded", 7)]


@pytest.mark.parametrize("streams", [False, True])
async def test_who_leaves_a_call_has_asked_all_the_same(streams: bool):
    told = Told()
    model = Scripted("Yes.")
    model.gate = asyncio.Event()
    actor = wrapped(model, Meter(clock=Clock(), spending=told))
    asking = collected(actor.stream(request())) if streams else actor.complete(request())
    calling = asyncio.ensure_future(asking)
    while not model.in_flight:
        await asyncio.sleep(0)
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    assert told.of == [("requested", "echo", 1), ("waited", "echo", 0.0)]


def test_tokens_that_are_counted_apart_are_summed_where_any_were_told():
    meter = Meter()
    part = meter.part()
    assert "cached_tokens" not in meter.usage().as_json()
    part.answered("m", "echo", Ending("stop", 10, 5))
    part.answered("m", "echo", Ending("stop", 10, 5, 8))
    part.answered("m", "echo", ChatResponse("Hm.", "stop", 10, 5, cached_tokens=0))
    for usage in (meter.usage(), part.usage()):
        assert (usage.cached_tokens, usage.reasoning_tokens) == (8, None)
        assert usage.as_json()["cached_tokens"] == 8
        assert "reasoning_tokens" not in usage.as_json()
        assert usage.as_json()["cost_usd"] is None
    meter.answered("m", "echo", Ending("stop", 10, 5, 2, 0))
    meter.answered("m", "echo", Ending("stop", 10, 5, None, 4))
    assert (meter.usage().cached_tokens, meter.usage().reasoning_tokens) == (10, 4)


def test_money_in_flight_counts():
    budget = Budget(usd=0.0025, prices={"m": Price(1.0, 1.0)})
    first = budget.reserve("m", 500, 500)
    second = budget.reserve("m", 500, 500)
    with pytest.raises(BudgetReached, match=r"0\.0020 in flight"):
        budget.reserve("m", 500, 500)
    budget.settle("m", first, 500, 100)
    budget.settle("m", second, 0, 0)
    assert budget.reserve("m", 500, 500) == pytest.approx(0.001)


def test_an_answer_without_a_limit_counts_as_the_longest_so_far():
    budget = Budget(usd=1.0, prices={"m": Price(0.0, 1.0)})
    for _ in range(2):
        assert budget.reserve("m", 10, None) == pytest.approx(512e-6)
        budget.settle("m", 512e-6, 0, 0)  # it failed, and tells nothing of how long answers are
    budget.settle("m", 0.0, 10, 900)
    assert budget.reserve("m", 10, None) == pytest.approx(900e-6)


def test_what_an_earlier_stretch_has_spent_counts():
    budget = Budget(calls=3, usd=1.0, prices={"m": Price(0.0, 1.0)})
    budget.went_before(2, 0.5)
    with pytest.raises(BudgetReached, match=r"0\.5000 spent"):
        budget.reserve("m", 10, 500_001)
    budget.reserve("m", 10, 500_000)
    with pytest.raises(BudgetReached, match="3 calls"):
        budget.reserve("m", 10, 0)


def test_money_without_a_price_is_refused():
    with pytest.raises(ConfigurationError, match="'m' has no price") as caught:
        Budget(usd=1.0, prices={"other": Price(1, 1)}).check_price("m")
    assert "prices.m.prompt" in caught.value.hint


def test_without_a_budget_nothing_is_refused():
    budget = Budget()
    for _ in range(1000):
        reserved = budget.reserve("m", 10**9, None)
        assert reserved == 0.0
        budget.settle("m", reserved, 10**9, 0)
