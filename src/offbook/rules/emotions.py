"""The offline answer to how strongly eight emotions are felt, in English and Chinese.

Takes: utterances.  Gives: integers from 1 to 10. What listed words say, how near the text is to
written examples, and its punctuation are added up; a negated word counts little, negated joy as
some sadness and disgust; "very" and "a little" change the next word. The levels are fixed by texts
of our own: what feels nothing much has 2 on average, what an example of the emotion says has 8.
Source: ours; data/emotions_en.txt says how it was made.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from offbook.models.builtin import ABSENT, MEANING_DIMENSION, shipped_vectors, word_hash
from offbook.prompts.emotion import EmotionsAnswer, EmotionScores, ScoreEmotionsInputs
from offbook.text.emotion_names import EMOTIONS
from offbook.text.grammar import word_set
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.rules")

if TYPE_CHECKING:
    from offbook.protocols import Embedder

Weights = NDArray[np.float64]

_DATA: Final = Path(__file__).parent / "data"
_TOKEN: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[\u3400-\u4dbf\u4e00-\u9fff]+")
_LOOSE_ENDING: Final = re.compile(r"\s+'(?=(?:s|re|m|ve|d|ll|t)\b)")
_NEGATIONS: Final = _LISTS["negations"]
_REACH: Final = 3
"""How many words on a negation is heard."""
_MORE: Final = word_set("very so really extremely terribly deeply utterly truly too such")
_LESS: Final = word_set("slightly somewhat rather bit little")
_DEGREES: Final = {**dict.fromkeys(_MORE, 1.3), **dict.fromkeys(_LESS, 0.6)}
_HAN_NEGATION: Final = frozenset("不没别未无")
_HAN_REACH: Final = 2
_HAN_A_WORD: Final = 1.7
"""Chinese characters that say as much as one English word, about."""
_LEFT: Final = 0.3
"""What is left of a negated word."""
_TURNED: Final = 0.4
"""What negated joy or acceptance counts as sadness and as disgust."""
_GLAD: Final = [EMOTIONS.index(name) for name in ("joy", "acceptance")]
_SORRY: Final = [EMOTIONS.index(name) for name in ("sadness", "disgust")]


@dataclass(frozen=True, slots=True)
class Heard:
    """What the words of a text say: a sum of weights an emotion, and the number of words."""

    weights: Weights
    words: float


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Weights of phrases by their words or Chinese characters, and of English words by stem."""

    phrases: Mapping[tuple[str, ...], Weights]
    stems: Mapping[str, Weights]
    longest: int

    def at(self, units: Sequence[str], place: int) -> tuple[int, Weights | None]:
        """The longest phrase that begins at ``place``: of how many units it is, and its weights."""
        for size in range(min(self.longest, len(units) - place), 0, -1):
            if (weights := self.phrases.get(tuple(units[place : place + size]))) is not None:
                return size, weights
        return 1, self.stems.get(stem(units[place])) if self.stems else None


def hear(text: str) -> Heard:
    """What the words of ``text`` say of the eight emotions."""
    total = np.zeros(len(EMOTIONS))
    run: list[str] = []
    words = 0.0
    for unit in tokens(text):
        if unit[0].isascii():
            run.append(unit)
            words += 1
        else:
            total += _of_chinese(unit)
            words += len(unit) / _HAN_A_WORD
    return Heard(total + _of_english(run), words)


def tokens(text: str) -> list[str]:
    """Folded English words with their apostrophes, and runs of Chinese characters."""
    return _TOKEN.findall(_LOOSE_ENDING.sub("'", fold(text)))


def negated(words: Sequence[str]) -> list[bool]:
    """Which words stand up to three behind a negation."""
    flags, until = [], 0
    for place, word in enumerate(words):
        flags.append(place < until)
        if word in _NEGATIONS:
            until = place + 1 + _REACH
    return flags


def _of_english(words: Sequence[str]) -> Weights:
    lexicon = english()
    total = np.zeros(len(EMOTIONS))
    denied = negated(words)
    place, degree = 0, 1.0
    while place < len(words):
        size, weights = lexicon.at(words, place)
        if weights is not None:
            # A listed phrase holds its own negation: "no good", "can't wait".
            total += degree * (_turned(weights) if size == 1 and denied[place] else weights)
        degree = _DEGREES.get(words[place], 1.0)
        place += size
    return total


