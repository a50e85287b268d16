"""The entities of a passage: every name once, with its kind, its places and how salient it is.

Takes: a passage and the character's name.  Gives: entities, the most salient first. Source: ours.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from offbook.language.grammar import DETERMINERS, PRONOUNS, word_set
from offbook.language.name_evidence import bare_key
from offbook.language.subjects import is_subject
from offbook.language.told_names import told_names
from offbook.language.verbs import is_finite
from offbook.language.words import fold
from offbook.models.offline.common_words import is_common
from offbook.models.offline.entity_kinds import Kind, Span, kinds_of
from offbook.models.offline.german_names import german_spans, is_german
from offbook.models.offline.name_words import BARE_TITLES, OCCUPATIONS, PERSON_TITLES, PLACE_LAST
from offbook.models.offline.named_spans import named_spans
from offbook.models.offline.passage_words import Passage
from offbook.models.offline.span_growth import POSSESSIVE
from offbook.models.offline.times import times_in
from offbook.models.offline.told_aliases import told_aliases

_KIND_WEIGHT: Final[dict[Kind, float]] = {
    "character": 2.5,
    "location": 2.0,
    "organization": 2.0,
    "event": 2.5,
    "object": 1.5,
    "time": 0.0,
}
_TIME: Final[Kind] = "time"
_LOCATION: Final[Kind] = "location"
_OBJECT: Final[Kind] = "object"
_CHARACTER: Final[Kind] = "character"
_MOST_COUNTED: Final = 8
_SUBJECT: Final = 1.5
_LONGER: Final = 0.7
SELF: Final = 100.0
"""The salience that only the character itself has."""
_TITLED_WORDS: Final = 2
_WORK: Final = re.compile(
    r"“(?P<curly>[^“”\n]{3,90})”|(?<!\w)\"(?P<straight>[^\"\n]{3,90})\"(?!\w)"
    r"|(?<![\w*])\*(?P<star>[^\s*][^*\n]{1,90}[^\s*])\*(?![\w*])"
    r"|(?<!\w)_(?P<bar>[^\s_][^_\n]{1,90}[^\s_])_(?!\w)|«(?P<angle>[^«»\n]{3,90})»"
)
_WORD: Final = re.compile(r"\s*([^\W\d_]+)")
_SMALL: Final = word_set(
    "a an the of in on at by for with from to into and or but de la le les du des der die das von"
    " et nor as"
)
_KIN_OF_MINE: Final = word_set(
    "father mother brother sister husband wife son daughter uncle aunt grandfather grandmother"
    " cousin nephew niece guardian master mistress tutor governess"
)


@dataclass(frozen=True, slots=True)
class Named:
    """An entity: its name as written, folded key, kind, spans of tokens, and salience."""

    name: str
    key: str
    kind: Kind
    spans: tuple[Span, ...]
    salience: float


def named_entities(passage: Passage, character: str) -> list[Named]:
    """All entities of the passage, the most salient first, then in the order of the text."""
    german = is_german(passage)
    spans, located = (
        german_spans(passage, character) if german else (_name_spans(passage), frozenset[Span]())
    )
    works = {} if german else dict(_works(passage))
    described = list(_described(passage))
    aliases = told_aliases(passage, spans)
    for span in (*works, *described, *aliases):
        spans = [other for other in spans if other[1] <= span[0] or span[1] <= other[0]]
        spans.append(span)
    times = _time_spans(passage, spans)
    by_key: dict[str, list[Span]] = defaultdict(list)
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for span in sorted((*spans, *times)):
        name = _written(passage, span)
        key = _key(name)
        by_key[key].append(span)
        forms[key][name] += 1
    kinds = kinds_of(passage, by_key)
    fixed: dict[Span, Kind] = {}
    sorts = ((located, _LOCATION), (times, _TIME), (works, _OBJECT), (described, _CHARACTER))
    for certain, sort in sorts:
        fixed.update((span, sort) for span in certain)
    for span, whose in aliases.items():
        if kind := kinds.get(_key(_written(passage, whose))):
            fixed[span] = kind
    own = fold(character)
    found = []
    for key, places in by_key.items():
        kind = fixed.get(places[0], kinds[key])
        name = max(forms[key], key=lambda form: (forms[key][form], not form.isupper(), form))
        found.append(
            Named(name, key, kind, tuple(places), _salience(passage, key, kind, places, own))
        )
    return sorted(found, key=lambda entity: (-entity.salience, entity.spans[0]))


def _key(name: str) -> str:
    return " ".join(fold(name).split()).removeprefix("the ")


def _name_spans(passage: Passage) -> list[Span]:
    """Spans of names; a bare title takes its article along: "the Count"."""
    spans: list[Span] = []
    for span in named_spans(passage):
        first = span.first
        alone = span.last - first == 1 and passage.word(first) in BARE_TITLES
        before = passage.word(first - 1)
        if (alone and before == "the") or _is_addressed(passage, span.first, span.last):
            first -= passage.touches(first - 1, first)
        spans.append((first, span.last))
    return spans


def _is_addressed(passage: Passage, first: int, last: int) -> bool:
    """Whether "aunt" belongs to the name: "and aunt Shaw", but not "his aunt Julia"."""
    if passage.word(first - 1) not in _ADDRESS or last - first > 1:
        return False
    return passage.word(first - 2) not in DETERMINERS | {"'s"}


def _written(passage: Passage, span: Span) -> str:
    """The name as the passage has it, on one line."""
    return " ".join(
        passage.text[passage.tokens[span[0]].start : passage.tokens[span[1] - 1].end].split()
    )


def _salience(passage: Passage, key: str, kind: Kind, spans: list[Span], own: str) -> float:
    score = _KIND_WEIGHT[kind] + min(len(spans), _MOST_COUNTED)
    if kind != "time":
        score += _SUBJECT * any(leads(passage, span) for span in spans)
        score += _LONGER * (len(key.split()) > 1)
    if kind == "character" and (key == own or key in own.split()):
        score += SELF
    return score


def leads(passage: Passage, span: Span) -> bool:
    """Whether the name is the subject of a clause of its sentence."""
    return bool(passage.word(span[1]) not in POSSESSIVE) and is_subject(
        passage.tokens, span[0], span[1]
    )


def _works(passage: Passage) -> Iterator[tuple[Span, str]]:
    """Titles in quotation marks or italics: of several words, in capitals, no speech."""
    starts = {token.start: index for index, token in enumerate(passage.tokens)}
    ends = {token.end: index + 1 for index, token in enumerate(passage.tokens)}
    for match in _WORK.finditer(passage.text):
        group = match.lastgroup or ""
        text = match[group].rstrip(",")
        if text != match[group] and _is_speech(passage.text, match.end()):
            continue
        first = starts.get(match.start(group))
        last = ends.get(match.start(group) + len(text))
        if (
            first is not None
            and last is not None
            and first < last
            and _is_title(passage, first, last)
        ):
            yield (first, last), text


def _is_speech(text: str, end: int) -> bool:
    """Whether someone says what ends with a comma: a verb, a pronoun or a name follows."""
    follows = _WORD.match(text, end)
    word = follows[1].lower() if follows else ""
    return is_finite(word) or word in PRONOUNS or (follows is not None and follows[1][0].isupper())


def _is_title(passage: Passage, first: int, last: int) -> bool:
    words = [token for token in passage.tokens[first:last] if token.is_word]
    if len(words) < _TITLED_WORDS or len(words) > 12 or not words[0].is_capital:
        return False
    if any(token.text in ".!?;" for token in passage.tokens[first : last - 1]):
        return False
    if passage.tokens[last - 1].text in ".!?;":
        return False
    if words[-1].low in PLACE_LAST or words[0].low in PERSON_TITLES:
        return False
    capital = all(word.is_capital or word.low in _SMALL or word.text.isdigit() for word in words)
    return capital and any(word.low in _SMALL or is_common(word.low) for word in words)


def _described(passage: Passage) -> Iterator[Span]:
    """Fixed descriptions of people: "my father" of a narrator, "the old priest" told of twice."""
    tokens = passage.tokens
    told_by_me = sum(token.text == "I" and not token.quoted for token in tokens) >= 2
    phrases: dict[str, list[Span]] = defaultdict(list)
    for index in range(len(tokens) - 1):
        low = tokens[index].low
        if low == "my" and told_by_me and not tokens[index].quoted:
            if passage.word(index + 1) in _KIN_OF_MINE and passage.touches(index, index + 1):
                yield index, index + 2
        elif low == "the" and index + 2 < len(tokens):
            adjective, noun = tokens[index + 1], tokens[index + 2]
            plain = adjective.text.islower() and noun.text.islower() and _is_person(noun.low)
            joined = (
                plain
                and passage.touches(index, index + 1)
                and passage.touches(index + 1, index + 2)
            )
            if joined and is_common(adjective.low) and adjective.low not in _COUNTING:
                phrases[f"{adjective.low} {noun.low}"].append((index, index + 3))
    for spans in phrases.values():
        if len(spans) > 1:
            yield from spans
    yield from _numbered(passage)


def _numbered(passage: Passage) -> Iterator[Span]:
    """People who are called by a number, where the passage says whom it means."""
    tokens = passage.tokens
    spans = [
        (index, index + 2)
        for index in range(len(tokens) - 1)
        if tokens[index].low in ("number", "prisoner") and tokens[index + 1].text.isdigit()
    ]
    if spans:
        told = {name for pair in told_names(" ".join(passage.text.split())) for name in pair}
        yield from (span for span in spans if bare_key(_written(passage, span)) in told)


def _is_person(noun: str) -> bool:
    return noun in OCCUPATIONS or (len(noun) > 5 and noun.endswith(("man", "woman")))


_ADDRESS: Final = frozenset(("uncle", "aunt", "auntie", "aunty", "grandma", "granny"))
"""What belongs to a name though it is not capitalised: "aunt Shaw"."""
_COUNTING: Final = word_set(
    "other same first second third last next two three four five six seven eight nine ten only"
    " very whole new of late many few more most whose and or own right wrong"
)


def _time_spans(passage: Passage, taken: list[Span]) -> list[Span]:
    starts = {token.start: index for index, token in enumerate(passage.tokens)}
    ends = {token.end: index + 1 for index, token in enumerate(passage.tokens)}
    blocked = {index for span in taken for index in range(*span)}
    found: list[Span] = []
    for start, end in times_in(passage.text):
        first, last = starts.get(start), ends.get(end)
        if first is None or last is None or first in blocked or last - 1 in blocked:
            continue
        found.append((first, last))
    return found
