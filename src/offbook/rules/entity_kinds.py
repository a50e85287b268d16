"""What kind of thing a name names, from its own words and from what stands around it.

Takes: a passage and the spans of its names.  Gives: for each name one of the six kinds, with the
weight of the evidence. Source: ours; explicit weights, none fitted on a corpus.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, get_args

from offbook.rules.name_words import (
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
from offbook.rules.named_spans import POSSESSIVE, is_italic
from offbook.rules.passage_words import Passage
from offbook.text import grammar
from offbook.text.grammar import word_set
from offbook.text.verbs import is_finite, is_past
from offbook.text.word_lists import word_lists

_LISTS: Final = word_lists("offbook.rules")

_BEING_ONE: Final = word_set("is was am became becomes")
_SUBJECTS: Final = word_set("he she i who")
_CALLING: Final = word_set("call calls called nickname nicknamed dub dubbed christened")
_CALLED: Final = word_set("him her me you himself herself")
_PERSONAL: Final = word_set(
    "letter letters eyes smile lips wife widow son daughter mother father brother sister"
)


def is_given_to_a_person(passage: Passage, article: int) -> bool:
    """Whether somebody is, or is called, what the article begins, or has something personal."""
    third, second, first = (passage.word(article - step) for step in (3, 2, 1))
    if first in _BEING_ONE:
        return second in _SUBJECTS or is_given_name(second) or is_given_name(third)
    if first in _CALLED:
        return second in _CALLING
    return first == "of" and second in _PERSONAL


Kind = Literal["character", "location", "organization", "event", "object", "time"]
"""Where the evidence is even the first wins."""
_ORDER: Final[tuple[Kind, ...]] = get_args(Kind)
Weights = dict[Kind, float]

_SPEAKING: Final = _LISTS["speaking"]
_OF_PERSONS: Final = _LISTS["of persons"]
_MOVING: Final = _LISTS["moving"]
_MAKING: Final = _LISTS["making"]
_GIVING: Final = _LISTS["giving"]
_ARTICLES: Final = frozenset(("the", "a", "an"))
_IN: Final = word_set("in into near across throughout within outside inside around beyond")
_AT: Final = word_set("at")
_TO: Final = word_set("to from through via towards toward over upon leaving reached left visited")
_WITH: Final = word_set("with by for and or against than like as between beside")
_PRONOUNS: Final = word_set("he she his her him himself herself")
_BEING: Final = word_set("is was are were became becomes")
_ENDS_APPOSITION: Final = grammar.PREPOSITIONS | word_set("who which that where and , . ; : ( )")
_OWNED: Final = word_set("house estate farm palace castle seat place mouth hand inn bank")
"""Places of people: "the house of Harrow" makes Harrow no place."""
_LISTING: Final = frozenset(((",",), ("and",), ("or",), (",", "and"), (",", "from"), ("to",)))
_SURE: Final = 1.3
_OPEN: Final = 1.0
_SHARED: Final = 1.6
_BODIES: Final = _LISTS["bodies"]
"""Heads of names that are a place and a body at once; what stands before them decides."""

Span = tuple[int, int]


def kinds_of(passage: Passage, mentions: Mapping[str, Sequence[Span]]) -> dict[str, Kind]:
    """The kind of each name, from its spans of tokens ``[first, last)`` by folded name."""
    weights: dict[str, Weights] = {}
    for name, spans in mentions.items():
        owned = any(passage.word(index) in POSSESSIVE for index in range(*spans[0]))
        evidence = _of_words(_lows(passage, spans[0]), owned=owned)
        for span in spans:
            for kind, weight in _of_context(passage, span):
                evidence[kind] += weight
        weights[name] = evidence
    _share(passage, mentions, weights)
    return {name: _strongest(evidence) for name, evidence in weights.items()}


def _lows(passage: Passage, span: Span) -> list[str]:
    words = (passage.word(index) for index in range(*span))
    lows = [word for word in words if word[0].isalnum() or word == "&"]
    return lows[1:] if len(lows) > 1 and lows[0] == "the" else lows


def _strongest(weights: Weights) -> Kind:
    return max(_ORDER, key=lambda kind: weights[kind])


def _of_words(words: list[str], *, owned: bool) -> Weights:
    """What the words of a name say; ``owned`` where it is named after somebody."""
    weights: Weights = defaultdict(float)
    weights["character"] = 0.6
    head, last = _head(words), words[-1]
    titled = words[0] in PERSON_TITLES and words[0] not in ("saint", "st", "ste")
    titled = titled and not owned  # "King's School"
    if titled or words[0] in FAMILY_NAMES_OF_ADDRESS:
        weights["character"] += 7.0
    elif len(words) > 1:
        _of_heads(words, head, weights)
    if is_given_name(words[0]) and not weights["event"] and head not in PLACE_LAST:
        weights["character"] += 3.0
    if len(words) > 1 and (last in grammar.NUMERALS or any(len(word) == 1 for word in words)):
        weights["character"] += 3.0
    if len(words) > 1 and {"van", "von", "de", "bin", "ibn"} & set(words[1:-1]):
        weights["character"] += 1.5
    if " ".join(words) in COUNTRIES_AND_CITIES or (
        last in COUNTRIES_AND_CITIES and _is_side(words)
    ):
        weights["location"] += 5.0
    elif len(words) == 1:
        weights["location"] += next((w for end, w in PLACE_ENDINGS if last.endswith(end)), 0.0)
    return weights


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


def _of_heads(words: list[str], head: str, weights: Weights) -> None:
    if head in EVENT_HEADS and (head not in ("house", "court", "games", "peace") or "of" in words):
        weights["event"] += 6.0
    if head in OBJECT_HEADS:
        weights["object"] += 5.0
    firm = "&" in words or words[-1] in ("co", "sons", "brothers") or words[-2:] == ["and", "son"]
    in_body = head in ORGANIZATION_HEADS or firm or (head == "church" and "of" in words)
    if in_body:
        weights["organization"] += 4.5 if head in _BODIES else 6.0
    if head in PLACE_LAST:
        weights["location"] += 5.0 if head in _BODIES - {"college", "university"} else 5.5
    if words[0] in PLACE_FIRST and words[0] not in PERSON_TITLES and not weights["organization"]:
        weights["location"] += 4.0
    if words[0] in ("saint", "st", "ste"):
        weights["character"] += 0.6
        weights["location"] += 1.0


def _of_context(passage: Passage, span: Span) -> Iterator[tuple[Kind, float]]:
    """What stands around one mention of a name."""
    yield from _of_before(passage, span)
    yield from _of_after(passage, span)
    yield from _of_noun(passage, span)
    if is_italic(passage, span[0], span[1]):
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
    place = span[1]
    after = passage.word(place)
    if after in POSSESSIVE:
        owned = passage.word(place + 1)
        yield "character", 2.0 if owned in _OF_PERSONS else 0.4
        return
    if after == "," or after in ("who", "whom", "whose"):
        relative = passage.word(place + 1) if after == "," else after
        if relative in ("who", "whom", "whose"):
            yield "character", 3.0
        elif relative == "where":
            yield "location", 3.0
    if after.endswith("ly"):
        after = passage.word(place + 1)
    if after in _SPEAKING:
        yield "character", 2.0
    elif is_past(after) and after not in grammar.AUXILIARIES:
        yield "character", 0.7
    near = {passage.word(index) for index in range(place, min(place + 10, len(passage.tokens)))}
    if near & _PRONOUNS:
        yield "character", 0.4


def _of_noun(passage: Passage, span: Span) -> Iterator[tuple[Kind, float]]:
    """The noun that says what it is: "the composer X", "X, a town", "X was the daughter"."""
    before = passage.word(span[0] - 1)
    if span[0] > 0 and not passage.opens[span[0] - 1]:
        yield from _noun(before, 2.0)
    if before == "," and passage.word(span[1]) in (",", "."):
        yield from _noun(passage.word(span[0] - 2), 2.0)
    if before in _MAKING or passage.word(span[0] - 2) in _MAKING:
        yield "object", 1.5
    index = span[1]
    if passage.word(index) == "(":
        return
    lead = passage.word(index)
    if lead == "," or lead in _BEING:
        article = passage.word(index + 1)
        if article in ("a", "an", "the", "his", "her", "my", "one", "their"):
            noun = _noun_of_phrase(passage, index + 2)
            weight = 2.0 if article == "the" and lead == "," else 3.0
            yield from _noun(noun, weight)


def _noun_of_phrase(passage: Passage, place: int) -> str:
    """The last word of a noun phrase: "an old Italian *priest* of", "a small market *town*"."""
    noun = ""
    for index in range(place, min(place + 6, len(passage.tokens))):
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
