"""What of the prompt stays the same stands first, so that providers read it once: prefix caches."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from offbook import Offbook

TEXT = (
    "# Ada Byrne\n\nAda Byrne keeps the light on Skerry Rock. Her brother Tom taught her.\n\n"
    "# Voice\n\n"
    '"The lamp will burn tonight," Ada said. "It burned when Tom was alive, and it burns now."\n\n'
    "# Tom\n\nTom Byrne drowned in 1880. He had a boat called Petrel and a dog called Rex.\n"
)
QUESTIONS = (
    "Good evening. I am called Carl, and I have come from Hull by the morning boat.",
    "Who taught you to trim the lamp?",
    "What was Tom's boat called?",
    "Have you ever flown in an aeroplane?",
    "I am sad tonight. Will you tell me of Rex?",
)


@pytest.mark.parametrize("method", ["ensemble", "whole", "rolerag", "naive"])
async def test_all_but_the_last_exchange_is_the_prefix_of_the_next_prompt(
    loopback, tmp_path, method
):
    text = Path(tmp_path / "ada.md")
    text.write_text(TEXT)
    replies = iter(f"Aye, that is number {number} of my tales." for number in range(9))
    loopback.answer = lambda body: next(replies)
    flags = {
        "home": tmp_path / "home",
        "chat__model": "m",
        "chat__base_url": loopback.base_url,
        "extract__model": "offline",
    }
    async with await Offbook.open(method=method, **flags) as offline:
        ada = await offline.create("Ada Byrne")
    async with await Offbook.open(method=method, **{**flags, "chat__model": "offline"}) as offline:
        await offline.ingest(ada.id, [text])
    async with await Offbook.open(method=method, **flags) as book:
        talk = await book.session(ada.id, session="s")
        for question in QUESTIONS:
            await talk.ask(question)
    prompts = [body["messages"] for body in loopback.chat_bodies]
    assert len(prompts) == len(QUESTIONS)
    for number, (before, after) in enumerate(pairwise(prompts)):
        assert before[0]["role"] == "system"
        # The rules and who the character is, and each exchange but the last one, byte by byte.
        assert after[: 1 + 2 * number] == before[:-1]
        assert [message["role"] for message in after] == [
            "system",
            *["user", "assistant"] * (number + 1),
            "user",
        ]
        # What was found, and what else changes with a question, stands with it at the end.
        assert QUESTIONS[number] in after[-3]["content"]
