"""How near a text is in meaning to written examples of each emotion.

Takes: texts.  Gives: a number an emotion: the cosine between the meaning of the text (static word
vectors, rare words counting more) and what the examples of the emotion have in common and those of
the others have not. Words that the table lacks say nothing. Source: ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from offbook.language.emotion_names import EMOTIONS
from offbook.models.builtin import word_hash
from offbook.models.offline.emotion_words import negated, stem, tokens
from offbook.models.static_vectors import ABSENT, DIMENSION, shipped_vectors

Floats = NDArray[np.float64]

PLAIN: Final = "plain"
"""The heading of the examples without emotion."""
Language = Literal["en", "zh"]
_DATA: Final = Path(__file__).parent / "data"
_FILES: Final = {"en": "emotion_examples.txt", "zh": "emotion_examples_zh.txt"}


def likeness(texts: Sequence[str]) -> Floats:
    """Likeness of each text to each emotion's examples, shape ``(len(texts), 8)``."""
    centres = _centres()
    return _unit(meaning(texts)) @ centres.T


def meaning(texts: Sequence[str]) -> Floats:
    """Sums of the word vectors of each text, function words included: "what", "never" tell much."""
    table = shipped_vectors()
    summed = np.zeros((len(texts), DIMENSION))
    for row, text in enumerate(texts):
        said = tokens(text)
        # A denied word says nothing here: "not happy" is near "happy" in meaning, not in emotion.
        kept = [token for token, no in zip(said, negated(said), strict=True) if not no]
        words = [part for token in kept for part in token.split("'")]
        if words:
            hashes = np.array([word_hash(word) for word in words], dtype=np.uint32)
            stems = np.array([word_hash(stem(word)) for word in words], dtype=np.uint32)
            rows = table.rows(hashes, stems)
            weights = np.where(rows == ABSENT, 0.0, np.log(table.ranks(rows) + 2.0))
            summed[row] = weights @ table.unit(rows)
    return summed


@cache
def examples(language: Language = "en") -> dict[str, tuple[str, ...]]:
    """The examples by emotion, and the plain ones."""
    found: dict[str, list[str]] = {name: [] for name in (*EMOTIONS, PLAIN)}
    for line in (_DATA / _FILES[language]).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, text = line.partition(": ")
            found[name].append(text)
    return {name: tuple(lines) for name, lines in found.items()}


@cache
def _centres() -> Floats:
    """A direction an emotion: the mean of its examples without what all have in common."""
    return centres_of([_unit(meaning(lines)) for lines in examples().values()])


def centres_of(vectors: Sequence[Floats]) -> Floats:
    """The directions of the eight emotions.

    Args:
        vectors: Of length 1, a row an example: for each emotion, and for the plain ones.
    """
    means = np.stack([rows.mean(axis=0) for rows in vectors])
    return _unit(means - means.mean(axis=0))[: len(EMOTIONS)]


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Floats = rows / np.where(lengths > 0, lengths, 1)
    return scaled
