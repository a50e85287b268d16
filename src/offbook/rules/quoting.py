"""The answer itself: the sentence or the line that answers, as it stands in the texts.

Takes: evidence, a question, the character's names.  Gives: one to three sentences with where they
stand, in the first person where that is safe, else in quotation marks. Source: ours; a sentence is
ranked by the words of the question in it and beside it, and by its likeness to the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Final

from offbook.models.builtin import embed_texts
from offbook.names.character import FirstPerson, Names, Told
from offbook.retrieval.facets import BEARS, asks_for_facets, bearing
from offbook.rules.evidence import (
    NAMES,
    NUMBER,
    Evidence,
    Hit,
    Sentence,
    age_asked,
    forms_of,
)
from offbook.text.clauses import quoted_spans, tokens_of
from offbook.text.grammar import FUNCTION, MONTHS_AND_DAYS, PERSON_NOUNS
from offbook.text.questions import Kind, Question
from offbook.text.words import fold, word_term

_MEANING: Final = 0.3
"""What the likeness of sentence and question counts, where the words asked for count 1."""
_UNFIT: Final = 0.8
"""What a sentence is worth that has nothing of the kind that is asked for: a time, a place."""
_NAMED: Final = re.compile(r"(?<=[\w,;:] )[A-ZÀ-Þ]\w")
_FITS: Final[Mapping[Kind, re.Pattern[str]]] = {
    "why": re.compile(
        r"\b(?:because|so that|in order|owing to|due to|on account of|since|lest|therefore|reasons?"
        r"|out of|for (?:he|she|it|they|there|the|no|I))\b"
    ),
    "when": re.compile(
        r"\d|\b(?:when|while|until|till|before|after|during|since|ago|at|first|last|next|then|spring"
        r"|summer|autumn|winter|morning|evening|night|noon|dawn|day|week|month|year|century|christmas"
        rf"|easter|{'|'.join(sorted(MONTHS_AND_DAYS))})s?\b",
        re.IGNORECASE,
    ),
    "where": re.compile(
        r"\b(?:in|at|on|from|to|near|beneath|under|above|below|behind|beside|by|between|into|over"
        r"|along|across|through|up|down|there|here|place|home|house|residence|location|lives)\b",
        re.IGNORECASE,
    ),
    "how_many": re.compile(NUMBER, re.IGNORECASE),
    "who": re.compile(
        rf"(?<=[\w,;:] )[A-ZÀ-Þ]\w|^(?!The |A |He |She |It |They |I )[A-ZÀ-Þ]"
        rf"|\b(?:{'|'.join(sorted(PERSON_NOUNS))})\b"
    ),
}
"""What a sentence has that answers a question of a kind."""
_APART: Final = 0.85
"""The share of the best score from which another sentence is told as well."""
_ALONE: Final = 0.9
"""The share of the best score up to which another sentence may be the answer as well."""
WHOLE: Final = 0.9
"""The share of a question from which on a sentence is said alone."""
_AT_LENGTH: Final = frozenset(("why", "how", "tell", "opinion", "yes_no"))
"""Kinds of questions that one sentence seldom answers."""
_GOING_ON: Final = frozenset(("why", "tell"))
"""Kinds whose answer is rather what stands behind a sentence than another that is as good."""
MOST: Final = 3
"""Sentences that are told, at most."""
_BY_YOU: Final = re.compile(
    r"\b(?:do|did|are|were|was|have|had|can|could|will|would|must|should) you\b", re.IGNORECASE
)
"""What the character does or is; else a sentence about others answers as well."""
_OF_YOU: Final = re.compile(r"\byou(?:r|rs|rself)?\b", re.IGNORECASE)
_NO_AGE: Final = 0.5
"""What a sentence is worth without an age, where one is asked for: "old" and "year" stand often."""
_LINKS: Final = frozenset(("and", "but", "so", "then", "yet"))
_PLACED: Final = re.compile(r"\b(?:in|at|on|from|to|near|of|above|outside) (?:the |an? )?[A-ZÀ-Þ]")
_AT_PLACE: Final = (
    r"(?:in|at|on|from|to|near|above|outside|under|beside|behind|beneath|over|into)"
    r"(?! (?:night|first|last|once|least|all|time|order|fact|\d)| (?:the|a|an|that|this)"
    r" (?:end|time|night|day|week|year|morning|evening|age|same)\b)"
)
"""What names a place, where one is asked for."""
_WORD_AND_PLACE: Final = re.compile(rf"\b(\w+)\b(?=((?: \w+){{0,2}} {_AT_PLACE} \w)?)")
_OF_OTHERS: Final = 0.9
"""What a sentence is worth that may be about others, where the character is asked of itself."""
_WHO_DID: Final = re.compile(r"^\W*who (?!are|is|was|were)\w+ your?\b", re.IGNORECASE)
_BY_SELF: Final = re.compile(r"^(?:I|He|She) (?!.*\b(?:from|by)\b)")
"""What was done to the character, and a sentence of what it did: that names nobody who did it."""
_LATER: Final = re.compile(
    r"\bposthumous|\b(?:after|since|following) (?:his|her) (?:\w+ )?death\b|\bto this day\b"
    r"|\bnowadays\b|\bhistorians?\b"
)
_TERSE: Final = 6
"""Words below which a sentence says little without what follows it."""
_WORDS: Final = 50
"""Words that are told, at most, unless a single sentence has more."""
_ACCOUNT: Final = 0.25
"""The share of sentences that say "I" from which on a text is the character's own account."""
_AND: Final = " And: "
_TRAITS: Final = 2
"""Sentences that are told of how the character is."""
_SAID: Final = 0.8
"""What a sentence that was said before is worth: another that is as good goes first."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is quoted: in quotation marks where ``quoted``, else in the first person.

    The best sentence holds the share ``matched`` of the question, and stands under ``source``;
    it is ``keyed`` where it is a line with a key, ``about`` the character where it says so,
    ``fits`` where it has the kind of thing that is asked for, and is ``alone`` where no other
    sentence is nearly as good.
    """

    text: str
    matched: float
    score: float
    quoted: bool
    source: str
    about: bool
    fits: bool = True
    alone: bool = True
    keyed: bool = False


