from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections import Counter
from functools import partial
from typing import Any

import pytest

from offbook.errors import (
    BudgetReached,
    InputRefused,
    InvalidAnswer,
    ModelError,
    StoreFailed,
    UsageError,
)
from offbook.evaluation import runner
from offbook.evaluation.runner import hold_run
from offbook.evaluation.storage import cell_row
from offbook.models.metering import Meter
from offbook.protocols import Store
from offbook.stores import evaluations
from offbook.stores.schema import cells
from offbook.types import ContextItem, Source
from tests.evaluation import made
from tests.evaluation.asked import Asking, OneRating
from tests.waiting import PATIENCE_SECONDS, eventually


@pytest.fixture
async def asking(sqlite_store: Store) -> Asking:
    found = Asking(sqlite_store)
    await found.begin()
    return found


def number_in(request: Any) -> int:
    text = request.messages[-1].content
    return int(text.partition("Question ")[2].partition("?")[0])


async def test_every_cell_is_asked_and_judged_once(asking: Asking):
    done = await asking.go_on()
    assert (done.planned, done.cells, done.failed, done.asked, done.rated) == (4, 4, 0, 4, 4)
    assert {cell.reply for cell in await asking.cells()} == {"I count the ships."}
    assert [rating.value for rating in await asking.ratings()] == [7.0] * 4
    assert len(asking.actor.requests) == len(asking.judge.requests) == 4
    assert await asking.status() == "finished"
    again = await asking.go_on()
    assert (again.asked, again.rated) == (0, 0)
    assert len(asking.actor.requests) == len(asking.judge.requests) == 4
    assert again.usage.calls == done.usage.calls == 8


async def test_the_calls_in_flight_stay_at_the_limit(sqlite_store: Store):
    asking = Asking(sqlite_store, questions=20, concurrency=5)
    await asking.begin()
    waiting: list[asyncio.Future[None]] = []

    async def held(request: Any, answer: Any) -> Any:
        waiting.append(asyncio.get_running_loop().create_future())
        await waiting[-1]
        return await answer(request)

    for model in (asking.actor, asking.judge):
        model.complete = partial(held, answer=model.complete)  # type: ignore[method-assign]
    running = asyncio.create_task(asking.go_on())
    for finished in range(40):
        # The last cells have fewer calls left than may be in flight.
        wanted = 5 if finished < 30 else 1
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(waiting) < wanted:
                await asyncio.sleep(0.001)
        assert len(waiting) <= 5
        waiting.pop(0).set_result(None)
    assert (await running).rated == 20


async def test_repeats_are_asked_each_as_a_sample_of_its_own(sqlite_store: Store):
    asking = Asking(sqlite_store, questions=2, repeats=3)
    await asking.begin()
    done = await asking.go_on()
    assert done.cells == 6
    assert Counter(request.sample for request in asking.actor.requests) == {0: 2, 1: 2, 2: 2}
    assert not any(request.cacheable for request in asking.actor.requests)


@pytest.mark.parametrize("error", [InputRefused("filtered"), InvalidAnswer("empty")])
async def test_a_question_that_fails_on_itself_is_a_failed_cell(asking: Asking, error: Exception):
    asking.reply = lambda request: error if number_in(request) == 2 else "Yes."
    done = await asking.go_on()
    assert (done.cells, done.failed, done.rated) == (4, 1, 3)
    (failed,) = [cell for cell in await asking.cells() if cell.reply is None]
    assert failed.key.question == "q2"
    assert failed.error == f"{error.kind}: {error.message}"  # type: ignore[attr-defined]
    assert await asking.status() == "finished"
    before = len(asking.actor.requests)
    await asking.go_on()
    assert len(asking.actor.requests) == before, "it is not asked again by itself"


