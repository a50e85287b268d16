"""The answer itself: the sentence or the line that answers, as it stands in the texts.

Takes: evidence, a question, the character's names.  Gives: one to three sentences with where they
stand, in the first person where that is safe, else in quotation marks. Source: ours; the kind of a
question says what its answer must hold (a person, a time, a place, a reason, a number).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from offbook.models.builtin import embed_texts
from offbook.names.character import FirstPerson, Names, Told
from offbook.retrieval.facets import BEARS, asks_for_facets, bearing
from offbook.rules.evidence import Evidence, Hit, Sentence, is_about_works, is_editorial
from offbook.text.clauses import quoted_spans
from offbook.text.grammar import FUNCTION
from offbook.text.questions import Question
from offbook.text.words import fold, search_terms

_NUMBER: Final = (
    r"(?:(?!1\d{3}\b)\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?|hundred|thousand|dozen|once|twice"
    r"|half|nobody|none)"
)
_TIME: Final = (
    r"\b(?:1\d{3}|20\d{2}|[1-9]\d{0,2} BC"
    r"|(?:in|since|until|by|next|last|that|the) (?:early |late )?"
    r"(?:spring|summer|autumn|winter)|at (?:the )?age|(?:at|aged?|was|is|turned) "
    r"(?:only |about )?(?:\d+|\w+teen|\w+ty(?:-\w+)?|nine|ten|eleven|twelve|six|seven|eight)"
    r"|years? (?:old|later|after|before|ago)|days? (?:later|after|before)|morning|evening|night"
    r"|noon|midnight|dawn|January|February|March|April|May|June|July|August|September|October"
    r"|November|December|\w+day|Christmas|Easter|Michaelmas|when (?:he|she|they) (?:was|were))\b"
)
_SIGNS: Final[dict[str, re.Pattern[str]]] = {
    "when": re.compile(_TIME),
    "where": re.compile(
        r"\b(?:in|at|near|from|to|of|on|outside|above|behind|under|beside|over|into|inside) "
        r"(?:(?:the|a|an|his|her|its|their|my|old|north|south|east|west) )*[A-Z]?[a-zà-ÿ]{3,}"
    ),
    "why": re.compile(
        r"\b(?:because|since|so that|in order|owing to|due to|on account of|therefore|for fear"
        r"|as a result|reason|led to|caused?|so as to)\b|, (?:for|as) (?:he|she|it|they|the|his|her"
        r"|there|nobody|no)\b"
    ),
    "how_many": re.compile(rf"\b{_NUMBER}\b", re.IGNORECASE),
    "who": re.compile(
        r"(?<!^)(?<![.!?:] )\b[A-Z][a-zà-ÿ]+|^[A-Z][a-zà-ÿ]+ (?!the\b)[A-Z][a-zà-ÿ]+"
        r"|\b(?:father|mother|brother|sister|friend|wife|husband|son|daughter|uncle|aunt|master"
        r"|teacher|neighbour|widow|nobody|grandmother|grandfather)\b"
    ),
    "how": re.compile(r"\bby (?:\w+ly )?\w+ing\b|\bwith (?:an? |the |his |her )?\w+|\buntil\b"),
    "opinion": re.compile(
        r"\b(?:lov|hat|admir|respect|trust|fear|despis|lik|dislik|fond|resent|grateful|proud"
        r"|believ|thinks?\b|thought|consider|held that|angry|contempt|prais|forg[ai]v"
        r"|prefer|enjoy)\w*|\b(?:says?|said)\b"
    ),
    "feeling": re.compile(
        r"\b(?:sad|happy|glad|joy|griev|grief|sorrow|wept|weep|cried|cry|tears|fear|afraid|frighten"
        r"|asham|shame|proud|pride|angry|anger|fury|lonely|alone|miss(?:ed|es)|mourn|heart|laugh"
        r"|smil|delight|relie[fv]|regret|guilt|remorse|hate|love|despair|calm|content)\w*"
    ),
}
"""What stands in a sentence that answers a question of that kind."""
_WEIGHT: Final = {
    "when": (1.25, 0.45), "how_many": (1.2, 0.5), "why": (1.35, 0.8), "where": (1.1, 0.8),
    "who": (1.15, 0.6), "how": (1.1, 0.95), "opinion": (1.35, 0.8), "feeling": (1.25, 0.9),
}  # fmt: skip
"""What a sentence counts with such a sign, and without."""
_COUNTED: Final = re.compile(r"\bhow many (?:\w+ (?:and|or) )?(\w+)", re.IGNORECASE)
_GOING_ON: Final = frozenset(("how", "feeling", "tell"))
"""Kinds of questions after what goes on: the sentence that follows is told as well."""
_AS_WELL: Final = 0.4
"""The share of the best score from which the sentence behind it is told as well."""
_SHORT: Final = 25
"""Words up to which an answer goes on."""
_WHOLE: Final = 0.75
"""The share of a question from which on its best sentence is said alone."""
_NAMES_KIN: Final = 1.4
"""What a sentence counts more that says who the father or the master is who is asked for."""
_FEELS: Final = re.compile(
    r"\b(?:how|what) (?:do|did|does) (?:you|it) (?:\w+ )?feel|\bin your heart\b"
    r"|\bfeel(?:ings?)? (?:when|about|at|on|like)\b"
)
_GOES_ON: Final = re.compile(
    r"\bwhat (?:did|do|would) (?:you|he|she|they) do\b|\bhappen(?:ed|s)?\b"
)
_KIN: Final = (
    "father|mother|brother|sister|wife|husband|son|daughter|friend|uncle|aunt|grandmother|master"
    "|grandfather|teacher|cousin|nephew|niece|grandson|granddaughter|partner|rival|enemy"
)
_NAME: Final = r"(?P<name>(?:[A-Z][\w'’-]+ ?){1,3})"
_KIN_NAMED: Final = (
    re.compile(
        rf"\b(?P<kin>{_KIN})s?,? (?:(?:an?|the) (?:\w+ ){{1,3}})?"
        rf"(?:was |is |called |named )*{_NAME}"
    ),
    re.compile(rf"{_NAME}, (?:his|her|my) (?:\w+ ){{0,2}}(?P<kin>{_KIN})\b"),
    re.compile(rf"\b(?:[Hh]e|[Ss]he|I) (?P<kin>married) (?:the |an? )?(?:[a-z]+,? ){{0,3}}{_NAME}"),
    re.compile(
        rf"\b(?P<kin>twin|dog|cat|horse|boat|ship)s?,? (?:\w+,? )?(?:called |named )?{_NAME}"
    ),
)
_BY_YOU: Final = re.compile(
    r"\b(?:do|did|are|were|was|have|had|can|could|will|would|must|should) you\b", re.IGNORECASE
)
"""What the character does or is; else a sentence about others answers as well."""
_YOURS: Final = re.compile(r"\byour\b", re.IGNORECASE)
_TYPE_WORDS: Final = {
    "when": frozenset(search_terms("year day month date time century")),
    "how_many": frozenset(search_terms("many much long old")),
}
"""What a question says of its own kind; a sentence that has them is no better for it."""
_MARRIED: Final = search_terms("married")[0]
_PARTNERS: Final = frozenset(search_terms("wife husband spouse"))
_LATER: Final = re.compile(
    r"\bposthumous|\b(?:after|since|following) (?:his|her) (?:\w+ )?death\b|\bto this day\b"
    r"|\bnowadays\b|\bhistorians?\b"
)
_AS_GOOD: Final = 0.85
"""A second sentence is said too where it is nearly as good as the best."""
_OF_A_PAIR: Final = 0.5
"""The least share of a question that a line such as "Born: Hull" holds where it is the answer."""
_WORDS: Final = 40
_TRAITS: Final = 2
"""Sentences that are told of how the character is."""
_SAID: Final = 0.8
"""What a sentence that was said before is worth: another that is as good goes first."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is quoted: in quotation marks where ``quoted``, else in the first person.

    The best sentence holds the share ``matched`` of the question, and stands under ``source``.
    """

    text: str
    matched: float
    likeness: float
    quoted: bool
    source: str


class Quoting:
    """Finds and words the answers that one evidence has for one character."""

    def __init__(self, evidence: Evidence, names: Names) -> None:
        self.evidence = evidence
        self._names = names

    @cached_property
    def _told(self) -> tuple[Told, ...]:
        read: list[Told] = []
        speaker = FirstPerson(self._names)
        for item in sorted({s.item for s in self.evidence.sentences}, key=self._place):
            texts = [s.text for s in self.evidence.sentences if s.item == item]
            read += speaker.passage(texts)
        return tuple(read)

    def _place(self, item: int) -> int:
        return next(index for index, s in enumerate(self.evidence.sentences) if s.item == item)

    def answer(self, question: Question, said: str = "") -> Answer | None:
        """Find the best answer, rather one not ``said`` before; None where nothing bears on it."""
        plain = fold(question.text)
        kind: str = "feeling" if _FEELS.search(plain) else question.kind
        kind = "tell" if kind == "what" and _GOES_ON.search(plain) else kind
        if kind in _TYPE_WORDS:
            terms = tuple(t for t in question.terms if t.term not in _TYPE_WORDS[kind])
            question = replace(question, terms=terms or question.terms)
        candidates = self._hits(question)
        texts = [self.evidence.sentences[hit.index].text for hit in candidates]
        vectors = embed_texts([question.text, *texts])
        likeness = (vectors[1:] @ vectors[0]).tolist()
        hits = [
            self._weighed(hit, question, kind, said, like)
            for hit, like in zip(candidates, likeness, strict=True)
        ]
        hits = sorted((hit for hit in hits if hit.score > 0), key=lambda h: (-h.score, h.index))
        if not hits:
            return None
        best = hits[0]
        chosen = {best.index}
        if not self._shows(best.index, question, kind):
            chosen |= self._beside(best.index, question, kind)
            if kind == "why" and self.evidence.follows(best.index) and len(chosen) == 1:
                chosen |= {best.index - 1} if self._answers(best.index - 1) else set()
        if len(chosen) == 1 and len(hits) > 1 and best.matched < _WHOLE:
            second = hits[1]
            more = self._shows(second.index, question, kind)
            if second.score >= _AS_GOOD * best.score and more and self._size(chosen) < _WORDS:
                chosen.add(second.index)
        for index in sorted(chosen):
            chosen |= self._leads_in(index)
        if self._size(chosen) < _SHORT:
            chosen |= self._goes_on(best, max(chosen), kind, hits)
        like = likeness[
            next(place for place, hit in enumerate(candidates) if hit.index == best.index)
        ]
        return self._worded(sorted(chosen), best, like)

    def _goes_on(self, best: Hit, last: int, kind: str, hits: Sequence[Hit]) -> set[int]:
        """The sentence that follows, where it bears on the question or the question asks on."""
        following = last + 1
        if not self.evidence.follows(following) or not self._answers(following):
            return set()
        score = next((hit.score for hit in hits if hit.index == following), 0.0)
        return {following} if kind in _GOING_ON or score >= _AS_WELL * best.score else set()

    def _answers(self, index: int) -> bool:
        return self.evidence.sentences[index].answers

    def _size(self, chosen: set[int]) -> int:
        return sum(len(self.evidence.sentences[index].text.split()) for index in chosen)

    def _shows(self, index: int, question: Question, kind: str) -> bool:
        """Whether a sentence has what an answer to such a question must hold."""
        text = self.evidence.sentences[index].text
        if kind == "how_many" and (counted := _COUNTED.search(question.text)):
            return self._counts(text, counted.group(1))
        sign = _SIGNS.get(kind)
        shown = _without(text, question) if kind == "who" else text
        return sign is None or sign.search(shown) is not None

    def _counts(self, text: str, noun: str) -> bool:
        """Whether a number stands before something like ``noun`` in a sentence."""
        alike = self.evidence.alike(noun)
        return any(
            not alike.isdisjoint(search_terms(match.group(1)))
            for match in re.finditer(
                rf"\b{_NUMBER} ((?:[\w-]+ ){{0,2}}[\w-]+)", text, re.IGNORECASE
            )
        )

    def introduction(self) -> Answer | None:
        """What the texts say that the character is."""
        patterns = (
            r"^(?:(?:full )?name|occupation|profession|role|born|known as|title|species|age)\b.*:",
            r"^I (?:am|was) (?:an? |the |one of |born)",
            r"\b(?:is|was) (?:an? |the |one of |born )",
        )
        places: list[int] = []
        for pattern in patterns:
            for index, (sentence, spoken) in enumerate(
                zip(self.evidence.sentences, self._told, strict=True)
            ):
                fits = spoken.about or sentence.kind == "pair"
                if sentence.answers and fits and re.search(pattern, spoken.text, re.IGNORECASE):
                    places.append(index)
        places = (
            list(dict.fromkeys(places))[:2]
            or [
                index
                for index, spoken in enumerate(self._told)
                if spoken.about and self.evidence.sentences[index].answers
            ][:1]
        )
        return self._worded(sorted(places), Hit(places[0], 1.0, 1.0), 1.0) if places else None

    def leaning(self, question: Question) -> Answer | None:
        """What was inferred of the character for this question, where it asks what it is like."""
        inferred = " ".join(
            " ".join(item.text.split()) for item in self.evidence.items if item.kind == "attribute"
        )
        places = [
            index
            for index, one in enumerate(self.evidence.sentences)
            if one.answers and one.text in inferred
        ]
        if not places or question.names or not asks_for_facets(question.text):
            return None
        shares = bearing(question.text, [self.evidence.sentences[index].text for index in places])
        ranked = sorted(zip(shares, places, strict=True), key=lambda pair: (-pair[0], pair[1]))
        chosen = [index for share, index in ranked[:_TRAITS] if share >= BEARS / 2]
        return self._worded(sorted(chosen), Hit(chosen[0], 1.0, 1.0), 1.0) if chosen else None

    def _hits(self, question: Question) -> list[Hit]:
        """Sentences that share words with the question."""
        return self.evidence.hits(question, self._kin if _YOURS.search(question.text) else {})

    def _weighed(self, hit: Hit, question: Question, kind: str, said: str, like: float) -> Hit:
        sentence = self.evidence.sentences[hit.index]
        weight = (0.5 + hit.matched) * (0.6 + max(0.0, like))
        if sentence.kind == "pair" and hit.matched < _OF_A_PAIR:
            weight = 0.0
        if kind in _WEIGHT:
            weight *= _WEIGHT[kind][0 if self._shows(hit.index, question, kind) else 1]
        question_terms = {term.term for term in question.terms}
        if kind == "who" and not question_terms.isdisjoint(kin for kin, _ in self._named(sentence)):
            weight *= _NAMES_KIN
        return replace(hit, score=hit.score * weight * self._worth(hit.index, question, said))

    def _worth(self, index: int, question: Question, said: str) -> float:
        """What a sentence counts by whom it is about, where it stands and what was said before."""
        sentence, spoken = self.evidence.sentences[index], self._told[index]
        text, item = sentence.text, self.evidence.items[sentence.item]
        weight = 1.0
        if item.kind not in ("knowledge", "attribute"):
            weight *= 0.85
        if spoken.leans and not self.evidence.follows(index):
            weight *= 0.75
        if _BY_YOU.search(question.text):
            is_self = spoken.about or sentence.kind == "pair"
            weight *= 1.3 if is_self else 0.7
            if not is_self and question.kind == "yes_no" and len(question.terms) == 1:
                weight *= 0.0 if self._is_of_another(text) else 1.0
        if is_editorial(text) or _LATER.search(text):
            weight *= 0.5
        if is_about_works(item.title):
            weight *= 0.6
        if _is_speech(text):
            weight *= 0.6
        if len(text) > 420:
            weight *= 0.7
        if _in_said(text, said) or _in_said(spoken.text, said):
            weight *= 0.0 if question.more else _SAID
        return weight

    def _is_of_another(self, text: str) -> bool:
        """Whether the subject of a sentence is named, and is not the character."""
        first = text.split(" ", 1)[0]
        named = first[:1].isupper() and first.lower() not in FUNCTION
        return named and fold(first) not in self._names.words

    def _beside(self, index: int, question: Question, kind: str) -> set[int]:
        """The sentence behind or before in the paragraph that has what is asked for."""
        for other in (index + 1, index - 1):
            near = self.evidence.follows(max(index, other))
            if near and self._shows(other, question, kind):
                return {other} if self.evidence.sentences[other].answers else set()
        return set()

    def _leads_in(self, index: int) -> set[int]:
        """The sentences before, as far as a pronoun leans on them."""
        places: set[int] = set()
        while len(places) < 2 and self._told[index].leans and self.evidence.follows(index):
            index -= 1
            if not self.evidence.sentences[index].answers:
                break
            places.add(index)
        return places

    def _worded(self, chosen: Sequence[int], best: Hit, like: float) -> Answer:
        spoken = all(self._told[index].spoken for index in chosen)
        source = self._source(self.evidence.sentences[best.index])
        if spoken:
            return Answer(
                " ".join(self._told[index].text for index in chosen),
                best.matched,
                like,
                False,
                source,
            )
        runs: list[list[int]] = []
        for index in chosen:
            if runs and runs[-1][-1] == index - 1 and self.evidence.follows(index):
                runs[-1].append(index)
            else:
                runs.append([index])
        texts = [" ".join(self.evidence.sentences[index].text for index in run) for run in runs]
        quotes = [text if _is_speech(text) else f"“{text}”" for text in texts]
        return Answer(" … ".join(quotes), best.matched, like, True, source)

    def _source(self, sentence: Sentence) -> str:
        item = self.evidence.items[sentence.item]
        return sentence.source or (item.sources[0].document if item.sources else "")

    @cached_property
    def _kin(self) -> dict[str, frozenset[str]]:
        """The names of the character's wife, master, horse, as search terms."""
        kin_names: dict[str, set[str]] = {}
        for sentence in self.evidence.sentences:
            for kin, name in self._named(sentence):
                names = {term for word in name.split() for term in search_terms(word)}
                kin_names.setdefault(kin, set()).update(names - set(search_terms(self._names.full)))
        for partner in _PARTNERS:
            kin_names.setdefault(partner, set()).update(kin_names.get(_MARRIED, ()))
        kin_names.pop(_MARRIED, None)
        return {kin: frozenset(names) for kin, names in kin_names.items()}

    def _named(self, sentence: Sentence) -> Iterator[tuple[str, str]]:
        """Terms of kinship in a sentence, each with the name that it gives somebody."""
        for pattern in _KIN_NAMED:
            for match in pattern.finditer(sentence.text):
                for kin in search_terms(match["kin"]):
                    yield kin, match["name"]


def _without(text: str, question: Question) -> str:
    """A sentence without the names that the question has already."""
    for name in question.names:
        for word in name.split():
            text = re.sub(rf"\b{re.escape(word)}\b", "", text)
    return text


def _is_speech(text: str) -> bool:
    """Whether a sentence is all, or nearly all, in quotation marks."""
    spans = quoted_spans(text)
    return bool(spans) and sum(end - start for start, end in spans) > 0.9 * len(text)


def _in_said(text: str, said: str) -> bool:
    return bool(text) and text in said
