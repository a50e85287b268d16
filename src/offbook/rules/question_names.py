"""Which names a question says, with or without capitals.

Takes: a question, and which of its words the character's texts lack.  Gives: the names, in order,
with their places. Source: ours; capitals, and words that are not of English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from offbook.names.titles import TITLES
from offbook.rules.languages import is_in_another_language, is_no_name
from offbook.text import grammar
from offbook.text.clauses import Token, starts_clause, tokens_of
from offbook.text.concepts import is_general, is_of_any_age
from offbook.text.english_words import LONGEST, is_english, is_misspelt
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.rules")

_SMALL: Final = frozenset(("of", "the", "van", "von", "de", "der", "du", "da", "di", "la", "le"))
_NO_NAMES: Final = (
    grammar.FUNCTION
    | grammar.MONTHS_AND_DAYS
    | grammar.LANGUAGES
    | grammar.word_set(
        "i i'm i've i'd i'll mr mrs ms dr st okay ok hi hello hey dear god please yes"
    )
)
_GIVEN: Final = (grammar.MALE_NAMES | grammar.FEMALE_NAMES) - _LISTS["given names that are words"]
"""Given names, but for those that are met as words."""
_AGES: Final = grammar.word_set("era eras movement revolution rebellion dynasty")
_AGES_WITH_ARTICLE: Final = grammar.word_set("period age")
_BODIES: Final = grammar.word_set("society order league treaty battle siege ministry council")
"""Words that make a name of the words beside them: "the romantic era", "the order of the bath"."""
_VERBAL: Final = ("ed", "ing")
_FEW: Final = 6
_TITLE_CASE: Final = 0.6
"""A question of which more words have a capital may write all of them so."""
_SMALL_IN_HEADLINES: Final = (
    grammar.DETERMINERS
    | grammar.PREPOSITIONS
    | grammar.AMBIGUOUS_PREPOSITIONS
    | grammar.COORDINATORS
    | _SMALL
) - grammar.word_set("my your his her our their this that these those")
_POWERS: Final = _LISTS["powers"]
"""What is honoured with a capital and known to all."""
_CIVIL_TITLES: Final = frozenset(("mr", "mrs", "ms", "dr"))
"""What stands before names and nothing else, with a full stop or without."""
_SHORTEST: Final = 3
_LONGEST: Final = 8


@dataclass(frozen=True, slots=True)
class Named:
    """A name that a question says: ``text[start:end]``, and its words that tell it from others."""

    name: str
    start: int
    end: int
    words: tuple[str, ...]


def names_in_question(question: str, lacking: Callable[[str], bool]) -> list[Named]:
    """Find the names in order; ``lacking`` tells which folded words the texts are known to lack."""
    tokens = tokens_of(question)
    capitals = _has_plain_case(tokens)
    foreign = is_in_another_language(tokens)
    slips = question != question.lower()  # who writes no capitals writes names so, too
    names: list[Named] = []
    index = 0
    while index < len(tokens):
        last = _name_end(tokens, index) if capitals else index
        if last == index + 1 and _is_common_noun(tokens, index):
            last = index
        if last > index and is_no_name(tokens, index):
            last = index
        if last == index and not foreign and _is_strange(tokens[index], lacking, slips=slips):
            last = index + 1
            while last < len(tokens) and _is_strange(tokens[last], lacking, slips=slips):
                last += 1
        if last == index and _is_titled(tokens, index):
            last = index + (tokens[index].is_word and tokens[index].low not in _NO_NAMES)
        if last == index:
            last = _described_end(tokens, index, lacking)
        if last > index:
            names.append(_named(question, tokens[index:last], lacking))
        index = max(last, index + 1)
    return names


def _has_plain_case(tokens: Sequence[Token]) -> bool:
    words = [token for token in tokens if token.text[0].isalpha()]
    if all(token.text.isupper() for token in words):
        return False
    capitals = sum(token.is_capital for token in words)
    if len(words) < _FEW or capitals <= _TITLE_CASE * len(words):
        return True
    # "Have you met Ann Lee and Tom Day?" has many names; a headline would have "You" and "Met".
    return any(token.text[0].islower() and token.low not in _SMALL_IN_HEADLINES for token in words)


def _name_end(tokens: list[Token], index: int) -> int:
    """Where a name that begins at ``at`` ends; ``at`` where none begins there."""
    if not _may_begin(tokens, index):
        return index
    last = index + 1
    while last < len(tokens):
        ahead = last
        while ahead < len(tokens) and tokens[ahead].low in _SMALL and ahead - last < 2:
            ahead += 1
        if tokens[last].text == "." and tokens[last - 1].end == tokens[last].start:
            ahead = last + 1  # an initial, or a title with its full stop
        if ahead >= len(tokens) or not _is_capital(tokens[ahead]):
            break
        last = ahead + 1
    return last


def _may_begin(tokens: list[Token], index: int) -> bool:
    """Whether a capital at ``at`` is that of a name, and not of the place where it stands."""
    if not _is_capital(tokens[index]):
        return False
    if (
        not starts_clause(tokens, index)
        or (index and tokens[index - 1].is_word)
        or _is_titled(tokens, index)
    ):
        return True
    if is_english(fold(tokens[index].text)):
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        titled = tokens[index].low in grammar.TITLES
        return titled and after is not None and _is_capital(after)
    return True


def _is_common_noun(tokens: Sequence[Token], index: int) -> bool:
    """Whether a capital honours a word that names nobody by itself: "the King", "your Uncle"."""
    word = tokens[index].low
    after = tokens[index + 1].low if index + 1 < len(tokens) else ""
    if _is_titled(tokens, index) or (word in _BODIES and after in ("of", "for")):
        return False
    if word in _POWERS or word in grammar.TITLES or word in TITLES:
        return True
    led = index > 0 and tokens[index - 1].low in grammar.DETERMINERS
    return led and is_of_any_age(fold(tokens[index].text))


def _is_titled(tokens: Sequence[Token], index: int) -> bool:
    """Whether a civil title stands in front: "Mr. Crane", where the stop ends no sentence."""
    before = index - 1
    if before > 0 and tokens[before].text == "." and tokens[before - 1].end == tokens[before].start:
        before -= 1
    return before >= 0 and tokens[before].low in _CIVIL_TITLES


def _is_capital(token: Token) -> bool:
    if not token.is_word or not token.is_capital or token.low in _NO_NAMES:
        return False
    return len(token.text) > 1 or token.text.isalpha()


def _is_strange(token: Token, lacking: Callable[[str], bool], *, slips: bool) -> bool:
    """Whether a word is none of English, none of the texts, nor with ``slips`` a slip of a key."""
    if token.low in _NO_NAMES or is_of_any_age(fold(token.text)):
        return False
    parts = [part for part in fold(token.text).split("-") if len(part) >= _SHORTEST]
    if len(parts) == 1 and parts[0] in _GIVEN and lacking(parts[0]):
        return True
    return any(
        part.isalpha()
        and part.isascii()
        and lacking(part)
        and not is_english(part)
        and not _is_plain_compound(part)
        and not (slips and is_misspelt(part))
        for part in parts
    )


def _is_plain_compound(word: str) -> bool:
    """Whether a word that no list has is an English one with a general one behind: "midlife"."""
    if len(word) > LONGEST:
        return False
    cuts = range(_SHORTEST, len(word) - _SHORTEST)
    tails = ((word[:cut], word[cut:]) for cut in cuts)
    return any(
        is_english(head) and is_general(tail) and tail not in grammar.PERSON_NOUNS
        for head, tail in tails
    )


def _described_end(tokens: list[Token], index: int, lacking: Callable[[str], bool]) -> int:
    """Where a name of plain words ends that begins at ``at``; ``at`` where none begins there."""
    after = tokens[index + 1].low if index + 1 < len(tokens) else ""
    before = tokens[index - 1].low if index else ""
    word = fold(tokens[index].text)
    strange = tokens[index].is_word and lacking(word) and not is_general(word)
    plain = tokens[index].low not in grammar.FUNCTION and not word.endswith("ly")
    led = before in grammar.DETERMINERS or before in ("to", "and")
    if strange and plain and (after in _AGES or (led and after in _AGES_WITH_ARTICLE)):
        return index + 2
    if _is_compound(word, lacking, led=before in grammar.DETERMINERS):
        return index + 1
    if tokens[index].low in _BODIES and after in ("of", "for"):
        return _body_end(tokens, index + 2, lacking) or index
    return index


def _is_compound(word: str, lacking: Callable[[str], bool], *, led: bool) -> bool:
    """Whether a word is the name of a thing or age made of two: "time-table", "jacobean-era"."""
    first, _, last = word.rpartition("-")
    if last in _AGES:
        return bool(first) and lacking(first) and not is_general(first)
    if not (first and led) or last in grammar.FUNCTION or last.endswith(_VERBAL):
        return False
    return lacking(last) and not is_of_any_age(last) and first not in ("self", "non", "co", "ex")


def _body_end(tokens: list[Token], index: int, lacking: Callable[[str], bool]) -> int:
    """Where "the promotion of elfish welfare" ends, if the texts lack a noun of it; else 0."""
    last = index
    while last < len(tokens) and last - index < _LONGEST and tokens[last].is_word:
        if tokens[last].low in grammar.FUNCTION - _SMALL - {"and"}:
            break
        last += 1
    strange = (token for token in tokens[index:last] if lacking(fold(token.text)))
    return last if any(not is_general(fold(token.text)) for token in strange) else 0


def _named(question: str, tokens: Sequence[Token], lacking: Callable[[str], bool]) -> Named:
    start, end = tokens[0].start, tokens[-1].end
    words = [part for token in tokens if token.is_word for part in fold(token.text).split("-")]
    telling = telling_words(words)
    rare = [word for word in telling if not is_english(word)]
    if not rare and not any(token.is_capital for token in tokens):
        rare = [word for word in telling if lacking(word)]
    return Named(question[start:end], start, end, tuple(dict.fromkeys(_told(rare or telling))))


def telling_words(words: Sequence[str]) -> Sequence[str]:
    """The folded words of a name that tell it from others: no titles and articles, if there are."""
    return [w for w in words if w not in grammar.TITLES | _SMALL and w not in TITLES] or words


def _told(words: Sequence[str]) -> Iterator[str]:
    """The words, of a number with capitals (Henry VIII) the name alone, where there is one."""
    plain = [word for word in words if word not in grammar.NUMERALS]
    yield from plain or words
