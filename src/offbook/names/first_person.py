"""What is told of a character, told by the character, where that is safe.

Takes: sentences that follow one another, the character's names.  Gives: of each whether the
character is its subject, whether it leans on the one before, and the sentence in the first person
where every word that must change is certain; else the sentence as it is. Source: ours.

It is safe where the subject is the character by name, or "he" or "she" in a chain of sentences of
which it is the subject and in which nobody else comes who may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from offbook.names.character import Names
from offbook.text import grammar
from offbook.text.clauses import Token, tokens_of
from offbook.text.grammar import word_set
from offbook.text.verbs import first_person, is_finite, is_known_third, is_third_singular

_PRONOUNS: Final = {"m": word_set("he him his himself"), "f": word_set("she her hers herself")}
_PLAIN_FORMS: Final = {
    "he": "I", "she": "I", "him": "me", "hers": "mine", "himself": "myself", "herself": "myself",
}  # fmt: skip
_LEANING: Final = word_set("it they this that these those such both neither he she")
_GIVING: Final = word_set(
    "taught gave told showed offered sent brought called named made left paid promised lent owed"
    " handed granted sold denied refused cost let saw heard had helped asked teaches gives tells"
    " with"
)
"""Behind these "her" before a noun may be "to her" or "her" alone as well as "of her"."""
_OPENERS: Final = grammar.PREPOSITIONS | word_set(
    "after before since until later then once now afterwards soon finally today still however"
    " according"
)
_PLACES: Final = word_set("in at from to near of off by for through across towards outside around")
_LONGEST_OPENING: Final = 12
_HE_OR_SHE: Final = word_set("he she")
_NAMING: Final = word_set("himself herself as called named name names")
"""What stands before a name of the character that stays one: "signed himself Sinbad"."""
_PLURAL: Final = word_set("they their them we us our you your")
"""Whoever is meant by these may include the character."""
_OWN_DEATH: Final = re.compile(
    r"\b(?:I|and) (?:\w+ly )?(?:died|(?:was|were) (?:buried|executed|beheaded|hanged|murdered))\b"
)
"""What nobody says of themselves."""
_JOINING: Final = word_set("and but or nor then yet")


_Edits = list[tuple[int, int, str]]
"""Offsets, and what is written there."""
_Focus = Literal["self", "open", "other"]
"""Whom "he" or "she" would mean next: the character; nobody else that is known; somebody else."""


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence as the character may say it.

    Args:
        text: In the first person where ``spoken``, else as it was.
        spoken: Whether it can be said as the character's own words.
        about: Whether the character is its subject, or the only one whom a pronoun there may mean.
        leans: Whether its subject is a pronoun that means somebody in an earlier sentence.
    """

    text: str
    spoken: bool
    about: bool
    leans: bool


