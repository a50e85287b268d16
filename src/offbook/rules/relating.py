"""How the entities of a passage relate: pairs within a sentence, directed, with a strength.

Takes: a passage, its entities, and who speaks where it says "I".  Gives: relations, the strongest
first; pronouns at the head of a sentence stand for who was its subject before.
Source: ours; rules over subjects and verbs, explicit strengths.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from offbook.rules.describing import clipped
from offbook.rules.named_entities import SELF, Named, leads
from offbook.rules.passage_words import Passage
from offbook.text import grammar
from offbook.text.clauses import Token
from offbook.text.verbs import is_finite, is_past
from offbook.text.word_lists import word_lists
from offbook.text.words import words

_LISTS: Final = word_lists("offbook.rules")

MENTIONED: Final = 1
IN_A_SENTENCE: Final = 2
IN_A_CLAUSE: Final = 3
ACTS_ON: Final = 4
OF_MINE: Final = 9
"""Of the narrator and "my father"."""

KIN: Final = _LISTS["spouses"] | _LISTS["relatives"] | _LISTS["friends"]
"""Nouns that say what one person is to another; they bind only who stands beside them."""
_BY_STRENGTH: Final = {
    10: _LISTS["spouses"] | _LISTS["of life and death"],
    9: _LISTS["relatives"] | _LISTS["of love and betrayal"],
    8: _LISTS["friends"] | _LISTS["of struggle"],
    7: _LISTS["of rank and teaching"],
    6: _LISTS["of work"],
    5: _LISTS["of meeting"],
}
"""The highest class that has a word decides."""
_BY_WORD: Final = {
    word: strength for strength, words in reversed(_BY_STRENGTH.items()) for word in words
}
_LIFE: Final = grammar.word_set("born died married killed crowned founded arrested executed")
_DATED: Final = 2
_DATED_LIFE: Final = 6
_BETWEEN_PEOPLE: Final = 8


def strength_of(words: Iterable[str]) -> int:
    """The strongest that one of ``words`` speaks for; 0 where none does."""
    return max((_BY_WORD.get(word, 0) for word in words), default=0)


def binding_words(description: str) -> list[str]:
    """The words of a description that say what binds two, each once, the strongest first."""
    known = {word for word in words(description) if word in _BY_WORD}
    return sorted(known, key=lambda word: (-_BY_WORD[word], word))


def strength_of_date(words: Iterable[str]) -> int:
    """How much a date says of what it dates: of a birth more than of a walk."""
    return _DATED_LIFE if not _LIFE.isdisjoint(words) else _DATED


def strength_with_things(words: Iterable[str]) -> int:
    """The strength where an end is no person: one is born in a place, but not married to it."""
    weights = [_BY_WORD.get(word, 0) for word in words if word not in KIN]
    return max((weight for weight in weights if weight < _BETWEEN_PEOPLE), default=0)


_MEN: Final = grammar.MALE_TITLES | grammar.MALE_NAMES | grammar.MALE_NOUNS
_WOMEN: Final = grammar.FEMALE_TITLES | grammar.FEMALE_NAMES | grammar.FEMALE_NOUNS
_HE: Final = frozenset(("he", "his", "him"))
_SHE: Final = frozenset(("she", "her"))
_BEING: Final = frozenset(("was", "were", "been", "is", "are", "be", "being"))
_HEAD: Final = 4
"""How far from the head of its sentence a pronoun may stand to be its subject."""
_CLAUSES: Final = grammar.word_set(
    "when while before after until because although though whereas as if that since"
)
_AFTER_KIN: Final = grammar.word_set(
    ", of to the and was is named called in law a - 's with his her their mr mrs"
)
_MOST_IN_SENTENCE: Final = 8
_REACH: Final = 9
"""Words before the second end, and behind a pair, that are taken to bind it."""
_FAR: Final = 30


@dataclass(frozen=True, slots=True)
class Related:
    """A relation by the keys of its ends."""

    source: str
    target: str
    description: str
    strength: int


@dataclass(frozen=True, slots=True)
class _Mention:
    entity: Named
    first: int
    last: int
    subject: bool


def relations(passage: Passage, entities: Sequence[Named], speaker: Named | None) -> list[Related]:
    """Relate ``entities``, the strongest first; ``speaker`` is whom "I" means in no quotation."""
    best: dict[tuple[str, str], tuple[int, int, str]] = {}
    for number, mentions in _by_sentence(passage, entities, speaker):
        for strength, source, target in _pairs(passage, mentions):
            ends = (source.entity.key, target.entity.key)
            known = best.get(ends)
            if known is not None and known[0] >= strength:
                continue
            low, high = min(source.first, target.first), max(source.last, target.last)
            best[ends] = (strength, number, clipped(passage, number, low, high))
    ranked = sorted(best.items(), key=lambda item: (-item[1][0], item[1][1], item[0]))
    return [
        Related(source, target, description, strength)
        for (source, target), (strength, _, description) in ranked
    ]


def _by_sentence(
    passage: Passage, entities: Sequence[Named], speaker: Named | None
) -> Iterator[tuple[int, list[_Mention]]]:
    named: dict[int, list[_Mention]] = defaultdict(list)
    for entity in entities:
        for first, last in entity.spans:
            subject = leads(passage, (first, last))
            named[passage.sentence[first]].append(_Mention(entity, first, last, subject))
    firsts: dict[int, int] = {}
    for index, number in enumerate(passage.sentence):
        firsts.setdefault(number, index)
    focus: dict[grammar.Gender, Named] = {}
    if speaker is None and entities and entities[0].salience >= SELF:
        focus[_gender(entities[0])] = entities[0]
    for number in range(len(passage.sentences)):
        mentions = sorted(named[number], key=lambda mention: (mention.first, -mention.last))
        if number in firsts:
            mentions = _with_pronoun(passage, firsts[number], mentions, focus, speaker)
        _carry(mentions, focus)
        if len(mentions) > 1:
            yield number, mentions


def _with_pronoun(
    passage: Passage,
    first: int,
    mentions: list[_Mention],
    focus: dict[grammar.Gender, Named],
    speaker: Named | None,
) -> list[_Mention]:
    """The mentions with what "he", "she" or "I" means at the head of the sentence."""
    number = passage.sentence[first]
    until = mentions[0].first if mentions else first
    # "Whether he had been right, the Count went to see": who is meant comes later.
    led = any(mention.subject and mention.entity.kind == "character" for mention in mentions)
    for index in range(first, min(until + 1, len(passage.tokens))):
        token = passage.tokens[index]
        if passage.sentence[index] != number or token.quoted:
            break
        if speaker is not None and _is_me(token):
            return [_Mention(speaker, index, index + 1, subject=True), *mentions]
        gender: grammar.Gender = "m" if token.low in _HE else "f" if token.low in _SHE else ""
        near = index == first or (index - first < _HEAD and not led)
        if gender and near and (who := focus.get(gender) or focus.get("")):
            focus[gender] = who
            return [_Mention(who, index, index + 1, subject=True), *mentions]
    if speaker is None:
        return mentions
    return mentions + _later_me(passage, mentions, number, speaker)


def _is_me(token: Token) -> bool:
    return token.text == "I" or token.low in ("my", "me")


def _later_me(
    passage: Passage, mentions: list[_Mention], number: int, speaker: Named
) -> list[_Mention]:
    """Where the narrator is met later in the sentence: "Tom taught *me*"."""
    if not mentions:
        return []
    for index in range(mentions[0].last, len(passage.tokens)):
        token = passage.tokens[index]
        if passage.sentence[index] != number:
            break
        if not token.quoted and _is_me(token):
            return [_Mention(speaker, index, index + 1, subject=False)]
    return []


def _carry(mentions: list[_Mention], focus: dict[grammar.Gender, Named]) -> None:
    """Whom "he" and "she" of the next sentence would mean; nobody where two could be meant."""
    subjects = {
        mention.entity.key: mention.entity
        for mention in mentions
        if mention.subject and mention.entity.kind == "character"
    }
    unknown = [entity for entity in subjects.values() if not _gender(entity)]
    for entity in subjects.values():
        if gender := _gender(entity):
            focus[gender] = entity
    if len(unknown) == 1 and len(subjects) == 1:
        if not any(who is unknown[0] for sex, who in focus.items() if sex):
            focus.clear()
        focus[""] = unknown[0]
    elif unknown:
        focus.clear()


def _gender(entity: Named) -> grammar.Gender:
    gendered = next((word for word in entity.key.split() if word in _MEN or word in _WOMEN), "")
    return "m" if gendered in _MEN else "f" if gendered else ""


def _pairs(passage: Passage, mentions: list[_Mention]) -> Iterator[tuple[int, _Mention, _Mention]]:
    """Pairs of a sentence with their strength: the subject with all, neighbours, then the rest."""
    mentions = _distinct(mentions)
    lead = next((mention for mention in mentions if mention.subject), None)
    people = [mention for mention in mentions if mention.entity.kind == "character"]
    lead = lead or (people[0] if people else mentions[0])
    paired: set[frozenset[str]] = set()
    others = [mention for mention in mentions if mention is not lead]
    neighbours = pairwise(mentions)
    for one, two in (*((lead, other) for other in others), *neighbours):
        ends = frozenset((one.entity.key, two.entity.key))
        if len(ends) == 2 and ends not in paired and not _is_same(one.entity, two.entity):
            paired.add(ends)
            related = _related(passage, one, two, lead)
            if related is not None:
                yield related


def _distinct(mentions: list[_Mention]) -> list[_Mention]:
    by_key: dict[str, _Mention] = {}
    for mention in mentions:
        known = by_key.get(mention.entity.key)
        if known is None or (mention.subject and not known.subject):
            by_key[mention.entity.key] = mention
    in_order = sorted(by_key.values(), key=lambda mention: mention.first)
    return in_order[:_MOST_IN_SENTENCE]


def _is_same(one: Named, two: Named) -> bool:
    """Whether one name holds the other: nobody relates to their own surname."""
    mine, other = set(one.key.split()), set(two.key.split())
    return mine <= other or other <= mine


def _related(
    passage: Passage, one: _Mention, two: _Mention, lead: _Mention
) -> tuple[int, _Mention, _Mention] | None:
    first, second = (one, two) if one.first <= two.first else (two, one)
    between = [passage.word(index) for index in range(first.last, second.first)]
    behind = _behind(passage, second, between)
    if "time" in (first.entity.kind, second.entity.kind):
        if first.entity.kind == second.entity.kind:
            return None
        source, target = (second, first) if first.entity.kind == "time" else (first, second)
        near = between[-_REACH:] + behind
        return (strength_of_date(near), source, target) if lead in (one, two) else None
    strength = _strength(passage, first, second, behind)
    if lead not in (one, two) and strength < ACTS_ON + 1:
        return None
    if _is_passive(between):
        return strength, second, first
    if lead is second and strength <= IN_A_CLAUSE:
        return strength, lead, first
    return strength, first, second


def _behind(passage: Passage, second: _Mention, between: list[str]) -> list[str]:
    """The words behind a pair that is joined by "and": "X and Y *were married*"."""
    if between not in (["and"], [",", "and"]):
        return []
    words: list[str] = []
    for index in range(second.last, min(second.last + _REACH, len(passage.tokens))):
        if passage.word(index) in grammar.SUBORDINATORS or passage.word(index) in ".;:,":
            break
        words.append(passage.word(index))
    return words


def _strength(passage: Passage, first: _Mention, second: _Mention, behind: list[str]) -> int:
    """From the words between two mentions, as far as they bind these two."""
    if passage.word(second.first) == "my" and second.last - second.first == 2:
        return OF_MINE if first.last <= second.first + 1 else IN_A_SENTENCE  # "my father"
    between = [passage.word(index) for index in range(first.last, second.first)]
    if len(between) > _FAR or any(word in ".;!?" for word in between):
        return MENTIONED
    near = _of_one_clause(between)
    near = near if len(near) <= _REACH else near[:4] + near[-_REACH + 4 :]
    people = first.entity.kind == second.entity.kind == "character"
    if people:
        kin = [word for word in near if word in KIN]
        bound = kin if kin and _is_bound(passage, second.first, between) else []
        strength = strength_of([*(word for word in near if word not in KIN), *bound, *behind])
    else:
        strength = strength_with_things(near + behind)
    if strength:
        listed = between.count(",") > 2 and not KIN & set(between[-3:])
        return min(strength, IN_A_CLAUSE) if listed else strength
    if any(is_finite(word) and word not in _BEING for word in near):
        return ACTS_ON
    return IN_A_CLAUSE if len(between) <= _REACH and between else IN_A_SENTENCE


def _of_one_clause(between: list[str]) -> list[str]:
    """What stands behind the last word that begins a clause: "killed when" is about another."""
    for index in range(len(between) - 1, 0, -1):
        if between[index] in _CLAUSES and between[index - 1] != ",":
            return between[index + 1 :]
    return between


def _is_bound(passage: Passage, second: int, between: list[str]) -> bool:
    """Whether a noun of kinship stands right before the second end: "her father, X", "son of X"."""
    place = max(index for index, word in enumerate(between) if word in KIN)
    rest = range(second - len(between) + place + 1, second)
    return all(
        passage.word(index) in _AFTER_KIN or passage.tokens[index].is_capital for index in rest
    )


def _is_passive(between: list[str]) -> bool:
    """Whether the second end acts: "X was taught by Y"."""
    if not between or between[-1] != "by" or len(between) > _REACH:
        return False
    return any(is_past(word) and word not in _BEING for word in between)
