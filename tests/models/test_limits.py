"""An endpoint is asked as fast as is allowed, again after passing failures, and no further."""

from __future__ import annotations

import asyncio
import random
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import BudgetReached, IncompleteAnswer, InputRefused, InvalidAnswer, ModelError
from offbook.models.batching import run_all
from offbook.models.failures import PassingError, Place, broken
from offbook.models.limits import Limiter, Limiters, Limits, Pace
from offbook.models.metering import Meter, Price
from offbook.models.wrappers import Wrapped, wrap
from offbook.types import Ending
from tests.models.fakes import Clock, Scripted, request
from tests.waiting import PATIENCE_SECONDS, eventually

BUSY = PassingError("busy", throttled=True)
BROKEN = PassingError("broken")


def limiter_on(clock: Clock, limits: Limits | None = None) -> Limiter:
    return Limiter(limits, clock=clock, sleep=clock.sleep, jitter=lambda: 1.0)


def limited(
    model: Scripted,
    limits: Limits | None = None,
    meter: Meter | None = None,
    limiter: Limiter | None = None,
) -> Wrapped:
    return wrap(model, meter=meter or Meter(), limiter=limiter or limiter_on(Clock(), limits))


async def fail(error: Exception) -> str:
    await asyncio.sleep(0)
    raise error


async def test_no_more_calls_are_in_flight_than_allowed():
    model = Scripted(by=lambda _: "Yes.")
    actor = limited(model, Limits(concurrency=3))
    await asyncio.gather(*(actor.complete(request(str(n))) for n in range(50)))
    assert (model.peak, len(model.requests)) == (3, 50)


async def test_those_who_came_first_go_first():
    model = Scripted(by=lambda _: "Yes.")
    actor = limited(model, Limits(concurrency=1))
    await asyncio.gather(*(actor.complete(request(str(n))) for n in range(20)))
    assert [sent.messages[0].content for sent in model.requests] == [str(n) for n in range(20)]


async def test_a_dead_endpoint_is_given_up_long_before_everything_was_tried_once():
    dead = PassingError("no such host", unreachable=True)
    model = Scripted(by=lambda _: dead)

    async def pause(_: float) -> None:
        # As long as ten calls take.
        before = len(model.requests)
        while len(model.requests) < min(300, before + 10):
            await asyncio.sleep(0)

    limiter = Limiter(Limits(concurrency=4), sleep=pause)
    actor = limited(model, limiter=limiter)
    with pytest.raises(PassingError, match="no such host"):
        await run_all([partial(actor.complete, request(str(n))) for n in range(300)])
    assert len(model.requests) < 60


async def test_a_cancelled_waiter_gives_up_its_place():
    model = Scripted(by=lambda _: "Yes.")
    model.gate = asyncio.Event()
    actor = limited(model, Limits(concurrency=1))
    tasks = [asyncio.create_task(actor.complete(request(str(n)))) for n in range(4)]
    await eventually(lambda: model.in_flight == 1)
    tasks[1].cancel()
    tasks[0].cancel()
    await eventually(lambda: len(model.requests) == 2)
    model.gate.set()
    assert (await tasks[2]).text == (await tasks[3]).text == "Yes."
    assert len(model.requests) == 3
    assert (await limited(model).complete(request())).text == "Yes."


async def test_a_waiter_cancelled_at_the_moment_of_its_turn_passes_it_on():
    limiter = limiter_on(Clock(), Limits(concurrency=1))
    release = asyncio.Event()
    first = asyncio.create_task(limiter.run(release.wait))
    second = asyncio.create_task(limiter.run(release.wait))
    third = asyncio.create_task(limiter.run(release.wait))
    await asyncio.sleep(0)
    release.set()
    await first
    second.cancel()
    assert await asyncio.wait_for(third, PATIENCE_SECONDS)


async def test_passing_failures_are_tried_again_with_growing_pauses():
    clock = Clock()
    limiter = limiter_on(clock, Limits(retries=4, backoff_seconds=1.0, backoff_cap_seconds=3.0))
    model = Scripted(BROKEN, BROKEN, BROKEN, BROKEN, "Yes.")
    assert (await limited(model, limiter=limiter).complete(request())).text == "Yes."
    assert clock.slept == [1.0, 2.0, 3.0, 3.0]


async def test_after_the_last_try_the_failure_is_told():
    model = Scripted(by=lambda _: BROKEN)
    with pytest.raises(PassingError, match="broken"):
        await limited(model, Limits(retries=2)).complete(request())
    assert len(model.requests) == 3


class Reforming(Scripted):
    """A backend that sends each request three times, as if two forms of it were refused."""

    async def complete(self, request):
        response = await super().complete(request)
        for _ in range(2):
            await request.further()
            response = await super().complete(request)
        return response


