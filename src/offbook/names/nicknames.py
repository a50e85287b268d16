"""Given names: their short and pet forms, and whether men or women bear them.

Takes: a folded given name.  Gives: the formal names that it may stand for, whether two names may
be one, and the gender that goes with it. Source: ours; common knowledge of English, no corpus.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from offbook.text.grammar import FEMALE_NAMES, MALE_NAMES, Gender
from offbook.text.word_lists import word_lists

_LISTS: Final = word_lists("offbook.names")

_Forms = Mapping[str, list[str]]
_FILE: Final = Path(__file__).parent / "data" / "given_names.txt"
_PET_ENDINGS: Final = ("ka", "enka", "ochka", "echka", "ushka", "yushka")
"""Of Russian names."""
_STEM: Final = 3
_LONG_NAME: Final = 5
_WOMENS: Final = ("onie", "anie", "enie")
"""Women's names made of men's ("Stephanie"); no pet forms."""
_ENDINGS: Final = (
    *("ise", "ette", "elle", "enne", "otte", "ina"),
    *("ella", "etta", "inda", "ilde", "ine", "ia"),
)
_OF_THEIR_OWN: Final = _LISTS["of their own"]
"""Short forms that parents give as names: two people of a family may bear both."""


def _read() -> dict[str, dict[str, list[str]]]:
    """The listed names by who bears them, each with its forms."""
    sections: dict[str, dict[str, list[str]]] = {}
    for part in re.split(r"^\[", _FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        bearers, _, entries = part.partition("]\n")
        pairs = (entry.partition(":") for entry in re.split(r"[;\n]", entries.strip()))
        sections[bearers] = {name.strip(): forms.split() for name, _, forms in pairs}
    return sections


def _formals(western: _Forms, russian: _Forms) -> dict[str, frozenset[str]]:
    """Form to formal names; more pet forms are made of the Russian ones."""
    table: dict[str, set[str]] = {}
    for name, forms in western.items():
        for form in forms:
            table.setdefault(form, set()).add(name)
    for name, forms in russian.items():
        for form in (name, *forms, *(pet for short in forms for pet in pet_forms(short))):
            table.setdefault(form, set()).add(name)
    return {form: frozenset(names) for form, names in table.items()}


def pet_forms(word: str) -> tuple[str, ...]:
    """Further pet forms made of one that ends in -a or -ya: ``mitya`` gives ``mitenka``."""
    stem = word.removesuffix("a").removesuffix("y")
    if stem == word or len(stem) < 3 or word.endswith(("ka", "ina", "ria", "lia", "nna")):
        return ()
    return tuple(stem + ending for ending in _PET_ENDINGS)


_LISTED: Final = _read()
_MALE_SHORT: Final = _formals(_LISTED["men"], _LISTED["Russian men"])
_FEMALE_SHORT: Final = _formals(_LISTED["women"], _LISTED["Russian women"])
_MALE: Final = MALE_NAMES | set(_LISTED["men"]) | set(_MALE_SHORT)
_FEMALE: Final = FEMALE_NAMES | set(_LISTED["women"]) | set(_FEMALE_SHORT)
RUSSIANS: Final = frozenset(
    name
    for bearers in ("Russian men", "Russian women")
    for listed, forms in _LISTED[bearers].items()
    for name in (listed, *forms)
)
"""Russian given names and their listed forms."""


@lru_cache(maxsize=1 << 14)
def formal_names(name: str) -> frozenset[str]:
    """The names that ``name`` may be short for, itself included."""
    formals = _MALE_SHORT.get(name, frozenset()) | _FEMALE_SHORT.get(name, frozenset())
    if not formals and name not in _MALE | _FEMALE and (first := _first_of_two(name)):
        formals = formal_names(first)
    return formals | {name}


def _first_of_two(name: str) -> str:
    """The first of two names that a hyphen joins, where it is known: "Anne" of "Anne-Ruth"."""
    first, hyphen, second = name.partition("-")
    return first if hyphen and second and is_given(first) else ""


@lru_cache(maxsize=1 << 16)
def may_be_one(a: str, b: str) -> bool:
    """Whether folded given names may be forms of one: Lizzy and Elizabeth, Bob and Bobkins."""
    if a == b:
        return True
    if "-" in a and "-" in b:
        return False  # "Anne-Ruth" and "Anne-Rose" are two; either is called "Anne"
    if not formal_names(a).isdisjoint(formal_names(b)):
        return True
    return name_stem(a) == name_stem(b)


def is_own_name(name: str) -> bool:
    """Whether a short form is as often a name of its own ("Nancy", "Ellen")."""
    return name in _OF_THEIR_OWN


@lru_cache(maxsize=1 << 14)
def name_stem(name: str) -> str:
    """The name without a pet ending: ``fannie``, ``fanny`` and ``fan`` give ``fan``."""
    for ending in ("ikins", "kins", "ie", "ey", "y"):
        stem = name.removesuffix(ending)
        if stem != name and len(stem) >= _STEM and not name.endswith(_WOMENS):
            name = stem
            break
    return name[:-1] if len(name) > _STEM and name[-1] == name[-2] else name


def gender_by_ending(name: str) -> Gender:
    """The gender of a folded given name that no list has, by an ending that women's names have."""
    return "f" if len(name) >= _LONG_NAME and name.endswith((*_WOMENS, *_ENDINGS)) else ""


