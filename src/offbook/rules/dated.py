"""Since when there is what: a list of our own, and how much any other word sounds like later times.

Takes: a question.  Gives: the listed topics in it, each with the year and the type of entity, the
longest first where several begin at one word. Takes: a word, a year.  Gives: whether it sounds
later: by parts of words with the age of what they name (tele-, cyber-), and by a linear separator
of word meanings, fitted to the list. Source: ours; data/dated.txt says how it was made.
Paper: ridge regression on class labels (Hastie, Tibshirani, Friedman 2009, 4.2).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Self, cast

from offbook.names.nicknames import is_given
from offbook.text.concepts import words_of_any_age
from offbook.text.english_words import is_english
from offbook.text.grammar import FUNCTION
from offbook.text.words import fold, search_words, word_term, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EntityType = Literal["character", "location", "time", "event", "organization", "object"]

_FILE: Final = Path(__file__).parent / "data" / "dated.txt"
_LINE: Final = re.compile(r"(-?\d+): (.+)")
_WORD: Final = re.compile(r"[^\W_]+(?:['’.&+-][^\W_]+)*")
_CAPITAL_PART: Final = re.compile(r"[A-Z][^-]*(?=-)|(?<=-)[A-Z][^-]*")
ANY_AGE: Final = -5000
"""The year of what there has always been."""
_LONGEST: Final = 7
"""The most words that a term of the list has."""
_RENOWN: Final = 15
"""Years after its birth before which nobody has heard of a person."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Something on the list, from the first year in which anybody could hear of it.

    Terms of one ``group`` are about one thing; of what is ``common`` whoever lives later has heard.
    """

    name: str
    year: int
    type: EntityType
    group: int = 0
    common: bool = False

    @property
    def is_of_any_age(self) -> bool:
        """Whether it is no topic of its own, only what others are compared with."""
        return self.year <= ANY_AGE

    @property
    def words(self) -> set[str]:
        """Its words, folded, without possessive and plural."""
        return {_key(word) for word in _WORD.findall(self.name)}


@dataclass(frozen=True, slots=True)
class Found:
    """A topic where a text speaks of it: ``text[start:end]``."""

    topic: Topic
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)  # one is itself: to hash thousands is slow
class Topics:
    """A list of topics, and how to find them in a text."""

    topics: tuple[Topic, ...]
    _by_key: dict[str, Topic] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for topic in self.topics:
            if not topic.is_of_any_age:
                self._by_key.setdefault(_joined(_WORD.findall(topic.name)), topic)

    @classmethod
    def read(cls, text: str) -> Self:
        """The list in the format of data/dated.txt."""
        return cls(tuple(_parsed(text)))

    def find(self, text: str) -> list[Found]:
        """Find the topics that ``text`` names, in order, none inside another."""
        words = list(_WORD.finditer(text))
        topics: list[Found] = []
        index = 0
        while index < len(words):
            topic, last = self._longest_at(words, index)
            # "the web site" is a web site, not the web; "television, radio" are both
            overlapped = last > index + 1 and self._longest_at(words, index + 1)[1] > last
            if topic is None or overlapped:
                topics += () if overlapped else self._within(words[index])
                index += 1
                continue
            topics.append(Found(topic, words[index].start(), words[last - 1].end()))
            index = last
        return topics

    def _within(self, word: re.Match[str]) -> Iterator[Found]:
        """The topics whose names are parts of a compound: "Muggle-born"."""
        for part in _CAPITAL_PART.finditer(word.group()):
            if topic := self._by_key.get(_key(part.group())):
                yield Found(topic, word.start() + part.start(), word.start() + part.end())

    def _longest_at(self, words: Sequence[re.Match[str]], index: int) -> tuple[Topic | None, int]:
        for last in range(min(index + _LONGEST, len(words)), index, -1):
            said = [word.group() for word in words[index:last]]
            topic = self._by_key.get(_joined(said))
            if topic is not None and _is_so_written(said, topic.name):
                return topic, last
        return None, index

    def without(self, texts: Collection[str]) -> Topics:
        """Leave out the groups of which a text names a term, and what shares its words."""
        named = {one.topic for text in texts for one in self.find(text)}
        groups = {topic.group for topic in named}
        words = {word for topic in named for word in topic.words} - {""}
        alike = (one.group in groups or not words.isdisjoint(one.words) for one in self.topics)
        pairs = zip(self.topics, alike, strict=True)
        return Topics(tuple(one for one, is_alike in pairs if one.is_of_any_age or not is_alike))


@cache
def shipped_topics() -> Topics:
    """The list that comes with the package."""
    return Topics.read(_FILE.read_text(encoding="utf-8"))


def _is_so_written(said: Sequence[str], name: str) -> bool:
    """Whether a name is written as one: war and peace are of any age, "War and Peace" is not.

    "Tell us a story" says nothing of the USA.
    """
    if len(said) > 1 and name.isalnum() and not FUNCTION.isdisjoint(map(str.lower, said)):
        return False
    meant = _WORD.findall(name)
    pairs = zip(said, meant, strict=False)
    capitals = all(one[0].isupper() or not there[0].isupper() for one, there in pairs)
    return name == name.lower() or (capitals and len(said) == len(meant))


def _joined(words: Sequence[str]) -> str:
    return "".join(_key(part) for word in words for part in word.split("-"))


@lru_cache(maxsize=1 << 14)
def _key(word: str) -> str:
    """A word folded, without possessive and plural: stems would make one of too many."""
    word = fold(word).removesuffix("'s")
    if word.endswith("ies") and len(word) > 5:
        return f"{word[:-3]}y"
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _parsed(text: str) -> Iterator[Topic]:
    kind: EntityType = "object"
    common = False
    groups = count()
    for line in text.splitlines():
        if line.startswith("["):
            name, _, mark = line.strip("[]").partition(", ")
            kind, common = cast("EntityType", name), mark == "common"
        elif match := _LINE.fullmatch(line):
            year = int(match[1]) + (_RENOWN if kind == "character" else 0)
            for group in match[2].split(";"):
                number = next(groups)
                for term in group.split(","):
                    yield Topic(term.strip(), year, kind, number, common)


_LATER: Final = 0.4
_LATER_OF_COMMON: Final = 0.55
"""From which score a word is later. A common word has many meanings, so it must score higher."""
_LATER_NAME: Final = 0.6
"""From which score a name is later: of 333 names of people, places and bodies of any age 1 % score
more at each of four times before ours, of 58 names of ours 40 to 55 %."""
_COMMON: Final = 3000
"""Rank in the table of meanings up to which a word is common."""
_THINGS: Final = ("object", "event", "organization")
_RIDGE: Final = 10.0
_PARTS: Final = (
    (re.compile(r"^(?:tele)(?!ology|olog)\w{3,}"), 1790),
    (re.compile(r"^(?:electr)\w{3,}"), 1750),
    (re.compile(r"^(?:photo|phono)\w{4,}"), 1830),
    (re.compile(r"^(?:thermo|hydro)\w{4,}"), 1780),
    (re.compile(r"^(?:aero|radio)\w{4,}"), 1900),
    (re.compile(r"^(?:psychoa|psychoth|neuro)\w{4,}"), 1880),
    (re.compile(r"^(?:micro|mega|multi)(?!scop)(?:\w{4,})"), 1850),
    (re.compile(r"^(?:cyber|nano|giga|tera)\w{3,}"), 1948),
    (re.compile(r"^(?:bio)(?!graph)\w{4,}"), 1890),
    (re.compile(r"^(?:video|audio|inter?net|turbo|cryo|techno)\w*"), 1930),
    (re.compile(r"^(?:e|i|wi|hi|sci|lo)-(?:fi|mail|book|\w{4,})$"), 1950),
    (re.compile(r"\w{2,}(?:phone|phones)$"), 1827),
    (re.compile(r"\w{3,}(?:graphy|grapher)$(?<!geography)(?<!geographer)(?<!biography)"), 1600),
    (re.compile(r"\w{2,}(?:ware)$(?<!aware)(?<!beware)(?<!silverware)(?<!earthenware)"), 1958),
    (re.compile(r"\w{2,}(?:tron|trons|bots|bot|copter|copters)$"), 1920),
    (re.compile(r"\w{3,}(?:\.com|\.org|\.net)$"), 1990),
    (re.compile(r"\w{3,}(?:scope|scopes)$(?<!horoscope)(?<!horoscopes)"), 1600),
    (re.compile(r"\w{2,}(?:burger|burgers)$"), 1885),
)
"""Parts of words, and since when words are made with them."""


def is_later(word: str, year: int) -> bool:
    """Whether a folded word sounds like something that nobody had before ``year`` was over."""
    if any(since > year and part.search(word) for part, since in _PARTS):
        return True
    return _lateness(word, year) > (_LATER_OF_COMMON if _rank(word) < _COMMON else _LATER)


def means_later(name: str, year: int) -> bool:
    """Whether a name of a thing, a body or an event means what came after ``year``."""
    return not any(map(is_given, words(name))) and _lateness(fold(name), year) > _LATER_NAME


def _lateness(folded: str, year: int) -> float:
    """Score how much a few words mean what came after ``year``; 0 or less: not."""
    vector = _meaning(folded)
    if vector is None:
        return 0.0
    direction, offset = _separator(year, shipped_topics())
    return round(float(vector @ direction) + offset, 6)


def _meaning(text: str) -> NDArray[np.float64] | None:
    """The meaning of a few words; None where the table holds none of them."""
    import numpy as np

    from offbook.models.builtin import ABSENT, shipped_vectors

    pairs = search_words(text)
    if not pairs:
        return None
    table = shipped_vectors()
    words, stems = zip(*pairs, strict=True)
    rows = table.rows(_hashes(words), _hashes(stems))
    if (rows == ABSENT).all():
        parted = _parted(words[0]) if len(words) == 1 else ""
        return _meaning(parted) if parted else None
    weights = np.log(table.ranks(rows) + 2.0)
    summed = (table.unit(rows) * weights[:, None]).sum(axis=0).astype(np.float64)
    unit: NDArray[np.float64] = summed / np.linalg.norm(summed)
    return unit


def _rank(word: str) -> int:
    """How many words are more frequent than this one."""
    from offbook.models.builtin import shipped_vectors

    table = shipped_vectors()
    return int(table.ranks(table.rows(_hashes([word]), _hashes([word_term(word)])))[0])


def _parted(word: str) -> str:
    """A compound as two English words ("hairdryer"), the halves as equal as may be; else empty."""
    cuts = sorted(range(3, len(word) - 2), key=lambda cut: abs(2 * cut - len(word)))
    good_cuts = (cut for cut in cuts if is_english(word[:cut]) and is_english(word[cut:]))
    cut = next(good_cuts, 0)
    return f"{word[:cut]} {word[cut:]}" if cut else ""


def _hashes(words: Sequence[str]) -> NDArray[np.uint32]:
    import numpy as np

    from offbook.models.builtin import word_hash

    return np.fromiter(map(word_hash, words), np.uint32, len(words))


@lru_cache(maxsize=16)
def _separator(year: int, topics: Topics) -> tuple[NDArray[np.float64], float]:
    """The direction in which meanings are later than ``year``, and where the border lies."""
    import numpy as np

    known = [(topic.name, topic.year) for topic in topics.topics if topic.type in _THINGS]
    known += [(word, ANY_AGE) for word in sorted(words_of_any_age())]
    meanings = [(vector, since) for text, since in known if (vector := _meaning(text)) is not None]
    rows = np.array([[*vector, 1.0] for vector, _ in meanings])
    later = np.array([since > year for _, since in meanings])
    if later.all() or not later.any():
        return np.zeros(rows.shape[1] - 1), 0.0
    share = later.mean()
    weights = np.where(later, 0.5 / share, 0.5 / (1 - share))
    labels = np.where(later, 1.0, -1.0)
    normal = rows.T @ (rows * weights[:, None]) + _RIDGE * np.eye(rows.shape[1])
    solved = np.linalg.solve(normal, rows.T @ (weights * labels))
    return solved[:-1], float(solved[-1])
