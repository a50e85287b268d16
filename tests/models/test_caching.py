"""What was paid for once is not paid for again, and nothing invalid is kept."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import select

from offbook.errors import BudgetReached, ModelError
from offbook.models.caching import CallCache, call_key
from offbook.models.limits import Limiter
from offbook.models.metering import Meter
from offbook.models.wrappers import wrap
from offbook.prompts.ask import ask
from offbook.prompts.summaries import PROFILE, ProfileInputs
from offbook.protocols import ChatModel, Store
from offbook.stores import call_cache, characters, memories
from offbook.stores import documents as stored_texts
from offbook.stores.call_cache import CachedCall
from offbook.stores.schema import call_cache_documents
from offbook.stores.text_versions import memory_name
from offbook.types import ChatRequest, ChatResponse, MemoryFragment, Message
from tests.models.fakes import Said, Scripted, prompt, request
from tests.stores import data
from tests.waiting import eventually

ADA = ProfileInputs("Ada", ("Ada counts.",))


@pytest.fixture
def cache(sqlite_store):
    return CallCache(sqlite_store)


@pytest.fixture
async def texts(sqlite_store):
    """Three characters, each with two documents."""

    def write(conn):
        for name in ("ada", "bo", "cy"):
            characters.create(conn, name)
            put_text(conn, name, "a.md", "She was born.")
            put_text(conn, name, "b.md", "She wrote.")

    await sqlite_store.write(write)


def put_text(conn, character: str, name: str, text: str) -> None:
    stored_texts.put(conn, character, data.document(name, text))


def cached(model: Scripted, cache: CallCache) -> ChatModel:
    return wrap(model, meter=Meter(), limiter=Limiter(), cache=cache)


async def stored(store: Store, sent: ChatRequest, model: Scripted) -> CachedCall | None:
    key = call_key(model.base_url, model.name, sent)
    return await store.read(lambda conn: call_cache.get(conn, key))


async def documents(store: Store) -> set[str]:
    columns = call_cache_documents.c
    rows = await store.read(
        lambda conn: conn.execute(select(columns.character_id, columns.document_id)).all()
    )
    return {f"{character}/{document}" for character, document in rows}


async def test_a_second_call_is_answered_without_the_model(cache):
    model = Scripted("Yes.")
    first = await cached(model, cache).complete(request())
    again = await cached(model, cache).complete(request())
    assert not first.cached
    assert again == replace(first, cached=True)
    assert len(model.requests) == 1


async def test_each_who_asks_reads_an_answer_by_its_own_inputs(cache):
    read: list[object] = []
    noting = replace(PROFILE, check=lambda inputs, _: read.append(inputs))
    model = cached(Scripted("Ada."), cache)
    one, other = replace(ADA), replace(ADA)
    answers = await asyncio.gather(*(ask(model, noting, inputs) for inputs in (one, other)))
    assert answers == ["Ada."] * 2
    assert any(inputs is one for inputs in read)
    assert any(inputs is other for inputs in read)


async def test_a_later_process_finds_what_was_stored(sqlite_store):
    await cached(Scripted("Yes."), CallCache(sqlite_store)).complete(request())
    later = await cached(Scripted(), CallCache(sqlite_store)).complete(request())
    assert (later.text, later.cached) == ("Yes.", True)


def test_everything_that_decides_the_answer_is_in_the_key():
    base = request()
    others = [
        request("Another."),
        request(messages=(Message("system", "Hello."),)),
        request(parameters={"temperature": 1}),
        request(schema={"type": "object"}),
        request(sample=1),
        request(origin=(prompt(name="other"), Said("Hello."))),
        request(origin=None),
    ]
    keys = {call_key("u", "m", each) for each in (base, *others)}
    keys |= {call_key("u2", "m", base), call_key("u", "m2", base)}
    assert len(keys) == len(others) + 3
    same = request(documents=frozenset({"a/b"}), retry_of=base, cacheable=False, limit=9)
    assert call_key("u", "m", same) == call_key("u", "m", base)


async def test_what_may_not_be_kept_is_asked_for_each_time(cache):
    model = Scripted("One.", "Two.", "Three.")
    asked = cached(model, cache)
    reply = request(cacheable=False)
    assert [(await asked.complete(reply)).text for _ in range(2)] == ["One.", "Two."]
    assert "".join([piece async for piece in asked.stream(reply)]) == "Three. "


@pytest.mark.parametrize(
    "bad", ["", ChatResponse("Yes", "length"), ChatResponse("", "content_filter")]
)
async def test_an_unusable_answer_is_not_kept(cache, sqlite_store, bad):
    model = Scripted(bad, "Yes.")
    asked = cached(model, cache)
    await asked.complete(request())
    assert await stored(sqlite_store, request(), model) is None
    assert (await asked.complete(request())).text == "Yes."


async def test_the_answer_to_a_repeated_question_is_kept_for_the_first(cache):
    model = Scripted("", "Ada is a mathematician.")
    assert await ask(cached(model, cache), PROFILE, ADA) == "Ada is a mathematician."
    silent = Scripted()
    assert await ask(cached(silent, cache), PROFILE, ADA) == "Ada is a mathematician."


async def test_a_kept_answer_that_the_prompt_no_longer_takes_is_asked_for_again(
    cache, sqlite_store
):
    model = Scripted("Yes.")
    key = call_key(model.base_url, model.name, request())
    await sqlite_store.write(
        lambda conn: call_cache.put(
            conn,
            key,
            prompt="echo.v1",
            text=" ",
            prompt_tokens=1,
            completion_tokens=1,
            documents=frozenset(),
        )
    )
    assert (await cached(model, cache).complete(request())).text == "Yes."


async def test_equal_calls_in_flight_are_one_call(cache):
    model = Scripted("Yes.")
    asked = cached(model, cache)
    answers = await asyncio.gather(*(asked.complete(request()) for _ in range(20)))
    assert [answer.cached for answer in answers] == [False] + [True] * 19
    assert {answer.text for answer in answers} == {"Yes."}


@pytest.mark.usefixtures("texts")
async def test_one_who_finds_a_stored_answer_has_its_documents_noted(cache, sqlite_store):
    asked = cached(Scripted("Yes."), cache)
    await asked.complete(request(documents=frozenset({"ada/a.md"})))
    await asyncio.gather(
        asked.complete(request(documents=frozenset({"ada/a.md", "bo/a.md"}))),
        asked.complete(request(documents=frozenset({"cy/a.md"}))),
    )
    assert await documents(sqlite_store) == {"ada/a.md", "bo/a.md", "cy/a.md"}


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("steps", range(12))
async def test_whenever_one_joins_its_documents_are_noted(sqlite_store, steps):
    class Immediate:
        async def read(self, operation):
            return await sqlite_store.read(operation)

        async def write(self, operation):
            writing.set()
            await asyncio.sleep(0)
            return await sqlite_store.write(operation)

    writing = asyncio.Event()
    model = Scripted("Yes.", "Yes.")
    asked = cached(model, CallCache(Immediate()))  # type: ignore[arg-type]
    first = asyncio.create_task(asked.complete(request(documents=frozenset({"ada/a.md"}))))
    await writing.wait()
    await asyncio.sleep(0.002 * steps)
    for _ in range(steps):
        await asyncio.sleep(0)
    await asyncio.gather(first, asked.complete(request(documents=frozenset({"ada/b.md"}))))
    assert await documents(sqlite_store) == {"ada/a.md", "ada/b.md"}


async def test_cancelling_one_who_waits_does_not_cancel_the_others(cache):
    model = Scripted("Yes.")
    model.gate = asyncio.Event()
    asked = cached(model, cache)
    tasks = [asyncio.create_task(asked.complete(request())) for _ in range(3)]
    await eventually(lambda: model.in_flight)
    tasks[0].cancel()
    await asyncio.sleep(0)
    model.gate.set()
    assert (await tasks[1]).text == (await tasks[2]).text == "Yes."
    assert model.cancelled == 0


async def test_when_all_are_gone_the_call_is_cancelled_and_can_be_made_anew(cache):
    model = Scripted("Yes.")
    model.gate = asyncio.Event()
    asked = cached(model, cache)
    tasks = [asyncio.create_task(asked.complete(request())) for _ in range(2)]
    await eventually(lambda: model.in_flight)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert model.cancelled == 1
    model.gate.set()
    assert (await asked.complete(request())).text == "Yes."


async def test_an_answer_that_arrived_is_stored_though_the_caller_is_cancelled(sqlite_store):
    writing = asyncio.Event()

    class Slow:
        async def read(self, operation):
            return await sqlite_store.read(operation)

        async def write(self, operation):
            writing.set()
            await asyncio.sleep(0.05)
            return await sqlite_store.write(operation)

    model = Scripted("Yes.")
    asked = cached(model, CallCache(Slow()))  # type: ignore[arg-type]
    task = asyncio.create_task(asked.complete(request()))
    await writing.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    kept = await stored(sqlite_store, request(), model)
    assert kept is not None
    assert kept.text == "Yes."


async def test_all_who_wait_are_told_of_a_failure(cache):
    asked = cached(Scripted(ModelError("gone"), "Yes."), cache)
    told = await asyncio.gather(
        *(asked.complete(request()) for _ in range(3)), return_exceptions=True
    )
    assert [str(error) for error in told] == ["gone"] * 3
    assert (await asked.complete(request())).text == "Yes."


async def test_one_who_joins_does_not_share_the_others_budget(cache):
    model, limiter, spent = Scripted("Yes."), Limiter(), Meter(budget_calls=0)
    poor = wrap(model, meter=spent, limiter=limiter, cache=cache)
    meters = [Meter(budget_calls=1) for _ in range(3)]
    able = [wrap(model, meter=meter, limiter=limiter, cache=cache) for meter in meters]
    asked = [poor, poor, *able]
    told = await asyncio.gather(*(one.complete(request()) for one in asked), return_exceptions=True)
    assert isinstance(told[0], BudgetReached)
    assert [isinstance(each, ChatResponse) for each in told[2:]] == [True] * 3
    assert len(model.requests) == sum(meter.usage().calls for meter in meters) == 1
    assert spent.usage().calls == 0


async def test_of_a_call_that_others_still_wait_for_the_tokens_are_counted(cache):
    model, limiter = Scripted("Yes."), Limiter()
    model.gate = asyncio.Event()
    meters = [Meter(), Meter()]
    actors = [wrap(model, meter=meter, limiter=limiter, cache=cache) for meter in meters]
    first = asyncio.create_task(actors[0].complete(request()))
    await eventually(lambda: model.in_flight)
    second = asyncio.create_task(actors[1].complete(request()))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait({first})
    model.gate.set()
    assert (await second).cached
    assert [meter.usage().prompt_tokens for meter in meters] == [10, 0]
    assert meters[1].usage().cached_calls == 1


async def test_a_cached_call_costs_nothing(cache):
    meter = Meter(budget_calls=1)
    model = wrap(Scripted("Yes."), meter=meter, limiter=Limiter(), cache=cache)
    for _ in range(5):
        await model.complete(request())
    usage = meter.usage()
    assert (usage.calls, usage.cached_calls, usage.round_trips) == (1, 4, 1)
    assert usage.prompt_tokens == 10


def forget_a(conn):
    return stored_texts.remove(conn, "ada", "a.md")


def forget_ada(conn):
    characters.remove(conn, "ada")


def replace_a(conn):
    put_text(conn, "ada", "a.md", "She never lived.")


def forget_and_replace_a(conn):
    forget_a(conn)
    replace_a(conn)


def move_a(conn):
    stored_texts.set_order(conn, "ada", ["b.md", "a.md"])


def put_it_again(conn):
    forget_a(conn)
    put_text(conn, "ada", "a.md", "She was born.")


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    ("meanwhile", "kept"),
    [
        (forget_a, False),
        (forget_ada, False),
        (replace_a, False),
        (forget_and_replace_a, False),
        (move_a, True),
        (put_it_again, True),
    ],
)
async def test_an_answer_is_kept_only_while_all_that_its_prompt_held_is_stored(
    sqlite_store, cache, meanwhile, kept
):
    model = Scripted("She was born.")
    model.gate = asyncio.Event()
    sent = request(documents=frozenset({"ada/a.md", "bo/a.md"}))
    first = asyncio.create_task(cached(model, cache).complete(sent))
    await eventually(lambda: model.in_flight)
    await sqlite_store.write(meanwhile)
    model.gate.set()
    assert (await first).text == "She was born."
    assert (await stored(sqlite_store, sent, model) is not None) == kept
    assert await documents(sqlite_store) == ({"ada/a.md", "bo/a.md"} if kept else set())


@pytest.mark.usefixtures("texts")
async def test_an_answer_about_a_memory_goes_with_it(sqlite_store, cache):
    fragment = MemoryFragment("m1", "Hello", "Good day.")
    await sqlite_store.write(lambda conn: memories.add(conn, "ada", [fragment]))
    sent = request(documents=frozenset({f"ada/{memory_name('m1')}", "ada/a.md"}))
    model = Scripted("Good day.", "Good day.")
    model.gate = asyncio.Event()
    first = asyncio.create_task(cached(model, cache).complete(sent))
    await eventually(lambda: model.in_flight)
    await sqlite_store.write(lambda conn: memories.remove(conn, "ada", ["m1"]))
    model.gate.set()
    await first
    assert await stored(sqlite_store, sent, model) is None
    await sqlite_store.write(lambda conn: memories.add(conn, "ada", [fragment]))
    await cached(model, cache).complete(sent)
    assert await stored(sqlite_store, sent, model) is not None


@pytest.mark.usefixtures("texts")
async def test_an_answer_that_others_joined_is_kept_only_while_their_texts_are_stored_too(
    sqlite_store, cache
):
    model = Scripted("She was born.")
    model.gate = asyncio.Event()
    asked = cached(model, cache)
    names = ({"bo/a.md"}, {"ada/a.md"})
    both = [
        asyncio.create_task(asked.complete(request(documents=frozenset(each)))) for each in names
    ]
    await eventually(lambda: model.in_flight)
    await sqlite_store.write(forget_a)
    model.gate.set()
    assert {(await each).text for each in both} == {"She was born."}
    assert await stored(sqlite_store, request(), model) is None


@pytest.mark.usefixtures("texts")
async def test_one_who_finds_a_stored_answer_about_a_text_that_is_gone_has_it_forgotten(
    sqlite_store, cache
):
    asked = cached(Scripted("She was born."), cache)
    await asked.complete(request(documents=frozenset({"bo/a.md"})))
    await sqlite_store.write(forget_a)
    found = await asked.complete(request(documents=frozenset({"ada/a.md", "bo/a.md"})))
    assert found.cached
    assert await stored(sqlite_store, request(), Scripted()) is None
