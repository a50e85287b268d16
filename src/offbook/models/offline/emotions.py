"""The offline answer to how strongly eight emotions are felt, in English and Chinese.

Takes: utterances.  Gives: integers from 1 to 10. What listed words say, how near the text is to
written examples, and its punctuation are added up; the levels are fixed by texts of our own: what
feels nothing much has 2 on average, what an example of the emotion says has 8. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from offbook.language.emotion_names import EMOTIONS
from offbook.models.offline.emotion_examples import PLAIN, Language, examples, likeness
from offbook.models.offline.emotion_words import Heard, hear
from offbook.prompts.emotion import (
    EmotionsAnswer,
    EmotionScores,
    ScoreEmotionsInputs,
)

Floats = NDArray[np.float64]

_EXAMPLES: Final = 3.0
"""What the likeness to examples counts for beside the words."""
_SHARED: Final = 0.5
"""How much of the mean over the emotions is taken off: words that lean to all say little."""
_LONG: Final = 25.0
"""Words from which a text is judged by how densely it speaks of an emotion, not how often."""
_BEFORE: Final = 0.25
"""What the words that are answered count for beside the answer."""
_ASKS: Final = re.compile(r"[?？]|[吗嗎呢]\s*$")
_LETTER: Final = re.compile(r"[^\W_]|[?？!！]")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN: Final = re.compile(r"[A-Za-z]+")
_EXCLAIMS: Final = re.compile(r"[!！]")
_ASKING: Final = {"surprise": 0.5}
_EXCLAIMING: Final = {"joy": 0.12, "fear": 0.12, "surprise": 0.25, "anger": 0.25}
_PLAIN_LEVEL: Final = 2.0
_EXAMPLE_LEVEL: Final = 8.0
_EARLY: Final = 0.7
"""The exponent of the curve of levels; 1 would be a straight line."""


Scale = tuple[Floats, Floats]
"""The strength of each emotion that is ``_PLAIN_LEVEL``, and that which is ``_EXAMPLE_LEVEL``."""


def score_emotions(inputs: ScoreEmotionsInputs) -> EmotionsAnswer:
    """The emotions of each utterance, whoever speaks; what was said before colours it."""
    return rated(inputs, likeness, scale("en"))


def rated(
    inputs: ScoreEmotionsInputs, alike: Callable[[Sequence[str]], Floats], english: Scale
) -> EmotionsAnswer:
    """The same by any likeness to the examples.

    Args:
        inputs: What is scored.
        alike: Likeness of texts to each emotion's examples, shape ``(len(texts), 8)``.
        english: The scale of texts that are not Chinese, by that likeness.
    """
    texts = [utterance.text for utterance in inputs.utterances]
    found = strengths(texts, alike(texts))
    answering = [row for row, utterance in enumerate(inputs.utterances) if utterance.before]
    if answering:
        said = [inputs.utterances[row].before for row in answering]
        before = strengths(said, alike(said))
        found[answering] = (found[answering] + _BEFORE * before) / (1 + _BEFORE)
    wide = np.array([is_chinese(text) for text in texts], dtype=bool)
    given = np.where(wide[:, None], levels(found, scale("zh")), levels(found, english))
    silent = [not _LETTER.search(text) for text in texts]
    given[silent] = 1
    items = [
        EmotionScores(item=item, **dict(zip(EMOTIONS, row, strict=True)))
        for item, row in enumerate(given.tolist(), 1)
    ]
    return EmotionsAnswer(items=items)


def strengths(texts: Sequence[str], alike: Floats) -> Floats:
    """How strongly each text speaks of each emotion, shape ``(len(texts), 8)``, of no bounds.

    Args:
        texts: What is said.
        alike: Their likeness to each emotion's examples, of the same shape.
    """
    said = [_said(hear(text)) for text in texts]
    heard = np.array(said).reshape(len(texts), len(EMOTIONS))
    heard -= _SHARED * heard.mean(axis=1, keepdims=True)
    marked = np.array([_marked(text) for text in texts]).reshape(heard.shape)
    summed: Floats = heard + marked + _EXAMPLES * alike
    return summed


def levels(found: Floats, points: Scale) -> NDArray[np.int64]:
    """Strengths as integers from 1 to 10, on a curve through two points an emotion.

    The strength of plain texts (mean) is level 2, that of the emotion's own examples (median) 8.
    Between them the levels rise early: what people say is seldom as plain as an example.
    """
    plain, felt = points
    share = (found - plain) / (felt - plain)
    curved = np.where(share > 0, np.abs(share) ** _EARLY, share)
    level = _PLAIN_LEVEL + (_EXAMPLE_LEVEL - _PLAIN_LEVEL) * curved
    return np.clip(np.rint(level), 1, 10).astype(np.int64)


def is_chinese(text: str) -> bool:
    """Whether at least half of the words are Chinese, a word counted as two characters."""
    characters = len(_HAN.findall(text))
    return characters > 0 and characters >= 2 * len(_LATIN.findall(text))


def _said(heard: Heard) -> Floats:
    size = heard.words + 1
    dense: Floats = heard.weights / np.sqrt(size * max(size / _LONG, 1))
    return dense


def _marked(text: str) -> Floats:
    marks = np.zeros(len(EMOTIONS))
    for pattern, added in ((_ASKS, _ASKING), (_EXCLAIMS, _EXCLAIMING)):
        if pattern.search(text):
            for name, weight in added.items():
                marks[EMOTIONS.index(name)] += weight
    return marks


@cache
def scale(language: Language) -> Scale:
    """The scale of a language, by static vectors."""
    lines = examples(language)
    return scale_of(lines, {name: likeness(texts) for name, texts in lines.items()})


def scale_of(lines: Mapping[str, Sequence[str]], alike: Mapping[str, Floats]) -> Scale:
    """What plain texts have of each emotion, and what the emotion's own examples have."""
    found = {name: strengths(texts, alike[name]) for name, texts in lines.items()}
    felt = np.array([np.median(found[name][:, at]) for at, name in enumerate(EMOTIONS)])
    return found[PLAIN].mean(axis=0), felt