async def test_all_requests_of_a_call_count_for_usage_budget_and_rates():
    clock, meter = Clock(), Meter(budget_calls=5)
    model = Reforming(by=lambda _: "Yes.")
    actor = limited(model, meter=meter, limiter=limiter_on(clock, Limits(rpm=2)))
    await actor.complete(request())
    assert clock.slept == [60.0], "a minute has two, and the third waits"
    with pytest.raises(BudgetReached):
        await actor.complete(request("Again."))
    assert meter.usage().calls == len(model.requests) == 5


async def test_an_endpoint_that_refused_an_input_was_reached():
    lost = PassingError("no connection", unreachable=True)
    model = Scripted(InputRefused("too long"), lost, lost, lost, "Yes.")
    actor = limited(model, Limits(retries=3))
    with pytest.raises(InputRefused):
        await actor.complete(request())
    assert (await actor.complete(request())).text == "Yes."


async def test_lasting_failures_are_told_at_once():
    model = Scripted(ModelError("401"))
    with pytest.raises(ModelError, match="401"):
        await limited(model).complete(request())


async def test_an_endpoint_that_was_never_reached_is_tried_twice_only():
    model = Scripted(by=lambda _: PassingError("no connection", unreachable=True))
    with pytest.raises(PassingError):
        await limited(model, Limits(retries=5)).complete(request())
    assert len(model.requests) == 2


async def test_retry_after_is_honoured_and_holds_back_everybody():
    clock = Clock()
    limiter = limiter_on(clock)
    model = Scripted(PassingError("busy", throttled=True, retry_after=20.0), "Yes.")
    await limited(model, limiter=limiter).complete(request())
    assert clock.slept == [20.0]
    limiter = limiter_on(clock, Limits(retries=0))
    with pytest.raises(PassingError):
        await limiter.run(lambda: fail(PassingError("busy", throttled=True, retry_after=5.0)))
    clock.slept.clear()
    assert await limiter.run(lambda: asyncio.sleep(0, "ok")) == "ok"
    assert clock.slept == [5.0]


async def test_nobody_waits_for_hours():
    clock = Clock()
    model = Scripted(PassingError("busy", throttled=True, retry_after=3600.0))
    with pytest.raises(PassingError):
        await limited(model, limiter=limiter_on(clock)).complete(request())
    assert clock.slept == []


async def test_requests_a_minute_are_kept():
    clock = Clock()
    limiter = limiter_on(clock, Limits(concurrency=100, rpm=10))
    times: list[float] = []

    async def attempt() -> None:
        times.append(clock.now)

    await asyncio.gather(*(limiter.run(attempt) for _ in range(35)))
    for start in times:
        assert sum(start <= t < start + 60 for t in times) <= 10
    assert max(times) - min(times) < 190


async def test_tokens_a_minute_are_kept_and_a_huge_request_goes_alone():
    clock = Clock()
    limiter = limiter_on(clock, Limits(concurrency=1, tpm=100))
    times: list[float] = []

    async def attempt() -> None:
        times.append(clock.now)

    for tokens in (60, 40, 1, 500, 10):
        await limiter.run(attempt, tokens=tokens)
    assert [t - times[0] for t in times] == [0, 0, 60, 120, 180]


@pytest.mark.parametrize("limits", [{"limit": 100}, {"parameters": {"max_tokens": 100}}])
async def test_the_longest_answer_counts_against_the_tokens_a_minute(limits):
    clock = Clock()
    model = Scripted(by=lambda _: "Yes.")
    actor = limited(model, limiter=limiter_on(clock, Limits(tpm=250)))
    for _ in range(3):
        await actor.complete(request(**limits))
    assert sum(clock.slept) == pytest.approx(60)


async def test_money_is_booked_as_it_is_spent():
    meter = Meter({"m": Price(1e6, 0.0)}, budget_usd=25.0)
    actor = limited(Scripted(by=lambda _: "Yes."), meter=meter)
    await actor.complete(request("one", parameters={"max_tokens": 5}))
    await actor.complete(request("two", parameters={"max_tokens": 5}))
    with pytest.raises(BudgetReached, match=r"20\.0000 spent"):
        await actor.complete(request(" ".join("three" * 6), parameters={"max_tokens": 5}))


@pytest.mark.parametrize("words", ["I am Ada.", ""])
async def test_a_stream_is_booked_as_it_tells_its_end_thoughts_included(words: str):
    class Thinking(Scripted):
        async def stream(self, request):
            async for piece in super().stream(request):
                yield piece
            request.ended(Ending("stop", 1000, 5000))

    told: list[Ending] = []
    meter = Meter({"m": Price(0.0, 10.0)}, budget_usd=0.1)
    actor = limited(Thinking(by=lambda _: words), meter=meter)
    for _ in range(2):
        async for _ in actor.stream(request(ended=told.append)):
            pass
    with pytest.raises(BudgetReached, match=r"0\.1000 spent"):
        await anext(actor.stream(request()))
    assert told == [Ending("stop", 1000, 5000)] * 2
    assert meter.usage().cost_usd == pytest.approx(0.1)


