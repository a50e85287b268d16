"""Equal names up to case and accents, and what speaks against their being one and the same.

Takes: names, or two raw entities of one name.  Gives: a key that equal names share, or a reason.
Source: ours (methods.md 1, index step 3): homonyms are judged, not forced together.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from offbook.language.kinship import may_share_kin
from offbook.language.name_evidence import head_gender, head_kinship, head_name, speakers
from offbook.language.name_likeness import likeness
from offbook.language.person_names import is_demonstrative, parse_name
from offbook.language.words import fold
from offbook.types import RawEntity

_APOSTROPHES: Final = re.compile(r"['’‘ʼ`]+")
_SIGNS: Final = re.compile(r"[^\w\s]+|_+")


@lru_cache(maxsize=1 << 16)
def name_key(name: str) -> str:
    """What is alike in equal names: no case, accents, width or punctuation; scripts are kept.

    Empty for a name without letters and digits.
    """
    bare = _APOSTROPHES.sub("", fold(name))
    return " ".join(_SIGNS.sub(" ", bare).split())


def speaks_against(a: RawEntity, b: RawEntity) -> str | None:
    """Why two raw entities of equal names may not be one; None where nothing speaks against it.

    Args:
        a: One mention.
        b: Another whose ``name_key`` is the same.
    """
    if a.type and b.type and a.type.casefold() != b.type.casefold():
        return f"one is a {a.type}, the other a {b.type}"
    return _of_reference(a, b) or _of_descriptions(a.description, b.description)


def _of_reference(a: RawEntity, b: RawEntity) -> str | None:
    """Who is meant by "my father" or "sir" depends on who says it."""
    one, other = parse_name(a.name), parse_name(b.name)
    if one.words or other.words:
        return None
    said_a, said_b = speakers(a.description), speakers(b.description)
    if not said_a or not said_b or set(said_a) & set(said_b):
        return None
    if one.kin:
        shared = may_share_kin(one.kin, one.owner, said_a, said_b)
        return None if shared else f"{a.name!r} is said by different people"
    if is_demonstrative(one):
        return f"{a.name!r} is said by different people"
    return None


def _of_descriptions(a: str, b: str) -> str | None:
    one, other = head_gender(a), head_gender(b)
    if one and other and one != other:
        return "one is described as a man, the other as a woman"
    names = head_name(a), head_name(b)
    if all(names):
        first, second = parse_name(names[0]), parse_name(names[1])
        if likeness(first, second).conflict:
            return f"one is described as {names[0]}, the other as {names[1]}"
    kin, other_kin = head_kinship(a), head_kinship(b)
    if kin and other_kin and kin[1] == other_kin[1] and kin[0] != other_kin[0]:
        return f"one is the {kin[0]}, the other the {other_kin[0]} of the same person"
    return None
