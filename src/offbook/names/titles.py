"""Titles and kinship terms before names, with the gender that goes with them.

Takes: the words of a name.  Gives: closed lists of folded words, English, French, German and
others; what one of them is where it stands. Source: ours.
"""

from __future__ import annotations

import re
from typing import Final

from offbook.names.nicknames import is_given
from offbook.text.grammar import Gender, word_set
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.names")

POSSESSIVES: Final = word_set(
    "my your yo his her our their thy mine its meine mon ma unser unsere notre votre mi tu su"
)
ARTICLES: Final = word_set("a an the this that these those another some such")
FOREIGN_ARTICLES: Final = word_set("le la les l' el los las il lo der die das den dem")
"""In small letters, and with a word behind them; with a capital they belong to a surname."""
FONDNESS: Final = _LISTS["fondness"]
LOOKS: Final = _LISTS["looks"]
"""What somebody is called by before a given name ("Long Tom"); else these are surnames."""
AGES: Final = {
    **dict.fromkeys(word_set("old elder senior sr snr eldest"), "old"),
    **dict.fromkeys(word_set("young younger junior jr jnr youngest"), "young"),
}
ROMAN_AGES: Final = {"minor": "young", "maior": "old"}
SUFFIXES: Final = word_set("esq esquire jr sr jnr snr junior senior md phd qc kc mp")
PARTICLES: Final = word_set(
    "van von de der den du da di del della la le bin ibn el y zu ter ten mac st d' des dos"
)
DROPPED: Final = word_set("van von de der den du da di del della la le zu ter ten d' des dos")
"""Particles that a surname is as often said without."""
ORDINALS: Final[dict[str, str]] = dict(
    re.findall(
        r"(\w+) (\w+)",
        "first i second ii third iii fourth iv fifth v sixth vi seventh vii eighth viii ninth ix"
        " tenth x eleventh xi twelfth xii thirteenth xiii fourteenth xiv fifteenth xv sixteenth xvi"
        " seventeenth xvii eighteenth xviii nineteenth xix twentieth xx",
    )
)
ADDRESS_TITLES: Final = word_set("sir mrs mr miss lord lady ms master")
ADDRESS_NOUNS: Final = _LISTS["address nouns"]


TITLES: Final = {title: title for title in _LISTS["titles of one form"]} | {
    form: title
    for title, forms in word_lists("offbook.names", "titles.tsv").items()
    for form in (title, *forms)
}
"""Folded titles to one form of each."""
TITLES_BEFORE_NAMES: Final = {"pan": "mr", "graf": "count", "cura": "parson", "maire": "mayor"}
"""Words that are names as well ("Peter Pan", "Steffi Graf"): titles only before a name."""
MALE_TITLES: Final = _LISTS["male titles"]
FEMALE_TITLES: Final = _LISTS["female titles"]
GIVEN_TITLES: Final = word_set(
    "sir dame king queen prince princess saint don dona pope emperor empress tsar czar"
)
"""Titles that a given name follows, not a surname."""
_KIN_FORMS: Final[dict[tuple[str, Gender], str]] = {
    ("father", "m"): "papa pater padre pap pa pappy pere vater dad daddy father",
    ("mother", "f"): "maman mother mom mutter mammy madre ma mère mater mummy mamma mama mum",
    ("husband", "m"): "husband hubby",
    ("wife", "f"): "wife",
    ("brother", "m"): "hermano brother bruddah bruder brothah frere",
    ("sister", "f"): "hermana sis soeur sister schwester",
    ("son", "m"): "son",
    ("daughter", "f"): "daughter",
    ("uncle", "m"): "uncle oncle onkel",
    ("aunt", "f"): "tante aunty auntie aunt",
    ("nephew", "m"): "nephew",
    ("niece", "f"): "niece",
    ("cousin", ""): "cousin",
    ("cousin", "m"): "vetter",
    ("cousin", "f"): "cousine",
    ("grandfather", "m"): "grandfather grandpa grandpapa granddad",
    ("grandmother", "f"): "granny grannie grandmother grandmamma grandma",
    ("father-in-law", "m"): "father-in-law",
    ("mother-in-law", "f"): "mother-in-law",
    ("brother-in-law", "m"): "brother-in-law",
    ("sister-in-law", "f"): "sister-in-law",
    ("guardian", ""): "guardian",
    ("ward", ""): "ward",
}
KIN: Final = {form: kin for kin, forms in _KIN_FORMS.items() for form in forms.split()}
"""Folded kinship terms to their plain form and gender; with its accent what is a word without."""
KIN_BEFORE_NAMES: Final[dict[str, tuple[str, Gender]]] = {
    "bro": ("brother", "m"),
    **dict.fromkeys(word_set("tio zio"), ("uncle", "m")),
    **dict.fromkeys(word_set("tia zia"), ("aunt", "f")),
}
"""Words that are names as well ("Tia Lane"): kin only before a given name."""


def kin_at(words: list[str], index: int, owner: str) -> tuple[str, Gender] | None:
    """The term of kinship that a word before the name is; None where it is none."""
    word = words[index]
    last = index == len(words) - 1
    kin = KIN.get(fold(word)) or KIN.get(word.casefold())
    if kin and (word[0].islower() or index == 0 or owner or not last):
        return kin
    follows = not last and words[index + 1][0].isupper() and is_given(fold(words[index + 1]))
    is_common = word[0].islower() and bool(owner)
    return KIN_BEFORE_NAMES.get(fold(word)) if follows or is_common else None


def title_at(words: list[str], index: int) -> str:
    """The title that a word before the name is; empty where it is none."""
    word = words[index]
    if title := TITLES.get(fold(word)):
        return title
    follows = words[index + 1 : index + 2]
    is_noun = index > 0 and words[index - 1] in FOREIGN_ARTICLES  # "der Graf", "le maire"
    if is_noun or (follows and follows[0][0].isupper()):
        return TITLES_BEFORE_NAMES.get(word.casefold(), "")
    return ""