def gender_of_given(name: str) -> Gender:
    """The gender of who bears a folded given name; empty where both do or it is unknown."""
    male, female = name in _MALE, name in _FEMALE
    if not (male or female) and (first := _first_of_two(name)):
        return gender_of_given(first)
    if male == female:
        return ""
    return "m" if male else "f"


def is_given(name: str) -> bool:
    """Whether a folded word is known as a given name."""
    return name in _MALE or name in _FEMALE or bool(_first_of_two(name))


_LATIN: Final = "a b v g d e zh z i i k l m n o p r s t u f kh ts ch sh shch"
_CYRILLIC: Final = str.maketrans(
    dict(
        zip(
            "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ",
            (*_LATIN.split(), *("", "y", "", "e", "yu", "ya", "yo", "i", "i", "ye", "g")),
            strict=True,
        )
    )
)
_PATRONYMIC: Final = re.compile(
    r"(?P<of>\w{2,}?)(?:(?:[oe]v|ow|ew)(?:ich|na)|(?P<short>(?:in)?i(?:ch|sh)na|[iy]?(?:ich|ych)))"
)
_SPELLINGS: Final = (("tsch", "ch"), ("tch", "ch"), ("ss", "s"), ("yo", "e"), ("ks", "x"))
_FATHERS: Final = _LISTS["fathers"]
"""What the short patronymics are made of: other words may end in "ich" and "ishna" as well."""
_FATHERS_IN_FULL: Final = _FATHERS | _LISTS["fathers in full"]
"""What the others are: surnames end in "ovich", too, so none that makes a common one is here."""
_VOWELS: Final = "aeiouyj"


def latin(word: str) -> str:
    """A folded word in Latin letters, if it is in Cyrillic ones; a sign without a sound stays."""
    if word.isascii() or word[0] < "а" or word[0] > "ґ":
        return word
    return word.translate(_CYRILLIC) or word


@lru_cache(maxsize=1 << 14)
def patronymic_stem(word: str) -> str:
    """What a folded word is a patronymic of, without its last vowels; empty if it is none."""
    plain = latin(word)
    for spelling, common in _SPELLINGS:
        plain = plain.replace(spelling, common)
    plain = plain.replace("w", "v").replace("sch", "sh")
    match = _PATRONYMIC.fullmatch(plain)
    if match is None:
        return ""
    stem = match["of"].rstrip(_VOWELS)
    if match["short"] and stem not in _FATHERS:
        return ""
    return re.sub(r"(.)\1", r"\1", stem) if len(stem) > 1 else ""


def patronymic_gender(word: str) -> Gender:
    """Whether a folded patronymic is a man's or a woman's."""
    return "f" if latin(word).endswith("na") else "m"


def patronymic_at(words: tuple[str, ...]) -> int:
    """Where the patronymic behind a given name that may have one stands; 0 where there is none."""
    for index, word in enumerate(words[1:3], 1):
        given = words[index - 1]
        stem = patronymic_stem(word)
        if not stem or len(given) == 1:
            continue
        gender = gender_of_given(given)
        if gender and gender != patronymic_gender(word):
            continue
        foreign = given not in RUSSIANS and gender == "m"
        if stem in _FATHERS_IN_FULL and not foreign:
            return index
        if index + 1 < len(words) and given in RUSSIANS:
            return index
    return 0
