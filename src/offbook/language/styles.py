"""How one person is styled: a title with the given name, and a title that tells who is married.

Takes: parsed names.  Gives: yes or no.  Source: ours; rules of address in English.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from offbook.language.person_names import PersonName


def is_style_of_given(one: PersonName, other: PersonName, given: Container[str]) -> bool:
    """Whether just one of two names is a title with a given name: "Mr. Hugh" beside "Mr. Lane".

    Then it does not speak against the other that the words behind the titles differ; a man may have
    another title there ("Monsieur Hugh", "Count Lane").

    Args:
        one: A title with one word.
        other: Another.
        given: The given names of the person whom both may mean.
    """
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