class FirstPerson:
    """Reads sentences about one character."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._own = _PRONOUNS.get(names.gender, frozenset())
        self._doubtful = frozenset() if names.gender else _PRONOUNS["m"] | _PRONOUNS["f"]

    def passage(self, sentences: Sequence[str]) -> list[Told]:
        """Each of some sentences that follow one another."""
        focus: _Focus = "open"
        read: list[Told] = []
        for text in sentences:
            one, focus = self._sentence(text, focus)
            read.append(one)
        return read

    def _sentence(self, text: str, focus: _Focus) -> tuple[Told, _Focus]:
        tokens = tokens_of(text)
        selves = self._names.mentions(tokens)
        plain = [token.low for token in tokens if not token.quoted]
        if not selves and any(word in grammar.FIRST_PERSON for word in plain):
            return Told(text, spoken=True, about=True, leans=False), "open"
        subject = self._subject(tokens, selves, chained=focus == "self")
        others = self._others(tokens, selves)
        if subject is None:
            first = next((token.low for token in tokens if token.is_word), "")
            is_self = first in self._own and focus == "open"
            leans = (first in _LEANING and not is_self) or self._means_another(tokens)
            return Told(
                text, spoken=False, about=is_self, leans=leans
            ), "other" if others else "open"
        edits = self._edits(tokens, selves, subject, others)
        spoken = _written(text, edits) if edits is not None else text
        if _OWN_DEATH.search(spoken):
            spoken, edits = text, None
        sentence = Told(spoken, spoken=edits is not None, about=True, leans=False)
        return sentence, "other" if others else "self"

    def _subject(
        self, tokens: list[Token], selves: list[tuple[int, int]], *, chained: bool
    ) -> tuple[int, int] | None:
        """The span of tokens of the character as the subject; None where it is not."""
        first = next((index for index, token in enumerate(tokens) if token.is_word), len(tokens))
        opened = first < len(tokens) and tokens[first].low in _OPENERS
        for index in range(first, min(len(tokens), first + _LONGEST_OPENING)):
            token = tokens[index]
            for span in selves:
                if span[0] == index:
                    return span
            if token.low in ("he", "she") and not token.quoted:
                return (index, index + 1) if chained and token.low in self._own else None
            if not opened or (token.is_word and index > first and is_finite(token.low)):
                return None
            if chained and token.low in self._own and token.low in ("his", "her"):
                continue
            if token.low in grammar.PERSON_NOUNS or token.low in grammar.PRONOUNS:
                return None
        return None

    def _means_another(self, tokens: list[Token]) -> bool:
        """Whether "he" or "she" stands there for somebody else whom nobody names before it."""
        for token in tokens[1:]:
            if token.quoted or (token.is_capital and token.low not in grammar.MONTHS_AND_DAYS):
                return False
            if token.low in _HE_OR_SHE and token.low not in self._own:
                return True
        return False

    def _others(self, tokens: list[Token], selves: list[tuple[int, int]]) -> list[int]:
        """Where somebody else is named whom a pronoun of the character's gender may mean."""
        inside = {index for first, last in selves for index in range(first, last)}
        places: list[int] = []
        for index, token in enumerate(tokens):
            if index in inside or not token.is_word or index == 0:
                continue
            before = tokens[index - 1].low
            low = token.low
            named = token.is_capital and low not in grammar.MONTHS_AND_DAYS | grammar.LANGUAGES
            named = named and before not in _PLACES and before not in '.!?:"“' and low != "i"
            if (named or low in grammar.PERSON_NOUNS) and not self._of_other_gender(low):
                places.append(index)
        return places

    def _of_other_gender(self, word: str) -> bool:
        if self._names.gender == "m":
            return word in grammar.FEMALE_NOUNS | grammar.FEMALE_NAMES
        if self._names.gender == "f":
            return word in grammar.MALE_NOUNS | grammar.MALE_NAMES
        return False

    def _edits(
        self,
        tokens: list[Token],
        selves: list[tuple[int, int]],
        subject: tuple[int, int],
        others: list[int],
    ) -> _Edits | None:
        """What to write in whose place; None where any of it is in doubt."""
        first, last = subject
        verb = self._verb(tokens, last)
        if verb is None or any(
            span != subject and tokens[span[0] - 1].low not in _NAMING for span in selves
        ):
            return None
        edits = [(tokens[first].start, tokens[last - 1].end, "I"), *_agreeing(tokens[verb])]
        for index in (*range(first), *range(verb + 1, len(tokens))):
            if tokens[index].quoted or not tokens[index].is_word:
                continue
            if tokens[index].low in _PLURAL or tokens[index].low in self._doubtful:
                return None
            if tokens[index].low in self._own:
                changes = self._pronoun(tokens, index, others)
                between = tokens[verb + 1 : index]
                if _form(tokens, index) == "me" and not any(is_finite(t.low) for t in between):
                    return None  # the object of its own verb is somebody else: "she reads to her"
            else:
                changes = _joined_verb(tokens, index, verb)
            if changes is None:
                return None
            edits += changes
        return sorted(set(edits))

    def _pronoun(self, tokens: list[Token], index: int, others: list[int]) -> _Edits | None:
        """What the character says for a pronoun of its own; None where it may mean another."""
        form = _form(tokens, index)
        if not form or any(other < index for other in others):
            return None
        edits = [(tokens[index].start, tokens[index].end, form)]
        if form != "I":
            return edits
        verb = self._verb(tokens, index + 1)
        return None if verb is None else [*edits, *_agreeing(tokens[verb])]

    def _verb(self, tokens: list[Token], index: int) -> int | None:
        """The finite verb right behind a subject, adverbs passed over."""
        while index < len(tokens) and (
            tokens[index].low in grammar.ADVERBS or tokens[index].low.endswith("ly")
        ):
            index += 1
        if index >= len(tokens) or tokens[index].quoted or not tokens[index].is_word:
            return None
        low = tokens[index].low
        return index if is_finite(low) or is_third_singular(low) else None


def _joined_verb(tokens: list[Token], index: int, verb: int) -> _Edits | None:
    """The change of a verb that shares the subject ("she sings and plays"); None where in doubt."""
    low, before = tokens[index].low, tokens[index - 1].low
    joined = before in _JOINING or (index > 1 and tokens[index - 2].low in _JOINING)
    apart = before not in _JOINING and before not in grammar.ADVERBS and before != ","
    if apart or low == "was" or not is_known_third(low):
        return []
    if not is_third_singular(tokens[verb].low) or tokens[verb].low == "was":
        return None if joined else []
    between = {token.low for token in tokens[verb + 1 : index]}
    return None if between & grammar.SUBORDINATORS else _agreeing(tokens[index])


def _agreeing(verb: Token) -> _Edits:
    form = first_person(verb.low)
    return [(verb.start, verb.end, form)] if form != verb.low else []


def _form(tokens: list[Token], index: int) -> str:
    """What the character says for a pronoun that means it; empty where that is in doubt."""
    low = tokens[index].low
    if low in _PLAIN_FORMS:
        return _PLAIN_FORMS[low]
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    alone = (
        after is None
        or not after.is_word
        or (after.low in grammar.FUNCTION and after.low not in ("own", "two", "three", "four"))
    )
    if low == "his":
        return "mine" if alone else "my"
    if alone:
        return "me"
    return "" if tokens[index - 1].low in _GIVING else "my"


def _written(text: str, edits: _Edits) -> str:
    for start, end, form in reversed(edits):
        text = text[:start] + form + text[end:]
    return text[:1].upper() + text[1:]
