"""What kind of thing a name names, from its own words and from what stands around it.

Takes: a passage and the spans of its names.  Gives: for each name one of the six kinds, with the
weight of the evidence. Source: ours; explicit weights, none fitted on a corpus.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal

from offbook.language import grammar
from offbook.language.grammar import word_set
from offbook.language.verbs import is_finite, is_past
from offbook.models.offline.epithets import is_given_to_a_person
from offbook.models.offline.name_words import (
    COUNTRIES_AND_CITIES,
    EVENT_HEADS,
    EVENT_NOUNS,
    FAMILY_NAMES_OF_ADDRESS,
    NAMED_OBJECTS,
    OBJECT_HEADS,
    OCCUPATIONS,
    ORGANIZATION_HEADS,
    ORGANIZATION_NOUNS,
    PERSON_TITLES,
    PLACE_ENDINGS,
    PLACE_FIRST,
    PLACE_LAST,
    PLACE_NOUNS,
    is_given_name,
)
from offbook.models.offline.passage_words import Passage
from offbook.models.offline.span_growth import PARTICLES, POSSESSIVE

Kind = Literal["character", "location", "time", "event", "organization", "object"]
Weights = dict[Kind, float]

_SPEAKING: Final = word_set(
    "said says say asked asks replied replies cried cries answered answers exclaimed whispered"
    " murmured muttered shouted remarked observed returned continued added declared announced"
    " began interrupted repeated retorted responded thought wondered inquired enquired demanded"
    " suggested ejaculated called laughed smiled sighed nodded frowned shrugged told spoke"
    " wrote writes believed believes knew knows felt feels wanted wants wished loved loves hated"
    " hates married marries remembered refused promised swore agreed insisted looked turned"
    " walked sat stood rose went came ran took gave saw heard died lived decided hoped feared"
    " begged wept thanked kissed blushed bowed taught learned learnt studied composed hesitated"
    " paused gazed glanced stared rode threw limped hurried begins thinks pointed"
)
_OF_PERSONS: Final = word_set(
    "father mother brother sister son daughter wife husband uncle aunt cousin friend eyes eye face"
    " hand hands heart voice head mind hair arm arms soul lips life death childhood youth marriage"
    " birthday manner temper opinion opinions feelings feeling thoughts smile niece nephew lover"
    " character conduct behaviour health wishes family parents servant bedroom pocket shoulder"
    " grave tomb body letters spirits presence grandson granddaughter widow half-brother"
    " half-sister mistress reign throne accomplice companion"
)
_MOVING: Final = word_set(
    "go goes going gone went come comes came coming return returned returns sail sailed sails fled"
    " flee travel travelled traveled moved move moves exiled banished voyage voyages journey trip"
    " road way back home over down up drove rode walked marched hurried descended ran railway sent"
    " running north south east west branch line visit visits far miles mile mail letters"
)
_MAKING: Final = word_set(
    "composed wrote writes published painted titled entitled premiered performed reading read"
    " recited translated edited composing writing"
)
_GIVING: Final = word_set(
    "said spoke gave give gives given wrote told listened talked turned bowed replied read"
    " belonged handed whispered married engaged attached devoted nodded next according dear"
)
_ARTICLES: Final = frozenset(("the", "a", "an"))
_IN: Final = word_set("in into near across throughout within outside inside around beyond")
_AT: Final = word_set("at")
_TO: Final = word_set("to from through via towards toward over upon leaving reached left visited")
_WITH: Final = word_set("with by for and or against than like as between beside")
_PRONOUNS: Final = word_set("he she his her him himself herself")
_DETERMINERS: Final = word_set("the a an this that these those")
_BEING: Final = word_set("is was are were became becomes")
_ENDS_APPOSITION: Final = grammar.PREPOSITIONS | word_set("who which that where and , . ; : ( )")
_SHIPS_AND_WORKS: Final = frozenset("*_")
_OWNED: Final = word_set("house estate farm palace castle seat place mouth hand inn bank")
"""Places of people: "the house of Harrow" makes Harrow no place."""
_LISTING: Final = frozenset(((",",), ("and",), ("or",), (",", "and"), (",", "from"), ("to",)))
_SURE: Final = 1.3
_OPEN: Final = 1.0
_SHARED: Final = 1.6
_BODIES: Final = word_set(
    "hall house hospital court theatre theater museum library church college school university"
    " academy observatory press hotel inn abbey cathedral"
)
"""Heads of names that are a place and a body at once; what stands before them decides."""

Span = tuple[int, int]


def kinds_of(passage: Passage, mentions: Mapping[str, Sequence[Span]]) -> dict[str, Kind]:
    """The kind of each name.

    Args:
        passage: The passage.
        mentions: Spans of tokens ``[first, last)`` by folded name.
    """
    weights: dict[str, Weights] = {}
    for name, spans in mentions.items():
        owned = any(passage.word(index) in POSSESSIVE for index in range(*spans[0]))
        own = _of_words(_lows(passage, spans[0]), owned=owned)
        for span in spans:
            for kind, weight in _of_context(passage, span):
                own[kind] += weight
        weights[name] = own
    _lend(weights)
    _share(passage, mentions, weights)
    return {name: _strongest(own) for name, own in weights.items()}


def _lows(passage: Passage, span: Span) -> list[str]:
    words = (passage.word(index) for index in range(*span))
    lows = [word for word in words if word[0].isalnum() or word == "&"]
    return lows[1:] if len(lows) > 1 and lows[0] == "the" else lows


def _strongest(weights: Weights) -> Kind:
    return max(_ORDER, key=lambda kind: weights[kind])


_ORDER: Final[tuple[Kind, ...]] = (
    "character",
    "location",
    "organization",
    "event",
    "object",
    "time",
)
"""Where the evidence is even the first wins."""


def _of_words(words: list[str], *, owned: bool) -> Weights:
    """What the words of a name say; ``owned`` where it is named after somebody."""
    found: Weights = defaultdict(float)
    found["character"] = 0.6
    head, last = _head(words), words[-1]
    titled = words[0] in PERSON_TITLES and words[0] not in ("saint", "st", "ste")
    titled = titled and not owned  # "King's School"
    if titled or words[0] in FAMILY_NAMES_OF_ADDRESS:
        found["character"] += 7.0
    elif len(words) > 1:
        _of_heads(words, head, found)
    if is_given_name(words[0]) and not found["event"] and head not in PLACE_LAST:
        found["character"] += 3.0
    if len(words) > 1 and (last in grammar.NUMERALS or any(len(word) == 1 for word in words)):
        found["character"] += 3.0
    if len(words) > 1 and {"van", "von", "de", "bin", "ibn"} & set(words[1:-1]):
        found["character"] += 1.5
    if " ".join(words) in COUNTRIES_AND_CITIES or (
        last in COUNTRIES_AND_CITIES and _is_side(words)
    ):
        found["location"] += 5.0
    elif len(words) == 1:
        found["location"] += next((w for end, w in PLACE_ENDINGS if last.endswith(end)), 0.0)
    return found


def _of_one_word(word: str) -> Iterator[tuple[Kind, float]]:
    """A head that stands alone behind its article: "the Senate", "the Tower"."""
    kinds: tuple[tuple[Kind, frozenset[str]], ...] = (
        ("event", EVENT_HEADS - _BODIES),
        ("object", OBJECT_HEADS),
        ("organization", ORGANIZATION_HEADS - _BODIES),
        ("location", PLACE_LAST),
    )
    yield from ((kind, 2.0) for kind, heads in kinds if word in heads)


def _head(words: list[str]) -> str:
    """The word that the others belong to: before "of", else the last."""
    if "of" in words[1:]:
        return words[words.index("of", 1) - 1]
    return words[-1]


def _is_side(words: list[str]) -> bool:
    sides = ("new", "north", "south", "east", "west", "great", "upper", "lower", "st", "old")
    return len(words) == 2 and words[0] in sides


def _of_heads(words: list[str], head: str, found: Weights) -> None:
    if head in EVENT_HEADS and (head not in ("house", "court", "games", "peace") or "of" in words):
        found["event"] += 6.0
    if head in OBJECT_HEADS:
        found["object"] += 5.0
    firm = "&" in words or words[-1] in ("co", "sons", "brothers") or words[-2:] == ["and", "son"]
    in_body = head in ORGANIZATION_HEADS or firm or (head == "church" and "of" in words)
    if in_body:
        found["organization"] += 4.5 if head in _BODIES else 6.0
    if head in PLACE_LAST:
        found["location"] += 5.0 if head in _BODIES - {"college", "university"} else 5.5
    if words[0] in PLACE_FIRST and words[0] not in PERSON_TITLES and not found["organization"]:
        found["location"] += 4.0
    if words[0] in ("saint", "st", "ste"):
        found["character"] += 0.6
        found["location"] += 1.0


def _of_context(passage: Passage, span: Span) -> Iterator[tuple[Kind, float]]:
    """What stands around one mention of a name."""
    yield from _of_before(passage, span)
    yield from _of_after(passage, span)
    yield from _of_noun(passage, span)
    if _is_set_off(passage, span):
        yield "object", 3.0


def _of_before(passage: Passage, span: Span) -> Iterator[tuple[Kind, float]]:
    before = passage.word(span[0] - 1)
    if passage.word(span[1]) in POSSESSIVE and before in _IN | _AT | _TO:
        return  # "in Nora's garden"
    if before in _ARTICLES:
        yield from _of_article(passage, span)
        return
    if before in _IN:
        yield "location", 2.0
    elif before in _AT:
        yield "location", 1.7
    elif before in _TO:
        yield from _of_way(passage, span[0])
    elif before in _WITH:
        yield "character", 0.4
    elif before in _SPEAKING:
        yield "character", 1.0
    if before == "of":
        noun = passage.word(span[0] - 2)
        if noun in PLACE_NOUNS - _OWNED:
            yield "location", 3.0


def _of_article(passage: Passage, span: Span) -> Iterator[tuple[Kind, float]]:
    """Behind an article stand things and bodies; people do not."""
    yield "character", -1.5
    alone = span[1] - span[0] == 1
    word = passage.word(span[0])
    yield ("organization" if alone and word.endswith("s") else "location"), 0.5
    if alone:
        yield from _of_one_word(word)
    if passage.word(span[0] - 2) in _IN:
        yield "location", 0.7
    if not alone and is_given_to_a_person(passage, span[0] - 1):
        yield "character", 12.0  # conclusive, however often the name is mentioned


def _of_way(passage: Passage, first: int) -> Iterator[tuple[Kind, float]]:
    """Behind "to" and "from": one goes to places, and speaks to people."""
    near = {passage.word(first - step) for step in (2, 3)}
    if near & _MOVING:
        yield "location", 2.2
    elif near & _GIVING:
        yield "character", 1.0
    else:
        yield "location", 0.9


def _of_after(passage: Passage, span: Span) -> Iterator[tuple[Kind, float]]:
    at = span[1]
    after = passage.word(at)
    if after in POSSESSIVE:
        owned = passage.word(at + 1)
        yield "character", 2.0 if owned in _OF_PERSONS else 0.4
        return
    if after == "," or after in ("who", "whom", "whose"):
        relative = passage.word(at + 1) if after == "," else after
        if relative in ("who", "whom", "whose"):
            yield "character", 3.0
        elif relative == "where":
            yield "location", 3.0
    if after.endswith("ly"):
        after = passage.word(at + 1)
    if after in _SPEAKING:
        yield "character", 2.0
    elif is_past(after) and after not in grammar.AUXILIARIES:
        yield "character", 0.7
    if passage.tokens[span[0]].quoted and _is_addressed(passage, span):
        yield "character", 2.0
    near = {passage.word(index) for index in range(at, min(at + 10, len(passage.tokens)))}
    if near & _PRONOUNS:
        yield "character", 0.4


def _is_addressed(passage: Passage, span: Span) -> bool:
    """Whether the name calls someone: set off by commas or alone in what is said."""
    before, after = passage.word(span[0] - 1), passage.word(span[1])
    opened = passage.opens[span[0]] or before == ","
    return opened and after in (",", ".", "!", "?")


def _of_noun(passage: Passage, span: Span) -> Iterator[tuple[Kind, float]]:
    """The noun that says what it is: "the composer X", "X, a town", "X was the daughter"."""
    before = passage.word(span[0] - 1)
    if span[0] > 0 and not passage.opens[span[0] - 1]:
        yield from _noun(before, 2.0)
    if before == "," and passage.word(span[1]) in (",", "."):
        yield from _noun(passage.word(span[0] - 2), 2.0)
    if before in _MAKING or passage.word(span[0] - 2) in _MAKING:
        yield "object", 1.5
    at = span[1]
    if passage.word(at) == "(":
        return
    lead = passage.word(at)
    if lead == "," or lead in _BEING:
        article = passage.word(at + 1)
        if article in ("a", "an", "the", "his", "her", "my", "one", "their"):
            noun = _noun_of_phrase(passage, at + 2)
            weight = 2.0 if article == "the" and lead == "," else 3.0
            yield from _noun(noun, weight)


def _noun_of_phrase(passage: Passage, at: int) -> str:
    """The last word of a noun phrase: "an old Italian *priest* of", "a small market *town*"."""
    noun = ""
    for index in range(at, min(at + 6, len(passage.tokens))):
        token = passage.tokens[index]
        if token.low in _ENDS_APPOSITION or (noun and is_finite(token.low)):
            break
        if token.is_word:
            noun = token.low
    return noun


def _noun(noun: str, weight: float) -> Iterator[tuple[Kind, float]]:
    if noun in OCCUPATIONS:
        yield "character", weight
    elif noun in PLACE_NOUNS:
        yield "location", weight
    elif noun in NAMED_OBJECTS:
        yield "object", weight
    elif noun in EVENT_NOUNS:
        yield "event", weight
    elif noun in ORGANIZATION_NOUNS:
        yield "organization", weight


def _is_set_off(passage: Passage, span: Span) -> bool:
    """Whether the name stands in italics or alone in quotation marks, as titles and ships do."""
    first, last = passage.tokens[span[0]], passage.tokens[span[1] - 1]
    before = passage.text[first.start - 1 : first.start]
    after = passage.text[last.end : last.end + 1]
    doubled = passage.text[last.end : last.end + 2] in ("**", "__")
    return before in _SHIPS_AND_WORKS and before == after and bool(before) and not doubled


def _lend(weights: dict[str, Weights]) -> None:
    """What is known of a longer name holds for its parts: "Elliot" of "Sir Walter Elliot"."""
    lent: dict[str, Weights] = defaultdict(lambda: defaultdict(float))
    for name, own in weights.items():
        words = name.split()
        kind = _strongest(own)
        if len(words) < 2 or kind not in ("character", "location") or own[kind] < 2.0:
            continue
        for word in words:
            if word in PARTICLES or word not in weights:
                continue
            edge = word == words[-1] or word == words[0] or words[0] in PERSON_TITLES
            if kind == "character" and "of" not in words and edge:
                lent[word]["character"] = 2.5
            elif kind == "location" and word == words[0]:
                lent[word]["location"] = 0.5
    for name, more in lent.items():
        for kind, weight in more.items():
            weights[name][kind] += weight


def _share(
    passage: Passage, mentions: Mapping[str, Sequence[Span]], weights: dict[str, Weights]
) -> None:
    """What is listed together is of one kind: "from Smyrna, Trieste and Naples"."""
    places = sorted((span, name) for name, spans in mentions.items() for span in spans)
    linked = [
        (one, two)
        for ((_, end), one), ((start, _), two) in pairwise(places)
        if one != two and _is_list(passage, end, start)
    ]
    for pairs in (linked, linked[::-1]):
        for one, two in pairs:
            for giver, taker in ((one, two), (two, one)):
                kind = _strongest(weights[giver])
                if _margin(weights[giver]) >= _SURE and _margin(weights[taker]) < _OPEN:
                    weights[taker][kind] += _SHARED


def _is_list(passage: Passage, end: int, start: int) -> bool:
    between = tuple(passage.word(index) for index in range(end, start))
    return between in _LISTING


def _margin(weights: Weights) -> float:
    first, second = sorted((weights[kind] for kind in _ORDER), reverse=True)[:2]
    return first - second
