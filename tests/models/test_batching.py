"""Items in batches: evenly filled, side by side, and one that spoils a batch is found."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import InputRefused, InvalidAnswer, ModelError
from offbook.models.batching import (
    ask_in_batches,
    failed_around,
    in_batches,
    note_call,
    open_batches,
    run_all,
)
from tests.waiting import PATIENCE_SECONDS


@given(
    st.lists(st.integers(1, 900), max_size=80),
    st.integers(100, 3_000),
    st.integers(1, 24),
    st.integers(1, 20),
)
def test_batches_hold_every_item_once_in_order(costs, most, size, spread):
    items = list(enumerate(costs))
    made = in_batches(items, lambda item: item[1], most, size, spread)
    assert [item for batch in made for item in batch] == items
    assert all(batch and len(batch) <= size for batch in made)
    largest = max(costs, default=0)
    assert all(sum(cost for _, cost in batch) <= most + largest for batch in made)


@pytest.mark.parametrize(("spread", "batches"), [(1, 2), (4, 4), (16, 16), (99, 30)])
def test_few_items_are_spread_over_as_many_calls_as_asked_for(spread, batches):
    made = in_batches(list(range(30)), lambda _: 10, 3_000, 16, spread)
    assert len(made) == batches
    assert max(map(len, made)) - min(map(len, made)) <= 1


@given(
    st.lists(st.integers(1, 900), unique=True, min_size=1, max_size=60),
    st.integers(1, 20),
    st.data(),
)
def test_what_an_interruption_left_is_asked_about_as_it_was(costs, spread, data):
    def divide(some):
        return in_batches(some, lambda cost: cost, 3_000, 24, min(spread, len(some)))

    first = divide(costs)
    answered = data.draw(st.sets(st.sampled_from(range(len(first)))))
    decided = {item for number in answered for item in first[number]}
    left = open_batches(costs, lambda item: None if item in decided else item, divide)
    assert left == [batch for number, batch in enumerate(first) if number not in answered]
    decided |= data.draw(st.sets(st.sampled_from(costs)))
    left = open_batches(costs, lambda item: None if item in decided else item, divide)
    assert sorted(item for batch in left for item in batch) == sorted(set(costs) - decided)
    anew = divide([item for item in costs if item not in decided])
    as_they_were = [batch for batch in first if decided.isdisjoint(batch)]
    assert len(left) <= len(anew) or left == as_they_were
    assert left[: len(as_they_were)] == as_they_were or left == anew


def test_long_items_behind_many_small_ones_do_not_go_together():
    made = in_batches([1] * 200 + [900] * 24, lambda cost: cost, 3_000, 24)
    assert max(sum(batch) for batch in made) <= 3_900


def test_items_that_differ_little_take_no_more_calls_than_their_number_needs():
    made = in_batches([20 + 17 * n % 61 for n in range(72)], lambda cost: cost, 3_000, 24)
    assert list(map(len, made)) == [24] * 3


class Model:
    """Answers with the item in upper case; some items spoil a batch."""

    def __init__(self, bad: str = "", error: Exception | None = None) -> None:
        self.asked: list[list[str]] = []
        self.kept: dict[str, str] = {}
        self._bad, self._error = bad, error or InvalidAnswer("no good")

    async def ask(self, batch: Sequence[str]) -> list[str]:
        self.asked.append(list(batch))
        if any(item in self._bad for item in batch):
            raise self._error
        return [item.upper() for item in batch]

    async def keep(self, answered: Sequence[tuple[str, str]]) -> None:
        self.kept |= dict(answered)


@pytest.mark.parametrize("error", [InvalidAnswer("no good"), InputRefused("no good")])
async def test_one_that_spoils_a_batch_is_put_aside_alone(error):
    model = Model("e", error)
    aside = await ask_in_batches([list("abcdefgh")], model.ask, model.keep)
    assert [(left.item, left.reason) for left in aside] == [("e", "no good")]
    assert model.kept == {c: c.upper() for c in "abcdfgh"}
    assert len(model.asked) == 7, "halves, and halves of the half with it"


async def test_a_failure_for_good_keeps_what_arrived():
    model = Model("z", ModelError("gone"))
    with pytest.raises(ModelError, match="gone"):
        await ask_in_batches([["a"], ["b"], ["z"]], model.ask, model.keep)
    assert set(model.kept) <= {"a", "b"}


class Log:
    """What jobs did."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.begun, self.turn = asyncio.Event(), asyncio.Event()

    async def call(self, name: str) -> None:
        """A call that is out, and answered at the log's turn."""
        note_call()
        self.begun.set()
        await self.turn.wait()
        self.done.append(name)

    async def wait(self, name: str) -> None:
        """A job that never had its turn."""
        await asyncio.Event().wait()
        self.done.append(name)

    async def fail(self) -> None:
        """Fail while the call is out; it is answered after that."""
        note_call()
        await self.begun.wait()
        asyncio.get_running_loop().call_later(0.01, self.turn.set)
        raise ModelError("gone")


async def test_all_are_run_and_none_is_fine():
    log = Log()
    log.turn.set()
    await run_all([partial(log.call, str(n)) for n in range(5)])
    assert sorted(log.done) == ["0", "1", "2", "3", "4"]
    await run_all([])


async def test_after_a_failure_those_that_are_out_are_waited_for_and_others_given_up():
    log = Log()
    with pytest.raises(ModelError, match="gone"):
        await run_all([partial(log.call, "out"), log.fail, partial(log.wait, "queued")])
    assert log.done == ["out"]


async def test_jobs_within_a_job_stop_with_the_others():
    log, later = Log(), []

    async def inner() -> None:
        await run_all([partial(log.call, "out"), partial(log.wait, "queued")])
        later.append("went on")

    with pytest.raises(ModelError, match="gone"):
        await run_all([inner, log.fail])
    assert log.done == ["out"], "its call was out, so it was waited for"
    assert later == [], "and nothing came after it"


async def test_a_failure_within_a_job_stops_the_others():
    log = Log()

    async def inner() -> None:
        await run_all([log.fail])

    with pytest.raises(ModelError, match="gone"):
        await run_all([inner, partial(log.call, "out"), partial(log.wait, "queued")])
    assert log.done == ["out"]


async def test_a_job_can_ask_whether_another_has_failed():
    seen = []

    log = Log()

    async def watch() -> None:
        note_call()
        seen.append(failed_around())
        log.begun.set()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not failed_around():
                await asyncio.sleep(0)
        seen.append(failed_around())

    with pytest.raises(ModelError):
        await run_all([watch, log.fail])
    assert seen == [False, True]
    assert not failed_around()


async def test_whoever_is_cancelled_from_outside_takes_all_along():
    log = Log()
    task = asyncio.create_task(run_all([partial(log.call, "out"), partial(log.wait, "queued")]))
    await log.begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log.done == []
