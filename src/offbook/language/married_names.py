"""Whether a woman's two surnames are the one she was born with and the one she married into.

Takes: the names under which two people are known.  Gives: yes or no.
Source: ours; how women were named in Europe.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from offbook.language.name_likeness import gender_of_full
from offbook.language.person_names import PersonName

_WIVES: Final = frozenset(
    ("mrs", "lady", "countess", "viscountess", "baroness", "marquise", "marchioness", "duchess")
)


def is_maiden_and_wife(
    maiden: Sequence[PersonName], wife: Sequence[PersonName], others: Iterable[PersonName] = ()
) -> bool:
    """Whether "Ida Wren" ("Miss Wren") and "Ida Lane" ("Mrs. Lane") may be one woman.

    They have the same given name, which is nobody else's; one surname goes with a wife's title, the
    other with that of an unmarried woman, which nobody has with the wife's: mothers and daughters
    often have one given name.

    Args:
        maiden: The names of one person.
        wife: Those of another.
        others: The names of all others who are told of.
    """
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
