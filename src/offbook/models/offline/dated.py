"""Since when there is what: a list of our own, and where a question speaks of something on it.

Takes: a question.  Gives: the listed topics in it, each with the year and the type of entity, the
longest first where several begin at one word. Source: ours; data/dated.txt says how it was made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal, Self, cast

from offbook.language.words import fold

EntityType = Literal["character", "location", "time", "event", "organization", "object"]

_FILE: Final = Path(__file__).parent / "data" / "dated.txt"
_LINE: Final = re.compile(r"(-?\d+): (.+)")
_WORD: Final = re.compile(r"[^\W_]+(?:['’.&+-][^\W_]+)*")
ANY_AGE: Final = -5000
"""The year of what there has always been."""
_LONGEST: Final = 7
"""The most words that a term of the list has."""
_RENOWN: Final = 15
"""Years after its birth before which nobody has heard of a person."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Something on the list.

    Args:
        name: As it is listed.
        year: The first in which anybody could hear of it.
        type: What kind of entity it is.
        line: Which line of the list it stands on; terms of a line are about the same thing or age.
        common: Whether whoever lives later has heard of it, though no text about them says so.
    """

    name: str
    year: int
    type: EntityType
    line: int = 0
    common: bool = False

    @property
    def is_of_any_age(self) -> bool:
        """Whether it is no topic of its own, only what others are compared with."""
        return self.year <= ANY_AGE


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
        """The topics that ``text`` names, in order, none inside another.

        It makes no difference how a compound is written: web site, web-site, website. What is
        listed with capitals is a name, and found where it is written as one.
        """
        words = list(_WORD.finditer(text))
        found: list[Found] = []
        at = 0
        while at < len(words):
            topic, last = self._longest_at(words, at)
            # "the web site" is a web site, not the web; "television, radio" are both
            overlapped = last > at + 1 and self._longest_at(words, at + 1)[1] > last
            if topic is None or overlapped:
                at += 1
                continue
            found.append(Found(topic, words[at].start(), words[last - 1].end()))
            at = last
        return found

    def _longest_at(self, words: Sequence[re.Match[str]], at: int) -> tuple[Topic | None, int]:
        for last in range(min(at + _LONGEST, len(words)), at, -1):
            said = [word.group() for word in words[at:last]]
            topic = self._by_key.get(_joined(said))
            if topic is not None and _has_its_capitals(said, topic.name):
                return topic, last
        return None, at

    def without(self, texts: Collection[str]) -> Topics:
        """The list without every line of which a text names a term, and all that is like it.

        Args:
            texts: What is not to be on the list; a topic that shares a rare word with a term that
                was found in them goes as well.
        """
        named = {one.topic for text in texts for one in self.find(text)}
        lines = {topic.line for topic in named}
        words = {_key(word) for topic in named for word in _WORD.findall(topic.name)} - {""}
        return Topics(
            tuple(
                topic
                for topic in self.topics
                if topic.is_of_any_age
                or (
                    topic.line not in lines
                    and not words & {_key(word) for word in _WORD.findall(topic.name)}
                )
            )
        )


@cache
def shipped_topics() -> Topics:
    """The list that comes with the package."""
    return Topics.read(_FILE.read_text(encoding="utf-8"))


def _has_its_capitals(said: Sequence[str], name: str) -> bool:
    """Whether a name is written as one: war and peace are of any age, "War and Peace" is not."""
    if name == name.lower():
        return True
    meant = _WORD.findall(name)
    return len(said) == len(meant) and all(
        one[0].isupper() or not there[0].isupper() for one, there in zip(said, meant, strict=True)
    )


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
    for number, line in enumerate(text.splitlines()):
        if line.startswith("["):
            name, _, mark = line.strip("[]").partition(", ")
            kind, common = cast("EntityType", name), mark == "common"
        elif match := _LINE.fullmatch(line):
            year = int(match[1]) + (_RENOWN if kind == "character" else 0)
            for term in match[2].split(","):
                yield Topic(term.strip(), year, kind, number, common)