def _of_chinese(run: str) -> Weights:
    lexicon = chinese()
    simplified = run.translate(_simplified())
    total = np.zeros(len(EMOTIONS))
    place = 0
    while place < len(simplified):
        size, weights = lexicon.at(simplified, place)
        if weights is not None:
            before = simplified[max(0, place - _HAN_REACH) : place]
            total += weights if _HAN_NEGATION.isdisjoint(before) else _turned(weights)
        place += size
    return total


def _turned(weights: Weights) -> Weights:
    turned = _LEFT * weights
    turned[_SORRY] += _TURNED * weights[_GLAD].max()
    return turned


@cache
def english() -> Lexicon:
    """The English list."""
    phrases = {
        tuple(entry.split("_")): weights for entry, weights in _entries("emotions_en.txt").items()
    }
    stems: dict[str, Weights] = {}
    for words, weights in phrases.items():
        if len(words) == 1:
            known = stems.get(stem(words[0]))
            stems[stem(words[0])] = weights if known is None else np.maximum(known, weights)
    return Lexicon(phrases, stems, max(map(len, phrases)))


@cache
def chinese() -> Lexicon:
    """The Chinese list."""
    phrases = {tuple(entry): weights for entry, weights in _entries("emotions_zh.txt").items()}
    return Lexicon(phrases, {}, max(map(len, phrases)))


def _entries(file: str) -> dict[str, Weights]:
    entries: dict[str, Weights] = {}
    for head, body in _lines(file):
        if head:
            name, strength = head.split()
            for entry in body.split():
                weights = entries.setdefault(entry, np.zeros(len(EMOTIONS)))
                index = EMOTIONS.index(name)
                weights[index] = max(weights[index], float(strength))
    return entries


@cache
def _simplified() -> dict[int, str]:
    """Traditional characters to simplified ones."""
    pairs = [pair for head, body in _lines("emotions_zh.txt") if not head for pair in body.split()]
    return {ord(pair[1]): pair[0] for pair in pairs}


def _lines(file: str) -> Iterator[tuple[str, str]]:
    """``head: body`` of each line; the head of a line ``= body`` is empty."""
    for line in (_DATA / file).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            head, _, body = ("", "", line[1:]) if line[0] == "=" else line.partition(":")
            yield head, body


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The stem of one folded English word."""
    from snowballstemmer import stemmer

    stemmed: str = stemmer("english").stemWord(word)
    return stemmed


Floats = NDArray[np.float64]
Scale = tuple[Floats, Floats]
"""The strength of each emotion that is ``_PLAIN_LEVEL``, and that which is ``_EXAMPLE_LEVEL``."""

PLAIN: Final = "plain"
"""The heading of the examples without emotion."""
Language = Literal["en", "zh"]
_FILES: Final = {"en": "emotion_examples.txt", "zh": "emotion_examples_zh.txt"}
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


def likeness(texts: Sequence[str]) -> Floats:
    """Likeness of each text to each emotion's examples, shape ``(len(texts), 8)``."""
    centres = _centres()
    return _unit(meaning(texts)) @ centres.T


def meaning(texts: Sequence[str]) -> Floats:
    """Sums of the word vectors of each text, function words included: "what", "never" tell much."""
    table = shipped_vectors()
    summed = np.zeros((len(texts), MEANING_DIMENSION))
    for row, text in enumerate(texts):
        said = tokens(text)
        # A denied word says nothing here: "not happy" is near "happy" in meaning, not in emotion.
        affirmed = [token for token, no in zip(said, negated(said), strict=True) if not no]
        words = [part for token in affirmed for part in token.split("'")]
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
    lines_of: dict[str, list[str]] = {name: [] for name in (*EMOTIONS, PLAIN)}
    for line in (_DATA / _FILES[language]).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, text = line.partition(": ")
            lines_of[name].append(text)
    return {name: tuple(lines) for name, lines in lines_of.items()}


@cache
def _centres() -> Floats:
    """A direction an emotion: the mean of its examples without what all have in common."""
    return centres_of([_unit(meaning(lines)) for lines in examples().values()])


def centres_of(vectors: Sequence[Floats]) -> Floats:
    """The directions of the eight emotions, from unit vectors of their and plain examples."""
    means = np.stack([rows.mean(axis=0) for rows in vectors])
    return _unit(means - means.mean(axis=0))[: len(EMOTIONS)]


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Floats = rows / np.where(lengths > 0, lengths, 1)
    return scaled


