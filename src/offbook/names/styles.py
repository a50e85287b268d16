"""How one person is styled: a title with the given name, and a title that tells who is married.

Takes: parsed names.  Gives: yes or no.  Source: ours; rules of address in English.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Final

from offbook.names.likeness import gender_of_full
from offbook.names.person import PersonName


def is_style_of_given(one: PersonName, other: PersonName, given: Container[str]) -> bool:
    """Whether just one of two names is a title with a given name: "Mr. Hugh" beside "Mr. Lane"."""
    if one.is_full or other.is_full or not (one.takes_surname and other.takes_surname):
        return False
    # Nothing else is overlooked: neither old and young, nor Miss and Mrs.
    if one.words == other.words or one.age != other.age:
        return False
    if one.titles != other.titles and not one.gender == other.gender == "m":
        return False
    return (one.words[0] in given) != (other.words[0] in given)


def is_maiden_beside_wife(name: PersonName, others: Iterable[PersonName]) -> bool:
    """Whether a name is that of a wife and another that of an unmarried woman, or the reverse."""
    if name.is_married_woman:
        return any(other.is_maiden for other in others)
    return name.is_maiden and any(other.is_married_woman for other in others)


_WIVES: Final = frozenset(
    ("mrs", "lady", "countess", "viscountess", "baroness", "marquise", "marchioness", "duchess")
)


def is_maiden_and_wife(
    maiden: Sequence[PersonName], wife: Sequence[PersonName], others: Iterable[PersonName] = ()
) -> bool:
    """Whether "Ida Wren" ("Miss Wren") and "Ida Lane" ("Mrs. Lane") may be one woman."""
    for born in maiden:
        for wed in wife:
            if not _shares_given(born, wed) or not _is_wed(wed, wife):
                continue
            if _is_wed(born, maiden) or not _is_unmarried(born, maiden):
                continue
            named, rest = (*maiden, *wife), list(others)
            if not _are_women(named) or _is_unmarried(wed, (*named, *rest)):
                return False
            return not any(_is_third(other, born, wed) for other in rest)
    return False


def _shares_given(a: PersonName, b: PersonName) -> bool:
    return a.is_full and b.is_full and a.given[0] == b.given[0] and a.surname != b.surname


def _is_wed(full: PersonName, names: Iterable[PersonName]) -> bool:
    """Whether a wife's title goes with the surname."""
    return any(name.titles & _WIVES and name.surname == full.surname for name in names)


def _is_unmarried(full: PersonName, names: Iterable[PersonName]) -> bool:
    """Whether an unmarried woman's title goes with the surname."""
    return any(name.is_maiden and name.surname == full.surname for name in names)


def _are_women(names: Sequence[PersonName]) -> bool:
    return all(gender_of_full(name) != "m" for name in names) and any(
        gender_of_full(name) == "f" for name in names
    )


def _is_third(other: PersonName, born: PersonName, wed: PersonName) -> bool:
    """Whether another person bears the given name with a surname of her own."""
    return _shares_given(other, born) and other.surname != wed.surname
