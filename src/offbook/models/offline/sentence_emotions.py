"""The offline answer to how strongly emotions are felt, with the configured sentence embedder.

Takes: utterances and an embedder.  Gives: integers from 1 to 10. Words and punctuation count as in
``emotions``; how near a text is to the written examples is told by the embedder's vectors instead
of those of single words. Chinese is told by its listed words: the examples are English. Source:
ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np

from offbook.models.offline.emotion_examples import Floats, centres_of, examples, likeness
from offbook.models.offline.emotions import Scale, is_chinese, rated, scale_of

if TYPE_CHECKING:
    from offbook.prompts.emotion import EmotionsAnswer, ScoreEmotionsInputs
    from offbook.protocols import Embedder


@dataclass(frozen=True, slots=True)
class _Examples:
    """The written examples as one embedder sees them."""

    centres: Floats
    scale: Scale


_KNOWN: Final[dict[str, _Examples]] = {}
"""Embedder -> its examples: they are embedded once in a process."""
_ONE_BY_ONE: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]] = WeakKeyDictionary()
"""Batches are scored side by side: one of them has the examples embedded, the others wait."""


async def score_emotions(inputs: ScoreEmotionsInputs, embedder: Embedder) -> EmotionsAnswer:
    """The emotions of each utterance, whoever speaks; what was said before colours it.

    Raises:
        ModelError: the embedder failed.
    """
    said = [text for utterance in inputs.utterances for text in (utterance.text, utterance.before)]
    told = [text for text in dict.fromkeys(said) if text.strip() and not is_chinese(text)]
    known = await _examples(embedder)
    by_text: dict[str, Floats] = {}
    if told:
        vectors = (await embedder.embed(told, "document")).astype(np.float64)
        by_text = dict(zip(told, vectors @ known.centres.T, strict=True))

    def alike(texts: Sequence[str]) -> Floats:
        found = likeness(texts)
        for row, text in enumerate(texts):
            found[row] = by_text.get(text, found[row])
        return found

    return rated(inputs, alike, known.scale)


async def _examples(embedder: Embedder) -> _Examples:
    async with _ONE_BY_ONE.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        if embedder.name not in _KNOWN:
            _KNOWN[embedder.name] = await _embedded(embedder)
        return _KNOWN[embedder.name]


async def _embedded(embedder: Embedder) -> _Examples:
    lines = examples()
    texts = [text for own in lines.values() for text in own]
    vectors = (await embedder.embed(texts, "document")).astype(np.float64)
    ends = np.cumsum([len(own) for own in lines.values()])[:-1]
    parts = np.split(vectors, ends)
    centres = centres_of(parts)
    alike = {name: part @ centres.T for name, part in zip(lines, parts, strict=True)}
    return _Examples(centres, scale_of(lines, alike))