def score_emotions(inputs: ScoreEmotionsInputs) -> EmotionsAnswer:
    """The emotions of each utterance, whoever speaks; what was said before colours it."""
    return rated(inputs, likeness, scale("en"))


def rated(
    inputs: ScoreEmotionsInputs, alike: Callable[[Sequence[str]], Floats], english: Scale
) -> EmotionsAnswer:
    """Score by any likeness to the examples, shape ``(len(texts), 8)``, and its scale."""
    texts = [utterance.text for utterance in inputs.utterances]
    felt = strengths(texts, alike(texts))
    answering = [row for row, utterance in enumerate(inputs.utterances) if utterance.before]
    if answering:
        said = [inputs.utterances[row].before for row in answering]
        before = strengths(said, alike(said))
        felt[answering] = (felt[answering] + _BEFORE * before) / (1 + _BEFORE)
    wide = np.array([is_chinese(text) for text in texts], dtype=bool)
    scores = np.where(wide[:, None], levels(felt, scale("zh")), levels(felt, english))
    silent = [not _LETTER.search(text) for text in texts]
    scores[silent] = 1
    items = [
        EmotionScores(item=item, **dict(zip(EMOTIONS, row, strict=True)))
        for item, row in enumerate(scores.tolist(), 1)
    ]
    return EmotionsAnswer(items=items)


def strengths(texts: Sequence[str], alike: Floats) -> Floats:
    """How strongly each text speaks of each emotion; as ``alike``, of shape ``(len(texts), 8)``."""
    said = [_said(hear(text)) for text in texts]
    heard = np.array(said).reshape(len(texts), len(EMOTIONS))
    heard -= _SHARED * heard.mean(axis=1, keepdims=True)
    marked = np.array([_marked(text) for text in texts]).reshape(heard.shape)
    summed: Floats = heard + marked + _EXAMPLES * alike
    return summed


def levels(strength: Floats, points: Scale) -> NDArray[np.int64]:
    """Strengths as integers from 1 to 10: plain texts have 2, examples 8, more rise early."""
    plain, felt = points
    share = (strength - plain) / (felt - plain)
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
    strength_of = {name: strengths(texts, alike[name]) for name, texts in lines.items()}
    felt = np.array([np.median(strength_of[name][:, index]) for index, name in enumerate(EMOTIONS)])
    return strength_of[PLAIN].mean(axis=0), felt


_ONE_BY_ONE: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]] = WeakKeyDictionary()
"""Batches are scored side by side: one of them has the examples embedded, the others wait."""
_KNOWN: Final[dict[str, tuple[Floats, Scale]]] = {}
"""Embedder -> directions and scale of its examples: they are embedded once in a process."""


async def score_by_meaning(inputs: ScoreEmotionsInputs, embedder: Embedder) -> EmotionsAnswer:
    """Score as ``score_emotions`` does, by an embedder's vectors instead of those of words.

    Chinese is told by its listed words: the examples of the vectors are English.

    Raises:
        ModelError: the embedder failed.
    """
    spoken = [text for one in inputs.utterances for text in (one.text, one.before)]
    texts = [text for text in dict.fromkeys(spoken) if text.strip() and not is_chinese(text)]
    async with _ONE_BY_ONE.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        if embedder.name not in _KNOWN:
            _KNOWN[embedder.name] = await _embedded_examples(embedder)
    centres, scale_of_meaning = _KNOWN[embedder.name]
    by_text: dict[str, Floats] = {}
    if texts:
        vectors = (await embedder.embed(texts, "document")).astype(np.float64)
        by_text = dict(zip(texts, vectors @ centres.T, strict=True))

    def alike(texts: Sequence[str]) -> Floats:
        by_words = likeness(texts)
        for row, text in enumerate(texts):
            by_words[row] = by_text.get(text, by_words[row])
        return by_words

    return rated(inputs, alike, scale_of_meaning)


async def _embedded_examples(embedder: Embedder) -> tuple[Floats, Scale]:
    lines = examples()
    texts = [text for group in lines.values() for text in group]
    vectors = (await embedder.embed(texts, "document")).astype(np.float64)
    parts = np.split(vectors, np.cumsum([len(group) for group in lines.values()])[:-1])
    centres = centres_of(parts)
    alike = {name: part @ centres.T for name, part in zip(lines, parts, strict=True)}
    return centres, scale_of(lines, alike)
