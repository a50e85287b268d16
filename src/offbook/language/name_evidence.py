"""What a description tells of who is meant: who says the name, and what else the person is called.

Takes: descriptions of entities.  Gives: speakers ("Said by ...") and other names ("known as ...").
Source: ours; patterns of apposition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from offbook.language.grammar import (
    FEMALE_NOUNS,
    FUNCTION,
    MALE_NOUNS,
    PERSON_NOUNS,
    Gender,
    word_set,
)
from offbook.language.person_titles import KIN
from offbook.language.told_names import WHERE_KNOWN, told_names
from offbook.language.words import fold

_NAME: Final = (
    r"[\"“'‘]?((?:[Tt]he )?[^\W\d_a-zß-öø-ÿ][\w'’.-]*"
    r"(?:[ ]+(?:(?:of|the|van|von|der|de|du|da|la)[ ]+)*[^\W\d_a-zß-öø-ÿ][\w'’.-]*)*)"
)
_CAPITAL: Final = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*"
_ALSO: Final = re.compile(
    r"\b(?:(?:also |better |generally |commonly |usually |otherwise |once |formerly |now )?"
    rf"(?:(?:known|remembered|spoken of){WHERE_KNOWN} as"
    r"|(?:known|called|nicknamed|dubbed|styled)(?: (?:as|simply|by the name(?: of)?|by))?)"
    r"|alias|a\.k\.a\.|aka|née|nee|(?:whose )?(?:real|true|maiden|full|other|Christian|pen) name"
    r" (?:is|was|being)"
    r"|(?:going|goes|went|passes|passed|known|travell?ing|living|lived) (?:by|under)"
    r" the (?:false |assumed )?name(?: of)?|under the (?:false |assumed )?(?:name|alias)(?: of)?"
    r"|(?:disguise[sd]?|disguised|posing|pos(?:es|ed)|masquerad(?:es|ed|ing))"
    r"(?: (?:him|her)self)? as|(?:is|was) (?:really|in truth|in fact|none other than|no other than)"
    r"|(?:now|afterwards|later|became|becomes)"
    r"(?= (?:(?:Mrs|Lady|Madame|Countess|Duchess|Sir|Lord)\b"
    rf"|{_CAPITAL} the {_CAPITAL}))|(?:(?<=, )|(?<=was )|(?<=\())born(?= {_CAPITAL} {_CAPITAL})"
    r"|changed (?:his|her) name to|call(?:s|ed)? (?:him|her)self|short for)[ ,:]+(?:the )?" + _NAME
)
_TRIGGERS: Final = (
    "known", "remembered", "spoken of", "called", "nicknamed", "dubbed", "styled", "alias",
    "a.k.a.", "aka", "née", "nee ",
    "name", "disguise", "posing", "posed", "poses", "masquerad", "really", "in truth", "in fact",
    "other than", "now ", "afterwards ", "later ", "became ", "becomes ", "self", "short for",
    "born ",
)  # fmt: skip
"""One of these stands in whatever the pattern finds: most sentences need not be searched."""
_NEAR: Final = 60
_NAMING: Final = ("called", "nicknamed", "dubbed", "styled")
_PASSIVE: Final = PERSON_NOUNS | word_set(
    "is was were are be been being who town village house inn place island city ship river one"
)
"""Behind these "called" gives the name of what stands before it; else somebody calls another."""
_NOUN_BEFORE: Final = re.compile(r"\b(?:an?|the|one|some|another) (?:[a-z-]+ ){0,2}([a-z-]+),? \Z")
_BEING: Final = word_set(
    "is was are were be been being as became becomes remained remains who which"
)
_INTERRUPTS: Final = re.compile(r"[.!?;:\"“”]|\b(?!(?:He|She|The|A|An|Who)\b)[A-ZÀ-Þ]")
_POSSESSIVE: Final = re.compile(r"['’]s$")
_SPEAKER: Final = re.compile(r"\b[Ss](?:aid|poken) by ([^:\"“”]{1,60}):")


@lru_cache(maxsize=1 << 14)
def other_names(description: str, name: str) -> tuple[str, ...]:
    """Folded names that the description gives as other names of ``name``.

    The words that give it must speak of ``name``: it stands before them, or the description begins
    with them, and no other name is between.
    """
    if not any(trigger in description for trigger in _TRIGGERS):
        return ()
    found = [
        fold(match.group(1)).strip(" .'’")
        for match in _ALSO.finditer(description)
        if _speaks_of(description, match.start(), name)
        and _is_passive(description, match)
        and not _is_of_another(description, match, name)
    ]
    return tuple(dict.fromkeys(other for other in found if other))


@lru_cache(maxsize=1 << 14)
def names_told(description: str, name: str) -> tuple[str, ...]:
    """Folded names that the description gives to whoever bears ``name``, articles aside."""
    own = bare_key(name)
    told = [other.removeprefix("the ") for other in other_names(description, name)]
    for a, b in told_names(description):
        told += [b] * (a == own) + [a] * (b == own)
    return tuple(dict.fromkeys(other for other in told if other and other != own))


@lru_cache(maxsize=1 << 16)
def bare_key(name: str) -> str:
    """The folded name without its article and outer punctuation, as ``told_names`` writes it."""
    return fold(name).strip(" .,'’").removeprefix("the ")


_ATTACHED: Final = "|".join(sorted((word for word in KIN if word.isalpha()), key=len, reverse=True))
_NOUNS: Final = rf"(?:[a-z-]+ ){{0,2}}(?:{_ATTACHED})"
_ANY_KIN: Final = re.compile(rf"\b(?:{_ATTACHED})\b")
# What stands around a name: to search for a pattern with the name in it, it would have to be
# compiled for each of thousands of names.
_KIN_BEFORE: Final = re.compile(rf"\b({_ATTACHED}),? \Z")
_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+),? \Z")
_NO_LETTER: Final = re.compile(r"(?!\w)")
_NAME_ENDS: Final = re.compile(r"(?![\w’'-])")
_IS_KIN_OF: Final = re.compile(
    rf",? (?:(?:is|was|became|being|and) )?(?:the|an?) {_NOUNS} of (?:the )?{_NAME}"
)
_IS_OWNERS_KIN: Final = re.compile(rf",? (?:is|was) {_NAME}['’]s {_NOUNS}(?!\w)")
_OWNERS_KIN: Final = re.compile(rf"{_NAME}['’]s {_NOUNS},? \Z")
_CALLING: Final = re.compile(
    r", the (?:[a-z-]+ )?([a-z]+)(?:['’]s (?:[a-z]+ )?(son|daughter|child))?[,.]"
)
_WHO_IT_IS: Final = re.compile(r",? (?:\([^()]*\d{3}[^()]*\),? )?(?:was|is) (?:an?|born) ")
_OPENING: Final = re.compile(r"[.!?/] \Z")


def _behind(description: str, name: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Matches of a pattern right behind a name, as if the name stood at its head."""
    at = description.find(name)
    while at >= 0:
        match = pattern.match(description, at + len(name))
        if match is not None:
            yield match
        at = description.find(name, match.end() if match is not None else at + 1)


