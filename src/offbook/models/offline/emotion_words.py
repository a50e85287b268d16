"""Words that speak of an emotion, in English and Chinese, and how a text turns them.

Takes: a text.  Gives: eight sums of weights, one an emotion, and how many words it has. A negated
word is counted little, and negated joy or acceptance as some sadness and disgust; "very" and "a
little" change the weight of the next word. Source: ours; data/emotions_en.txt says how it was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from offbook.language.emotion_names import EMOTIONS
from offbook.language.grammar import word_set
from offbook.language.words import fold

Weights = NDArray[np.float64]

_DATA: Final = Path(__file__).parent / "data"
_TOKEN: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[\u3400-\u4dbf\u4e00-\u9fff]+")
_LOOSE_ENDING: Final = re.compile(r"\s+'(?=(?:s|re|m|ve|d|ll|t)\b)")
_NEGATIONS: Final = word_set(
    "not no never nothing without hardly nor cannot don't doesn't didn't isn't wasn't aren't"
    " weren't won't can't couldn't wouldn't shouldn't ain't"
)
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
    """Phrases with their weights.

    Args:
        phrases: By their words (English) or their characters (Chinese).
        stems: Single English words by their stems.
        longest: Of how many words, or characters, a phrase may be.
    """

    phrases: Mapping[tuple[str, ...], Weights]
    stems: Mapping[str, Weights]
    longest: int

    def at(self, units: Sequence[str], place: int) -> tuple[int, Weights | None]:
        """The longest phrase that begins at ``place``: of how many units it is, and its weights."""
        for size in range(min(self.longest, len(units) - place), 0, -1):
            if (found := self.phrases.get(tuple(units[place : place + size]))) is not None:
                return size, found
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
    found, until = [], 0
    for place, word in enumerate(words):
        found.append(place < until)
        if word in _NEGATIONS:
            until = place + 1 + _REACH
    return found


def _of_english(words: Sequence[str]) -> Weights:
    lexicon = english()
    total = np.zeros(len(EMOTIONS))
    denied = negated(words)
    place, degree = 0, 1.0
    while place < len(words):
        size, found = lexicon.at(words, place)
        if found is not None:
            # A listed phrase holds its own negation: "no good", "can't wait".
            total += degree * (_turned(found) if size == 1 and denied[place] else found)
        degree = _DEGREES.get(words[place], 1.0)
        place += size
    return total


def _of_chinese(run: str) -> Weights:
    lexicon = chinese()
    simplified = run.translate(_simplified())
    total = np.zeros(len(EMOTIONS))
    place = 0
    while place < len(simplified):
        size, found = lexicon.at(simplified, place)
        if found is not None:
            before = simplified[max(0, place - _HAN_REACH) : place]
            total += found if _HAN_NEGATION.isdisjoint(before) else _turned(found)
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
    found: dict[str, Weights] = {}
    for head, body in _lines(file):
        if head:
            name, strength = head.split()
            for entry in body.split():
                weights = found.setdefault(entry, np.zeros(len(EMOTIONS)))
                at = EMOTIONS.index(name)
                weights[at] = max(weights[at], float(strength))
    return found


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