@pytest.mark.parametrize("answer", ["7", "I would rather not say.", '{"analysis": "good"}'])
async def test_a_judgement_that_stays_unusable_is_missing_with_the_reason(
    asking: Asking, answer: str
):
    asking.rated = lambda request: answer
    done = await asking.go_on()
    assert (done.rated, done.missing) == (4, 4)
    for rating in await asking.ratings():
        assert rating.value is None
        assert (rating.missing or "").startswith("answer_")
    before = len(asking.judge.requests)
    assert before == 4 * 3, "asked again twice each"
    await asking.go_on()
    assert len(asking.judge.requests) == before


async def test_an_endpoint_that_fails_for_good_stops_the_run_and_keeps_what_was_done(
    sqlite_store: Store,
):
    asking = Asking(sqlite_store, questions=30, concurrency=2)
    await asking.begin()
    failure = ModelError("the key is not accepted", "mend it")
    asking.reply = lambda request: failure if number_in(request) == 11 else "Yes."
    with pytest.raises(ModelError, match="not accepted"):
        await asking.go_on()
    assert await asking.status() == "failed"
    kept = {cell.key.question for cell in await asking.cells()}
    answered = sum("Question 11?" not in text for text in asking.asked())
    assert len(kept) == answered < 30
    asking.reply = lambda request: "Yes."
    before = len(asking.actor.requests)
    done = await asking.go_on()
    assert done.cells == 30
    assert len(asking.actor.requests) - before == 30 - len(kept)
    assert await asking.status() == "finished"


async def test_a_budget_stops_the_run_and_a_larger_one_goes_on(asking: Asking):
    asking.budget_calls = 3
    with pytest.raises(BudgetReached):
        await asking.go_on()
    assert await asking.status() == "stopped"
    asked = len(asking.actor.requests) + len(asking.judge.requests)
    assert asked == 3
    asking.budget_calls = None
    done = await asking.go_on()
    assert done.cells == 4
    assert len(asking.actor.requests) + len(asking.judge.requests) == 8
    assert done.usage.calls == 8, "what was spent before counts"


async def test_an_interrupted_run_keeps_what_arrived(sqlite_store: Store):
    asking = Asking(sqlite_store, questions=20, concurrency=2)
    await asking.begin()
    asking.actor.gate = asyncio.Event()
    task = asyncio.create_task(asking.go_on())
    while not asking.actor.in_flight:
        await asyncio.sleep(0)
    asking.actor.gate.set()
    while len(asking.actor.requests) < 8:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asking.status() == "stopped"
    kept = await asking.cells()
    done = await asking.go_on()
    assert done.asked == 20 - len(kept)
    assert done.cells == 20


async def test_what_goes_together_is_judged_when_the_last_of_it_is_there(sqlite_store: Store):
    protocol = OneRating(lambda key: (key.variant, key.repeat))
    asking = Asking(sqlite_store, questions=5, variants=("a", "b"), protocol=protocol)
    await asking.begin()
    done = await asking.go_on()
    assert (done.cells, done.rated) == (10, 2)
    assert sorted(len(keys) for keys in protocol.judged) == [5, 5]
    assert {key.variant for keys in protocol.judged for key in keys} == {"a", "b"}


async def test_groups_that_are_stored_whole_are_judged_when_a_run_goes_on(sqlite_store: Store):
    protocol = OneRating(lambda key: key.variant)
    asking = Asking(sqlite_store, questions=3, protocol=protocol)
    await asking.begin()
    rows = [cell_row("r-1", made.cell(f"q{n}", "Yes.", "vanilla", "Ada")) for n in range(2)]
    await asking.store.write(lambda c: evaluations.add_cells(c, rows))
    unfinished = await asking.go_on(asks=False)
    assert (unfinished.asked, unfinished.rated) == (0, 0)
    assert await asking.status() == "running", "scoring does not end a run"
    done = await asking.go_on()
    assert (done.asked, done.rated) == (1, 1)


async def test_scoring_asks_for_no_reply_and_another_judge_rates_under_its_own_name(
    asking: Asking,
):
    await asking.go_on()
    replies = len(asking.actor.requests)
    done = await asking.go_on(asks=False, judge="stricter")
    assert (done.asked, done.rated) == (0, 4)
    assert len(asking.actor.requests) == replies
    assert len(await asking.ratings("judge")) == len(await asking.ratings("stricter")) == 4
    assert {event.stage for event in asking.events[-3:]} == {"judged"}


