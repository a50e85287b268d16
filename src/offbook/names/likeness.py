"""Whether two names can belong to one person, by their form, or by kinship to who says them.

Takes: two parsed names, and their speakers.  Gives: a likeness from 0 to 1 with its reason; 0 where
they cannot, or where nothing links them. Source: ours; rules of address in English and its
neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from offbook.names.han import is_family
from offbook.names.nicknames import (
    gender_of_given,
    is_given,
    is_own_name,
    may_be_one,
    name_stem,
    patronymic_gender,
    patronymic_stem,
)
from offbook.names.person import PersonName, parse_name
from offbook.names.titles import ADDRESS_NOUNS, FEMALE_TITLES, FONDNESS, MALE_TITLES
from offbook.text.grammar import word_set
from offbook.text.word_lists import word_lists

_LISTS: Final = word_lists("offbook.names")

_WOMEN: Final = frozenset(("mrs", "miss", "lady", "ms"))
_RANKS: Final = _LISTS["ranks"]
"""Who has one is not plain Mr.; of the continent's counts and barons one may say both."""
_PLAIN: Final = frozenset(("mr", "mister"))
"""Not "Monsieur" and "Herr", which stand before any rank."""
_MEN_ONLY: Final = _RANKS | word_set("count baron marquis prince dr professor reverend mr judge")
ADDRESS: Final = word_set(
    "sir madam mrs mr miss master lord lady my dear child boy girl man woman fellow"
)
_HIGH: Final = word_set("sir lord lady king queen prince princess saint pope emperor")
_SAID_OF_ANYBODY: Final = ADDRESS | ADDRESS_NOUNS | FONDNESS
_HEAD: Final = 3
"""The least letters of a short form."""
_MRS: Final = 0.4
_MRS_OF_ANY: Final = 0.35
"""Of a given name that men may have as well."""
_BARE: Final = 0.4
_KINSMAN: Final = 0.25
"""Of a Chinese family name that one is not called by in the same way."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How well two names fit one person; ``conflict`` where they cannot belong to one."""

    strength: float
    reason: str
    conflict: bool = False

    def __bool__(self) -> bool:
        return self.strength > 0


_BY_FATHER: Final = Likeness(0.65, "the patronymic of the other")
_HEAD_ALONE: Final = Likeness(0.2, "the given name of the other begins so")
"""Enough to be asked about, not to be linked: "Cal" is Calpurnia, but "Mr. Hart" no Hartley."""
_NOTHING: Final = Likeness(0.0, "no part of the names is shared")


@lru_cache(maxsize=1 << 18)
def likeness(a: PersonName, b: PersonName) -> Likeness:
    """How well ``a`` and ``b`` fit one person; symmetric."""
    a, b = _of_place(a, b), _of_place(b, a)
    clash = contradiction(a, b)
    if clash:
        return Likeness(0.0, clash, conflict=True)
    if a.words and b.words:
        return _of_words(a, b)
    if a.role and b.role:
        return _of_roles(a, b)
    return _title_alone(a, b) or _title_alone(b, a) or _NOTHING


def _of_place(name: PersonName, other: PersonName) -> PersonName:
    """The name with its words as one, where the other is an office there ("Duke of Low")."""
    place = " ".join(name.words)
    return replace(name, words=(place,)) if name.is_full and other.words == (place,) else name


def contradiction(a: PersonName, b: PersonName) -> str:
    """Why the two cannot be one person; empty where nothing in the names speaks against it."""
    if a is b:
        return ""
    surname_alone = a.words == b.words and len(a.words) == 1 and (a.is_bare or b.is_bare)
    surname_alone = surname_alone and not is_given(a.words[0])
    if a.gender and b.gender and a.gender != b.gender and not surname_alone:
        return "one is a man's name, the other a woman's"
    if {a.age, b.age} == {"old", "young"}:
        return "one is called the elder, the other the younger"
    if a.numeral != b.numeral and (clash := _numeral_clash(a, b)):
        return clash
    if (a.epithet or b.epithet) and (clash := _epithet_clash(a, b)):
        return clash
    if a.patronymic and b.patronymic and a.patronymic != b.patronymic:
        return _patronymic_clash(a, b)
    if a.is_full and b.is_full:
        return "" if _share_father(a, b) else _full_clash(a, b)
    if a.surname and b.surname and a.surname != b.surname:
        return _surname_clash(a, b)
    if a.words == b.words or (a.surname and a.surname == b.surname):
        return _title_clash(a, b)
    return ""


