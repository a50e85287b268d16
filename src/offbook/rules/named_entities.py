"""The entities of a passage: every name once, with its kind, its places and how salient it is.

Takes: a passage and the character's name.  Gives: entities, the most salient first, and whether one
is the subject of a clause. Source: ours.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from offbook.names.evidence import bare_key, other_names, told_names
from offbook.rules.entity_kinds import Kind, Span, kinds_of
from offbook.rules.german_names import german_spans, is_german
from offbook.rules.name_words import BARE_TITLES, OCCUPATIONS, PERSON_TITLES, PLACE_LAST, is_common
from offbook.rules.named_spans import POSSESSIVE, named_spans
from offbook.rules.passage_words import Passage
from offbook.rules.times import times_in
from offbook.text import grammar
from offbook.text.clauses import Token, may_lead_clause, starts_clause
from offbook.text.grammar import DETERMINERS, PRONOUNS, word_set
from offbook.text.verbs import is_base, is_finite, is_third_singular
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.rules")

_KIND_WEIGHT: Final[dict[Kind, float]] = {
    "character": 2.5,
    "event": 2.5,
    "object": 1.5,
    "time": 0.0,
}
_WEIGHT: Final = 2.0
"""Of the other kinds."""
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
_SMALL: Final = _LISTS["small"]
_KIN_OF_MINE: Final = _LISTS["kin of mine"]


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
    certain: tuple[tuple[Iterable[Span], Kind], ...] = (
        *((located, "location"), (times, "time")),
        *((works, "object"), (described, "character")),
    )
    fixed = {span: kind for group, kind in certain for span in group}
    for span, whose in aliases.items():
        if kind := kinds.get(_key(_written(passage, whose))):
            fixed[span] = kind
    character_key = fold(character)
    entities = []
    for key, places in by_key.items():
        kind = fixed.get(places[0], kinds[key])
        name = max(forms[key], key=lambda form: (forms[key][form], not form.isupper(), form))
        entities.append(
            Named(
                name, key, kind, tuple(places), _salience(passage, key, kind, places, character_key)
            )
        )
    return sorted(entities, key=lambda entity: (-entity.salience, entity.spans[0]))


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


def _salience(
    passage: Passage, key: str, kind: Kind, spans: list[Span], character_key: str
) -> float:
    score = _KIND_WEIGHT.get(kind, _WEIGHT) + min(len(spans), _MOST_COUNTED)
    if kind != "time":
        score += _SUBJECT * any(leads(passage, span) for span in spans)
        score += _LONGER * (len(key.split()) > 1)
    if kind == "character" and (key == character_key or key in character_key.split()):
        score += SELF
    return score


def leads(passage: Passage, span: Span) -> bool:
    """Whether the name is the subject of a clause of its sentence."""
    return bool(passage.word(span[1]) not in POSSESSIVE) and is_subject(
        passage.tokens, span[0], span[1]
    )


def _works(passage: Passage) -> Iterator[tuple[Span, str]]:
    """Titles in quotation marks or italics: of several words, in capitals, no speech."""
    for match in _WORK.finditer(passage.text):
        group = match.lastgroup or ""
        text = match[group].rstrip(",")
        if text != match[group] and _is_speech(passage.text, match.end()):
            continue
        span = passage.span_of(match.start(group), match.start(group) + len(text))
        if span and _is_title(passage, *span):
            yield span, text


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
        stated = {name for pair in told_names(" ".join(passage.text.split())) for name in pair}
        yield from (span for span in spans if bare_key(_written(passage, span)) in stated)


def _is_person(noun: str) -> bool:
    return noun in OCCUPATIONS or (len(noun) > 5 and noun.endswith(("man", "woman")))


_ADDRESS: Final = frozenset(("uncle", "aunt", "auntie", "aunty", "grandma", "granny"))
"""What belongs to a name though it is not capitalised: "aunt Shaw"."""
_COUNTING: Final = _LISTS["counting"]


def _time_spans(passage: Passage, taken: list[Span]) -> list[Span]:
    blocked = {index for span in taken for index in range(*span)}
    spans = [passage.span_of(*offsets) for offsets in times_in(passage.text)]
    return [span for span in spans if span and blocked.isdisjoint((span[0], span[1] - 1))]


def told_aliases(passage: Passage, spans: Sequence[Span]) -> dict[Span, Span]:
    """Spans of tokens, the article included, to the span of the name that is the same."""
    owners = _owners(passage, spans)
    alias_spans: dict[Span, Span] = {}
    for index in range(len(passage.tokens) - 1):
        if passage.word(index) != "the" or not passage.touches(index, index + 1):
            continue
        for words in owners.get(fold(passage.tokens[index + 1].text), ()):
            last = index + 1 + len(words)
            if _spells(passage, index + 1, last, words):
                alias_spans[index, last] = owners[words[0]][words]
                break
    return alias_spans


def _owners(passage: Passage, spans: Sequence[Span]) -> dict[str, dict[tuple[str, ...], Span]]:
    """First word -> words of an alias -> whose it is, as far as the passage has them."""
    owners: dict[str, dict[tuple[str, ...], Span]] = defaultdict(dict)
    for first, last in spans:
        start, end = passage.sentences[passage.sentence[first]]
        sentence = passage.text[start:end]
        name = passage.text[passage.tokens[first].start : passage.tokens[last - 1].end]
        for alias in other_names(sentence, name):
            words = tuple(alias.split())
            owners[words[0]].setdefault(words, (first, last))
    return owners


def _spells(passage: Passage, first: int, last: int, words: Sequence[str]) -> bool:
    """Whether tokens are these words, each with a capital and no further one behind them."""
    tokens = passage.tokens[first:last]
    if [fold(token.text) for token in tokens] != list(words):
        return False
    goes_on = last < len(passage.tokens) and passage.tokens[last].is_capital
    joined = goes_on and passage.touches(last - 1, last)
    return all(token.is_capital for token in tokens) and not joined


_INVERTING: Final = word_set("is are was were has have had does do did can could will would")
_REPORTING: Final = _LISTS["reporting"]
_PAIRING: Final = word_set("between of with to for by against upon")
_BRACKET_TOKENS: Final = 80


def is_subject(tokens: list[Token], first: int, last: int) -> bool:
    """Whether the noun in ``[first, last)`` is the subject of a finite verb."""
    if last < len(tokens) and tokens[last].low in ("'s", "'", "’"):
        return False
    after = _verb_after(tokens, last)
    verb = after is not None and (is_finite(after.low) or is_third_singular(after.low))
    if first > 0 and tokens[first - 1].low in ("only", "even", "perhaps"):
        first -= 1
    if first == 0:
        return after is not None and after.text not in ".!?"
    return after is not None and _may_be_subject(tokens, first, after, verb)


def _may_be_subject(tokens: list[Token], first: int, after: Token, verb: bool) -> bool:
    """The same for a noun that does not open the sentence, by the word before it."""
    before = tokens[first - 1]
    if before.low in ("and", "or") and _in_pair_of_objects(tokens, first - 1):
        return False
    if before.low in ("and", "or") and is_base(after.low):
        return True
    if before.low == "and" and all(token.is_capital for token in tokens[: first - 1]):
        return after.text[0].islower()
    if may_lead_clause(before.low) and before.low != "but":
        return verb
    if starts_clause(tokens, first):
        opens = after.text in "(," or after.low in ("and", "who", "or")
        return verb or (opens and before.low != "and")
    if before.low in grammar.PREPOSITIONS or before.low in _INVERTING:
        return before.low in _INVERTING
    if before.low == "both":
        led = first > 1 and tokens[first - 2].low in grammar.PREPOSITIONS
        return after.low == "and" and not led
    if before.low in _REPORTING:
        return after.low == "and" or verb
    noun = any(token.low in grammar.DETERMINERS for token in tokens[max(0, first - 3) : first - 1])
    return verb and (noun or not (is_finite(before.low) or is_base(before.low)))


def _in_pair_of_objects(tokens: list[Token], conjunction: int) -> bool:
    """Whether the pair stands after a preposition ("between Antony *and* Cleopatra")."""
    index = conjunction - 1
    while index >= 0 and tokens[index].is_capital and conjunction - index <= 3:
        index -= 1
    named = index < conjunction - 1
    index -= index > 0 and tokens[index].low == "both"
    return index >= 0 and named and tokens[index].low in _PAIRING


def _verb_after(tokens: list[Token], last: int) -> Token | None:
    index = skip_adverbs(tokens, skip_brackets(tokens, last))
    return tokens[index] if index < len(tokens) else None


def skip_brackets(tokens: list[Token], place: int) -> int:
    """The index after a bracketed insertion that begins at ``at``, else ``at``."""
    if place >= len(tokens) or tokens[place].text not in "([":
        return place
    depth = 0
    for index in range(place, min(len(tokens), place + _BRACKET_TOKENS)):
        depth += (tokens[index].text in "([") - (tokens[index].text in ")]")
        if depth == 0:
            return index + 1
    return place


def skip_adverbs(tokens: list[Token], index: int) -> int:
    """The index of the first token at or after ``at`` that is no adverb."""
    while index < len(tokens) and not tokens[index].quoted:
        low = tokens[index].low
        if low not in grammar.ADVERBS and not (low.endswith("ly") and len(low) > 4):
            break
        index += 1
    return index
