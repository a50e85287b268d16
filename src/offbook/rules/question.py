"""What a question is about and whether the character can know of it, by rules.

Takes: the inputs of the boundary prompts.  Gives: a passage to search with, and the entities, each
known or not. Not known is what came after the character's life (``dated``) or belongs to another
world; a name that its texts never say may be known.
Paper: RoleRAG (001), section 3.4; the rules are ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from offbook.names.nicknames import formal_names, is_given, may_be_one
from offbook.prompts.emotion import ScoreEmotionsInputs, Utterance
from offbook.prompts.question import (
    Feeling,
    QuestionAnalysis,
    QuestionEntities,
    QuestionEntity,
    QuestionInputs,
    Understanding,
    UnderstandInputs,
    Unknown,
)
from offbook.retrieval.beyond import last_year_of, unmentioned_words, years_in
from offbook.rules import dated
from offbook.rules.dated import is_later, means_later
from offbook.rules.languages import language_of
from offbook.rules.question_names import Named, names_in_question, telling_words
from offbook.text import grammar
from offbook.text.clauses import Token, tokens_of
from offbook.text.concepts import is_of_any_age, related_terms
from offbook.text.english_words import is_english
from offbook.text.questions import read_question
from offbook.text.words import fold, search_terms, word_term, words

_OLD_NAMES: Final = 1000
"""Places and people that were known by then are known in any world that does not say its time."""
_GRACE: Final = 25
"""Years after a life in which something that its texts do tell of may have been under way."""
_TODAY: Final = 1950
_PET_NAMES: Final = 1000
"""The year before which nobody was called Harry or Ron."""
_MADE_TODAY: Final = re.compile(
    r"\b[A-Za-z]\+\+|\b[A-Z]#(?! m(?:inor|ajor)\b)|\b[A-Z]{2,}-?\d\w*"
    r"|\b(?!(?:Ma?c|Fitz|Van|D[aeiu]|L[aeou]|Des?|Dela)[A-Z])\w*[a-z][A-Z]\w*[a-z]\b"
)
"""How nothing was named before our time: C++, GPT-4, JavaScript (and not MacLean)."""
_LONGEST_NAME: Final = 200
"""A word that is longer names nothing; an answer has no place for it."""
_GENERAL_ENTITIES: Final = 3
_FULL_NAME: Final = 2
_BEFORE_VERBS: Final = grammar.word_set(
    "to can could will would shall should may might must do does did not"
)
_RELATED: Final = 6
_TYPES: Final[dict[dated.EntityType, frozenset[str]]] = {
    "character": frozenset(
        search_terms(
            "family parents father mother brother sister siblings wife husband children friend"
            " enemy rival love teacher mentor companion colleague relatives people relationship"
        )
    ),
    "location": frozenset(search_terms("place home house country town city travel journey live")),
    "time": frozenset(search_terms("childhood youth age year past future")),
    "event": frozenset(search_terms("war battle wedding death event birth journey victory defeat")),
    "organization": frozenset(search_terms("school church army government society religion")),
}


def analyse_question(inputs: QuestionInputs) -> QuestionAnalysis:
    """A hypothetical context and the entities, in one answer."""
    return QuestionAnalysis(context=hypothetical_context(inputs), entities=_entities(inputs))


def question_entities(inputs: QuestionInputs) -> QuestionEntities:
    """The entities of the question; a hypothetical context that rules made names no others."""
    return QuestionEntities(entities=_entities(inputs))


def understand_question(inputs: UnderstandInputs) -> Understanding:
    """What cannot be known, and how it is felt; the question's own words are the query."""
    from offbook.rules.emotions import score_emotions

    scored = score_emotions(ScoreEmotionsInputs("", (Utterance(inputs.question),))).items[0]
    return Understanding(
        query="",
        unknown=[
            Unknown(name=entity.name, reason=entity.reason)
            for entity in _Judge(inputs).entities()
            if not entity.known
        ],
        premise="",
        feelings=[
            Feeling.model_validate({"emotion": emotion, "strength": strength})
            for emotion, strength in scored.by_name().items()
            if strength > 1
        ],
    )


def hypothetical_context(inputs: QuestionInputs) -> str:
    """The words by which a text may speak of what is asked, after the character's name."""
    if language_of(inputs.question) != "en":
        return f"{inputs.character}：{inputs.question}"
    question = read_question(inputs.question, frozenset(words(inputs.character)))
    question_words = list(dict.fromkeys(term.word for term in question.terms))
    near = [other for term in question.terms for other in sorted(related_terms(term.term))]
    text = " ".join((*question_words, *list(dict.fromkeys(near))[:_RELATED]))
    return f"{inputs.character}: {text or inputs.question}."


def _entities(inputs: QuestionInputs) -> list[QuestionEntity]:
    judge = _Judge(inputs)
    entities = list(judge.entities())
    if not any(not entity.known or judge.is_unheard_of(entity) for entity in entities):
        named = {fold(entity.name) for entity in entities}
        entities += (entity for entity in _general(inputs, judge) if fold(entity.name) not in named)
    else:
        out = any(not entity.known for entity in entities)
        entities = [
            e for e in entities if not (e.known and _is_aside(e, out, judge.is_unheard_of(e)))
        ]
    return entities or [_whole(inputs)]