def _numeral_clash(a: PersonName, b: PersonName) -> str:
    """Of rulers: they are numbered where they share a name, and have no surname."""
    if a.numeral and b.numeral:
        return "they are numbered differently"
    numbered, other = (a, b) if a.numeral else (b, a)
    if other.is_full and not (set(other.words[1:]) & set(numbered.words[1:])):
        return "a ruler with a number has no surname"
    if other.surname and other.surname in numbered.words:
        return "a ruler with a number has no surname"
    return ""


def _epithet_clash(a: PersonName, b: PersonName) -> str:
    """Of those who share a name: an epithet, or a second name, is what they are told apart by."""
    if not (a.words and b.words) or a.words[0] != b.words[0]:
        return ""
    if a.epithet and b.epithet:
        return "" if a.epithet == b.epithet else "they have different epithets"
    named, other = (a, b) if a.epithet else (b, a)
    seconds = other.words[1:]
    if not seconds or " ".join(seconds) == named.epithet or all(len(s) == 1 for s in seconds):
        return ""
    return "one has an epithet, the other a second name"


def _patronymic_clash(a: PersonName, b: PersonName) -> str:
    """Of those who share a given name: the fathers differ."""
    shared = a.words and b.words and may_be_one(a.words[0], b.words[0])
    return "the patronymics differ" if shared else ""


def _share_father(a: PersonName, b: PersonName) -> bool:
    """Whether given name and patronymic agree; one may have it where a surname could stand."""
    if not (a.patronymic or b.patronymic) or not (a.words and b.words):
        return False
    first, second = (
        name.patronymic or (patronymic_stem(name.words[-1]) if name.is_full else "")
        for name in (a, b)
    )
    return first == second and may_be_one(a.words[0], b.words[0])


def _title_clash(a: PersonName, b: PersonName) -> str:
    """Of two titles before one surname."""
    if (a.is_married_woman and b.is_maiden) or (b.is_married_woman and a.is_maiden):
        return "one is a married woman, the other an unmarried one"
    if not a.titles or not b.titles or a.titles & b.titles:
        return ""
    both = a.titles | b.titles
    if both & _WOMEN and both & _MEN_ONLY:
        return "one is a man's name, the other a woman's"
    if both & _RANKS and any(_PLAIN & set(name.key.split()) for name in (a, b)):
        return "one has a rank, the other is plain Mr."
    return ""


def _full_clash(a: PersonName, b: PersonName) -> str:
    if a.surname != b.surname:
        if _begins(a, b):
            return ""
        # A woman may have married; a man keeps his surname.
        woman = "f" in (a.gender, b.gender) or not (a.gender or b.gender)
        return "" if woman and _one_given(a, b) else "given names and surnames differ"
    if a.is_married_woman != b.is_married_woman:
        return ""  # a wife is called by her husband's name or by her own
    return "" if _one_given(a, b) else "the given names differ"


def _begins(a: PersonName, b: PersonName) -> bool:
    """Whether one is the other without its last word ("Ann Mary", "Ann Mary Lane")."""
    short, long = sorted((a.words, b.words), key=len)
    return len(short) > 1 and long[: len(short)] == short


def _surname_clash(a: PersonName, b: PersonName) -> str:
    both_titled = a.titles and b.titles
    for one, other in ((a, b), (b, a)):
        if not one.is_full and other.is_full and _is_given_of(one.words[0], other):
            return ""  # "Mr. Ned" is Mr. Ned Lane
    women = a.gender == "f" or b.gender == "f"
    return "" if women or not both_titled else "the surnames differ"


def _one_given(a: PersonName, b: PersonName) -> bool:
    """Whether the given names of two full names may be one person's; initials stand for names."""
    first, second = a.given[0], b.given[0]
    if is_family(a.surname):
        return first == second  # one character is a whole name, no initial
    if len(first) == 1 or len(second) == 1:
        return first[:1] == second[:1]
    return may_be_one(first, second)


