"""What a question is about and whether the character can know of it, by rules.

Takes: the inputs of the boundary prompts.  Gives: a passage to search with, and the entities, each
known or not. Not known is what came after the character's life (``dated``, ``modernity``) and a
name that its texts never say. Paper: RoleRAG (001), section 3.4; the rules are ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from offbook.language import grammar
from offbook.language.clauses import Token, tokens_of
from offbook.language.concepts import is_of_any_age, related_terms
from offbook.language.english_words import is_english
from offbook.language.lifetime import last_year_of, years_in
from offbook.language.nicknames import is_given, may_be_one
from offbook.language.questions import read_question
from offbook.language.unmentioned import unmentioned_words
from offbook.language.words import fold, search_terms, word_term, words
from offbook.models.offline import dated
from offbook.models.offline.modernity import is_later
from offbook.models.offline.question_names import Named, names_in_question, telling_words
from offbook.models.offline.wide_scripts import language_of
from offbook.prompts.question import (
    QuestionAnalysis,
    QuestionEntities,
    QuestionEntity,
    QuestionInputs,
)

_OLD_NAMES: Final = 1000
"""Places and people that were known by then are known in any world that does not say its time."""
_GRACE: Final = 25
"""Years after a life in which something that its texts do tell of may have been under way."""
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
    """The entities alone.

    Those of the question: a hypothetical context that rules made says nothing that it does not.
    """
    return QuestionEntities(entities=_entities(inputs))


def hypothetical_context(inputs: QuestionInputs) -> str:
    """The words by which a text may speak of what is asked, after the character's name."""
    if language_of(inputs.question) != "en":
        return f"{inputs.character}：{inputs.question}"
    question = read_question(inputs.question, frozenset(words(inputs.character)))
    asked = list(dict.fromkeys(term.word for term in question.terms))
    near = [other for term in question.terms for other in sorted(related_terms(term.term))]
    told = " ".join((*asked, *list(dict.fromkeys(near))[:_RELATED]))
    return f"{inputs.character}: {told or inputs.question}."


def _entities(inputs: QuestionInputs) -> list[QuestionEntity]:
    judge = _Judge(inputs)
    found = list(judge.entities())
    if not any(not entity.known or judge.is_unheard_of(entity) for entity in found):
        named = {fold(entity.name) for entity in found}
        found += (entity for entity in _general(inputs, judge) if fold(entity.name) not in named)
    else:
        found = [e for e in found if not (e.known and not judge.is_unheard_of(e) and _is_scene(e))]
    return found or [_whole(inputs)]


def _is_scene(entity: QuestionEntity) -> bool:
    """Whether something known is not what a question hinges on that also names unknown things.

    Places and peoples are where it happens, and common things what it happens with; a capital
    alone makes no name of an English word, and a given name alone, that the texts have as well, is
    somebody else's.
    """
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
        if self.inputs.last_year is not None:
            return self.inputs.last_year
        return last_year_of(self.inputs.character, (self.inputs.profile,))

    @cached_property
    def own(self) -> frozenset[str]:
        """Words of the character's own name."""
        own = frozenset(words(self.inputs.character))
        return own - grammar.NAME_PARTICLES - grammar.TITLES

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
        """Whether it has a name with a word that the texts, looked through, never use.

        There was such a thing in the character's time, so it is known here: whether the graph has
        it under another name is found out where it is looked up.
        """
        said = telling_words(words(entity.name))
        return entity.specific and any(map(self._lacks_surely, said))

    def entities(self) -> Iterator[QuestionEntity]:
        """The names and dated things of the question, in its order."""
        question = self.inputs.question
        topics = [one for one in dated.shipped_topics().find(question) if not self._is_own(one)]
        taken = [(one.start, one.end) for one in topics]
        names = [
            one
            for one in names_in_question(question, self._lacks_surely)
            if not _overlaps(one.start, one.end, taken)
            and (not self.own & set(words(one.name)) or self._is_relative(one))
            and len(one.name) <= _LONGEST_NAME
        ]
        taken += [(one.start, one.end) for one in names]
        found = [(one.start, self._topic(one)) for one in topics]
        found += [(one.start, self._name(one)) for one in names]
        found += [(len(question), entity) for entity in self._later_years()]
        found += [(token.start, self._later(token)) for token in self._later_words(taken)]
        seen: set[str] = set()
        for _, entity in sorted(found, key=lambda one: one[0]):
            if fold(entity.name) not in seen:
                seen.add(fold(entity.name))
                yield entity

    def _lacks_surely(self, word: str) -> bool:
        """As ``lacks``, where somebody looked: a profile alone holds few words."""
        return self.inputs.unmentioned is not None and self.lacks(word)

    def _is_own(self, found: dated.Found) -> bool:
        return bool(self.own & set(words(self.inputs.question[found.start : found.end])))

    def _is_relative(self, named: Named) -> bool:
        """Whether it is somebody else of the character's family whom the texts speak of.

        Whom they do not speak of may be the character under a name that they do not use.
        """
        family, said = words(self.inputs.character)[-1], words(named.name)
        first = said[0]
        if len(said) < _FULL_NAME or said[-1] != family or first in self.own | grammar.TITLES:
            return False
        if is_english(first) and not is_given(first):
            return False
        is_self = any(may_be_one(first, word) for word in self.own if word != family)
        return not is_self and not any(map(self.lacks, named.words))

    def _topic(self, found: dated.Found) -> QuestionEntity:
        name, topic = self.inputs.question[found.start : found.end], found.topic
        specific = topic.type != "object" or name[0].isupper()
        heard_of = topic.common and not set(search_terms(name)) <= self._mentioned
        if self.last_year is None:
            strange = all(self.lacks(word) for word in words(name) if word_term(word))
            known = not (specific and strange and topic.year > _OLD_NAMES)
            reason = self._mention(name, known=known)
        else:
            told = self._is_told(name)
            known = topic.year <= self.last_year + (_GRACE if told else 0)
            when = "before" if known else "only after"
            reason = (
                f"{name} came to be {when} the end of {self.inputs.character}'s time:"
                f" {_year(topic.year)} against {_year(self.last_year)}."
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
        known = not any(self.lacks(word) for word in named.words)
        return QuestionEntity(
            name=named.name,
            type=_type_of_name(named.name),
            known=known,
            specific=True,
            reason=self._mention(named.name, known=known),
        )

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

    def _later(self, token: Token) -> QuestionEntity:
        reason = (
            f"{token.text} is unknown to the texts about {self.inputs.character} and sounds like"
            f" something of a time after {_year(self.last_year or 0)}."
        )
        return QuestionEntity(
            name=token.text, type="object", known=False, specific=False, reason=reason
        )


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
