"""Emotions by a configured embedder: asked for once, of English only, and heeded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from offbook.prompts.ask import ask
from offbook.prompts.emotion import (
    SCORE_EMOTIONS,
    EmotionsAnswer,
    ScoreEmotionsInputs,
    Utterance,
)
from offbook.rules import emotions
from offbook.rules.emotions import examples
from offbook.rules.emotions import score_emotions as by_words
from offbook.rules.model import OfflineModel

STRANGE = "Zwyx qorv blint, hax."
"""What no rule knows; the embedder takes it for sorrow."""


class Knowing:
    """An embedder to which all examples of an emotion are one, and ``STRANGE`` is sad."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str], kind: str) -> NDArray[np.float32]:
        assert kind == "document"
        self.asked.append(list(texts))
        await asyncio.sleep(0)  # others may ask meanwhile
        kinds = {text: at for at, own in enumerate(examples().values()) for text in own}
        sad = list(examples()).index("sadness")
        rows = [kinds.get(text, sad if text == STRANGE else len(examples()) - 1) for text in texts]
        return np.eye(len(examples()), dtype=np.float32)[rows]


@pytest.fixture
def embedder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Knowing:
    monkeypatch.setattr(emotions, "_KNOWN", {})
    return Knowing(request.node.name)


async def scored(embedder: Knowing | None, *texts: str, before: str = "") -> EmotionsAnswer:
    model = OfflineModel()
    model.embedder = embedder
    inputs = ScoreEmotionsInputs("Nora", tuple(Utterance(text, before) for text in texts))
    return await ask(model, SCORE_EMOTIONS, inputs)


async def test_what_the_embedder_knows_of_a_text_counts(embedder: Knowing):
    (item,) = (await scored(embedder, STRANGE)).items
    levels = item.by_name()
    assert levels["sadness"] >= 7
    assert max(level for name, level in levels.items() if name != "sadness") <= 4
    (plain,) = (await scored(None, STRANGE)).items
    assert plain.by_name()["sadness"] <= 3


async def test_what_was_said_before_colours_the_answer(embedder: Knowing):
    (alone,) = (await scored(embedder, "The lamp is on the table.")).items
    (after,) = (await scored(embedder, "The lamp is on the table.", before=STRANGE)).items
    assert after.sadness > alone.sadness


async def test_examples_are_embedded_once_where_many_ask_at_once(embedder: Knowing):
    found = await asyncio.gather(*(scored(embedder, STRANGE) for _ in range(5)))
    assert all(answer == found[0] for answer in found)
    assert sorted(len(texts) for texts in embedder.asked) == [1, 1, 1, 1, 1, 100]


async def test_chinese_is_told_by_its_words_and_silence_by_nothing(embedder: Knowing):
    texts = ["我很害怕，救命！", "   ", ""]
    found = await scored(embedder, *texts)
    inputs = ScoreEmotionsInputs("Nora", tuple(Utterance(text) for text in texts))
    assert found == by_words(inputs)
    assert len(embedder.asked) == 1, "the examples alone"