def _of_words(a: PersonName, b: PersonName) -> Likeness:
    if _share_father(a, b):
        return Likeness(0.95, "the same given name and patronymic")
    if a.words == b.words:
        return _equal_words(a, b)
    if a.is_full and b.is_full:
        if _begins(a, b):
            return Likeness(0.85, "the same name, more fully")
        if a.surname == b.surname:
            if _one_given(a, b):
                if (a.titles | b.titles) & _HIGH and a.given[0] != b.given[0]:
                    return Likeness(0.25, "a title is rarely joined to a short form")
                return Likeness(0.9, "same surname, and the given names agree")
            return Likeness(0.0, "the given names differ")
        return _NOTHING
    if a.is_full or b.is_full:
        full, part = (a, b) if a.is_full else (b, a)
        return _part_of(part, full)
    return _single_words(a, b)


def _equal_words(a: PersonName, b: PersonName) -> Likeness:
    word = a.words[0]
    if not a.is_full and is_family(word):
        return _of_family(a, b)
    if a.is_full or (a.titles == b.titles and not _is_kinswoman(a, b)):
        return Likeness(1.0, "the same name")
    bare = not a.titles or not b.titles
    titled = b if not a.titles else a
    if (a.is_bare or b.is_bare) and _is_kinswoman(a, b) and not is_given(word):
        return Likeness(_BARE, "a surname alone mostly means a man")
    if a.kin != b.kin and (a.kin or b.kin) and not is_given(word):
        return Likeness(0.7, "the same name behind a term of kinship")
    if bare and titled.gender == "f" and not is_given(word):
        return Likeness(_BARE, "a surname alone mostly means a man")
    if bare:
        return Likeness(0.8, "the same name with and without a title")
    if frozenset(("dr", "mr")) == a.titles | b.titles or a.titles & b.titles:
        return Likeness(0.8, "the same surname under two titles")
    return Likeness(0.6, "the same surname; the titles differ")


def _is_kinswoman(a: PersonName, b: PersonName) -> bool:
    """Whether one of two is called by a woman's kinship: "Aunt Lane", not "Lane"."""
    return a.kin != b.kin and "f" in (a.gender, b.gender)


def _of_family(a: PersonName, b: PersonName) -> Likeness:
    """Two who are called by a Chinese family name: a title or kinship is all that tells them."""
    if a.kin != b.kin:
        return Likeness(_KINSMAN, "the same family, called by other kinship")
    if a.titles == b.titles:
        alike = (a.age, a.epithet) == (b.age, b.epithet)
        return Likeness(1.0 if alike else _KINSMAN, "the same family name and title")
    if a.titles and b.titles:
        return Likeness(0.6, "the same surname; the titles differ")
    if "f" in (a.gender, b.gender):
        return Likeness(_BARE, "a surname alone mostly means a man")
    return Likeness(0.8, "the same name with and without a title")


def _part_of(part: PersonName, full: PersonName) -> Likeness:
    """One word, perhaps with a title, against a full name."""
    word = part.words[0]
    if is_family(word) and (word != full.surname or part.kin):
        return Likeness(_KINSMAN, "of one family") if word == full.surname else _NOTHING
    if not part.takes_surname and _is_given_of(word, full):
        if is_own_name(word) and word not in full.given:
            return Likeness(0.25, "a short form that is also a name of its own")
        if full.titles & _HIGH and word not in full.given:
            return Likeness(0.25, "a title is rarely joined to a short form")
        if word not in full.given and " ".join(full.given) != word:
            return Likeness(0.8, "a short form of the given name of the other")
        return Likeness(0.85, "the given name of the other")
    if part.takes_surname and _is_given_of(word, full) and is_given(word):
        exact = word in full.given
        return Likeness(0.7 if exact else 0.65, "a title before the given name")
    if part.takes_surname and word == full.given[0] and part.titles & full.titles:
        return Likeness(0.6, "the same title before the given name")
    if _is_patronymic_of(part, full):
        return _BY_FATHER
    if word != full.surname or (not part.surname and part.titles):
        return _HEAD_ALONE if not part.kin and _begins_given(word, full) else _NOTHING
    return _by_surname(part, full)


