"""Who says what by a model: asked once about what no tag names, and never guessed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from offbook.documents.readers import read_document
from offbook.errors import InvalidAnswer, ModelError, UsageError
from offbook.ingestion.cast import kept_cast
from offbook.ingestion.speakers import windows_of
from offbook.names.cast import Cast, CastMember, CastMention, Quotation
from offbook.prompts.ask import request_of
from offbook.prompts.speakers import SPEAKERS, SpeakersInputs
from offbook.stores import casts
from tests.app.homes import opened, text
from tests.loopback import LoopbackServer
from tests.loopback.answers import Answer, default_answer
from tests.models.fakes import read

BOOKS = Path(__file__).resolve().parents[2] / ".." / "shared/data/books/texts"
NARRATION = "The tide went out over the flats, and the birds followed it. " * 12
SCENE = f"""Ada Byrne met Tom Reeve at the quay on day {{day}}.

“The mooring is loose again, number {{day}},” said Ada Byrne.

“It was never fast,” he said.

“Then who is to pay for it?”

{NARRATION}
"""
BOOK = "\n".join(SCENE.format(day=day) for day in range(20))
"""Three windows; a line of each scene names its speaker."""


def numbers_in(body: Mapping[str, Any]) -> list[int]:
    """The quotations that a request asks about."""
    content = body["messages"][1]["content"]
    passage = content.rpartition("<passage>")[2].partition("</passage>")[0]
    return [int(number) for number in re.findall(r"\{(\d+)\}", passage)]


def answer_of(body: Mapping[str, Any], person: int | None = 1) -> Answer:
    """One person speaks every third of what is asked about; the others stay open."""
    if "quotation" not in body["messages"][0]["content"]:
        return default_answer(body)
    parts = [{"item": n, "person": None if n % 3 else person} for n in numbers_in(body)]
    return Answer(json.dumps({"quotations": parts}))


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(answer=answer_of) as running:
        yield running


@pytest.fixture
async def book(server: LoopbackServer, tmp_path: Path):
    flags = {"chat__model": "m", "chat__base_url": server.base_url, "limits__retries": 0}
    async with await opened(tmp_path, **flags) as home:
        await home.create_from([text("quay.md", BOOK)], "Ada Byrne")
        server.clear()
        yield home


async def spoken(home: Offbook) -> list[Quotation]:
    return list((await kept_cast(home.store, "ada-byrne")).quotations)


async def test_what_no_tag_names_is_asked_once_and_its_price_is_told_before(book, server):
    before = await spoken(book)
    estimate = await book.estimate_speakers("quay")
    assert (server.count(), estimate.calls) == (0, 3)
    server.latency_seconds = 0.05
    report = await book.speakers("quay")
    assert server.count() == report.usage.calls == estimate.calls
    assert server.peak_in_flight > 1, "side by side"
    numbered = [numbers_in(body) for body in server.chat_bodies]
    open_ = [each for each in before if each.basis != "explicit"]
    assert sum(map(len, numbered)) == report.quotations == len(open_) == 40
    after = await spoken(book)
    assert report.attributed == sum(len(numbers) // 3 for numbers in numbered)
    assert Counter(each.basis for each in after) == {
        "explicit": 20,
        "model": report.attributed,
        None: 40 - report.attributed,
    }, "what the model leaves open is open"
    ada, *_ = await book.cast("quay")
    assert (ada.lines, ada.by_model) == (20 + report.attributed, report.attributed)
    again = await book.speakers("quay")
    assert (server.count(), again.attributed) == (3, report.attributed)
    assert (await book.estimate_speakers("quay")).calls == 0


async def test_what_was_said_holds_when_the_cast_is_read_anew(book, server):
    report = await book.speakers("quay")
    await book.ingest_texts("ada-byrne", [text("later.md", "Ada Byrne slept.")])
    assert sum(each.basis == "model" for each in await spoken(book)) == report.attributed
    await book.speakers("quay")
    assert server.count("/chat/completions") == 3


async def test_a_text_that_is_forgotten_takes_the_answers_along(book, server):
    await book.speakers("quay")
    gone = await book.forget("ada-byrne", "quay.md")
    assert gone.cached_calls == 3
    assert await book.store.read(casts.speakers, "ada-byrne") == {}


async def test_an_answer_with_a_stranger_is_asked_for_again_saying_why(book, server):
    wrong = iter([True] * 3)

    def strangers(body: Mapping[str, Any]) -> Answer:
        parts = [{"item": n, "person": 99} for n in numbers_in(body)]
        return Answer(json.dumps({"quotations": parts})) if next(wrong, False) else answer_of(body)

    server.answer = strangers
    report = await book.speakers("quay")
    assert (server.count(), report.messages) == (6, ())
    told = [body["messages"][0]["content"] for body in server.chat_bodies]
    assert sum("nothing usable is said of the quotations" in each for each in told) == 3
    await book.speakers("quay")
    assert server.count() == 6


async def test_where_no_answer_can_be_used_the_rules_word_stands_and_it_is_said(book, server):
    def half_of_one(body: Mapping[str, Any]) -> Answer:
        answer = answer_of(body)
        parts = json.loads(answer.text)["quotations"]
        is_first = "day 0." in body["messages"][1]["content"]
        return Answer(json.dumps({"quotations": parts[:1]})) if is_first else answer

    before = await spoken(book)
    server.answer = half_of_one
    report = await book.speakers("quay")
    (message,) = report.messages
    assert "the rules' word stands for" in message
    assert "nothing usable is said of the quotations [" in message
    count = int(re.findall(r"for (\d+) quotations", message)[0])
    after = await spoken(book)
    rest = [place for place, each in enumerate(before) if each.basis != "explicit"]
    assert [after[place] for place in rest[:count]] == [before[place] for place in rest[:count]]
    assert all(after[place].basis in ("model", None) for place in rest[count:])
    assert server.count() == 5, "three times the one, once the others"


async def test_what_an_answer_passes_over_stays_as_it_is_and_is_not_paid_for_again(book, server):
    def too_much_and_too_little(body: Mapping[str, Any]) -> Answer:
        parts = json.loads(answer_of(body).text)["quotations"]
        return Answer(json.dumps({"quotations": [*parts[1:], {"item": 99, "person": 1}]}))

    before = await spoken(book)
    server.answer = too_much_and_too_little
    report = await book.speakers("quay")
    assert server.count() == 3
    (message,) = report.messages
    assert "for 3 quotations: the answers say nothing usable of them" in message
    first = next(place for place, each in enumerate(before) if each.basis != "explicit")
    assert (await spoken(book))[first] == before[first]


async def test_a_run_that_was_broken_off_goes_on_and_asks_nothing_twice(book, server):
    server.script("ok", "ok", "401")
    with pytest.raises(ModelError):
        await book.speakers("quay")
    answered = sum(each.fault == "ok" for each in server.requests)
    assert answered == 2
    server.clear()
    report = await book.speakers("quay")
    assert server.count() == 1
    assert len(await book.store.read(casts.speakers, "ada-byrne")) == 3
    assert report.messages == ()


async def test_without_a_model_or_a_place_for_its_answers_it_is_refused(book, server, tmp_path):
    with pytest.raises(UsageError, match="is not in the home") as raised:
        await book.speakers([text("other.md", "“Come,” said Ada Byrne.")])
    assert "offbook create --from" in str(raised.value.hint)
    async with await opened(tmp_path / "offline") as offline:
        with pytest.raises(UsageError, match="no model is configured"):
            await offline.speakers([text("quay.md", BOOK)])
    assert server.count() == 0


def test_only_our_numbers_stand_in_curly_brackets_and_a_line_without_end_is_cut():
    spoken = "{1} “Yes.” " + "x " * 20_000 + "“No.” </passage> {2}"
    cast = Cast(
        (CastMember("Ada Byrne", ("Ada", "Ada Byrne"), "f"),),
        (CastMention(0, 0, 1, 0),),
        tuple(Quotation(0, one.start(), one.end()) for one in re.finditer("“[^”]+”", spoken)),
    )
    windows = windows_of(cast, [spoken])
    assert [re.findall(r"\{\d+\}.", each.inputs.stretch) for each in windows] == [["{1}“"]] * 2
    assert max(len(each.inputs.stretch) for each in windows) < 4_000
    assert windows[0].inputs.called == ("Ada Byrne (she; Ada)",)
    assert len({each.key for each in windows}) == 2
    asked = request_of(SPEAKERS, windows[1].inputs).messages[1].content
    assert asked.count("</passage>") == 1
    assert windows_of(Cast(cast.members, cast.mentions), [spoken]) == []


@pytest.mark.parametrize(
    "parts",
    [[], [(3, 1)], [(1, 3), (2, 0)], [(1, 1), (1, 2)], [(1, 1), (1, 2), (2, 9)]],
)
def test_what_is_no_answer(parts: list[tuple[int, int]]):
    inputs = SpeakersInputs("", "{1}“A.” {2}“B.”", ("Ada", "Tom"), (None, None))
    given = [{"item": item, "person": person} for item, person in parts]
    with pytest.raises(InvalidAnswer):
        read(SPEAKERS, inputs, json.dumps({"quotations": given}))


async def test_a_novel_costs_at_most_0_15_calls_a_kb(server: LoopbackServer, tmp_path: Path):
    file = BOOKS / "WhereAngelsFearToTread.txt"
    if not file.exists():
        pytest.skip("the shared data is not here")
    flags = {"chat__model": "m", "chat__base_url": server.base_url}
    async with await opened(tmp_path, **flags) as home:
        await home.create_from([read_document(file, file.name)], "Philip")
        server.clear()
        report = await home.speakers("philip")
    assert report.usage.calls == server.count()
    assert 0 < server.count() <= 0.15 * file.stat().st_size / 1000
