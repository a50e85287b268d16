"""Which sentences of the context bear on a question, and how far the context holds it at all.

Takes: a question and context items.  Gives: sentences with scores, best first, and the support of
the question between 0 and 1. Paper: the weighting of terms follows BM25 (Robertson, Zaragoza 2009)
with a soft match of words by their meaning; the split into names, specific and general terms
follows RoleRAG (papers 000, 001).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from math import log
from typing import TYPE_CHECKING, Final, Literal

from offbook.text.concepts import is_general, related_terms, ungraded
from offbook.text.english_words import is_english
from offbook.text.grammar import FUNCTION, PERSON_NOUNS, TITLES
from offbook.text.questions import GRADES, Question, Term
from offbook.text.sentences import sentences
from offbook.text.word_lists import word_lists
from offbook.text.words import fold, search_terms, search_words, word_term
from offbook.types import ContextItem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SentenceKind = Literal["sentence", "pair", "item", "heading", "question", "fragment"]

_RELATED: Final = 0.6
"""What a related word counts of the word itself."""
_LIKE: Final = 0.36
"""The cosine from which a word stands for another: "job" and "occupation" have 0.42."""
_TITLE: Final = 0.6
"""What a word counts that only the heading above a sentence has."""
_NAMED: Final = 1.0
"""What a name counts in what is asked: it says of whom, and not what."""
_BEFORE: Final = 0.4
_ANTECEDENT: Final = 0.6
"""What a word counts that only the sentence before has; more where a pronoun leans on that one."""
_FAR: Final = 0.25
"""The same for the sentence behind, and the second before."""
_KEY: Final = 0.9
"""What a related word counts that is the key of a line: a sheet has few, and means them widely."""
_CALLED: Final = 0.9
"""What the name of somebody counts of the word for them: "Piet" where it is asked of the father."""
_NAME_BEHIND: Final = (
    r"(?:,|:| is| was| were| are)?(?: called| named)?"
    r" (?:(?:Mrs?|Miss|Dr)\.? )?(?P<names>[A-ZÀ-Þ][\w'’-]+(?: and [A-ZÀ-Þ][\w'’-]+)?)"
)
_PERSON_NAMED: Final = re.compile(
    rf"\b(?P<noun>(?i:{'|'.join(sorted({*PERSON_NOUNS, 'partner'}, key=len, reverse=True))}))s?"
    + _NAME_BEHIND
)
_VAGUE: Final = r"(?:half|once|twice|every|each|no|none|never|only|always|weekly|daily)\b"
NUMBER: Final = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty"
    r"|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|dozens?)\b"
    rf"|\b{_VAGUE}"
)
_YEARS_OF_LIFE: Final = (
    rf"(?:only )?(?!{_VAGUE})(?:{NUMBER})[\w-]*(?: years old)?"
    r"(?=[^\w\s]|$| (?:and|when|but|then|at|that|now|by|in)\b)"
)
_AGE_NOW: Final = re.compile(
    r"\b(?:aged?|born|years?[ -]old)\b"
    rf"|(?:\bam|(?<!it )(?<!there )\b(?:is|had been)|['’][ms]) {_YEARS_OF_LIFE}",
    re.IGNORECASE,
)
_AGE: Final = re.compile(
    rf"{_AGE_NOW.pattern}|\b(?:turned|birthday)\b"
    rf"|(?:(?<!it )(?<!there )\bwas|\bat) {_YEARS_OF_LIFE}",
    re.IGNORECASE,
)
"""What tells an age, that of today or of any time, often without a word for it."""
_MARRIED: Final = re.compile(r"\bmarried (?P<names>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)?)")
NAMES: Final = re.compile(r"\b(?:names?|named|called|nicknamed|known as)\b")
_OF_ORDERS: Final = re.compile(r"\b(?:Mother|Father|Sister|Brother)(?= [A-ZÀ-Þ])")
"""What is no kinship in front of a name: a nun's and a monk's title."""
_APPOSITION: Final = r"(?:,|:| is| was) (?:an?|the|my|his|her|our|their|who|[a-z]+[;,.])"
"""What stands behind a name where it is said whose it is."""
_OF_GRADE: Final = 0.3
"""What "best" and the like weigh beside that which is to be the best."""
_ON_SHEET: Final = 1.4
_NEARLY_ON_SHEET: Final = 1.05
"""What a line counts whose key is asked for, or is related to what is."""
_OFF_SHEET: Final = 0.9
"""What a line counts where what is asked stands behind another key."""
_OF_PERSONS: Final = frozenset(("who", "tell"))
_INTRODUCED: Final = 1.3
"""What a sentence counts that says who somebody is, where that is asked."""
_STEM_OF_PLACE: Final = 5
_LOOK_AHEAD: Final = 4
_KEY_WORDS: Final = 5
_SHORTEST: Final = 3
_HEADING: Final = re.compile(
    r"#{1,6}\s+(.+)|[^.!?。！？…:;\"”』」*|]{1,70}$|\*\*([^*|:]+[^*|:.!?…])\*\*$"
)
_PAIR: Final = re.compile(
    r"(?:[-*+•]\s+)?(?:\*\*|__)?([^\W\d_][^:.!?*_|\n“\"。！？，,；;、]{0,40}?)\s*(?:\*\*|__)?\s*"
    r"(?!(?<=\d):\d)[:：]"
    r"\s*(?:\*\*|__)?\s*(\S.*)",
    re.DOTALL,
)
_ROW: Final = re.compile(r"\|\s*([^|]+?)\s*\|\s*([^|]+?)\s*\|?\s*$")
_BULLET: Final = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+|>\s*")
_NEW_LINE: Final = re.compile(
    r"\n(?=\s*(?:[-*+•]\s|\d{1,3}[.)]\s|[#>|]))"
    r"|\n(?=(?:\*\*|__)?[^\W\d_a-z][^\n]{0,49}[:：](?:\*\*|__)? ?\S)"
)
_MARKUP: Final = re.compile(r"(?<!\w)[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)|\[\d{1,3}\]")
_LINES: Final = re.compile(r"(?:^|\s)[A-ZÀ-Þ]\w+(?: \w+){0,2}: ")
"""A key in front of its value: a line with several is a list that lost its line breaks."""
_FEW_KEYS: Final = 2
_CLOSED: Final = re.compile(r"[.!?…。！？][\"'”’»)」』*_]*$")
_DATE: Final = re.compile(r"[\d\W]*[A-Z][a-z]+[\d\W]*")
_TORN: Final = re.compile(r'^[^"]*[.,!?…—-]"(?=\s|$)')
"""What begins within a speech and ends it."""
_OPEN_SPEECH: Final = {"“": re.compile("[“”]"), '"': re.compile('"')}
"""What opens a speech, and what would end it or begin another."""
_ASKS: Final = re.compile(r"[?？][\"'”’»)」』]*$")
_CAPITALISED: Final = re.compile(r"(^|\n|[.!?:]\s+[\"“]?)?\b([A-ZÀ-Þ][\w+#]*(?:-[\w]+)*)")
_OPENING: Final = frozenset(word.capitalize() for word in FUNCTION)
_PRONOUN: Final = re.compile(
    r"\b(?:he|she|it|they|him|her|his|hers|its|their|them|this|these|those|then|there)\b",
    re.IGNORECASE,
)


@cache
def _forms() -> Mapping[str, frozenset[str]]:
    """The words whose forms have no stem in common, each with its forms."""
    groups = [
        frozenset(map(word_term, group.split("_")))
        for group in word_lists("offbook.rules")["irregular"]
    ]
    return {term: group - {""} for group in groups for term in group if term}


def forms_of(term: str) -> frozenset[str]:
    """The search terms of all forms of a word: sleep, slept."""
    return _forms().get(term, frozenset()) | {term}


@cache
def _persons() -> frozenset[str]:
    return frozenset(map(word_term, PERSON_NOUNS))


@dataclass(frozen=True)
class Sentence:
    """A sentence of the context, or a line that stands for one.

    Args:
        item: Which item it stands in.
        paragraph: Number of its paragraph within the item.
        text: In one line, without markup.
        kind: A "pair" is a line with a key and a value, an "item" a line of a list that is no
            sentence; headings, questions and fragments answer nothing.
        counts: Its search terms.
        heading: Search terms of the headings and the key above it.
        source: The nearest heading above it; empty where there is none.
        key: Search terms of the key of its line.
    """

    item: int
    paragraph: int
    text: str
    kind: SentenceKind
    counts: Counter[str] = field(compare=False, hash=False, repr=False)
    heading: frozenset[str] = frozenset()
    source: str = ""
    key: frozenset[str] = frozenset()

    @cached_property
    def named(self) -> frozenset[str]:
        """Search terms that stand in it as (part of) names alone, behind its first word."""
        capitals, others = set[str](), set[str]()
        for number, word in enumerate(self.text.split() if self.kind == "sentence" else ()):
            bare = word.strip("“”\"'‘’(),;:.!?")
            terms = search_terms(bare)
            (capitals if number and bare[:1].isupper() else others).update(terms)
        return frozenset(capitals - others)

    @property
    def answers(self) -> bool:
        """Whether it may be an answer."""
        return self.kind in ("sentence", "pair", "item")


@dataclass(frozen=True, slots=True)
class Hit:
    """A sentence (by index), how much it bears on the question, and the share that it holds.

    ``introduces`` where it says who or what somebody is, of whom that is asked; ``aside`` where it
    is a line whose key was not asked for.
    """

    index: int
    score: float
    matched: float
    introduces: bool = False
    aside: bool = False


@dataclass(frozen=True)
class Evidence:
    """Everything that a reply may rest on, cut into sentences."""

    items: tuple[ContextItem, ...]
    sentences: tuple[Sentence, ...]

    @cached_property
    def frequency(self) -> Counter[str]:
        """In how many sentences each term stands."""
        return Counter(term for sentence in self.sentences for term in sentence.counts)

    @cached_property
    def _titles(self) -> frozenset[str]:
        return frozenset(term for sentence in self.sentences for term in sentence.heading)

    @cached_property
    def _capitals(self) -> frozenset[str]:
        shown = [
            match
            for item in self.items
            for match in _CAPITALISED.finditer(f"{item.title}\n{item.text}")
        ]
        return frozenset(
            fold(match.group(2))
            for match in shown
            if not match.group(1)
            or not (is_general(fold(match.group(2))) or match.group(2) in _OPENING)
        )

    def knows(self, name: str) -> bool:
        """Whether half or more of the words of a name stand in the context as names."""
        if "." in name and any(name in item.text for item in self.items):
            return True
        words = [fold(word) for word in name.split()]
        words = [word for word in words if word not in TITLES] or words
        known = (word in self._capitals or self._has_people(word) for word in words)
        return 2 * sum(known) >= len(words)

    def _has_people(self, place: str) -> bool:
        """Whether a word is made of the name of a place: German, of Germany."""
        stem = place[:-1]
        return len(stem) >= _STEM_OF_PLACE and any(word.startswith(stem) for word in self._capitals)

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
        if term.term in self._titles:
            return 0.6
        related = not term.name and any(self.frequency[other] for other in related_terms(term.term))
        return 0.8 if related else 0.0

    def lacks(self, term: Term) -> bool:
        """Whether the context has neither the term nor another that stands for it."""
        held = self.frequency.keys() | self._titles
        return held.isdisjoint(self._near([term])[0])

    def _is_another(self, term: Term) -> bool:
        """Whether a noun before it that the context lacks makes it a thing that it lacks, too."""
        modifier = term.modifier
        if not modifier or self.frequency[modifier] or modifier in self._titles:
            return False
        return not any(self.frequency[other] for other in related_terms(modifier))

    def hits(self, question: Question) -> list[Hit]:
        """Rank the sentences by how much they bear on the question."""
        terms = [term for term in question.terms if not self._is_another(term)]
        if not terms:
            return []
        near = self._near(terms)
        matches = self._matches(question, terms, near)
        likeness = self._likeness(terms)
        # "Best known" is no best friend: a grade counts as far as that which has it, and little.
        grades = {n for n, term in enumerate(terms) if fold(term.word) in GRADES}
        weights = [
            min(term.weight, _NAMED) ** 0.5
            * (_OF_GRADE if n in grades else 1.0)
            * log(1 + len(matches) / (0.5 + sum(row[n] >= _RELATED for row in matches)))
            for n, term in enumerate(terms)
        ]
        # A line of a sheet tells of the character, and of nobody whom the question names.
        others = [term.term for term in terms if term.name or fold(term.word) in PERSON_NOUNS]
        ranked = []
        for index, sentence in enumerate(self.sentences):
            if not sentence.answers:
                continue
            row = self._with_neighbours(index, matches, near)
            thing = max((match for n, match in enumerate(row) if n not in grades), default=1.0)
            row = [min(match, thing) if n in grades else match for n, match in enumerate(row)]
            parts = zip(weights, row, likeness[index], strict=True)
            score = sum(weight * (match + max(match, like)) for weight, match, like in parts)
            of_it = not others or any(sentence.counts[term] for term in others)
            keyed = max(_best(alike, sentence.key) for alike in near) if of_it else 0.0
            if keyed >= _RELATED:
                score *= _ON_SHEET if keyed == 1.0 else _NEARLY_ON_SHEET
            elif sentence.kind == "pair":
                score *= _OFF_SHEET
            introduces = question.kind in _OF_PERSONS and (
                keyed == 1.0 or self._introduces(sentence.text, question, near)
            )
            if introduces and keyed < _RELATED:
                score *= _INTRODUCED
            share = self._share(question, terms, row)
            aside = sentence.kind == "pair" and keyed < _RELATED and not introduces
            ranked.append(Hit(index, score / sum(weights), share, introduces, aside))
        return sorted(ranked, key=lambda hit: (-hit.score, hit.index))

    def _matches(
        self, question: Question, terms: Sequence[Term], near: Sequence[Mapping[str, float]]
    ) -> list[list[float]]:
        """For each sentence how much of each word of the question it holds, from 0 to 1."""
        age, of_persons = age_asked(question), question.kind in _OF_PERSONS
        matches = []
        for sentence in self.sentences:
            # "The Patient Debt" is a ship, and says nothing of debts.
            named = frozenset[str]() if of_persons else sentence.named
            pairs = zip(terms, near, strict=True)
            most = ((_RELATED if t.term in named and not t.name else 1.0, a) for t, a in pairs)
            row = [min(limit, _best(alike, sentence.counts)) for limit, alike in most]
            if age:
                row[-1] = _KEY * (age.search(sentence.text) is not None)  # the implied word
            matches.append(row)
        return matches

    def _likeness(self, terms: Sequence[Term]) -> list[list[float]]:
        """For each sentence how near its nearest word comes to each word of the question."""
        names, vectors = self._vocabulary
        place = {name: number for number, name in enumerate(names)}
        meanings = _meanings([(plain_grade(fold(term.word)), term.term) for term in terms])
        likeness = vectors @ meanings.T
        return [
            likeness[[place[term] for term in sentence.counts]].max(axis=0, initial=0.0).tolist()
            for sentence in self.sentences
        ]

    def _with_neighbours(
        self, index: int, matches: Sequence[Sequence[float]], near: Sequence[dict[str, float]]
    ) -> list[float]:
        """How much of each word of the question a sentence holds, in its place."""
        sentence = self.sentences[index]
        row = []
        for match, alike in zip(matches[index], near, strict=True):
            key = _best(alike, sentence.key)
            widely = key if key > _KEY else min(_KEY, key * _KEY / _RELATED)
            row.append(max(match, _TITLE * _best(alike, sentence.heading), widely))
        leans = _PRONOUN.search(sentence.text) is not None
        for step, share in ((-1, _ANTECEDENT if leans else _BEFORE), (-2, _FAR), (1, _FAR)):
            place = index + step
            there = self.sentences[place] if 0 <= place < len(self.sentences) else None
            here = (sentence.item, sentence.paragraph)
            if there is not None and there.answers and (there.item, there.paragraph) == here:
                beside = matches[place]
                row = [max(match, share * other) for match, other in zip(row, beside, strict=True)]
        return row

    @staticmethod
    def _share(question: Question, terms: Sequence[Term], row: Sequence[float]) -> float:
        """The share of what is asked that a sentence holds: names say of whom it is asked."""
        matches = {term.term: match for term, match in zip(terms, row, strict=True)}
        said = [t for t in question.terms if fold(t.word) not in GRADES] or question.terms
        plain = [term for term in said if not term.name] or said
        total = sum(term.weight**0.5 for term in plain)
        held: float = sum(term.weight**0.5 * matches.get(term.term, 0.0) for term in plain)
        return float(held / total)

    def follows(self, index: int) -> bool:
        """Whether a sentence stands behind the one before it in the same paragraph."""
        if not 0 < index < len(self.sentences):
            return False
        here, before = self.sentences[index], self.sentences[index - 1]
        return (here.item, here.paragraph) == (before.item, before.paragraph)

    @cached_property
    def _persons(self) -> Mapping[str, frozenset[str]]:
        """Terms of persons ("brother") to those of the names that the context gives them."""
        persons: dict[str, set[str]] = {}
        for sentence in self.sentences:
            for match in _MARRIED.finditer(sentence.text):
                for noun in map(word_term, ("wife", "husband")):
                    persons.setdefault(noun, set()).update(search_terms(match["names"]))
            for match in _PERSON_NAMED.finditer(_OF_ORDERS.sub("", sentence.text)):
                noun = word_term(fold(match["noun"]))
                persons.setdefault(noun, set()).update(
                    word_term(fold(name)) for name in match["names"].split() if name[0].isupper()
                )
        return {noun: frozenset(names - {""}) for noun, names in persons.items()}

    @staticmethod
    def _introduces(text: str, question: Question, near: Sequence[Mapping[str, float]]) -> bool:
        """Whether a sentence says who or what somebody is, of whom just that is asked."""
        text = _OF_ORDERS.sub("", text)
        asked_for = {fold(word) for name in question.names for word in name.split()}
        for match in _PERSON_NAMED.finditer(text):
            noun = word_term(fold(match["noun"]))
            if any(alike.get(noun, 0.0) >= _RELATED for alike in near):
                return True
            if not asked_for.isdisjoint(map(fold, match["names"].split())):
                return True
        nouns = "|".join(re.escape(term.word) for term in question.terms if not term.name)
        if nouns and re.search(rf"\b(?i:{nouns})s?{_NAME_BEHIND}", text):
            return True
        if NAMES.search(question.text) and NAMES.search(text):
            return True
        named = "|".join(re.escape(name.split()[-1]) for name in question.names)
        return bool(named) and bool(
            re.search(rf"\b(?:{named})\b(?: [A-ZÀ-Þ]\w+)?{_APPOSITION}", text)
        )

    def _near(self, terms: Sequence[Term]) -> list[dict[str, float]]:
        """For each word of the question the terms that stand for it, and how well."""
        names, vectors = self._vocabulary
        words = [(fold(term.word), term.term) for term in terms]
        meanings = _meanings([(plain_grade(word), term) for word, term in words])
        likeness = meanings @ vectors.T
        stand_ins: list[dict[str, float]] = []
        for number, term in enumerate(terms):
            alike: dict[str, float] = {}
            if not term.name:
                near = ((likeness[number] >= _LIKE).nonzero()[0]).tolist()
                alike = {
                    names[place]: 0.9 * float(likeness[number, place])
                    for place in near
                    # Fathers and mothers are alike, and never stand for one another.
                    if not (term.term in _persons() and names[place] in _persons())
                }
                plain = word_term(plain_grade(words[number][0]))
                near_terms = related_terms(term.term) | related_terms(plain)
                alike |= {other: max(_RELATED, alike.get(other, 0.0)) for other in near_terms}
                for noun in ({term.term} | near_terms) & self._persons.keys():
                    alike |= dict.fromkeys(self._persons[noun], _CALLED)
            alike |= dict.fromkeys(forms_of(term.term), 1.0)
            stand_ins.append(alike)
        return stand_ins

    @cached_property
    def _vocabulary(self) -> tuple[list[str], NDArray[np.float32]]:
        """The terms of the context, and the meaning of each."""
        words = {
            term: word
            for sentence in self.sentences
            for text in (sentence.text, sentence.source)
            for word, term in search_words(text)
        }
        words |= {term: term for term in self._titles - words.keys()}
        return list(words), _meanings([(word, term) for term, word in words.items()])


def age_asked(question: Question) -> re.Pattern[str] | None:
    """What tells the age that a question asks for; None where it asks for none."""
    if question.kind != "how_many" or "how old" not in fold(question.text):
        return None
    return _AGE_NOW if re.search(r"\bare you\b", question.text) else _AGE


def plain_grade(word: str) -> str:
    """The plain form of a word that may be the highest grade of one: "happiest" is happy."""
    return next((form for form in reversed(ungraded(word)) if is_english(form)), word)


def _best(alike: Mapping[str, float], terms: Collection[str]) -> float:
    return max((alike.get(term, 0.0) for term in terms), default=0.0)


def _meanings(words: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
    """The meaning of each word, with its search term, as vectors of length 1 (0: not known)."""
    import numpy as np

    from offbook.models.builtin import shipped_vectors, word_hash

    table = shipped_vectors()
    hashes = [np.fromiter(map(word_hash, group), np.uint32) for group in zip(*words, strict=True)]
    return table.unit(table.rows(*hashes)) if words else np.zeros((0, 256), np.float32)


def gather(items: Sequence[ContextItem]) -> Evidence:
    """Cut the context into sentences, passages first; one that stands in two items counts once."""
    order = sorted(range(len(items)), key=lambda index: items[index].kind != "knowledge")
    passages = " ".join(" ".join(item.text.split()) for item in items if item.kind == "knowledge")
    cut: list[Sentence] = []
    known: set[str] = set()
    for number in order:
        for sentence in _read(items[number], number):
            elsewhere = items[number].kind != "knowledge" and sentence.text in passages
            if sentence.text in known or (elsewhere and sentence.kind == "sentence"):
                continue
            known.add(sentence.text)
            cut.append(sentence)
    return Evidence(tuple(items), tuple(cut))


def _read(item: ContextItem, number: int) -> Iterator[Sentence]:
    """The sentences of an item, headings and lists known for what they are.

    A line of a list is a paragraph of its own: it does not go on from the line before.
    """
    path = [part.strip() for part in re.split(r"[,\n]", item.title) if part.strip()]
    source = path[-1] if path else ""
    above = search_terms(item.title)
    heading: list[str] = []
    paragraph = 0
    for block in re.split(r"\n\s*\n|\n(?=#)|(?<=\n)(?=#)", item.text):
        paragraph += 1
        for line in filter(None, map(str.strip, _NEW_LINE.split(block))):
            bare = _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
            title = _HEADING.fullmatch(line)
            if title and bare == line and (line[0] == "#" or len(line.split()) <= 9):
                name = _plain(title.group(1) or title.group(2) or line)
                heading, source = search_terms(name), name
                yield Sentence(number, paragraph, name, "heading", Counter(heading))
                continue
            paragraph += bare != line or bool(_ROW.match(line) or _PAIR.fullmatch(line))
            terms = frozenset((*above, *heading))
            for text, kind, key in _of_line(bare, listed=bare != line):
                counts = Counter(search_terms(_OF_ORDERS.sub("", text)))
                above_it = terms | key
                yield Sentence(number, paragraph, text, kind, counts, above_it, source, key)


def _of_line(line: str, *, listed: bool) -> Iterator[tuple[str, SentenceKind, frozenset[str]]]:
    """The sentences of a line or a paragraph, each with its kind and the terms of its key."""
    if len(_LINES.findall(line)) > _FEW_KEYS and "\n" not in line:
        yield _plain(line), "fragment", frozenset()
        return
    pair = _ROW.match(line) or _PAIR.fullmatch(line)
    key: frozenset[str] = frozenset()
    if pair and len(pair.group(1).split()) <= _KEY_WORDS and not set(pair.group(2)) <= set("-: "):
        key, value = frozenset(search_terms(pair.group(1))), pair.group(2)
        if len(sentences(value)) == 1 or not _CLOSED.search(value):
            yield f"{_plain(pair.group(1))}: {_plain(value)}", "pair", key
            return
        line = value
    if line[0] in _OPEN_SPEECH and not _OPEN_SPEECH[line[0]].search(line[1:]):
        # What somebody says goes on in the next paragraph: each sentence of it is a speech.
        for text in _whole_sentences(line[1:]):
            plain = f"“{_plain(text)}”"
            yield plain, _kind(plain), key
        return
    whole = listed and not _CLOSED.search(line)
    for text in [line] if whole or line.startswith(("“", '"')) else _whole_sentences(line):
        plain = _plain(text)
        yield plain, "item" if whole else _kind(plain), key


def _kind(text: str) -> SentenceKind:
    if _ASKS.search(text):
        return "question"
    torn = text.count('"') % 2 or text.count("“") != text.count("”")
    begun = text[:1].islower() or len(text.split()) < _SHORTEST or _DATE.fullmatch(text)
    wide = text[:1] >= "\u2e80"
    return "fragment" if torn or not _CLOSED.search(text) or (begun and not wide) else "sentence"


def _whole_sentences(text: str) -> Iterator[str]:
    """Sentences; one that seems to end within brackets or quotation marks goes on to their end."""
    spans = sentences(text)
    index = 0
    while index < len(spans):
        start, end = spans[index]
        index += 1
        for ahead in range(index, min(index + _LOOK_AHEAD, len(spans))):
            if not _is_open(text[start:end]):
                break
            if not _is_open(text[start : spans[ahead][1]]):
                end, index = spans[ahead][1], ahead + 1
        yield text[start:end]


def _is_open(text: str) -> bool:
    return (
        text.count("(") > text.count(")")
        or text.count("“") > text.count("”")
        or _TORN.sub("", text).count('"') % 2 == 1
    )


def _plain(text: str) -> str:
    return re.sub(r" (?=[.,;:!?](?:\s|$))", "", " ".join(_MARKUP.sub("", text).split()))


def with_names(question: Question, names: Sequence[str], weight: float) -> Question:
    """``question`` that also asks about ``names`` of the turns before it."""
    extra = [Term(word, term, weight, name=True) for word in names for term in search_terms(word)]
    known = {term.term for term in question.terms}
    return replace(question, terms=(*question.terms, *(t for t in extra if t.term not in known)))
