"""A book of our own, and a reader of casts that knows its people; it counts how often it reads."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from offbook import registry
from offbook.names.cast import Cast, CastMember, CastMention, Quotation

BOOK = """# Chapter 1

Ada Byrne came to the rock with Tom Reeve. “Mind the third step of the stair, if you please,” she \
said.

Ada lit the lamp, and Tom Reeve slept.

# Chapter 2

Ada wrote a long letter to Tom Pell of Hull.

# Chapter 3

The Keeper of the light was Miss Byrne, and she was old.
"""

PEOPLE = {
    "Ada Byrne": ("Ada", "Ada Byrne", "Miss Byrne"),
    "Tom Reeve": ("Tom Reeve", "Tom"),
    "Tom Pell": ("Tom Pell", "Tom"),
    "The Keeper": ("The Keeper",),
    "艾达": ("艾达",),
}
READS: list[int] = []


def read_cast(
    texts: Sequence[str],
    same: Sequence[tuple[str, str]] = (),
    different: Sequence[tuple[str, str]] = (),
) -> Cast:
    """Those of `PEOPLE` whom the texts name; whoever is ``same`` is one, the first says all."""
    READS.append(len(texts))
    people = {name: forms for name, forms in PEOPLE.items() if any(name in t for t in texts)}
    for a, b in same:
        one = next(name for name, forms in people.items() if a in forms or b in forms)
        other = next((n for n, forms in people.items() if n != one and {a, b} & {*forms}), "")
        people[one] = tuple(dict.fromkeys((*people[one], *people.pop(other, ()), a, b)))
    members = [
        CastMember(name, forms, "f" if "Ada" in forms else "") for name, forms in people.items()
    ]
    mentions = [
        CastMention(text, found.start(), found.end(), place)
        for text, whole in enumerate(texts)
        for place, member in enumerate(members)
        for found in re.finditer("|".join(sorted(member.aliases, key=len, reverse=True)), whole)
        if member.name != "Tom Pell" or found[0] == "Tom Pell"
        if member.name != "Tom Reeve" or found[0] == "Tom Reeve"
    ]
    mentions.sort(key=lambda mention: (mention.text, mention.start))
    said = [
        Quotation(text, found.start(), found.end(), 0, "explicit")
        for text, whole in enumerate(texts)
        for found in re.finditer("“[^”]+”", whole)
    ]
    return Cast(tuple(members), tuple(mentions), tuple(said))


def use_it(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let this reader read casts; the list grows with every read."""
    monkeypatch.setitem(registry._KNOWN["cast"], "rules", f"{__name__}:read_cast")
    READS.clear()
    return READS
