"""What a judge is shown of a character's texts: found by words, whatever the method gave."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from offbook.evaluation.benchmark import Question
from offbook.evaluation.evidence import LENGTH, Evidence
from tests.app.homes import home_with, text
from tests.evaluation.made import cell

TEXT = "\n\n".join(
    (
        "# Nora",
        "Nora Vey repairs clocks. " * 30,
        "Her brother Piet drowned in the harbour of Hull.",
        "She likes the smell of oil. " * 40,
        "At nine she learned to swim.",
    )
)


async def test_passages_of_question_answer_and_reply_are_found_with_their_places(tmp_path: Path):
    async with home_with(tmp_path, "Nora Vey", text("nora.md", TEXT)) as book:
        nora = await book.find("Nora Vey")
        look = Evidence(book.store)
        asked = Question("q1", "What of your brother?", answers=("Piet",))
        replied = replace(cell("q1", "I learned to swim as a child."), character=nora.id)
        found = await look.of(replied, asked)
        assert any("Piet drowned" in item.text for item in found), "by the question"
        assert any("learned to swim" in item.text for item in found), "by the reply"
        for item in found:
            (source,) = item.sources
            assert TEXT[source.start : source.end].strip() == item.text
            assert len(item.text) <= LENGTH
        assert not await look.of(replace(replied, reply="Xyzzy."), Question("q2", "Plugh?"))
