"""A name read as a person's: titles, given names, surname, kinship, generation, description.

Takes: a name as a text writes it ("my dear Miss Eliza", "old Mrs. Van Dorn", "Tom's father").
Gives: its parts, folded. Source: ours; closed lists of English, French, German and other titles.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from offbook.names.han import read_han
from offbook.names.nicknames import (
    gender_by_ending,
    gender_of_given,
    is_given,
    latin,
    patronymic_at,
    patronymic_gender,
    patronymic_stem,
)
from offbook.names.titles import (
    ADDRESS_NOUNS,
    ADDRESS_TITLES,
    AGES,
    ARTICLES,
    DROPPED,
    FEMALE_TITLES,
    FONDNESS,
    FOREIGN_ARTICLES,
    GIVEN_TITLES,
    KIN,
    LOOKS,
    MALE_TITLES,
    ORDINALS,
    PARTICLES,
    POSSESSIVES,
    ROMAN_AGES,
    SUFFIXES,
    TITLES,
    kin_at,
    title_at,
)
from offbook.text.grammar import FEMALE_NOUNS, MALE_NOUNS, PERSON_NOUNS, Gender, word_set
from offbook.text.words import fold

_BESIDE_NAMES: Final = frozenset(AGES) | FONDNESS | ARTICLES
_MATRONS: Final = word_set("aunt mother grandmother")
_ELIDED: Final = re.compile(r"^[dDl]['’](?=[A-ZÀ-Þ])")
_NUMERAL: Final = re.compile(r"^(?:[IVX]{2,}|[IVX])$")
_EDGES: Final = "\"“”‘’'`_*.,;:!?()[]…—–-"
_POSSESSIVE_END: Final = re.compile(r"(?:['’]s|(?<=s)['’])$")
_PET_END: Final = re.compile(r"(?<=\w\w)-(?:girl|boy|dear|love|child|baby)$")
_OWNED: Final = re.compile(r"^(.*\S)(?:['’]s|(?<=s)['’])\s+(?:[\w-]+\s+){0,2}?([\w-]+)$")


_PERSONS: Final = frozenset(("", "character", "person", "per", "people", "figure", "human"))
"""Types of entities that mean people; an unknown type does, too."""


def is_person(kind: str) -> bool:
    """Whether a type means people; an unknown one does."""
    return fold(kind) in _PERSONS


@dataclass(frozen=True, eq=False)
class PersonName:
    """The parts of a name; folded, empty where it has none.

    ``words`` are the name itself, particles joined to the surname; ``titles`` in one form each;
    ``kin`` is a kinship term and ``owner`` whose ("my", "your" or a folded name); ``role`` is the
    description of who has no name in it ("the old sexton"), ``age`` tells old and young apart,
    ``numeral`` rulers of one name ("ii"), ``epithet`` is what one name of them is told from others
    by ("great", of "Alexander the Great"). Particles are no part of a surname: "Gérard de Low" and
    "Low" have the same. Who is called by an office ("Count of Low") has its place for a name.
    ``patronymic`` is what a Russian one is made of: it is no surname.
    """

    key: str
    titles: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    gender: Gender = ""
    kin: str = ""
    owner: str = ""
    role: str = ""
    age: str = ""
    place: str = ""
    numeral: str = ""
    epithet: str = ""
    patronymic: str = ""

    def __hash__(self) -> int:
        # Names are keys of caches that are asked millions of times; a string knows its hash.
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        # Equal texts give one object, which is found without a comparison of all parts.
        return self is other or (
            isinstance(other, PersonName) and self.key == other.key and self._parts == other._parts
        )

    @cached_property
    def _parts(self) -> tuple[object, ...]:
        return (self.titles, self.words, self.gender, self.kin, self.owner, self.role, self.age)

    @cached_property
    def is_full(self) -> bool:
        """Whether it has a given name and a surname."""
        return len(self.words) > 1

    @cached_property
    def surname(self) -> str:
        """The last word of a full name, or the one word after a title that surnames follow."""
        if self.is_full:
            return self.words[-1]
        return self.words[0] if self.words and self.takes_surname else ""

    @cached_property
    def takes_surname(self) -> bool:
        """Whether its one word stands behind a title of surnames ("Mr. Lane")."""
        return bool(self.titles - GIVEN_TITLES) and not self.titles & GIVEN_TITLES

    @cached_property
    def given(self) -> tuple[str, ...]:
        """Given names of a full name."""
        return self.words[:-1] if self.is_full else ()

    @cached_property
    def is_bare(self) -> bool:
        """Whether it is one word without a title."""
        return len(self.words) == 1 and not self.titles and not self.kin

    @cached_property
    def is_married_woman(self) -> bool:
        """Whether it is how a wife is called: "Mrs. Lane", "Lady Lane", "aunt Lane"."""
        if "mrs" in self.titles:
            return True
        by_surname = len(self.words) == 1 and not is_given(self.words[0])
        return by_surname and ("lady" in self.titles or self.kin in _MATRONS)

    @cached_property
    def is_maiden(self) -> bool:
        """Whether its title is that of an unmarried woman."""
        return "miss" in self.titles


@lru_cache(maxsize=1 << 16)
def parse_name(text: str) -> PersonName:
    """The parts of ``text``."""
    owned = _owned(text) or _of_han(text)
    if owned is not None:
        return owned
    plain = unicodedata.normalize("NFKC", _core(text))
    words = [bare for raw in plain.split() if (bare := _bare(raw)) and fold(bare).strip()]
    key = " ".join(fold(word) for word in words)
    index, lead = _lead(words)
    numeral = _numeral(plain.split())
    rest = [w for w in words[index:] if not numeral or numeral not in (w.casefold(), _ordinal(w))]
    lead.age = lead.age or _age_behind(rest)
    names = [word for word in rest if word[0].isupper() and not _is_common(word)]
    if len(rest) > 1 and rest[-1][0].isupper() and fold(rest[-1]) in PERSON_NOUNS - set(KIN):
        names = []  # "the Iron Duke", "the Invisible Man": described, not named
    name_words = set(names)
    lowered = [fold(word) for word in rest if word not in name_words]
    titles = frozenset(lead.titles)
    if not names and len(rest) == 1 and rest[0][0].islower() and is_given(fold(rest[0])):
        names = [rest[0]]
    folded = frozenset(latin(fold(word).strip()) for word in names)
    if not folded and not titles and not lead.kin:
        role = " ".join(lowered) or key
        return PersonName(
            key, gender=_noun_gender(lowered), role=role, age=lead.age, owner=lead.owner
        )
    joined = _join_particles(rest, folded)
    if titles and len(joined) > 1 and _is_office(words, index):
        joined = (" ".join(joined),)
    patronymic = ""
    if behind := patronymic_at(joined):
        patronymic = joined[behind]
        joined = joined[:behind] + joined[behind + 1 :]
    gender = _gender(titles, lead, lowered, joined)
    if patronymic and not gender:
        gender = patronymic_gender(patronymic)
    return PersonName(
        key,
        titles,
        joined,
        gender,
        lead.kin,
        lead.owner,
        "" if joined else " ".join(sorted(titles)),
        lead.age,
        _place(text),
        numeral,
        "" if numeral or lead.age else _epithet(rest),
        patronymic_stem(patronymic),
    )


def _of_han(text: str) -> PersonName | None:
    """A name in Chinese characters; None where it is written otherwise."""
    if text.isascii() or (read := read_han(text.strip(_EDGES))) is None:
        return None
    titles = frozenset((read.title,)) if read.title else frozenset[str]()
    return PersonName(
        fold(text), titles, read.words, read.gender, read.kin, age=read.age, epithet=read.rank
    )


def _numeral(words: list[str]) -> str:
    """The number of a ruler, folded: "Leopold II", "Ptolemy XIII Theos"; an initial has a stop."""
    for before, word in pairwise(words):
        if _NUMERAL.match(word.strip(",;:!?)")) and _is_name(before):
            return word.strip(",;:!?)").casefold()
    if len(words) > 2 and fold(words[-2]) == "the" and _is_name(words[-3]):
        return _ordinal(_bare(words[-1]))
    return ""


def _ordinal(word: str) -> str:
    """The number of "Henry the Eighth"; empty where a word is none, or is no part of a name."""
    return ORDINALS.get(fold(word), "") if word[:1].isupper() else ""


def _epithet(words: list[str]) -> str:
    """What stands behind one name and "the", with a capital: "Ivan the Terrible"."""
    if len(words) < 3 or fold(words[1]) != "the" or not _is_name(words[0]):
        return ""
    behind = words[2:]
    return " ".join(map(fold, behind)) if all(word[0].isupper() for word in behind) else ""


def _age_behind(words: list[str]) -> str:
    """Old or young, where it stands behind one name: "Cato the Younger", "Antonia Minor"."""
    if len(words) == 3 and fold(words[1]) == "the":
        return AGES.get(fold(words[2]), "")
    if len(words) > 1 and fold(words[-1]) in SUFFIXES:
        return AGES.get(fold(words[-1]), "")
    return ROMAN_AGES.get(fold(words[1]), "") if len(words) == 2 else ""


def _is_office(words: list[str], index: int) -> bool:
    """Whether the name is that of a place: "of" stands between it and the title."""
    return "of" in (fold(word) for word in words[: index + 1])


@dataclass(slots=True)
class _Seen:
    """What stands before the name."""

    titles: list[str]
    kin: str = ""
    kin_gender: Gender = ""
    owner: str = ""
    age: str = ""


def _core(text: str) -> str:
    """The part with the name: behind a comma where no name is before it, without "of ..."."""
    text = text.replace("--", " ")
    head, comma, tail = text.partition(",")
    if comma and tail.strip() and not any(_is_name(word) for word in head.split()):
        text = tail
    elif comma and any(_is_name(word) for word in head.split()):
        text = head
    head, of, tail = text.partition(" of ")
    if of and any(_is_name(word) for word in head.split()):
        return head
    return text


def _place(text: str) -> str:
    head, of, tail = text.partition(" of ")
    return fold(tail.strip(_EDGES)) if of and head else ""


def _is_name(word: str) -> bool:
    bare = _bare(word)
    return bool(bare) and bare[0].isupper() and not _is_common(bare) and fold(bare) not in TITLES


def _is_common(word: str) -> bool:
    low = fold(word)
    return (
        low in POSSESSIVES
        or low in ARTICLES
        or low in FONDNESS
        or low in KIN
        or low in PERSON_NOUNS
        or low in SUFFIXES
    )


def _bare(raw: str) -> str:
    word = raw.strip('"“”‘`_*.,;:!?()[]…—–-')
    if word.lower() in ("mis'", "mis’", "po'", "po’", "yo'", "yo’", "ol'", "ol’", "mist'"):
        return word.replace("’", "'") if word.lower().startswith("mis") else word[:-1]
    word = _POSSESSIVE_END.sub("", _ELIDED.sub("", word)).strip("\"“”‘’'`_*.,;:!?()[]…—–-")
    return _PET_END.sub("", word)


def _lead(words: list[str]) -> tuple[int, _Seen]:
    """How many words precede the name, and what they say."""
    lead = _Seen([])
    last_name = max((index for index, word in enumerate(words) if _is_name(word)), default=-1)
    for index, word in enumerate(words):
        low = fold(word)
        last = index == len(words) - 1
        if low in POSSESSIVES:
            lead.owner = low
        elif kin := kin_at(words, index, lead.owner):
            lead.kin, lead.kin_gender = kin
        elif title := title_at(words, index):
            lead.titles.append(title)
        elif low in _BESIDE_NAMES or (not last and _is_beside_name(words, index)):
            lead.age = AGES.get(low, lead.age)
        elif low in PARTICLES or word[0].isupper() or last_name <= index:
            return index, lead
    return len(words), lead


def _is_beside_name(words: list[str], index: int) -> bool:
    """Whether a word that may be a surname's is none: "la Signora", "Long" of "Long Tom"."""
    low, follows = fold(words[index]), fold(words[index + 1])
    is_article = words[index][0].islower() or (not index and follows in TITLES)
    return is_given(follows) if low in LOOKS else is_article and low in FOREIGN_ARTICLES


