"""Equal names, and sentences that say that two names are one person's.

Takes: names, and sentences of a text.  Gives: keys that equal names share, and patterns over texts
that are written in such keys. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from offbook.names.person import parse_name
from offbook.text.tokens import UNSPACED
from offbook.text.words import fold

_APOSTROPHES: Final = re.compile(r"['’‘ʼ`]+")
_SIGNS: Final = re.compile(r"[^\w\s]+|_+")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_BEING: Final = (
    "is|was|are|were|am|be|been|being|becomes|became|alias"
    "|ist|war|wurde|est|etait|fut|es|era|fue|это|был|была"
)
_ACCENTED_IS: Final = re.compile(r"\b[èéÈÉ](?!\w)")
"""Italian and Portuguese; a key has no accents, and without its own it is "and"."""
_BREAK: Final = re.compile(r"[,;:!?…()，、；：！？（）–—]+")
"""Between clauses: in "asked Tom Wren, was the Grey Fox there" nobody is anybody."""
_BETWEEN: Final = (
    "the|really|truly|actually|indeed|in truth|in fact|also|now|once|himself|herself|called|named"
    "|known as|no other than|none other than|nobody but|nobody else than|no one else than"
    "|der|die|das|niemand anderes als|kein anderer als|keine andere als|in wahrheit"
    "|le|la|nul autre que|el|il|lo|en realidad|in realta"
)
_SAYS: Final = rf"(?:(?:, )?(?:who|that|which) |, (?=alias ))?(?:{_BEING}) (?:(?:{_BETWEEN}) )*"
_SAYS_UNSPACED: Final = "(?:就是|便是|正是|是|乃|即|は|が)"


@lru_cache(maxsize=1 << 16)
def name_key(name: str) -> str:
    """What is alike in equal names: no case, accents, width or punctuation; scripts are kept.

    Empty for a name without letters and digits.
    """
    bare = _APOSTROPHES.sub("", fold(name))
    return " ".join(_SIGNS.sub(" ", bare).split())


def share_a_word(a: str, b: str) -> bool:
    """Whether two names are forms of one: a title that both bear is none."""
    return not set(parse_name(a).words).isdisjoint(parse_name(b).words)


def in_words(key: str) -> str:
    """What the key of a text holds that has this name: whole words, where its script has words."""
    return key if _UNSPACED.search(key) else f" {key} "


def clauses_key(sentence: str) -> str:
    """The key of a sentence, with a comma between its clauses."""
    clauses = _BREAK.split(_ACCENTED_IS.sub("est", sentence))
    return f" {' , '.join(map(name_key, clauses))} "


def saying_one(ones: Sequence[str], others: Sequence[str]) -> re.Pattern[str]:
    """What the clauses of a sentence hold that says that a name of one list is one of the other.

    Args:
        ones: Keys of forms of a name.
        others: Those of another.
    """
    one, other = ("(?:" + "|".join(map(re.escape, keys)) + ")" for keys in (ones, others))
    if any(map(_UNSPACED.search, (*ones, *others))):
        return re.compile(rf"{one} ?{_SAYS_UNSPACED} ?{other}|{other} ?{_SAYS_UNSPACED} ?{one}")
    return re.compile(rf" {one} {_SAYS}{other} | {other} {_SAYS}{one} ")
