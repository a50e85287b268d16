"""Other people in a sentence: whom "he" and "she" may mean beside the character.

Takes: the tokens of a passage and the spans that name the character.  Gives: spans of people with
their gender where it can be told. Source: ours; rules and short lists of given names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from offbook.language import grammar
from offbook.language.clauses import Token, starts_clause
from offbook.language.grammar import Gender, word_set
from offbook.language.verbs import is_base, is_finite, is_past, is_third_singular

_PLACE_BEFORE: Final = word_set(
    "in at near into from across through towards toward throughout within"
)
_BEING: Final = word_set("am is are was were be been being become became becomes as")
_POSSESSIVES: Final = word_set("my your his her their our 's")


@dataclass(frozen=True, slots=True)
class Person:
    """Someone else: tokens ``[first, last)``; ``own`` when introduced as *his* or *her* someone."""

    first: int
    last: int
    gender: Gender
    own: bool = False


def people(tokens: list[Token], taken: list[tuple[int, int]], gender: Gender) -> list[Person]:
    """People other than the character, in order, whom a pronoun of ``gender`` may mean."""
    blocked = {index for span in taken for index in range(*span)}
    found: list[Person] = []
    index = 0
    while index < len(tokens):
        person = None
        if index not in blocked and not tokens[index].quoted:
            person = _named(tokens, index, blocked) or _described(tokens, index, blocked)
        if person is None:
            index += 1
            continue
        if not person.gender or not gender or person.gender == gender:
            found.append(person)
        index = person.last
    return found


def _named(tokens: list[Token], index: int, blocked: set[int]) -> Person | None:
    if not tokens[index].is_capital or tokens[index].low in grammar.FUNCTION:
        return None
    last = _end_of_name(tokens, index, blocked)
    low = [token.low for token in tokens[index:last]]
    gender = _gender_of(low)
    titled = low[0] in grammar.TITLES
    if len(low) == 1 and starts_clause(tokens, index) and _is_common_noun(tokens, index):
        return None
    if len(low) == 1 and not gender and not _may_be_name(tokens, index):
        return None
    if grammar.GROUP_NOUNS & set(low) or low[0] in grammar.MONTHS_AND_DAYS:
        return None
    if index > 0 and not titled and not gender:
        before = tokens[index - 1].low
        if before in ("the", "a", "an") or before in _PLACE_BEFORE:
            return None
    return Person(index, last, gender)


def _end_of_name(tokens: list[Token], index: int, blocked: set[int]) -> int:
    last = index + 1
    while last < len(tokens) and last not in blocked and not tokens[last].quoted:
        token = tokens[last]
        particle = token.low in ("van", "von", "de", "du", "da", "of", "the")
        if token.is_capital and token.is_word:
            last += 1
        elif particle and _particle_leads_on(tokens, last, blocked):
            last += 2
        elif token.text == "." and tokens[last - 1].low in grammar.TITLES | set("abcdefghijklmnop"):
            last += 1
        else:
            break
    return last


def _particle_leads_on(tokens: list[Token], index: int, blocked: set[int]) -> bool:
    after = index + 1
    return after < len(tokens) and after not in blocked and tokens[after].is_capital


def _may_be_name(tokens: list[Token], index: int) -> bool:
    """Whether a single capitalised word may name a person: not an adjective, not a plain opener."""
    token = tokens[index]
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if token.text.isupper() and len(token.text) > 1:
        return False
    small_word = after is not None and after.text[0].islower() and after.low not in ("and", "or")
    if small_word and after is not None and not is_finite(after.low):
        adjective = token.low.endswith(("ish", "an", "ese", "ic", "ch"))
        if adjective or starts_clause(tokens, index):
            return False
    if not starts_clause(tokens, index):
        return True
    return after is not None and (is_finite(after.low) or after.low in ("'s", "and"))


def _is_common_noun(tokens: list[Token], index: int) -> bool:
    """Whether a capital owes to its place only: a noun follows it ("Rose petals fell")."""
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if after is None or not after.text[0].islower() or after.low in grammar.FUNCTION:
        return False
    return not (is_finite(after.low) or is_base(after.low) or is_third_singular(after.low)) or (
        after.low.endswith("s") and index + 2 < len(tokens) and is_past(tokens[index + 2].low)
    )


def _gender_of(words: list[str]) -> Gender:
    for word in words:
        if word in grammar.MALE_TITLES or word in grammar.MALE_NAMES:
            return "m"
        if word in grammar.FEMALE_TITLES or word in grammar.FEMALE_NAMES:
            return "f"
    return ""


def _described(tokens: list[Token], index: int, blocked: set[int]) -> Person | None:
    """A person by description: "his father", "the old king", not "he was a king"."""
    low = tokens[index].low
    if low not in grammar.DETERMINERS and low not in _POSSESSIVES:
        return None
    for at in range(index + 1, min(index + 4, len(tokens))):
        token = tokens[at]
        if at in blocked or not token.is_word or token.quoted or is_finite(token.low):
            return None
        if token.low in grammar.PERSON_NOUNS:
            if _is_predicate(tokens, index, blocked):
                return None
            gender: Gender = "m" if token.low in grammar.MALE_NOUNS else ""
            gender = "f" if token.low in grammar.FEMALE_NOUNS else gender
            return Person(index, at + 1, gender, own=low in _POSSESSIVES)
    return None


def _is_predicate(tokens: list[Token], index: int, blocked: set[int]) -> bool:
    if index == 0:
        return False
    before = tokens[index - 1]
    if before.low in _BEING or before.low in grammar.ADVERBS:
        return True
    apposed = before.text == "," and index - 2 in blocked
    return apposed and tokens[index].low in ("a", "an", "the")
