"""How the actor is told to sound: a card of the character's speech, lines of its, its mood.

Takes: the lines that the documents quote of a character, the question, its last replies, its mood.
Gives: a few words on how it speaks, the lines that are nearest to the question, the phrases that it
keeps repeating, one sentence on how it feels. No call is made. Source: ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log
from statistics import median
from typing import Final

from offbook.text.emotion_names import EMOTIONS
from offbook.text.sentences import sentences
from offbook.text.words import ENGLISH, fold, search_terms

_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FEWEST: Final = 4
"""Lines below which nothing is counted: fewer show no habit."""
_MOST: Final = 4
"""Habits of a kind that are named, and phrases that are not to be said again."""


def fitting_lines(question: str, lines: Sequence[str], most: int, turn: int = 0) -> tuple[str, ...]:
    """Choose the lines that have rare words in common with a question; others take turns.

    Args:
        question: What was asked.
        lines: All lines of the character.
        most: How many are wanted.
        turn: Number of the turn, by which lines without a common word change.

    Returns:
        The lines, in the order of ``lines``.
    """
    if most >= len(lines):
        return tuple(lines)
    terms = [frozenset(search_terms(line)) for line in lines]
    rarity = Counter(term for each in terms for term in each)
    topic = set(search_terms(question))
    scores = [sum(log(1 + len(lines) / rarity[t]) for t in sorted(topic & each)) for each in terms]
    start = turn * most % len(lines)
    order = [*range(start, len(lines)), *range(start)]
    return tuple(lines[place] for place in sorted(sorted(order, key=lambda n: -scores[n])[:most]))


@lru_cache(maxsize=64)
def style_card(lines: tuple[str, ...]) -> str:
    """Say in a few words how somebody speaks: length, opening and favourite words, address, signs.

    What stands in several lines is a habit; one line shows none. Empty for fewer than four lines,
    and for scripts without blanks between words. A character's lines are the same turn after turn:
    its card is made once.
    """
    spoken = [line[start:end] for line in lines for start, end in sentences(line)]
    said = [_WORD.findall(sentence) for sentence in spoken]
    if len(lines) < _FEWEST or not any(map(len, said)) or _is_spaceless("".join(lines)):
        return ""
    length = round(median(len(each) for each in said if each))
    card = [f"Sentences of about {length} word{'s' * (length != 1)}."]
    habits = {
        "Openings": _common(_openings(line) for line in lines),
        "Forms of address": _common(_addresses(line) for line in lines),
        "Favourite words": _common(_telling(line) for line in lines),
    }
    named = list[str]()
    for habit, words in habits.items():
        if fresh := [word for word in words if word not in named]:
            card.append(f"{habit}: {'; '.join(fresh)}.")
            named += fresh
    card += [
        f"{mark} {'often' if 2 * count >= len(lines) else 'now and then'}."
        for mark, pattern in _MARKS.items()
        if 4 * (count := sum(bool(pattern.search(line)) for line in lines)) >= len(lines)
    ]
    return " ".join(card)


_MARKS: Final[Mapping[str, re.Pattern[str]]] = {
    "Exclamations": re.compile(r"!"),
    "Questions": re.compile(r"\?"),
    "Trailing off (...)": re.compile(r"\.\.\.|…"),
    "Dashes": re.compile(r"[–—]| - "),
    "Contractions": re.compile(r"\w['’](?:d|ll|m|re|t|ve)\b", re.IGNORECASE),
}
_OPENING: Final = re.compile(r"\W*([^\W\d_]+(?: [^\W\d_]+)?)(?=[,!…—])")
_ADDRESS: Final = re.compile(r",\s+([^\W\d_]+(?: [^\W\d_]+){0,2})(?=\s*(?:[,.!?…]|$))")
_NO_ADDRESS: Final = frozenset(
    ("again", "alone", "either", "however", "indeed", "maybe", "mostly", "perhaps", "please",
     "really", "sometimes", "thanks", "though", "today", "tomorrow", "tonight", "yes")
)  # fmt: skip
"""What may stand behind a last comma and names nobody."""


def _openings(line: str) -> Iterator[str]:
    for start, end in sentences(line):
        if match := _OPENING.match(line, start, end):
            yield fold(match[1])


def _addresses(line: str) -> Iterator[str]:
    for match in _ADDRESS.finditer(line):
        name = fold(match[1])
        last = name.split()[-1]
        if last not in ENGLISH and not last.endswith("ly") and last not in _NO_ADDRESS:
            yield name


def _telling(line: str) -> Iterator[str]:
    for word in map(fold, _WORD.findall(line)):
        if len(word) > 2 and word not in ENGLISH and word.replace("'", "") not in ENGLISH:
            yield word


def _common(habits: Iterable[Iterable[str]]) -> list[str]:
    """What at least two lines have, and a tenth of them, most frequent first."""
    of_lines = [set(each) for each in habits]
    counted = Counter(habit for each in of_lines for habit in sorted(each))
    least = max(2, len(of_lines) / 10)
    return [habit for habit, count in counted.most_common() if count >= least][:_MOST]


def _is_spaceless(text: str) -> bool:
    words = _WORD.findall(text)
    return bool(words) and sum(map(len, words)) / len(words) > 12


_PHRASE: Final = 4
"""Words of the shortest phrase that somebody is said to repeat."""
_REPLIES: Final = 6
"""Replies that are looked at, the last ones."""


def repeated_phrases(replies: Sequence[str]) -> tuple[str, ...]:
    """List the longest phrases that at least two of the last replies have in common.

    A phrase has four words or more, one of them no function word, and is written as the last reply
    that has it does.
    """
    texts = [[*_WORD.finditer(reply)] for reply in replies[-_REPLIES:]]
    folded = [[fold(match[0]) for match in each] for each in texts]
    held = [Counter(_runs(each)) for each in folded]
    common = {run for one in held for run in one if sum(run in other for other in held) > 1}
    phrases = list[str]()
    for reply, matches, words in zip(
        reversed(replies[-_REPLIES:]), reversed(texts), reversed(folded), strict=True
    ):
        for first, last in _stretches(words, common):
            phrase = " ".join(reply[matches[first].start() : matches[last].end()].split())
            if not ENGLISH.issuperset(words[first : last + 1]) and all(
                fold(phrase) not in fold(other) for other in phrases
            ):
                phrases.append(phrase)
    return tuple(phrases[:_MOST])


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[n : n + _PHRASE]) for n in range(len(words) - _PHRASE + 1))


def _stretches(words: Sequence[str], common: set[tuple[str, ...]]) -> Iterator[tuple[int, int]]:
    """First and last word of each stretch of which every run of four words is common."""
    starts = [n for n, run in enumerate(_runs(words)) if run in common]
    breaks = [0, *(n for n, (a, b) in enumerate(pairwise(starts), 1) if b > a + 1), len(starts)]
    for low, high in pairwise(breaks):
        if high > low:
            yield starts[low], starts[high - 1] + _PHRASE - 1


_STRENGTHS: Final = ((7.0, "strongly"), (5.0, "clearly"), (3.5, "a little"))
"""Levels from which an emotion is told, of 1 to 10."""
_FELT: Final = 2
"""Emotions that one sentence names."""


def mood_sentence(mood: Mapping[str, float] | None) -> str:
    """Say how a character feels by its eight levels; empty where nothing stands out."""
    levels = {name: (mood or {}).get(name, 0.0) for name in EMOTIONS}
    strongest = sorted(EMOTIONS, key=lambda name: -levels[name])[:_FELT]
    felt = [
        f"{name} ({next(word for least, word in _STRENGTHS if levels[name] >= least)})"
        for name in strongest
        if levels[name] >= _STRENGTHS[-1][0]
    ]
    return f"How you feel now: {', '.join(felt)}. Let it colour how you answer." if felt else ""
