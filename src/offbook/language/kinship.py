"""Kinship terms and who says them: "my father" said by a Lane is most likely Mr. Lane.

Takes: parsed names and their speakers.  Gives: a likeness, as for names by their form.
Source: ours; how families were addressed in English.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from offbook.language.grammar import word_set
from offbook.language.name_likeness import Likeness, likeness
from offbook.language.person_names import PersonName, is_demonstrative, parse_name
from offbook.language.person_titles import FEMALE_TITLES, MALE_TITLES

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
    """How well ``a`` and ``b`` fit one person, where one of them is a term of kinship or address.

    Args:
        a: A name, parsed.
        said_a: Who says it.
        b: Another.
        said_b: Who says that one.
    """
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
        key=lambda found: found.strength,
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


def needs_speaker(name: PersonName) -> bool:
    """Whether who is meant depends on who says it."""
    return _is_term(name) or is_demonstrative(name)
