"""Whether a text says he or she of its character.

Takes: the character's name, and passages with the places that name it.  Gives: the gender of the
pronouns that mean it. Source: ours; rules, no list of characters.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from offbook.text import grammar
from offbook.text.clauses import Token, starts_clause
from offbook.text.grammar import Gender
from offbook.text.words import fold

_MALE: Final = frozenset(("he", "him", "his", "himself"))
_FEMALE: Final = frozenset(("she", "her", "hers", "herself"))
_NEAR: Final = 3.0
_LED: Final = 1.5
_UNNAMED: Final = 1.5
_BESIDE: Final = 0.7
_FAR: Final = 0.1
_NOUN: Final = 4.0
_GIVEN: Final = 4.0
_REACH: Final = 30
_ENOUGH: Final = 1.0
"""Less says nothing where a text has both: a wrong gender puts the deeds of others into the
character's mouth."""
_OPENS: Final = 0.35
"""What each "He" or "She" says that opens a sentence anywhere: a text speaks most of whom it is
about, and one mention with a pronoun near it outweighs eight of these."""
_ENDS: Final = frozenset(".!?")

Spoken = tuple[list[Token], list[tuple[int, int]]]


def gender_of(character: str, words: Collection[str], passages: Sequence[Spoken]) -> Gender:
    """The gender of the pronouns that mean the character, from tokens and spans of its names."""
    title = fold(character).partition(" ")[0].rstrip(".")
    if title in grammar.MALE_TITLES | grammar.FEMALE_TITLES:
        return "m" if title in grammar.MALE_TITLES else "f"
    lean = 0.0
    for tokens, spans in passages:
        lean += _lean_of_pronouns(tokens, spans)
        lean += sum(_lean_of_nouns(tokens, first, last) for first, last in spans)
    for word in words:
        lean += _GIVEN * ((word in grammar.MALE_NAMES) - (word in grammar.FEMALE_NAMES))
    spoken = {token.low for tokens, _ in passages for token in tokens if not token.quoted}
    both = not (spoken.isdisjoint(_MALE) or spoken.isdisjoint(_FEMALE))
    if not lean or (both and abs(lean) < _ENOUGH):
        return ""
    return "m" if lean > 0 else "f"


def _lean_of_pronouns(tokens: list[Token], spans: list[tuple[int, int]]) -> float:
    """Positive for *he*; a pronoun with no other name between it and the mention says most."""
    opening = [
        token.low
        for before, token in zip([None, *tokens], tokens, strict=False)
        if (before is None or before.text in _ENDS) and not token.quoted
    ]
    lean = _OPENS * (opening.count("he") - opening.count("she"))
    ends = dict(spans)
    weight, since = _UNNAMED, 0  # what a pronoun says here, and from where on
    leads, opened = False, True
    for index, token in enumerate(tokens):
        if index in ends:
            leads, opened = leads or opened, False
            weight = _NEAR if starts_clause(tokens, index) else _BESIDE
            since = ends[index]
        elif token.quoted or index < since:
            continue
        elif token.low in _MALE or token.low in _FEMALE:
            says = weight if index - since < _REACH else _FAR
            lean += max(says, _LED * leads) * (1 if token.low in _MALE else -1)
        elif token.text in _ENDS:
            leads, opened = False, True
        elif token.is_capital and token.low not in grammar.FUNCTION:
            weight, opened = _FAR, False
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