def _in_front(
    description: str, name: str, pattern: re.Pattern[str], end: re.Pattern[str]
) -> Iterator[re.Match[str]]:
    """Matches of a pattern that ends right before a name behind which ``end`` matches."""
    done, at = 0, description.find(name)
    while at >= 0:
        match = None
        if _follows_kin(description, at) and end.match(description, at + len(name)):
            match = pattern.search(description, done, at)
        if match is not None:
            yield match
            done = at + len(name)
        at = description.find(name, max(at + 1, done))


def _follows_kin(description: str, at: int) -> bool:
    """Whether a kinship term ends right before ``at``: few names have one, and it is soon seen."""
    before = _WORD_BEFORE.search(description, max(0, at - _LONGEST_KIN - 2), at)
    return before is not None and before[1].endswith(_KIN_WORDS)


_KIN_WORDS: Final = tuple(word for word in KIN if word.isalpha())
_LONGEST_KIN: Final = max(map(len, _KIN_WORDS))


@lru_cache(maxsize=1 << 14)
def kin_attached(description: str, name: str) -> tuple[str, ...]:
    """What kin to the hero the name's bearer is called, as often as told: "his nephew Karl"."""
    if not _ANY_KIN.search(description):
        return ()
    found = _in_front(description, name, _KIN_BEFORE, _NAME_ENDS)
    return tuple(KIN[fold(match[1])][0] for match in found)


@lru_cache(maxsize=1 << 14)
def kin_told(description: str, name: str) -> frozenset[str]:
    """Folded names of people whose kin the description says the bearer of ``name`` is."""
    if not _ANY_KIN.search(description):
        return frozenset()
    found = [
        *_behind(description, name, _IS_KIN_OF),
        *_in_front(description, name, _OWNERS_KIN, _NO_LETTER),
        *_behind(description, name, _IS_OWNERS_KIN),
    ]
    return frozenset(bare_key(_POSSESSIVE.sub("", match[1])) for match in found)


@lru_cache(maxsize=1 << 14)
def callings(description: str, name: str) -> frozenset[tuple[str, str]]:
    """What trade a bearer of the name is said to have, or to be a child of: ("mayor", "son")."""
    found = _behind(description, name, _CALLING)
    return frozenset((match[1], match[2] or "") for match in found)