class Quoting:
    """Finds and words the answers that one evidence has for one character."""

    def __init__(self, evidence: Evidence, names: Names) -> None:
        self.evidence = evidence
        self._names = names

    @cached_property
    def _told(self) -> tuple[Told, ...]:
        read: list[Told] = []
        speaker = FirstPerson(self._names, narrates=self._narrates())
        for item in dict.fromkeys(s.item for s in self.evidence.sentences):
            texts = [s.text for s in self.evidence.sentences if s.item == item]
            read += speaker.passage(texts, of_another=self._is_of_another_person(item))
        return tuple(self._as_written(read))

    def _narrates(self) -> bool:
        """Whether "I" may be the character's: not in a story that tells of it by name.

        Where a passage says whose it is, that counts.
        """
        notes = (n for item in self.evidence.items for n in item.subject.split("; "))
        if tellers := [note.removeprefix("I: ") for note in notes if note.startswith("I: ")]:
            return not any(self._names.words.isdisjoint(map(fold, t.split())) for t in tellers)
        witnessed = (item.text for item in self.evidence.items if item.witness is not None)
        return not any(self._names.mentions(tokens_of(text)) for text in witnessed)

    def _is_of_another_person(self, item: int) -> bool:
        """Whether "he" or "she" means somebody else where a passage of a story begins."""
        pronoun = {"m": "he: ", "f": "she: "}.get(self._names.gender, "")
        notes = self.evidence.items[item].subject.split("; ")
        meant = [note.removeprefix(pronoun) for note in notes if note.startswith(pronoun or "\n")]
        return any(self._names.words.isdisjoint(map(fold, each.split())) for each in meant)

    def _as_written(self, read: Sequence[Told]) -> Iterator[Told]:
        """In an account that says "I" throughout every sentence is the character's own."""
        own_sentences = sum(one.spoken and one.text == s.text for one, s in self._beside_text(read))
        named = sum(one.about and one.text != s.text for one, s in self._beside_text(read))
        is_account = own_sentences > _ACCOUNT * len(read) and not named and self._narrates()
        for one, sentence in self._beside_text(read):
            as_is = is_account and sentence.kind == "sentence" and not _is_speech(sentence.text)
            yield replace(one, spoken=True) if as_is else one

    def _beside_text(self, read: Sequence[Told]) -> Iterator[tuple[Told, Sentence]]:
        return zip(read, self.evidence.sentences, strict=True)

    def answer(self, question: Question, said: str = "", most: int = MOST) -> Answer | None:
        """Find the best answer, rather one not ``said`` before; None where nothing bears on it."""
        candidates = self.evidence.hits(question)
        texts = [self.evidence.sentences[hit.index].text for hit in candidates]
        vectors = embed_texts([question.text, *texts])
        likeness = (vectors[1:] @ vectors[0]).tolist()
        hits = []
        for hit, like in zip(candidates, likeness, strict=True):
            score = hit.score + _MEANING * max(0.0, like)
            hits.append(replace(hit, score=score * self._worth(hit.index, question, said)))
        hits = sorted((hit for hit in hits if hit.score > 0), key=lambda h: (-h.score, h.index))
        if not hits:
            return None
        answer = self._worded(sorted(self._chosen(hits, question, most)), hits[0])
        others = (hit for hit in hits[1:] if not self._repeats(hit.index, hits[0].index))
        next_best = max((hit.score for hit in others), default=0.0)
        return replace(
            answer,
            fits=self._answers(hits[0], question),
            alone=next_best < _ALONE * hits[0].score,
        )

    def _answers(self, hit: Hit, question: Question) -> bool:
        """Whether a sentence says what is asked, and not only that which is asked about."""
        spoken, text = self._told[hit.index], self.evidence.sentences[hit.index].text
        of_self = question.kind in ("yes_no", "opinion") and _BY_YOU.search(question.text)
        is_line = self.evidence.sentences[hit.index].kind == "pair"
        if of_self and not (spoken.about or is_line) and self._is_of_another(text):
            return False
        if hit.aside or (question.kind == "who" and _WHO_DID.search(question.text)):
            by_self = _BY_SELF.search(spoken.text)
            return not hit.aside and not by_self and self._fits(hit.index, question)
        if question.kind == "where" and self.evidence.sentences[hit.index].kind == "sentence":
            return self._is_placed(text, question)
        who = question.kind == "who" and all(term.name for term in question.terms)
        return (hit.introduces or not who) and self._fits(hit.index, question)

    def _fits(self, index: int, question: Question) -> bool:
        """Whether a sentence has anything of the kind that is asked for."""
        pattern = age_asked(question) or _FITS.get(question.kind)
        if question.kind == "who" and NAMES.search(question.text):
            pattern = _NAMED
        return pattern is None or bool(pattern.search(self.evidence.sentences[index].text))

    def _chosen(self, hits: Sequence[Hit], question: Question, most: int) -> set[int]:
        """The best sentence, what stands beside it as far as that is needed, and its equals."""
        best = hits[0]
        chosen = {best.index}
        if most == 1:
            return chosen
        # A name alone says of whom, and not what is asked.
        telling = question.kind == "who" or not all(term.name for term in question.terms)
        sure = telling and best.matched >= WHOLE and self._answers(best, question)
        # 1 -- another that is as good, where it is not sure that this one answers ----------------
        going_on = question.kind in _GOING_ON and self.evidence.follows(best.index + 1)
        for hit in hits[1:]:
            if sure or going_on or hit.score < _APART * best.score or len(chosen) >= most:
                break
            new = not any(self._repeats(hit.index, other) for other in chosen)
            if new and self._size(chosen | {hit.index}) <= _WORDS:
                chosen.add(hit.index)
        # 2 -- whom the sentence means; where it may not be all, what stands around it ------------
        leans = self._told[best.index].leans
        before = 2 if leans and self._told[best.index - 1].leans else int(leans or not sure)
        explained = question.kind == "why" and self._fits(best.index, question)
        terse = self._size({best.index}) < _TERSE
        after = int(not sure or terse) + int(question.kind in _AT_LENGTH and not explained)
        worthless = set(range(len(self._told))) - {hit.index for hit in hits}
        for step, steps in ((-1, before), (1, after)):
            for place in range(best.index + step, best.index + step * (steps + 1), step):
                goes_on = self.evidence.follows(max(place, place - step)) and (
                    self.evidence.sentences[place].kind in ("sentence", "question")
                )
                is_none = place in worthless and self.evidence.sentences[place].answers
                if not goes_on or is_none or self._size(chosen | {place}) > _WORDS:
                    break
                chosen.add(place)
        return chosen

    def _repeats(self, index: int, other: int) -> bool:
        sentence, there = self.evidence.sentences[index].text, self.evidence.sentences[other].text
        return sentence in there or there in sentence

    def _size(self, chosen: set[int]) -> int:
        return sum(len(self.evidence.sentences[index].text.split()) for index in chosen)

    def introduction(self, *, plainly: bool = False) -> Answer | None:
        """What the texts say that the character is; ``plainly``: only where they say just that.

        What somebody says in a story introduces nobody plainly.
        """
        name = re.escape(self._names.full)
        patterns = (
            r"^(?:occupation|profession|role|job|trade|title)\b.*:",
            r"^(?:(?:full )?name|born|known as|species|age)\b.*:",
            rf"\b{name}, (?:an? |the |now |once |former )?[a-z]+\b",
            r"^My name is\b",
            r"^I (?:am|was) (?:an? |the |one of |born)",
            r"^(?!(?:it|there|th[eio]\w+|he|she|we|wh\w+|how|all|my|his|her|our)\b)(?:(?!\bthat\b|,).){1,60}"
            r"(?:,[^,;]{1,80},| \([^()]*\))?(?:,[^,;]{1,80},)?"
            r" (?:is|was) (?:an? |the |one of |born )",
        )
        converted = {
            index: one.text
            for index, one in enumerate(self._told)
            if self._introduces(index, one)
            and not (plainly and not one.spoken and quoted_spans(one.text))
        }
        places = [
            index
            for pattern in patterns
            for index, text in converted.items()
            if re.search(pattern, text, re.IGNORECASE)
        ]
        sentences = self.evidence.sentences
        plain = sorted(converted, key=lambda index: self._names.full not in sentences[index].text)
        chosen = sorted(list(dict.fromkeys(places))[:2] or ([] if plainly else plain[:1]))
        return self._worded(chosen, Hit(chosen[0], 1.0, 1.0)) if chosen else None

    def _introduces(self, index: int, one: Told) -> bool:
        """Whether a sentence is surely about the character, or a line of a sheet."""
        sentence = self.evidence.sentences[index]
        by_name = fold(sentence.text.split(" ", 1)[0]) in self._names.words
        named = f"{self._names.full}, " in sentence.text
        sure = named or sentence.kind == "pair" or (one.about and (one.spoken or by_name))
        return sentence.answers and sure

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
        return self._worded(sorted(chosen), Hit(chosen[0], 1.0, 1.0)) if chosen else None

    def _worth(self, index: int, question: Question, said: str) -> float:
        """What a sentence counts by whom and what it is about, and what was said before."""
        sentence, spoken = self.evidence.sentences[index], self._told[index]
        text, item = sentence.text, self.evidence.items[sentence.item]
        unfit = _NO_AGE if age_asked(question) else _UNFIT
        weight = 1.0 if self._fits(index, question) else unfit
        is_self = spoken.about or sentence.kind == "pair"
        if not is_self and question.kind == "yes_no" and len(question.terms) == 1:
            weight *= 0.0 if _BY_YOU.search(question.text) and self._is_of_another(text) else 1.0
        if not is_self and not spoken.spoken and _OF_YOU.search(question.text):
            weight *= _OF_OTHERS
        if not is_self and age_asked(question) and self._is_of_another(text):
            weight *= _UNFIT
        if question.kind == "where" and sentence.kind == "sentence":
            weight *= 1.0 if self._is_placed(text, question) else _OF_OTHERS
            weight *= 1.0 if _PLACED.search(text) else _UNFIT
        of_named = any(name.split()[-1] in text for name in question.names)
        if not of_named and (is_editorial(text, item.title) or _LATER.search(text)):
            weight *= 0.5
        if text in said or spoken.text in said:
            weight *= 0.0 if question.more and question.kind != "why" else _SAID
        return weight

    @staticmethod
    def _is_placed(text: str, question: Question) -> bool:
        """Whether a sentence says where that is or was done which is asked about."""
        forms = {form for term in question.terms for form in forms_of(term.term)}
        return any(
            word_term(fold(match[1])) in forms
            and (match[2] or re.search(r"\bwhere (?:\w+ )?$", text[: match.start()]))
            for match in _WORD_AND_PLACE.finditer(text)
        )

    def _is_of_another(self, text: str) -> bool:
        """Whether the subject of a sentence is named, and is not the character."""
        first = next((word for word in text.split() if word.lower() not in _LINKS), "")
        named = first[:1].isupper() and first.lower() not in FUNCTION
        return named and fold(first) not in self._names.words

    def _worded(self, chosen: Sequence[int], best: Hit) -> Answer:
        """The sentences, from the best one's paragraph first: as own words, or as quotations."""
        blocks: list[list[int]] = []
        for index in chosen:
            if blocks and blocks[-1][-1] == index - 1 and self.evidence.follows(index):
                blocks[-1].append(index)
            else:
                blocks.append([index])
        blocks.sort(key=lambda block: best.index not in block)
        ordered = [index for block in blocks for index in block]
        quoted = not self._told[ordered[0]].spoken
        text, before = "", -1
        for spoken, group in groupby(ordered, key=lambda index: self._told[index].spoken):
            for run in [list(group)] if spoken else _runs(list(group), blocks):
                both = before >= 0 and not spoken and not self._told[before].spoken
                text += f"{_AND if both else ' '}{self._run(run)}"
                before = run[-1]
        sentence, reading = self.evidence.sentences[best.index], self._told[best.index]
        about = reading.about or reading.spoken or sentence.kind != "sentence"
        keyed = sentence.kind == "pair"
        return Answer(
            text.strip(), best.matched, best.score, quoted, sentence.source, about, keyed=keyed
        )

    def _run(self, run: Sequence[int]) -> str:
        if self._told[run[0]].spoken:
            return " ".join(self._told[index].text for index in run)
        text = " ".join(self.evidence.sentences[index].text for index in run)
        return text if _is_speech(text) else f"“{text}”"


