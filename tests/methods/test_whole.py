"""The whole text in front of every question: complete, in order, the same bytes, or an error."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from offbook import pipeline
from offbook.context.assembly import assemble
from offbook.errors import UsageError
from offbook.prompts.prompt import render
from offbook.prompts.reply import REPLY
from offbook.types import EMBEDDED, Message
from tests.methods.everything import TOLD, Whole

FIRST = "# Ada Byrne\n\nAda Byrne keeps the light on Skerry Rock.\n\nTom taught her.\n"
SECOND = "# The letter\n\nThe letter came in March.\n"
HISTORY = (Message("user", "Good evening."), Message("assistant", "Good evening to you."))


@dataclass
class Read(Whole):
    sections: dict[str, Any] = field(default_factory=dict)

    def in_force(self):
        return {"method": "whole", **self.sections}


@pytest.fixture
async def ada(sqlite_store) -> Read:
    made = await Read(sqlite_store).create(("a.md", FIRST), ("b.md", SECOND))
    await made.remember(*TOLD)
    return made


async def told(ada: Read, question: str, history=()) -> list[Message]:
    """The messages of the reply."""
    recalled = await ada.recall(question, history=history)
    settings = ada.runtime.settings.context
    return list(render(REPLY, assemble(recalled, ["Aye."], history, settings)))


async def test_all_texts_in_their_order_and_the_memories(ada):
    found = await ada.recall("Who taught you to trim the lamp?")
    assert [i.text for i in found.context if i.kind == "profile"] == [FIRST, SECOND]
    assert any(i.kind == "memory" for i in found.context)
    assert {"profile", "memory"} == {i.kind for i in found.context}
    assert ada.model.asked == []


async def test_the_prefix_has_the_same_bytes_turn_after_turn(ada):
    first = await told(ada, "Who taught you to trim the lamp?")
    second = await told(ada, "Does Rex bark at the boat?", HISTORY)
    assert first[0].role == "system"
    assert FIRST.strip() in first[0].content
    assert first[0].content.encode() == second[0].content.encode()
    assert [m.content for m in second[1:3]] == [m.content for m in HISTORY]
    # What changes stands behind: question and memories.
    assert "Does Rex bark" in second[-1].content
    assert "Rex" not in second[0].content


async def test_at_a_point_the_texts_up_to_it(ada):
    at = FIRST.index("Tom")
    found = await ada.recall("Who taught you?", as_of=f"a.md@{at}")
    assert [i.text for i in found.context if i.kind == "profile"] == [FIRST[:at]]


@pytest.mark.parametrize(
    ("window", "length", "fits"), [(None, 1, True), (None, 1000, False), (16_000, 1000, True)]
)
async def test_texts_that_the_window_cannot_hold_are_an_error_with_their_length(
    sqlite_store, window, length, fits
):
    ada = Read(sqlite_store, sections={"chat": {"context_tokens": window}})
    await ada.create(("a.md", FIRST * length if length == 1 else "One more word. " * 3 * length))
    if fits:
        assert (await ada.recall("Who?")).context
        return
    with pytest.raises(UsageError, match=r"have [\d,]+ tokens, .* window of 8,192 tokens") as error:
        await ada.recall("Who?")
    assert "chat.context_tokens" in error.value.hint
    assert "--method ensemble" in error.value.hint


async def test_the_conversation_counts_against_the_window(ada):
    ada.sections = {"chat": {"context_tokens": 2_100}}
    await ada.recall("Who?")
    with pytest.raises(UsageError):
        await ada.recall("Who?", history=[Message("user", "word " * 200)])


async def test_a_model_that_costs_nothing_has_no_window(ada):
    ada.sections = {"chat": {"context_tokens": 512}}
    with pytest.raises(UsageError):
        await ada.recall("Who?")
    runtime = replace(ada.runtime, actor=Free())
    assert (await pipeline.recall(runtime, await ada.character(), "Who?")).context


class Free:
    name, base_url, traits = "free", "offline:", EMBEDDED