@lru_cache(maxsize=1 << 14)
def defined(description: str, name: str) -> bool:
    """Whether a sentence begins with the name and says who that is: "Tom Wren (...) was a".

    Who "was born" is introduced as well.
    """
    return any(
        not (start := match.start() - len(name)) or _OPENING.search(description, start - 2, start)
        for match in _behind(description, name, _WHO_IT_IS)
    )


def says_who(description: str, name: str) -> bool:
    """Whether a description tells who the bearer of a name is: another name, kin or a trade."""
    return bool(
        names_told(description, name)
        or defined(description, name)
        or kin_told(description, name)
        or callings(description, name)
    )


def _speaks_of(description: str, at: int, name: str) -> bool:
    before = description[:at]
    _, named, between = before.rpartition(name)
    if not named:
        between = before if not speakers(description) else "."
    return len(between) <= _NEAR and not _INTERRUPTS.search(between.lstrip('"”’)\n '))


def _is_passive(description: str, match: re.Match[str]) -> bool:
    """Not "she called Tom a fool": there Tom is not another name of hers."""
    if not match.group().startswith(_NAMING):
        return True
    before = description[: match.start()].rstrip()
    if not before or before[-1] in ",(—–":
        return True
    return fold(before.split()[-1]) in _PASSIVE


def _is_of_another(description: str, match: re.Match[str], name: str) -> bool:
    """Whether a noun of its own stands before "called": "Ann wrote of a child called Tom".

    An apposition and a predicate are the name's: "Tom, a child called", "Tom is a child called".
    """
    between = description[: match.start()].rpartition(name)[2]
    noun = _NOUN_BEFORE.search(between)
    if noun is None or noun[1] in _BEING or not match.group().startswith((*_NAMING, "known")):
        return False
    before = between[: noun.start()].split()[-2:]
    return bool(before) and not any(w[-1] in ",(—–" or fold(w) in _BEING for w in before)


@lru_cache(maxsize=1 << 14)
def speakers(description: str) -> tuple[str, ...]:
    """Who says the name, as often as the description tells it."""
    return tuple(match.group(1).strip() for match in _SPEAKER.finditer(description))


_HEAD_NAME: Final = re.compile(
    r"^(?:(?:Mr|Mrs|Miss|Ms|Dr|Sir|Lady|Lord|Mister|Madame|Monsieur)\.? )?"
    r"[^\W\d_a-zß-öø-ÿ][\w'’-]+(?: [^\W\d_a-zß-öø-ÿ][\w'’-]+)+"
)
_HEAD_KIN: Final = re.compile(
    r"^(?:[^.;:\"“]{0,60}?\b(?:is|was),? )?(?:[Tt]he|[Aa]n?) (?:[\w-]+ ){0,2}?([\w-]+) of "
    r"([^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: [^\W\d_a-zß-öø-ÿ][\w'’.-]*)*)"
    r"|^([^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: [^\W\d_a-zß-öø-ÿ][\w.-]*)*)['’]s "
    r"((?:[\w-]+ ){0,2}[\w-]+)"
)
_HEAD_WORDS: Final = 9


@lru_cache(maxsize=1 << 14)
def head_name(description: str) -> str:
    """The full name with which a description begins ("Jane Lane, the eldest ..."), or nothing."""
    match = _HEAD_NAME.match(description)
    if match is None or fold(match.group().split()[0]) in FUNCTION | PERSON_NOUNS:
        return ""
    return match.group()


@lru_cache(maxsize=1 << 14)
def head_gender(description: str) -> Gender:
    """The gender of the noun that a description predicates: "A man who ...", "is a countess"."""
    if speakers(description):
        return ""
    words = re.findall(r"[\w-]+|[.,;:]", fold(description))[:_HEAD_WORDS]
    article = False
    for word in words:
        if article and word in FEMALE_NOUNS:
            return "f"
        if article and word in MALE_NOUNS:
            return "m"
        if word in ("of", "in", "to", "who", "whose", "with", "for", "by", "from", ".", ";"):
            return ""
        article = article or word in ("a", "an", "the")
    return ""


@lru_cache(maxsize=1 << 14)
def head_kinship(description: str) -> tuple[str, str] | None:
    """The kinship that a description states first: ``("father", "tom lane")``."""
    match = _HEAD_KIN.match(description)
    if match is None:
        return None
    noun, owner = match.group(1) or match.group(4), match.group(2) or match.group(3)
    kin = next((KIN[word] for word in fold(noun).split() if word in KIN), None)
    return (kin[0], fold(owner).strip(". '")) if kin else None