def _is_aside(entity: QuestionEntity, out: bool, unheard_of: bool) -> bool:
    """Whether something known, or beside unknown things unmentioned, adds nothing to a question."""
    return out if unheard_of else _is_scene(entity)


def _is_scene(entity: QuestionEntity) -> bool:
    """Whether something known is only where or with what it happens: a place, a thing."""
    said = words(entity.name)
    return (
        not entity.specific
        or entity.type == "location"
        or (len(said) == 1 and (is_english(said[0]) or is_given(said[0])))
    )


@dataclass(frozen=True)
class _Judge:
    """One question, read for one character."""

    inputs: QuestionInputs

    @cached_property
    def last_year(self) -> int | None:
        """The last year that the character can have seen."""
        if self.inputs.last_year is not None or self.inputs.unmentioned is not None:
            return self.inputs.last_year
        return last_year_of(self.inputs.character, (self.inputs.profile,))

    @cached_property
    def own(self) -> frozenset[str]:
        """Words of the character's own name."""
        name_words = frozenset(words(self.inputs.character))
        return name_words - grammar.NAME_PARTICLES - grammar.TITLES

    @cached_property
    def _lacking(self) -> frozenset[str]:
        if (unmentioned := self.inputs.unmentioned) is None:
            held = set(search_terms(" ".join((self.inputs.profile, *self.inputs.mentioned))))
            unmentioned = unmentioned_words(self.inputs.question, held.__contains__)
        lacking = {word_term(fold(word)) for word in unmentioned}
        return frozenset(lacking - self._mentioned - {word_term(word) for word in self.own})

    @cached_property
    def _mentioned(self) -> frozenset[str]:
        return frozenset(term for name in self.inputs.mentioned for term in search_terms(name))

    def lacks(self, word: str) -> bool:
        """Whether the character's texts never use a folded word."""
        return bool(self._lacking & set(search_terms(word)))

    def is_unheard_of(self, entity: QuestionEntity) -> bool:
        """Whether it has a name with a word that the texts, looked through, never use."""
        said = telling_words(words(entity.name))
        return entity.specific and any(map(self._lacks_surely, said))

    def entities(self) -> Iterator[QuestionEntity]:
        """The names and dated things of the question, in its order."""
        question = self.inputs.question
        named = dated.shipped_topics().find(question)
        topics = [one for one in named if not self._is_own(one) and not self._is_in_name(one)]
        taken = [(one.start, one.end) for one in topics]
        modern = [span for span in self._made_today() if not _overlaps(*span, taken)]
        taken += modern
        names = [
            one
            for one in names_in_question(question, self._lacks_surely)
            if not _overlaps(one.start, one.end, taken)
            and (not self.own & set(words(one.name)) or self._is_relative(one))
            and len(one.name) <= _LONGEST_NAME
        ]
        taken += [(one.start, one.end) for one in names]
        placed = [(one.start, self._topic(one)) for one in topics]
        placed += [(one.start, self._name(one)) for one in names]
        placed += [(start, self._later(question[start:end])) for start, end in modern]
        placed += [(len(question), entity) for entity in self._later_years()]
        placed += [(token.start, self._later(token.text)) for token in self._later_words(taken)]
        names_taken: set[str] = set()
        for _, entity in sorted(placed, key=lambda one: one[0]):
            if fold(entity.name) not in names_taken:
                names_taken.add(fold(entity.name))
                yield entity

    def _lacks_surely(self, word: str) -> bool:
        """As ``lacks``, where somebody looked: a profile alone holds few words."""
        return self.inputs.unmentioned is not None and self.lacks(word)

    def _is_own(self, match: dated.Found) -> bool:
        return bool(self.own & set(words(self.inputs.question[match.start : match.end])))

    def _is_in_name(self, match: dated.Found) -> bool:
        """Whether it is part of a longer name that the texts have, and so means its bearer."""
        said = self.inputs.question[match.start : match.end]
        names = read_question(self.inputs.question, self.own).names
        return said[0].isupper() and any(
            len(said) < len(name) and said in name and not any(map(self._lacks_surely, words(name)))
            for name in names
        )

    def _is_relative(self, named: Named) -> bool:
        """Whether it is somebody else of the character's family whom the texts speak of."""
        family, said = words(self.inputs.character)[-1], words(named.name)
        first = said[0]
        if len(said) < _FULL_NAME or said[-1] != family or first in self.own | grammar.TITLES:
            return False
        if is_english(first) and not is_given(first):
            return False
        is_self = any(may_be_one(first, word) for word in self.own if word != family)
        return not is_self and not any(map(self.lacks, named.words))

    def _topic(self, match: dated.Found) -> QuestionEntity:
        name, topic = self.inputs.question[match.start : match.end], match.topic
        specific = topic.type != "object" or name[0].isupper()
        heard_of = topic.common and not set(search_terms(name)) <= self._mentioned
        if self.last_year is None:
            strange = all(self.lacks(word) for word in words(name) if word_term(word))
            known = not (specific and strange and topic.year > _OLD_NAMES)
            reason = self._mention(name, known=known)
        else:
            is_told = self._is_told(name)
            known = topic.year <= self.last_year + (_GRACE if is_told else 0)
            when = "before" if known else "after"
            reason = (
                f"{name} appeared in {_year(topic.year)}, {when} the end of"
                f" {self.inputs.character}'s lifetime (taken to end in {_year(self.last_year)})."
            )
        specific = specific and not (known and heard_of)
        return QuestionEntity(
            name=name, type=topic.type, known=known, specific=specific, reason=reason
        )

    def _is_told(self, name: str) -> bool:
        """Whether the texts say it: plain words that each stand somewhere say nothing together."""
        said = words(name)
        if any(map(self.lacks, said)):
            return False
        together = len(said) == 1 or not all(map(is_english, said))
        return together or fold(name) in map(fold, self.inputs.mentioned)

    def _name(self, named: Named) -> QuestionEntity:
        """A name that stands on no list: it may be of the character's time, whoever tells of it."""
        mentioned = not any(self.lacks(word) for word in named.words)
        return QuestionEntity(
            name=named.name,
            type=_type_of_name(named.name),
            known=mentioned or not self._is_of_today(named),
            specific=True,
            reason=self._mention(named.name, known=mentioned),
        )

    def _is_of_today(self, named: Named) -> bool:
        """Whether it means a later thing, body or event, or is a pet name in antiquity."""
        if self.last_year is None or self.last_year >= _TODAY:
            return False
        year = self.last_year
        short = year < _PET_NAMES and any(formal_names(word) - {word} for word in named.words)
        thing = named.name.islower() and any(is_later(word, year) for word in named.words)
        return short or thing or means_later(named.name, year)

    def _made_today(self) -> Iterator[tuple[int, int]]:
        """Where the question has names that are made as those of today are."""
        if self.last_year is None or self.last_year >= _TODAY:
            return
        for match in _MADE_TODAY.finditer(self.inputs.question):
            if len(match[0]) <= _LONGEST_NAME:
                yield match.span()

    def _mention(self, name: str, *, known: bool) -> str:
        how = "mention" if known else "never mention"
        return f"The texts about {self.inputs.character} {how} {name}."

    def _later_years(self) -> Iterator[QuestionEntity]:
        for year in years_in(self.inputs.question):
            if self.last_year is not None and year > self.last_year:
                reason = f"{self.inputs.character}'s time ended in {_year(self.last_year)}."
                yield QuestionEntity(
                    name=str(year), type="time", known=False, specific=True, reason=reason
                )

    def _later_words(self, taken: list[tuple[int, int]]) -> Iterator[Token]:
        """Words for things that sound later than the character's life and stand in no text."""
        if self.last_year is None:
            return
        before = ""
        later: dict[str, bool] = {}  # a word that stands there often is looked at once
        for token in tokens_of(self.inputs.question):
            is_verb = before in _BEFORE_VERBS
            before = token.low
            word = fold(token.text)
            readable = len(word) > 2 and len(token.text) <= _LONGEST_NAME
            plain = token.is_word and readable and word not in grammar.FUNCTION
            if is_verb or not plain or is_of_any_age(word) or not self.lacks(word):
                continue
            if _overlaps(token.start, token.end, taken):
                continue
            if word not in later:
                later[word] = is_later(word, self.last_year)
            if later[word]:
                yield token

    def _later(self, name: str) -> QuestionEntity:
        reason = (
            f"{name} is unknown to the texts about {self.inputs.character} and sounds like"
            f" something of a time after {_year(self.last_year or 0)}."
        )
        return QuestionEntity(name=name, type="object", known=False, specific=False, reason=reason)


