"""Generated Markdown of several shapes, the same for the same size.

Nothing in it is from anywhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

_SYLLABLES: Final = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er")]
_POOL: Final = 20_000


def _word(source: random.Random) -> str:
    return "".join(source.choices(_SYLLABLES, k=source.choice((1, 2, 2, 3, 4))))


def _sentences(source: random.Random) -> list[str]:
    vocabulary = [_word(source) for _ in range(4000)]
    return [
        " ".join(source.choices(vocabulary, k=source.randint(5, 24))).capitalize()
        + source.choice(".......?!")
        for _ in range(_POOL)
    ]


def _chinese_sentences(source: random.Random) -> list[str]:
    vocabulary = [chr(source.randint(0x4E00, 0x8FFF)) for _ in range(2500)]
    return [
        "，".join(
            "".join(source.choices(vocabulary, k=source.randint(4, 14)))
            for _ in range(source.randint(1, 4))
        )
        + source.choice("。。。。！？")
        for _ in range(_POOL)
    ]


def _paragraphs(
    source: random.Random, sentences: list[str], between: str, most: int
) -> Iterator[str]:
    while True:
        yield between.join(source.choices(sentences, k=source.randint(1, most))) + "\n\n"


def prose(source: random.Random) -> Iterator[str]:
    """Paragraphs of 1 to 12 sentences under one title."""
    yield "# The life\n\n"
    yield from _paragraphs(source, _sentences(source), " ", 12)


def long_paragraphs(source: random.Random) -> Iterator[str]:
    """Paragraphs of 1 to 100 sentences, many longer than any chunk may be."""
    yield from _paragraphs(source, _sentences(source), " ", 100)


def short_paragraphs(source: random.Random) -> Iterator[str]:
    """Paragraphs of one or two sentences."""
    yield from _paragraphs(source, _sentences(source), " ", 2)


def tiny_paragraphs(source: random.Random) -> Iterator[str]:
    """Paragraphs of one or two sentences of three to ten words."""
    sentences = [
        " ".join(sentence.split()[: source.randint(3, 10)]).rstrip(".?!") + "."
        for sentence in _sentences(source)
    ]
    yield from _paragraphs(source, sentences, " ", 2)


def nested(source: random.Random) -> Iterator[str]:
    """Headings of all six levels, up to four paragraphs under each."""
    sentences = _sentences(source)
    paragraphs = _paragraphs(source, sentences, " ", 9)
    level = 1
    for number in count():
        level = max(1, min(6, level + source.choice((-2, -1, 0, 1, 1))))
        yield f"{'#' * level} Part {number} {sentences[number % _POOL][:30].strip()}\n\n"
        for _ in range(source.randint(0, 4)):
            yield next(paragraphs)


def chinese(source: random.Random) -> Iterator[str]:
    """Chinese paragraphs of 1 to 12 sentences, a heading every 40."""
    paragraphs = _paragraphs(source, _chinese_sentences(source), "", 12)
    for number in count():
        yield f"## 第{number}章\n\n"
        for _ in range(40):
            yield next(paragraphs)


def one_line(source: random.Random) -> Iterator[str]:
    """Words in one line, without any punctuation."""
    sentences = [sentence[:-1].lower() + " " for sentence in _sentences(source)]
    while True:
        yield "".join(source.choices(sentences, k=100))


def headings_only(source: random.Random) -> Iterator[str]:
    titles = [sentence[:40].strip(" .?!") for sentence in _sentences(source)]
    for number in count():
        yield f"{'#' * source.randint(1, 6)} {titles[number % _POOL]} {number}\n"


def headings_and_lines(source: random.Random) -> Iterator[str]:
    """A heading, then one line, and again."""
    titles = [sentence[:40].strip() for sentence in _sentences(source)]
    for number in count():
        marks = "#" * source.randint(1, 6)
        yield f"{marks} {titles[number % _POOL]}\n{titles[number * 7 % _POOL]} {number}\n"


def short_lines(source: random.Random) -> Iterator[str]:
    words = [_word(source) for _ in range(4000)]
    while True:
        yield " ".join(source.choices(words, k=source.randint(1, 6))) + "\n"


def blank_titles(source: random.Random) -> Iterator[str]:
    """Headings with 800 blanks in the title."""
    for _ in count():
        yield "# x" + " " * 800 + "y\n"


def two_letters(source: random.Random) -> Iterator[str]:
    """Lines of two letters: every line is a chunk."""
    for _ in count():
        yield source.choice("abcde") + source.choice("abcde") + "\n"


Shape = Callable[[random.Random], Iterator[str]]


def generate(shape: Shape, size: int) -> str:
    """The beginning of a shape that has ``size`` bytes of UTF-8, give or take its last piece."""
    pieces: list[str] = []
    left = size
    for piece in shape(random.Random(20261121)):
        pieces.append(piece)
        left -= len(piece) if piece.isascii() else len(piece.encode())
        if left <= 0:
            break
    return "".join(pieces).strip()
