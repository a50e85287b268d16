"""Guided selection: in windows side by side, and yet as one after the other."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.errors import InputRefused, InvalidAnswer
from offbook.models.limits import Limiter, Limits
from offbook.models.metering import Meter
from offbook.models.wrappers import wrap
from offbook.prompts.traits import REVEALS_TRAIT, Revealing
from offbook.protocols import ChatModel
from offbook.retrieval.guided_selection import (
    Selection,
    select_live,
    select_stored,
    trait_judge,
)
from offbook.types import Character, Chunk, Passage
from tests.models.fakes import Scripted
from tests.sizes import examples

YES, NO, NONE = "yes", "no", "unusable"


def sequential(verdicts: list[str], n: int, m: int) -> Selection[int]:
    """Algorithm 1 as it is printed, an unusable answer passed over and noted."""
    slot: list[int] = []
    unjudged: list[tuple[int, str]] = []
    t = 0
    for chunk, verdict in enumerate(verdicts):
        if t >= n or len(slot) >= m:
            break
        if verdict == YES:
            slot.append(chunk)
        if verdict == NONE:
            unjudged.append((chunk, NONE))
        t += 1
    chosen = slot or list(range(len(verdicts)))[: m + 1]
    return Selection(tuple(chosen), not slot, t, tuple(unjudged))


@dataclass
class Judge:
    """Answers by a list of verdicts, each after its own number of turns of the loop."""

    verdicts: list[str]
    delays: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)

    async def __call__(self, chunk: int) -> bool:
        self.asked.append(chunk)
        for _ in range(self.delays[chunk] if self.delays else 0):
            await asyncio.sleep(0)
        if self.verdicts[chunk] == NONE:
            raise InvalidAnswer(NONE)
        return self.verdicts[chunk] == YES


VERDICTS = st.lists(st.sampled_from([YES, NO, NO, NONE]), max_size=40)


@given(
    verdicts=VERDICTS,
    data=st.data(),
    n=st.integers(0, 45),
    m=st.integers(1, 6),
    window=st.integers(1, 45),
)
@settings(max_examples=examples(300))
async def test_the_outcome_is_that_of_one_after_the_other(verdicts, data, n, m, window):
    size = len(verdicts)
    delays = data.draw(st.lists(st.integers(0, 6), min_size=size, max_size=size))
    judge = Judge(verdicts, delays)
    found = await select_live(range(size), judge, n=n, m=m, window=window)
    expected = sequential(verdicts, n, m)
    assert (found.chosen, found.is_fallback) == (expected.chosen, expected.is_fallback)
    assert found.looked_at == expected.looked_at
    assert [place for place, _ in found.unjudged] == [place for place, _ in expected.unjudged]
    assert set(judge.asked) >= set(range(found.looked_at))
    assert len(judge.asked) == len(set(judge.asked)) <= min(n, size)
    # No window is begun that the sequential algorithm does not reach.
    assert max(judge.asked, default=-1) < -(-found.looked_at // window) * window


@given(verdicts=VERDICTS, n=st.integers(0, 45), m=st.integers(1, 6))
def test_stored_verdicts_lead_to_the_same(verdicts, n, m):
    stored = [{YES: True, NO: False, NONE: None}[verdict] for verdict in verdicts]
    found = select_stored(range(len(verdicts)), stored, n=n, m=m)
    expected = sequential(verdicts, n, m)
    assert (found.chosen, found.is_fallback) == (expected.chosen, expected.is_fallback)
    assert found.looked_at == expected.looked_at
    assert [place for place, _ in found.unjudged] == [place for place, _ in expected.unjudged]


async def test_none_says_yes_and_the_most_similar_stand_in():
    found = await select_live("abcdef", Letters(""), n=4, m=2, window=3)
    assert found.chosen == ("a", "b", "c")
    assert found.is_fallback
    assert found.looked_at == 4
    assert found.found_nothing is True


class Letters:
    """Says yes to some letters; raises what it is told to for others."""

    def __init__(self, yes: str, **raises: Exception) -> None:
        self.yes, self.raises = yes, raises

    async def __call__(self, letter: str) -> bool:
        await asyncio.sleep(0)
        if letter in self.raises:
            raise self.raises[letter]
        return letter in self.yes


async def test_an_unusable_answer_is_no_no():
    judge = Letters("cd", a=InvalidAnswer("rubbish"), b=InputRefused("too long"))
    found = await select_live("abcdef", judge, n=6, m=2, window=6)
    assert found.chosen == ("c", "d")
    (one, unusable), (other, refused) = found.unjudged
    assert (one, other) == ("a", "b")
    assert "no answer that could be used" in unusable
    assert "refuses" in refused
    assert not found.is_fallback
    assert found.found_nothing is False


async def test_only_unusable_answers_are_a_fallback_that_says_so():
    judge = Letters("", **{letter: InvalidAnswer("rubbish") for letter in "abc"})
    found = await select_live("abc", judge, n=30, m=2, window=30)
    assert found.is_fallback
    assert (found.chosen, len(found.unjudged)) == (("a", "b", "c"), 3)
    assert found.found_nothing is None


async def test_without_passages_nothing_is_asked():
    found = await select_live("", Letters(""), n=30, m=2, window=30)
    assert (found.chosen, found.looked_at) == ((), 0)


def passages(count: int) -> list[Passage]:
    return [
        Passage(
            Chunk(f"c{n}", "doc", "acts", n, 0, 9, ("Ada", "Youth"), f"Deed {n}."), 1.0, 1.0, None
        )
        for n in range(count)
    ]


ADA = Character("ada", "Ada", "")


async def test_each_passage_is_put_to_the_model_with_the_question():
    model = Scripted(by=lambda request: REVEALS_TRAIT.answer.write(Revealing(reveals=True)))
    judge = trait_judge(model, ADA, "Are you patient?")
    assert await judge(passages(1)[0])
    (request,) = model.requests
    assert request.documents == {"ada/doc"}
    assert request.cacheable
    told = request.messages[-1].content
    assert all(text in told for text in ("Are you patient?", "Ada, Youth", "Deed 0."))


def limited(model: Scripted, concurrency: int) -> tuple[ChatModel, Meter]:
    meter = Meter()
    return wrap(model, meter=meter, limiter=Limiter(Limits(concurrency=concurrency))), meter


async def test_a_full_slot_lets_calls_that_are_out_come_home_and_sends_no_more():
    model = Scripted(by=lambda request: REVEALS_TRAIT.answer.write(Revealing(reveals=True)))
    model.gate = asyncio.Event()
    endpoint, meter = limited(model, concurrency=4)
    judge = trait_judge(endpoint, ADA, "Are you patient?")
    selecting = asyncio.create_task(select_live(passages(30), judge, n=30, m=2, window=30))
    while len(model.requests) < 4:
        await asyncio.sleep(0)
    model.gate.set()
    found = await selecting
    assert [passage.chunk.id for passage in found.chosen] == ["c0", "c1"]
    # Two that answer make room for two, which may go out before the second verdict is read.
    assert 4 <= len(model.requests) <= 8
    assert model.cancelled == 0
    assert meter.usage().calls == len(model.requests)


async def test_a_window_of_one_asks_no_more_than_the_sequential_algorithm():
    judge = Judge([NO, YES, NO, YES, NO, YES])
    found = await select_live(range(6), judge, n=30, m=2, window=1)
    assert judge.asked == [0, 1, 2, 3]
    assert found.looked_at == 4