def _overlaps(start: int, end: int, taken: list[tuple[int, int]]) -> bool:
    return any(start < last and first < end for first, last in taken)


def _year(year: int) -> str:
    return f"{-year} BC" if year < 0 else str(year)


def _type_of_name(name: str) -> dated.EntityType:
    said = words(name)
    if set(said) & grammar.GROUP_NOUNS:
        return "organization"
    return "character"


def _general(inputs: QuestionInputs, judge: _Judge) -> Iterator[QuestionEntity]:
    """What the question asks for without a name: family, feelings, work."""
    if language_of(inputs.question) != "en":
        return
    question = read_question(inputs.question, judge.own)
    terms = [
        term
        for term in question.terms
        if not term.name and len(term.word) <= _LONGEST_NAME and is_english(fold(term.word))
    ]
    for term in terms[:_GENERAL_ENTITIES]:
        kind: dated.EntityType = next(
            (kind for kind, heads in _TYPES.items() if term.term in heads), "object"
        )
        yield QuestionEntity(
            name=term.word,
            type=kind,
            known=True,
            specific=False,
            reason=f"{term.word} belongs to any life, and so to {inputs.character}'s.",
        )


def _whole(inputs: QuestionInputs) -> QuestionEntity:
    """The character itself, where a question is about nothing else."""
    return QuestionEntity(
        name=inputs.character,
        type="character",
        known=True,
        specific=True,
        reason=f"The question is about {inputs.character}.",
    )