def _join_particles(rest: list[str], names: frozenset[str]) -> tuple[str, ...]:
    """The name's words; "van der Velde" is one of them."""
    out: list[str] = []
    pending: list[str] = []
    for raw in rest:
        word = latin(fold(raw).strip())
        if word in PARTICLES and (out or raw[0].islower() or len(rest) > 1):
            pending.append(word)
        elif word in names and word not in SUFFIXES:
            if word in TITLES and not out:
                continue
            particles = [particle for particle in pending if particle not in DROPPED]
            out.append(" ".join([*particles, word]))
            pending = []
    return tuple(out)


def _gender(
    titles: frozenset[str], lead: _Seen, lowered: list[str], words: tuple[str, ...]
) -> Gender:
    if titles & FEMALE_TITLES:
        return "f"
    if titles & MALE_TITLES:
        return "m"
    if lead.kin_gender:
        return lead.kin_gender
    if noun := _noun_gender(lowered):
        return noun
    if len(words) > 1:
        return gender_of_given(words[0]) or (
            gender_by_ending(words[0]) if not is_given(words[0]) else ""
        )
    return gender_of_given(words[0]) if words and not titles else ""


def _noun_gender(words: list[str]) -> Gender:
    for word in reversed(words):
        if word in FEMALE_NOUNS or word in ("gal", "missy"):
            return "f"
        if word in MALE_NOUNS or word in ("chap", "bounder", "gent"):
            return "m"
    return ""


def _owned(text: str) -> PersonName | None:
    """A kinship term with its owner: "Tom's father", "Mr. Lane's wife"."""
    match = _OWNED.match(text.strip().strip('"“”_*.,;:!?'))
    if match is None:
        return None
    owner, noun = match.group(1), fold(match.group(2))
    key = " ".join(fold(word) for word in text.split())
    if noun not in KIN:
        if noun[:1].isupper() or match.group(2)[0].isupper():
            return None
        return PersonName(key, gender=_noun_gender([noun]), role=key)
    kin, gender = KIN[noun]
    return PersonName(key, kin=kin, gender=gender, owner=parse_name(owner).key)


def is_demonstrative(name: PersonName) -> bool:
    """Whether it means whoever the speaker looks at or speaks to ("my dear", "that man", "sir")."""
    if name.words or name.kin:
        return False
    if name.titles:
        return name.titles <= ADDRESS_TITLES or bool(name.owner)
    shown = name.role.split()
    return bool(name.owner) or all(w in ADDRESS_NOUNS or w in FONDNESS for w in shown)
