"""Names in a German passage, where every noun has a capital and a capital says nothing.

Takes: a passage.  Gives: whether it is German, and the spans of its names: behind titles, pairs of
given and family name, known given names, and what recurs without the article that a noun would
have and does what people do. Source: ours; school grammar.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from offbook.language.english_words import is_english
from offbook.language.grammar import word_set
from offbook.language.words import fold, words
from offbook.models.offline.entity_kinds import Span
from offbook.models.offline.german_words import (
    ACTING,
    CONTRACTIONS,
    DETERMINERS,
    FUNCTION,
    KIN,
    LEADING_PARTICLES,
    MEASURES,
    NOT_TOWARDS,
    NOUNS_LIKE_NAMES,
    PARTICLES,
    PLACE_PREPOSITIONS,
    PREPOSITIONS,
    SPEAKING,
    TITLES,
)
from offbook.models.offline.name_words import COUNTRIES_AND_CITIES, PERSON_TITLES, is_given_name
from offbook.models.offline.passage_words import Passage

_TELLING: Final = word_set(
    "der die das und nicht ein eine einen einem einer eines ich sie ist dem sich mit auf von zu für"
    " im auch wie daß dass wir ihr ihre ihren ihm ihn aber oder wenn noch nach bei aus über sein"
    " seine seinem seinen hatte wurde sind zum zur vom beim"
)
"""Frequent words of German that English and its other neighbours hardly write."""
_ENGLISH: Final = word_set("the of and to his was that with for he she it is they had were")
_SHARE: Final = 0.12
_FEWEST: Final = 3
_TWICE: Final = 2
_LONGEST: Final = 6
_LONGEST_WORD: Final = 40
_RARELY: Final = 4
"""A name may have an article once in so many times: "der" also means "who"."""
_INFLECTED: Final = ("e", "en", "er", "es", "em")
_PAST: Final = ("te", "ten")
_OPENING: Final = frozenset("„‚»›:")
_INITIALS: Final = frozenset(("dr", "prof", "st", "frl", "fr", "hr"))


def is_german(passage: Passage) -> bool:
    """Whether the function words of the passage are German ones."""
    total = german = english = 0
    for token in passage.tokens:
        if token.is_word:
            total += 1
            german += token.low in _TELLING
            english += token.low in _ENGLISH
    return german >= max(_FEWEST, _SHARE * total) and german > 2 * english


def german_spans(passage: Passage, character: str) -> tuple[list[Span], frozenset[Span]]:
    """The spans of the names in order, and those of them that name places.

    Args:
        passage: A German passage.
        character: Whom the text is about; the words of this name are names.
    """
    return _Reading(passage, character).names()


class _Reading:
    """One passage, read twice: what stands beside each noun, then which nouns are names."""

    def __init__(self, passage: Passage, character: str) -> None:
        self._passage = passage
        self._own = frozenset(words(character)) - FUNCTION - PERSON_TITLES
        self._articled: Counter[str] = Counter()
        self._bare: Counter[str] = Counter()
        self._acting: set[str] = set()
        self._towards: dict[str, set[str]] = defaultdict(set)
        written = list(self._capitals())
        self._inside = {self._key(run) for run in written if not self._opens(run[0])}
        self._runs = [self._trimmed(run) for run in written]
        self._repeated = Counter(self._key(run) for run in self._runs)
        for run in self._runs:
            self._look(run)

    def names(self) -> tuple[list[Span], frozenset[Span]]:
        sure = {run for run in self._runs if self._is_named(run)}
        proven = {word for run in sure for word in self._key(run) if self._may_stand_alone(word)}
        proven |= self._own
        spans = [
            run
            for run in self._runs
            if run in sure or (run[1] - run[0] == 1 and self._is_proven(run[0], proven))
        ]
        return spans, frozenset(run for run in spans if self._is_place(run))

    def _word(self, index: int) -> str:
        return self._passage.word(index)

    def _key(self, run: Span) -> tuple[str, ...]:
        lows = (self._word(index) for index in range(*run))
        return tuple(word for word in lows if word[0].isalnum() and word not in PARTICLES)

    def _is_noun(self, index: int) -> bool:
        """Whether a word with a capital may be a noun or name: it is no pronoun, no article."""
        if not 0 <= index < len(self._passage.tokens):
            return False
        token = self._passage.tokens[index]
        plain = token.is_word and token.is_capital and len(token.text) <= _LONGEST_WORD
        return plain and token.low not in FUNCTION

    def _opens(self, index: int) -> bool:
        before = self._passage.tokens[index - 1].text if index else ":"
        return self._passage.opens[index] or before in _OPENING

    def _capitals(self) -> Iterator[Span]:
        """Runs of neighbouring capitals, particles between them included."""
        index, total = 0, len(self._passage.tokens)
        while index < total:
            last = index
            while last < total and last - index < _LONGEST and (step := self._step(index, last)):
                last += step
            if last > index:
                yield index, last
            index = max(last, index + 1)

    def _step(self, first: int, at: int) -> int:
        """By how many tokens the run that begins at ``first`` goes on at ``at``."""
        if at == first:
            return int(self._is_noun(at))
        before = self._word(at - 1)
        if self._word(at) == ".":
            short = len(before) == 1 or before in _INITIALS
            return 2 * (short and self._is_noun(at + 1) and self._passage.touches(at, at + 1))
        if not self._passage.touches(at - 1, at):
            return 0
        if self._is_noun(at):
            return int(not self._opens(at))
        ahead = at + (self._word(at) in LEADING_PARTICLES)
        while ahead > at and ahead < at + 2 and self._word(ahead) in PARTICLES:
            ahead += 1
        person = self._is_title(self._word(first)) or is_given_name(self._word(first))
        joined = ahead > at and person and self._is_noun(ahead)
        return (ahead + 1 - at) * (joined and self._passage.touches(ahead - 1, ahead))

    def _trimmed(self, run: Span) -> Span:
        """The run without a first word that opens its sentence, or says who it is: "his friend"."""
        first, last = run
        word = self._word(first)
        if last - first < _TWICE or not self._is_noun(first + 1) or word in MEASURES:
            return run
        of_name = is_given_name(word) or (self._is_title(word) and word not in KIN)
        opens = self._opens(first) and self._key(run) not in self._inside
        return (first + 1, last) if not of_name and (opens or self._has_article(first)) else run

    def _look(self, run: Span) -> None:
        """Count what stands in front of the run and behind it, for its words."""
        first, last = run
        key = self._key(run)
        before = self._word(first - 1)
        if self._has_article(first):
            self._articled[key[0]] += 1
        elif not self._opens(first) and not self._passage.titled[first]:
            self._bare.update(key)
            if before in PLACE_PREPOSITIONS:
                self._towards[key[0]].add(before)
        if before in SPEAKING or (self._word(last) in ACTING and before not in PREPOSITIONS):
            self._acting.update(key)

    def _has_article(self, first: int) -> bool:
        """Whether an article or its like leads the noun, an adjective between them or none."""
        before = self._word(first - 1)
        if before in DETERMINERS | CONTRACTIONS:
            return True
        small = before.isalpha() and self._passage.tokens[first - 1].text.islower()
        adjective = small and before.endswith(_INFLECTED) and before not in FUNCTION
        verb = before in ACTING or before.endswith(_PAST)
        return adjective and not verb and self._word(first - 2) in DETERMINERS | CONTRACTIONS

    def _is_title(self, word: str) -> bool:
        return word in TITLES or fold(word) in PERSON_TITLES

    @cached_property
    def _shouting(self) -> bool:
        """Whether the passage has no word in lower case."""
        return not self._passage.plain

    def _rarely_articled(self, word: str) -> bool:
        return _RARELY * self._articled[word] <= self._bare[word]

    def _may_stand_alone(self, word: str) -> bool:
        titled = self._is_title(word)
        return not titled and word not in MEASURES and word not in NOUNS_LIKE_NAMES

    def _is_named(self, run: Span) -> bool:
        """Whether the words and what stands around them show a name."""
        key = self._key(run)
        if not key or self._shouting or self._passage.titled[run[0]]:
            return False
        if len(key) == 1:
            return self._is_single(run, key[0])
        if self._is_title(key[0]):
            return any(not self._is_title(word) and not self._articled[word] for word in key[1:])
        if len(key[0]) == 1:  # initials
            return len(key[-1]) > 1
        if is_given_name(key[0]) and key[0] not in NOUNS_LIKE_NAMES:
            return not self._articled[key[-1]]
        return self._is_pair(run, key)

    def _is_pair(self, run: Span, key: tuple[str, ...]) -> bool:
        """Two nouns side by side that nothing else explains, and that recur."""
        if self._has_article(run[0]) or any(self._articled[word] for word in key):
            return False
        if key[0] in MEASURES or any(word in self._passage.plain for word in key):
            return False
        if self._repeated[key] >= _TWICE:
            return True
        owner = key[0].endswith("s")  # "Tonys Mutter"
        return not owner and self._repeated[(key[-1],)] > 0 and key[-1] in self._acting

    def _is_single(self, run: Span, word: str) -> bool:
        if word in self._passage.plain or not self._may_stand_alone(word) or len(word) < _TWICE:
            return False
        if self._has_article(run[0]) or not self._rarely_articled(word):
            return False
        if word in COUNTRIES_AND_CITIES:
            return not self._opens(run[0]) or self._bare[word] > 0
        if is_given_name(word) and not is_english(fold(word)):
            after = self._word(run[1])
            led = after == "," or after in FUNCTION or word in self._acting
            return led or not self._opens(run[0]) or self._bare[word] > 0
        recurs = self._bare[word] > 0 and self._repeated[(word,)] >= _TWICE
        return recurs and (word in self._acting or self._is_towards(word))

    def _is_towards(self, word: str) -> bool:
        """Whether one goes there and is there: "nach Lübeck ... in Lübeck"."""
        ways = self._towards.get(word, set())
        return "nach" in ways and len(ways) >= _TWICE and word not in NOT_TOWARDS

    def _is_proven(self, index: int, proven: set[str]) -> bool:
        word = self._word(index)
        return word in proven and not self._has_article(index) and word not in self._passage.plain

    def _is_place(self, run: Span) -> bool:
        key = self._key(run)
        if len(key) != 1 or key[0] in self._acting or is_given_name(key[0]):
            return False
        return key[0] in COUNTRIES_AND_CITIES or self._is_towards(key[0])