def _by_surname(part: PersonName, full: PersonName) -> Likeness:
    """The surname of a full name, perhaps with a title, against that name."""
    is_womans = gender_of_given(full.surname) == "f"
    if part.is_bare and is_womans and all(is_given(word) for word in full.words):
        return Likeness(0.25, "the last of several given names")
    if part.is_married_woman and not full.is_married_woman:
        is_womans = gender_of_full(full) == "f"
        return Likeness(_MRS if is_womans else _MRS_OF_ANY, "title and surname fit the full name")
    if not part.titles:
        if gender_of_full(full) == "f":
            return Likeness(_BARE, "a surname alone mostly means a man")
        return Likeness(0.65, "the surname of the other")
    if part.titles & full.titles:
        return Likeness(0.8, "the same title and surname")
    return Likeness(0.7, "title and surname fit the full name")


def gender_of_full(name: PersonName) -> str:
    """The gender of a full name, by its title or its given name."""
    return name.gender or (gender_of_given(name.words[0]) if name.words else "")


def _is_patronymic_of(part: PersonName, name: PersonName) -> bool:
    """Whether one word is the patronymic alone: peasants and old friends are called so."""
    if not part.is_bare or not name.patronymic:
        return False
    word = part.words[0]
    agree = name.gender in ("", patronymic_gender(word))
    return agree and patronymic_stem(word) == name.patronymic


def _begins_given(word: str, full: PersonName) -> bool:
    """Whether a word that is no known given name is the head of one, or all of it."""
    stem = name_stem(word)
    return len(stem) >= _HEAD and not is_given(word) and full.given[0].startswith(stem)


def _is_given_of(word: str, full: PersonName) -> bool:
    return any(
        may_be_one(word, given) for given in full.given if len(given) > 1
    ) or word == " ".join(full.given)


def _single_words(a: PersonName, b: PersonName) -> Likeness:
    one, other = a.words[0], b.words[0]
    if _is_patronymic_of(a, b) or _is_patronymic_of(b, a):
        return _BY_FATHER
    if a.takes_surname or b.takes_surname:
        pet = name_stem(one) == name_stem(other) and (a.is_bare or b.is_bare)
        return Likeness(0.7, "a pet form of the surname") if pet else _NOTHING
    if not may_be_one(one, other):
        return _NOTHING
    if (a.titles | b.titles) & _HIGH:
        return Likeness(0.25, "a title is rarely joined to a short form")
    if is_own_name(one) or is_own_name(other):
        return Likeness(0.25, "a short form that is also a name of its own")
    return Likeness(0.75, "a short form of the other name")


def _of_roles(a: PersonName, b: PersonName) -> Likeness:
    if a.role == b.role:
        strength = 0.3 if all(word in _SAID_OF_ANYBODY for word in a.role.split()) else 0.8
        return Likeness(strength, "the same description")
    short, long = sorted((a.role, b.role), key=len)
    if long.startswith(short + " of "):
        return Likeness(0.6, "the same description, more fully")
    return _NOTHING


def _title_alone(role: PersonName, name: PersonName) -> Likeness:
    """A title alone against a name that has it: "the Admiral", "Admiral Lane"."""
    if role.words or role.kin or not role.titles or not name.words:
        return _NOTHING
    if role.titles <= name.titles and not role.titles & ADDRESS:
        return Likeness(0.6, "the title of the other")
    return _NOTHING


def certainty(name: PersonName) -> int:
    """0 for a full name, then ever less sure who is meant."""
    if name.is_full:
        return 0
    if name.is_married_woman:
        return 3
    if name.words and not name.takes_surname and (name.gender or name.titles):
        return 1
    if name.words and name.takes_surname:
        return 2
    if name.words:
        return 4
    return 6 if name.kin else 5


_OWN: Final = frozenset(("", "my", "our", "mine", "dear"))
_OTHERS: Final = frozenset(("your", "yo", "thy", "his", "her", "their", "its"))
_SHARED: Final = word_set("father mother brother sister uncle aunt grandfather grandmother cousin")
"""Terms that brothers and sisters use of the same people."""
_BLOOD: Final = word_set("father mother brother sister grandfather grandmother")
"""Kin by birth, whose surname a married woman bears no more."""
_NONE: Final = Likeness(0.0, "no tie of kinship is told")
_LORDS: Final = MALE_TITLES - {"master"}
_LADIES: Final = FEMALE_TITLES - word_set("miss ms nurse abbess princess")
_TITLE_OF: Final = {"father": _LORDS, "husband": _LORDS, "mother": _LADIES, "wife": _LADIES}
"""Titles that who has such kin may have: the grown-up's."""


