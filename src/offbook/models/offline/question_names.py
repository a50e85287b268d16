"""Which names a question says, with or without capitals.

Takes: a question, and which of its words the character's texts lack.  Gives: the names, in order,
with their places. Source: ours; capitals, and words that are not of English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from offbook.language import grammar
from offbook.language.clauses import Token, starts_clause, tokens_of
from offbook.language.concepts import is_general, is_of_any_age
from offbook.language.english_words import LONGEST, is_english, is_misspelt
from offbook.language.person_titles import TITLES
from offbook.language.words import fold
from offbook.models.offline.other_languages import is_in_another_language, is_no_name

_SMALL: Final = frozenset(("of", "the", "van", "von", "de", "der", "du", "da", "di", "la", "le"))
_NO_NAMES: Final = (
    grammar.FUNCTION
    | grammar.MONTHS_AND_DAYS
    | grammar.LANGUAGES
    | grammar.word_set(
        "i i'm i've i'd i'll mr mrs ms dr st okay ok hi hello hey dear god please yes"
    )
)
_GIVEN: Final = (grammar.MALE_NAMES | grammar.FEMALE_NAMES) - grammar.word_set(
    "mark rose grace jack bill frank jean carol amber lily joy heather olive may will ray art sue"
    " guy max bob patrick eve leo ruby rob jerry gary"
)
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
_POWERS: Final = grammar.word_set(
    "heaven heavens hell devil satan providence nature fate fortune paradise destiny almighty"
    " creator saviour savior scripture scriptures mass parliament majesty highness excellency"
)
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
    """The names in ``question``, in order.

    Args:
        question: What is asked, in any case.
        lacking: Whether the character's texts are known to lack a folded word.
    """
    tokens = tokens_of(question)
    capitals = _has_plain_case(tokens)
    foreign = is_in_another_language(tokens)
    slips = question != question.lower()  # who writes no capitals writes names so, too
    found: list[Named] = []
    at = 0
    while at < len(tokens):
        last = _name_end(tokens, at) if capitals else at
        if last == at + 1 and _is_common_noun(tokens, at):
            last = at
        if last > at and is_no_name(tokens, at):
            last = at
        if last == at and not foreign and _is_strange(tokens[at], lacking, slips=slips):
            last = at + 1
            while last < len(tokens) and _is_strange(tokens[last], lacking, slips=slips):
                last += 1
        if last == at and _is_titled(tokens, at):
            last = at + (tokens[at].is_word and tokens[at].low not in _NO_NAMES)
        if last == at:
            last = _described_end(tokens, at, lacking)
        if last > at:
            found.append(_named(question, tokens[at:last], lacking))
        at = max(last, at + 1)
    return found


def _has_plain_case(tokens: Sequence[Token]) -> bool:
    words = [token for token in tokens if token.text[0].isalpha()]
    if all(token.text.isupper() for token in words):
        return False
    capitals = sum(token.is_capital for token in words)
    if len(words) < _FEW or capitals <= _TITLE_CASE * len(words):
        return True
    # "Have you met Ann Lee and Tom Day?" has many names; a headline would have "You" and "Met".
    return any(token.text[0].islower() and token.low not in _SMALL_IN_HEADLINES for token in words)


def _name_end(tokens: list[Token], at: int) -> int:
    """Where a name that begins at ``at`` ends; ``at`` where none begins there."""
    if not _may_begin(tokens, at):
        return at
    last = at + 1
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


def _may_begin(tokens: list[Token], at: int) -> bool:
    """Whether a capital at ``at`` is that of a name, and not of the place where it stands."""
    if not _is_capital(tokens[at]):
        return False
    if not starts_clause(tokens, at) or (at and tokens[at - 1].is_word) or _is_titled(tokens, at):
        return True
    if is_english(fold(tokens[at].text)):
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        titled = tokens[at].low in grammar.TITLES
        return titled and after is not None and _is_capital(after)
    return True


def _is_common_noun(tokens: Sequence[Token], at: int) -> bool:
    """Whether a capital honours a word that names nobody by itself: "the King", "your Uncle"."""
    word = tokens[at].low
    after = tokens[at + 1].low if at + 1 < len(tokens) else ""
    if _is_titled(tokens, at) or (word in _BODIES and after in ("of", "for")):
        return False
    if word in _POWERS or word in grammar.TITLES or word in TITLES:
        return True
    led = at > 0 and tokens[at - 1].low in grammar.DETERMINERS
    return led and is_of_any_age(fold(tokens[at].text))


def _is_titled(tokens: Sequence[Token], at: int) -> bool:
    """Whether a civil title stands in front: "Mr. Crane", where the stop ends no sentence."""
    before = at - 1
    if before > 0 and tokens[before].text == "." and tokens[before - 1].end == tokens[before].start:
        before -= 1
    return before >= 0 and tokens[before].low in _CIVIL_TITLES


def _is_capital(token: Token) -> bool:
    if not token.is_word or not token.is_capital or token.low in _NO_NAMES:
        return False
    return len(token.text) > 1 or token.text.isalpha()


def _is_strange(token: Token, lacking: Callable[[str], bool], *, slips: bool) -> bool:
    """Whether a word is none of English, none of the texts: a name that lost its capital.

    With ``slips``, a word in lower case that is nearly one of English is a slip of a key.
    """
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
    """Whether a word that no list has is an English one with a general one behind: "midlife".

    Surnames end so as well, where they say whose or what man somebody is: "Freeman".
    """
    if len(word) > LONGEST:
        return False
    cuts = range(_SHORTEST, len(word) - _SHORTEST)
    tails = ((word[:cut], word[cut:]) for cut in cuts)
    return any(
        is_english(head) and is_general(tail) and tail not in grammar.PERSON_NOUNS
        for head, tail in tails
    )


def _described_end(tokens: list[Token], at: int, lacking: Callable[[str], bool]) -> int:
    """Where a name of plain words ends that begins at ``at``; ``at`` where none begins there."""
    after = tokens[at + 1].low if at + 1 < len(tokens) else ""
    before = tokens[at - 1].low if at else ""
    word = fold(tokens[at].text)
    strange = tokens[at].is_word and lacking(word) and not is_general(word)
    plain = tokens[at].low not in grammar.FUNCTION and not word.endswith("ly")
    led = before in grammar.DETERMINERS or before in ("to", "and")
    if strange and plain and (after in _AGES or (led and after in _AGES_WITH_ARTICLE)):
        return at + 2
    if _is_compound(word, lacking, led=before in grammar.DETERMINERS):
        return at + 1
    if tokens[at].low in _BODIES and after in ("of", "for"):
        return _body_end(tokens, at + 2, lacking) or at
    return at


def _is_compound(word: str, lacking: Callable[[str], bool], *, led: bool) -> bool:
    """Whether a word is the name of a thing or age made of two: "time-table", "jacobean-era"."""
    first, _, last = word.rpartition("-")
    if last in _AGES:
        return bool(first) and lacking(first) and not is_general(first)
    if not (first and led) or last in grammar.FUNCTION or last.endswith(_VERBAL):
        return False
    return lacking(last) and not is_of_any_age(last) and first not in ("self", "non", "co", "ex")


def _body_end(tokens: list[Token], at: int, lacking: Callable[[str], bool]) -> int:
    """Where "the promotion of elfish welfare" ends, if the texts lack a noun of it; else 0."""
    last = at
    while last < len(tokens) and last - at < _LONGEST and tokens[last].is_word:
        if tokens[last].low in grammar.FUNCTION - _SMALL - {"and"}:
            break
        last += 1
    strange = (token for token in tokens[at:last] if lacking(fold(token.text)))
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
