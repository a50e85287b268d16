"""Whether a text says *he* or *she* of its character.

Takes: passages as tokens, with the spans that name the character.  Gives: the gender of the
pronouns, or nothing where the text does not tell. Source: ours; weighted evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from offbook.language import grammar
from offbook.language.clauses import Token
from offbook.language.grammar import Gender
from offbook.language.words import fold

_MALE: Final = frozenset(("he", "him", "his", "himself"))
_FEMALE: Final = frozenset(("she", "her", "hers", "herself"))
_NEAR: Final = 3.0
_FAR: Final = 0.2
_NOUN: Final = 4.0
_GIVEN: Final = 4.0
_REACH: Final = 30

Spoken = tuple[list[Token], list[tuple[int, int]]]


def gender_of(character: str, words: Collection[str], passages: Sequence[Spoken]) -> Gender:
    """The gender of the pronouns that mean the character.

    Args:
        character: Its name; a title in front decides.
        words: Folded words of its name; given names count.
        passages: Tokens of each passage, and the spans in them that name the character.
    """
    title = fold(character).partition(" ")[0].rstrip(".")
    if title in grammar.MALE_TITLES | grammar.FEMALE_TITLES:
        return "m" if title in grammar.MALE_TITLES else "f"
    lean = 0.0
    for tokens, spans in passages:
        lean += _lean_of_pronouns(tokens, spans)
        lean += sum(_lean_of_nouns(tokens, first, last) for first, last in spans)
    for word in words:
        lean += _GIVEN * ((word in grammar.MALE_NAMES) - (word in grammar.FEMALE_NAMES))
    return "" if not lean else "m" if lean > 0 else "f"


def _lean_of_pronouns(tokens: list[Token], spans: list[tuple[int, int]]) -> float:
    """Positive for *he*; a pronoun with no other name between it and the mention says most."""
    lean = 0.0
    ends = dict(spans)
    near = -1  # the end of the last mention since which no other name stood
    for index, token in enumerate(tokens):
        if index in ends:
            near = ends[index]
        elif token.quoted or index < near:
            continue
        elif token.low in _MALE or token.low in _FEMALE:
            weight = _NEAR if near >= 0 and index - near < _REACH else _FAR
            lean += weight if token.low in _MALE else -weight
        elif token.is_capital and token.low not in grammar.FUNCTION:
            near = -1
    return lean


def _lean_of_nouns(tokens: list[Token], first: int, last: int) -> float:
    """Of "X was a queen", "X, the daughter of", "the wife of X"."""
    if last < len(tokens) and tokens[last].low in ("was", "is", ",", "became"):
        for token in tokens[last + 1 : last + 8]:
            if token.low in grammar.FEMALE_NOUNS or token.low in grammar.MALE_NOUNS:
                return _NOUN if token.low in grammar.MALE_NOUNS else -_NOUN
            if not token.is_word or token.low in grammar.PREPOSITIONS:
                break
    if first > 1 and tokens[first - 1].low == "of":
        return _NOUN * ((tokens[first - 2].low == "wife") - (tokens[first - 2].low == "husband"))
    return 0.0