def may_share_kin(kin: str, owner: str, a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether the same term of kinship, said by ``a`` and by ``b``, may mean one person."""
    if owner not in _OWN or kin not in _SHARED - {"brother", "sister", "cousin"}:
        return False
    return any(_one_family(parse_name(x), parse_name(y)) for x in a for y in b)


def _one_family(a: PersonName, b: PersonName) -> bool:
    """Both have the same surname and neither is of the generation of the parents."""
    if not a.is_full or not b.is_full or a.surname != b.surname:
        return False
    return not (a.titles | b.titles) & {"mr", "mrs", "sir", "lady"}


def kin_likeness(
    a: PersonName, said_a: Sequence[str], b: PersonName, said_b: Sequence[str]
) -> Likeness:
    """How well two names, said by some, fit one person; one is a term of kinship or address."""
    if _is_term(a) and _is_term(b):
        return _two_terms(a, said_a, b, said_b)
    if _is_term(a) and b.words:
        return _named(a, said_a, b)
    if _is_term(b) and a.words:
        return _named(b, said_b, a)
    return _NONE


def _is_term(name: PersonName) -> bool:
    return bool(name.kin) and not name.words


def _two_terms(
    a: PersonName, said_a: Sequence[str], b: PersonName, said_b: Sequence[str]
) -> Likeness:
    if a.kin != b.kin:
        return _NONE
    own_a, own_b = a.owner in _OWN, b.owner in _OWN
    if own_a and own_b:
        if set(said_a) & set(said_b):
            return Likeness(0.8, "the same kinship, said by the same person")
        if may_share_kin(a.kin, a.owner, said_a, said_b):
            return Likeness(0.6, "the same kinship, said within one family")
        return _NONE
    if a.owner == b.owner and set(said_a) & set(said_b):
        return Likeness(0.55, "the same kinship, said by the same person")
    for term, speakers, other in ((a, said_a, b), (b, said_b, a)):
        if term.owner in _OWN and _is_owner(other.owner, speakers):
            return Likeness(0.8, "the kinship is that of the speaker of the other")
    return _NONE


def _is_owner(owner: str, speakers: Iterable[str]) -> bool:
    name = parse_name(owner.title())
    return any(likeness(name, parse_name(speaker)).strength >= 0.8 for speaker in speakers)


def _named(term: PersonName, said: Sequence[str], name: PersonName) -> Likeness:
    """A term against a name: "my father", said by Tom Lane, and "Mr. Lane"."""
    if term.gender and name.gender and term.gender != name.gender:
        return Likeness(0.0, "one is a man's name, the other a woman's", conflict=True)
    owners = tuple(said) if term.owner in _OWN else (term.owner.title(),)
    if term.owner in _OTHERS:
        owners = ()
    if any(likeness(parse_name(owner), name).strength >= 0.8 for owner in owners):
        return Likeness(0.0, f"nobody is their own {term.kin}", conflict=True)
    return max(
        (_of_owner(term.kin, parse_name(owner), name) for owner in owners),
        key=lambda likely: likely.strength,
        default=_NONE,
    )


def _of_owner(kin: str, owner: PersonName, name: PersonName) -> Likeness:
    surname = owner.surname
    if not surname or name.surname != surname or likeness(owner, name).strength >= 0.8:
        return _NONE
    if kin in ("husband", "wife") and not owner.is_married_woman and owner.is_maiden:
        return _NONE
    if kin in _BLOOD and owner.is_married_woman:
        return _NONE  # her surname is her husband's
    titles = _TITLE_OF.get(kin)
    if kin == "father" and name.is_full and name.titles & (_TITLE_OF["father"] - {"mr"}):
        return Likeness(0.65, "the father of one who bears the same surname")
    if titles and name.titles & titles and not name.is_full:
        return Likeness(0.6, f"the {kin} of one who bears the same surname")
    if kin in ("husband", "wife") and name.is_full and titles and name.titles & titles:
        return Likeness(0.55, f"the {kin} of one who bears the same surname")
    if kin == "sister" and name.is_maiden and not name.is_full:
        return Likeness(0.45, "the sister of one who bears the same surname")
    return _NONE