def _runs(indices: Sequence[int], blocks: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Those of some sentences that stand together, block by block."""
    for block in blocks:
        if run := [index for index in block if index in indices]:
            yield run


def _is_speech(text: str) -> bool:
    """Whether a sentence is all, or nearly all, in quotation marks."""
    spans = quoted_spans(text)
    return bool(spans) and sum(end - start for start, end in spans) > 0.9 * len(text)


_CITATION: Final = re.compile(r"\s*\[(?:\d+|[a-z]|note \d+|citation needed|who\?|when\?|sic)\]")
_BRACKET: Final = re.compile(r"\s*\(([^()]*)\)")
_NESTING: Final = 3
_NOTATION: Final = re.compile(r"^(?:[-+*•·]|\d{1,3}[.)])\s+|\*\*|__|^>\s*|^#+\s*")
_SPOKEN_BRACKET: Final = re.compile(r"\b(?:I|me|my|myself|we|he|she|they|who|which)\b")
_NO_SPEECH: Final = re.compile(
    r"[/ˈːəɪʊɒɑɔɜʃʒθð]|\b(?:c\.|ca\.|circa|baptised|born|died|reigned|see|Latin|Greek|French|German"
    r"|Italian|Russian|Chinese|Arabic|pronounced|lit\.|literally|Op\.|No\.|WoO|ISBN)|\d{3,4}"
    r"|\bBC\b|\bAD\b"
)
_HEDGES: Final = (
    re.compile(
        r"^(?:According to (?:[^,]{1,80}), |(?:As )?(?:[A-Z]\w+ )?(?:[Hh]istorians|[Ss]cholars"
        r"|[Ss]ources"
        r"|[Bb]iographers|[Cc]ritics|[Mm]usicologists|[Aa]ccounts|[Rr]ecords"
        r"|[Oo]ne modern author)(?: \w+){0,3}?"
        r" (?:agree|say|believe|state|report|suggest|think|claim|argue|estimates?|note|hold"
        r"|assume)s? that )"
    ),
    re.compile(
        r"^It is (?:generally |often |widely |commonly |sometimes )?(?:said|believed|thought"
        r"|known|reported|assumed"
        r"|likely|possible|probable|claimed|accepted|noted) that "
    ),
    re.compile(
        r"^[A-Z][\w.]+(?: [A-Z][\w.]+){0,2} (?:has )?(?:states?|stated|adds|added|notes|noted"
        r"|writes|reports|says) that (?=I\b|my\b)"
    ),
)
_ASIDES: Final = re.compile(
    r",? ?\b(?:reportedly|allegedly|supposedly|purportedly"
    r"|according to [A-Z][^,.;]{2,50})(?=[,.; ]),?"
)
_WORKS: Final = re.compile(
    r"\b(?:popular culture|legacy|reception|portrayals?|depictions?|adaptations?|historiography"
    r"|filmography|bibliography|commemorations?|memorials?|fandom|merchandise|casting"
    r"|in (?:film|art|literature|fiction|television|(?:other )?media)|references|see also"
    r"|external links|further reading|cultural (?:depictions?|impact|references)|posthumous)\b",
    re.IGNORECASE,
)
_META: Final = re.compile(
    r"\b[A-Z]\w+ (?:states|adds|suggests|estimates) |"
    r"\b[A-Z]\w+ has (?:said|stated|suggested|called|described|revealed|argued|noted|claimed"
    r"|written)\b|"
    r"\b[A-Z]\w+(?: the [A-Z]\w+)? (?:reports|records|relates|recounts|asserts|alleges|contends)"
    r" (?:that|in|how)\b|"
    r"\b[A-Z]\w+,? and [A-Z]\w+(?: [A-Z]\w+)? (?:all |both )?"
    r"(?:claim|state|report|suggest|record|argue|assert)\b|"
    r"\b(?:I|[Hh]e|[Ss]he|[Ii]t|[A-Z]\w+) (?:am|is) (?:alleged|thought|believed|said|supposed"
    r"|reputed|rumoured) to\b|"
    r"\b[Ii]t is (?:unclear|unknown|uncertain|disputed|debated|possible|likely|thought)\b|"
    r"\b[A-Z]\w+ (?:said|revealed|stated|confirmed|announced|commented|explained) that (?:my|I)\b|"
    r"\b(?:of|in|throughout|from) the (?:first|second|third|fourth|fifth|sixth|seventh|last|final"
    r"|next|original) (?:novel|series|book|film|movie|season|episode|instal+ment)s?\b(?! of\b)|"
    r"\b(?:(?:widespread|popular) belief|pop(?:ular)? culture|popular perceptions?)\b|"
    r"\b(?:fictional|protagonist|antagonist|film(?:s|ed)?|movies?|television|TV|screenplay|"
    r"actor|actress|portrayed|starring|franchise|biograph(?:er|ers|y|ies)"
    r"|historians?|scholars?|historiography"
    r"|musicologists?|scholarship|Wikipedia|sources?|surviving accounts|modern (?:author"
    r"|historian|scholar)s?"
    r"|critics (?:say|have)|is considered|has been described|contemporary accounts"
    r"|(?:in|of|throughout) the (?:novels?|series|books?|films?)"
    r"|character in|first appears?|no record|consensus|authentic|interpreted|depicted"
    r"|depictions?|adaptations?)\b"
)


def without_editorial(text: str) -> str:
    """``text`` without markup, citations, notes in brackets and leading hedges."""
    text = _CITATION.sub("", _NOTATION.sub("", text))
    for _ in range(_NESTING):
        text = _BRACKET.sub(_bracket, text)
    for hedge in _HEDGES:
        text = hedge.sub("", text)
    text = _ASIDES.sub(lambda match: "" if match.start() else match.group(), text)
    text = re.sub(r"\s+([,.;:!?])", r"\1", re.sub(r"\s{2,}", " ", text)).strip()
    return text[:1].upper() + text[1:]


def _bracket(match: re.Match[str]) -> str:
    inner = match.group(1)
    if _NO_SPEECH.search(inner) or not _SPOKEN_BRACKET.search(inner):
        return ""
    return match.group()


def is_editorial(text: str, heading_path: str = "") -> bool:
    """Whether the sentence, or a heading above it, speaks of works and sources, not of a life."""
    works = any(_WORKS.search(heading) for heading in heading_path.split(", ")[1:])
    return works or bool(_META.search(text))
