"""Which sentences of the context bear on a question, and how far the context holds it at all.

Takes: a question and context items.  Gives: sentences with scores, best first, and the support of
the question between 0 and 1. Paper: the weighting of terms is that of BM25 (Robertson, Zaragoza
2009); the split into names, specific and general terms follows RoleRAG (papers 000, 001).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import log
from typing import Final

from offbook.language.concepts import is_general, related_terms
from offbook.language.grammar import FUNCTION
from offbook.language.questions import Question, Term
from offbook.language.sentences import sentences
from offbook.language.words import fold, search_terms
from offbook.types import ContextItem

_K1: Final = 1.2
_B: Final = 0.5
_RELATED: Final = 0.55
_TITLE: Final = 0.4
_NEIGHBOUR: Final = 0.3
_LOOK_AHEAD: Final = 3
_HEADING: Final = re.compile(r"#{1,6}\s.*|[^.!?。！？…:;\"”』」]{1,70}$")
_CAPITALISED: Final = re.compile(r"(^|\n|[.!?:]\s+[\"“]?)?\b([A-ZÀ-Þ][\w+#]*(?:-[\w]+)*)")
_OPENING: Final = frozenset(word.capitalize() for word in FUNCTION)
_SIGNS: Final[dict[str, re.Pattern[str]]] = {
    "when": re.compile(
        r"\b(?:1[0-9]{3}|20[0-9]{2}|[1-9][0-9]{0,2} BC|in (?:spring|summer|autumn|winter)"
        r"|at (?:the )?age|years? (?:old|later|after)|morning|night|January|February|March"
        r"|April|May|June|July|August|September|October|November|December)\b"
    ),
    "where": re.compile(r"\b(?:in|at|near|from|to|of) (?:the )?[A-Z][a-z]+"),
    "why": re.compile(
        r"\b(?:because|since|so that|in order|owing to|due to|therefore|for fear|as a result"
        r"|reason|led to|cause[ds]?)\b|\bto \w+"
    ),
    "how_many": re.compile(
        r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred"
        r"|thousand|once|twice|many|several)\b"
    ),
    "who": re.compile(
        r"\b[A-Z][a-z]+ [A-Z][a-z]+|\b(?:father|mother|brother|sister|friend|wife|husband|son"
        r"|daughter|teacher)\b"
    ),
    "opinion": re.compile(
        r"\b(?:love[ds]?|hate[ds]?|admire[ds]?|respect(?:ed|s)?|trust(?:ed|s)?|fear(?:ed|s)?"
        r"|despise[ds]?|friend(?:s|ship)?|enem(?:y|ies)|rival"
        r"|affection|fond|devoted|loyal|resent(?:ed|s)?|grateful|proud|believe[ds]?|thought"
        r"|considered|relationship|close|great|dear|angry|contempt|quarrel\w*|praise[ds]?"
        r"|disappoint\w*)\b"
    ),
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the context: item and paragraph it stands in, its place there, its terms."""

    item: int
    paragraph: int
    start: int
    end: int
    text: str
    counts: Counter[str] = field(compare=False, hash=False, repr=False)
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of an item with its sentences, as indices into ``Evidence.sentences``."""

    item: int
    text: str
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A sentence (by index) and how much it bears on the question."""

    index: int
    score: float
    matched: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that a reply may rest on, cut into sentences."""

    items: tuple[ContextItem, ...]
    sentences: tuple[Sentence, ...]
    paragraphs: tuple[Paragraph, ...]
    frequency: Counter[str]
    titles: tuple[frozenset[str], ...] = ()
    capitals: frozenset[str] = frozenset()
    average_length: float = 1.0

    def knows(self, name: str) -> bool:
        """Whether half or more of the words of a name stand in the context as names."""
        if "." in name and any(name in item.text for item in self.items):
            return True
        words = [fold(word) for word in name.split()]
        return 2 * sum(word in self.capitals for word in words) >= len(words)

    def support(self, terms: Sequence[Term]) -> float:
        """The weighted share of the terms that the context mentions; 0 without terms."""
        total = sum(term.weight for term in terms)
        held = sum(term.weight * self.holds(term) for term in terms)
        return held / total if total else 0.0

    def holds(self, term: Term) -> float:
        """1 where the context has the term, less where it only has a related one, else 0."""
        if self._is_another(term):
            return 0.0
        if self.frequency[term.term]:
            return 1.0
        if any(term.term in title for title in self.titles):
            return 0.6
        related = not term.name and any(self.frequency[other] for other in related_terms(term.term))
        return 0.8 if related else 0.0

    def _is_another(self, term: Term) -> bool:
        """Whether a noun before it that the context lacks makes it a thing that it lacks, too."""
        modifier = term.modifier
        if not modifier or self.frequency[modifier]:
            return False
        related = any(self.frequency[other] for other in related_terms(modifier))
        return not related and not any(modifier in title for title in self.titles)

    def hits(self, question: Question) -> list[Hit]:
        """Sentences that share a term with the question, best first, headings left out."""
        plain = [self._score(sentence, question) for sentence in self.sentences]
        found: list[Hit] = []
        for index, sentence in enumerate(self.sentences):
            if sentence.is_heading:
                continue
            score, matched = plain[index]
            before = plain[index - 1][0] if index and self._follows(index) else 0.0
            if score <= 0 and before <= 0:
                continue
            score += _NEIGHBOUR * before
            found.append(Hit(index, score * self._fit(sentence, question), matched))
        return sorted(found, key=lambda hit: (-hit.score, hit.index))

    def _follows(self, index: int) -> bool:
        here, before = self.sentences[index], self.sentences[index - 1]
        return (here.item, here.paragraph) == (before.item, before.paragraph)

    def _score(self, sentence: Sentence, question: Question) -> tuple[float, float]:
        length = sum(sentence.counts.values())
        norm = 1 - _B + _B * length / self.average_length
        score = matched = total = 0.0
        for term in question.terms:
            total += term.weight
            if self._is_another(term):
                continue
            weight, share = term.weight, 1.0
            count = float(sentence.counts[term.term])
            key = term.term
            if not count and term.term in self.titles[sentence.item]:
                count, share = 1.0, _TITLE
            if not count and not term.name:
                near = [other for other in related_terms(term.term) if sentence.counts[other]]
                if near:
                    key = max(near, key=lambda other: (self._idf(other), other))
                    count, share = float(sentence.counts[key]), _RELATED
            if count:
                score += weight * share * self._idf(key) * count * (_K1 + 1) / (count + _K1 * norm)
                matched += weight * share
        return score, matched / total if total else 0.0

    def _idf(self, term: str) -> float:
        number = len(self.sentences)
        holding = min(self.frequency[term], number)
        return log(1 + (number - holding + 0.5) / (holding + 0.5))

    def _fit(self, sentence: Sentence, question: Question) -> float:
        fit = 1.0 + 0.15 / (1 + sentence.item)
        sign = _SIGNS.get(question.kind)
        if sign is not None:
            fit *= 1.25 if sign.search(sentence.text) else 0.85
        if self.items[sentence.item].kind == "profile":
            fit *= 0.8
        return fit * (0.7 if len(sentence.text) > 420 else 1.0)


def gather(items: Sequence[ContextItem]) -> Evidence:
    """Cut the context into sentences; a sentence that stands in two items counts once."""
    found: list[Sentence] = []
    paragraphs: list[Paragraph] = []
    seen: set[str] = set()
    for number, item in enumerate(items):
        for paragraph, (text, spans) in enumerate(_paragraphs(item.text)):
            inside: list[int] = []
            for start, end in spans:
                sentence = _sentence(text, number, paragraph, start, end)
                if sentence.text in seen:
                    continue
                seen.add(sentence.text)
                inside.append(len(found))
                found.append(sentence)
            if inside:
                paragraphs.append(Paragraph(number, text, tuple(inside)))
    frequency: Counter[str] = Counter()
    for sentence in found:
        frequency.update(sentence.counts.keys())
    titles = [frozenset(search_terms(item.title)) for item in items]
    shown = [
        match for item in items for match in _CAPITALISED.finditer(f"{item.title}\n{item.text}")
    ]
    capitals = {
        fold(match.group(2))
        for match in shown
        if not match.group(1)
        or not (is_general(fold(match.group(2))) or match.group(2) in _OPENING)
    }
    return Evidence(
        tuple(items),
        tuple(found),
        tuple(paragraphs),
        frequency,
        tuple(titles),
        frozenset(capitals),
        frequency.total() / max(1, len(found)) or 1.0,
    )


def _sentence(text: str, item: int, paragraph: int, start: int, end: int) -> Sentence:
    body = text[start:end]
    heading = bool(_HEADING.fullmatch(body)) and (body.startswith("#") or _is_title(body))
    return Sentence(item, paragraph, start, end, body, _counts(body), is_heading=heading)


def _is_title(body: str) -> bool:
    return not body.startswith(("-", "*", "•")) and len(body.split()) <= 9


@lru_cache(maxsize=4096)
def _counts(body: str) -> Counter[str]:
    return Counter(search_terms(body))


@lru_cache(maxsize=512)
def _paragraphs(text: str) -> tuple[tuple[str, tuple[tuple[int, int], ...]], ...]:
    parts = [part.strip() for part in re.split(r"\n\s*\n|\n(?=#)", text)]
    return tuple((part, tuple(_with_brackets(part))) for part in parts if part)


def _with_brackets(text: str) -> Iterator[tuple[int, int]]:
    """Sentences; one that seems to end within brackets goes on to their end, if that is near."""
    spans = sentences(text)
    at = 0
    while at < len(spans):
        start, end = spans[at]
        at += 1
        for ahead in range(at, min(at + _LOOK_AHEAD, len(spans))):
            if not _opens_bracket(text[start:end]):
                break
            if not _opens_bracket(text[start : spans[ahead][1]]):
                end, at = spans[ahead][1], ahead + 1
        yield start, end


def _opens_bracket(text: str) -> bool:
    return text.count("(") > text.count(")")


def with_names(question: Question, names: Sequence[str], weight: float) -> Question:
    """``question`` that also asks about ``names`` of the turns before it."""
    extra = [Term(word, term, weight, name=True) for word in names for term in search_terms(word)]
    known = {term.term for term in question.terms}
    return replace(question, terms=(*question.terms, *(t for t in extra if t.term not in known)))