async def test_a_second_judge_that_fails_leaves_the_run_as_it_was(asking: Asking):
    await asking.go_on()
    asking.rated = lambda request: ModelError("no such model", "name another")
    with pytest.raises(ModelError):
        await asking.go_on(asks=False, judge="other")
    assert await asking.status() == "finished"


async def test_a_judge_is_not_asked_about_a_context_that_is_forgotten(asking: Asking):
    item = ContextItem("knowledge", "", "text", 1.0, (Source("life.md", "c", 0, 4),))
    whole = made.cell("q0", "Yes.", "vanilla", "Ada", context=(item,))
    lost = made.cell("q1", "Yes.", "vanilla", "Ada", forgotten=1)
    rows = [cell_row("r-1", cell) for cell in (whole, lost)]
    await asking.store.write(lambda c: c.execute(cells.insert(), rows))
    await asking.go_on(asks=False)
    found = {rating.key.unit: rating for rating in await asking.ratings()}
    assert found["q0"].value == 7.0
    assert (found["q1"].value, found["q1"].missing) == (
        None,
        "a document that the reply rested on is forgotten",
    )
    (asked,) = asking.judge.requests
    assert asked.documents == {"ada/life.md"}


async def test_two_processes_do_not_work_on_one_run(asking: Asking):
    async with hold_run(asking.store, "r-1", Meter()):
        with pytest.raises(UsageError, match="works on the run 'r-1'") as caught:
            await asking.go_on()
        assert caught.value.hint
        # Which one is told here, and not to whoever asks over a network.
        where = f"process {os.getpid()} on {socket.gethostname()!r}"
        assert where in caught.value.message
        assert where not in caught.value.told_to_all
        assert "works on the run 'r-1'" in caught.value.told_to_all
    done = await asking.go_on()
    assert done.cells == 4


def fail(*_: Any) -> None:
    raise StoreFailed("the disk is gone")


async def test_one_that_cannot_read_the_run_it_took_keeps_nobody_else_waiting(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as for_once:
        for_once.setattr(evaluations, "require_run", fail)
        with pytest.raises(StoreFailed):
            await hold_run(asking.store, "r-1", Meter()).__aenter__()
    assert (await asking.go_on()).cells == 4


@pytest.mark.parametrize("can_be_given_back", [True, False])
async def test_one_that_is_cancelled_while_it_takes_a_run_stays_so_and_keeps_nobody_waiting(
    asking: Asking, monkeypatch: pytest.MonkeyPatch, can_be_given_back: bool
):
    taken, go_on = threading.Event(), threading.Event()
    take = evaluations.claim

    def slow(*told: Any) -> Any:
        found = take(*told)
        taken.set()
        assert go_on.wait(PATIENCE_SECONDS)
        return found

    monkeypatch.setattr(evaluations, "claim", slow)
    if not can_be_given_back:
        monkeypatch.setattr(evaluations, "release", fail)
    running = asyncio.create_task(asking.go_on())
    await eventually(taken.is_set)
    running.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    if can_be_given_back:
        assert (await asking.go_on()).cells == 4


async def test_signs_of_life_are_given_though_one_failed_and_a_run_ends_well(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(runner, "SIGN_SECONDS", 0.001)
    give_sign, told = evaluations.heartbeat, list[Any]()

    def failing_first(*sign: Any) -> None:
        told.append(sign)
        if len(told) == 1:
            raise StoreFailed("the disk is full")
        give_sign(*sign)

    monkeypatch.setattr(evaluations, "heartbeat", failing_first)
    asking.actor.gate = asyncio.Event()
    running = asyncio.create_task(asking.go_on())
    await eventually(lambda: len(told) > 2)
    asking.actor.gate.set()
    assert (await running).usage.calls == 8
    assert await asking.status() == "finished"