@pytest.mark.parametrize(("heard", "tokens"), [(["Let me see, ", "and see."], 5), ([""], 0)])
async def test_what_a_model_thought_is_counted_where_nobody_waits_for_its_words(heard, tokens):
    thought = asyncio.Event()

    class Pondering(Scripted):
        async def stream(self, request):
            for text in heard:
                request.heard(text)
            thought.set()
            await asyncio.Event().wait()
            yield "never"

    meter = Meter()
    waiting = asyncio.create_task(anext(limited(Pondering(), meter=meter).stream(request("Why?"))))
    await thought.wait()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    usage = meter.usage()
    assert (usage.calls, usage.prompt_tokens > 0, usage.completion_tokens) == (1, True, tokens)


@pytest.mark.parametrize(
    "told",
    [
        IncompleteAnswer("cut off", answer="and so " * 40),
        IncompleteAnswer("cut off"),
        InvalidAnswer("no JSON", answer="and so " * 40),
        broken(Place("https://models.test/v1", "m"), "no choices", (10, 80)),
    ],
)
async def test_answers_that_nobody_can_use_use_the_budget_up(told: ModelError):
    meter = Meter({"m": Price(1.0, 1e6)}, budget_usd=500.0)
    model = Scripted(by=lambda _: told)
    actor = limited(model, Limits(retries=0), meter)
    asked = request(parameters={"max_tokens": 100})
    met = [await asyncio.gather(actor.complete(asked), return_exceptions=True) for _ in range(9)]
    assert isinstance(met[0][0], type(told))
    assert isinstance(met[-1][0], BudgetReached)
    assert len(model.requests) < 7
    assert (meter.usage().cost_usd or 0.0) > 300.0


async def test_a_stream_is_tried_again_until_its_first_piece():
    actor = limited(Scripted(BROKEN, "I am Ada."))
    assert "".join([piece async for piece in actor.stream(request())]) == "I am Ada. "


async def test_a_stream_that_breaks_after_its_first_piece_is_told():
    class Breaking(Scripted):
        async def stream(self, request):
            yield "I am"
            raise BROKEN

    stream = limited(Breaking()).stream(request())
    assert await anext(stream) == "I am"
    with pytest.raises(PassingError):
        await anext(stream)


async def test_a_closed_stream_frees_its_place():
    limiter = limiter_on(Clock(), Limits(concurrency=1))
    actor = limited(Scripted(by=lambda _: "I am Ada."), limiter=limiter)
    stream = actor.stream(request())
    assert await anext(stream) == "I "
    await stream.aclose()
    assert (await asyncio.wait_for(actor.complete(request()), PATIENCE_SECONDS)).text == "I am Ada."


def test_models_at_one_endpoint_share_a_limiter():
    limiters = Limiters(Limits(concurrency=2))
    assert limiters.of("http://a/v1") is limiters.of("http://a/v1/")
    assert limiters.of("http://a/v1") is not limiters.of("http://b/v1")
    assert limiters.of("http://b/v1").allowed == 2


def rounds(pace: Pace, room: int, count: int) -> tuple[int, int]:
    """Rounds in which all allowed calls go out together; calls and refusals."""
    sent = refused = 0
    for _ in range(count):
        epoch, level = pace.epoch, pace.allowed
        sent += level
        for number in range(1, level + 1):
            if number <= room:
                pace.succeeded(number)
        for number in range(level, room, -1):
            refused += 1
            pace.refused(number, epoch)
    return sent, refused


@pytest.mark.parametrize("room", [1, 3, 8, 15])
def test_it_settles_at_the_room_that_there_is(room):
    pace = Pace(16)
    rounds(pace, room, 8)
    sent, refused = rounds(pace, room, 100)
    assert sent / (100 * room) >= 0.9, "room is not left unused"
    assert refused / sent <= 0.02, f"{refused} of {sent}"


def test_more_room_is_found():
    pace = Pace(16)
    rounds(pace, 4, 10)
    assert pace.allowed <= 5
    rounds(pace, 16, 120)
    assert pace.allowed == 16


def test_accidents_do_not_bring_it_to_a_stop():
    pace, draw = Pace(16), random.Random(5)
    for _ in range(150):
        epoch = pace.epoch
        for number in range(1, pace.allowed + 1):
            if draw.random() < 0.025:
                pace.refused(number, epoch)
            else:
                pace.succeeded(number)
    assert pace.allowed >= 6


def test_refusals_of_calls_that_were_out_together_halve_once():
    pace = Pace(16)
    epoch = pace.epoch
    for number in range(16, 0, -1):
        pace.refused(number, epoch)
    assert pace.allowed == 8


@given(
    st.integers(1, 40),
    st.lists(st.tuples(st.booleans(), st.integers(1, 40), st.booleans()), max_size=200),
)
def test_it_stays_between_one_and_what_is_wanted(most, events):
    pace = Pace(most)
    for good, level, late in events:
        if good:
            pace.succeeded(min(level, most))
        else:
            pace.refused(min(level, most), pace.epoch - late)
        assert 1 <= pace.allowed <= most
