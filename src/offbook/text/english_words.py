"""Whether a word is one of English, or rather a name, a coinage or foreign.

Takes: folded words.  Gives: yes or no, by stems. Source: the word lists of SCOWL up to size 50,
without names and abbreviations (permissive licence, see NOTICE); benchmarks/english_words.py
makes the file.
"""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from string import ascii_lowercase
from typing import Final

from offbook.text.words import word_term

LONGEST: Final = 40
"""No word of English has so many letters; looking for one in longer words takes for ever."""
_SLIPS_FROM: Final = 6
_VOWELS: Final = "aeiou"
"""A consonant for another makes too many names of English words."""
_FILE: Final = Path(__file__).parent / "data" / "english_words.txt.gz"


@cache
def _stems() -> frozenset[str]:
    return frozenset(gzip.decompress(_FILE.read_bytes()).decode("ascii").split("\n"))


def is_english(word: str) -> bool:
    """Whether ``word`` (folded) is a form of a common noun, verb or the like, or no word."""
    term = word_term(word)
    return not term or term in _stems() or not term.isalpha()


def is_misspelt(word: str) -> bool:
    """Whether a folded word of some length is one slip of a key away from an English word."""
    if not _SLIPS_FROM <= len(word) <= LONGEST or not word.isascii():
        return False
    cuts = [(word[:index], word[index:]) for index in range(len(word) + 1)]
    slips = [f"{head}{tail[1:]}" for head, tail in cuts if tail]
    slips += [f"{head}{tail[1]}{tail[0]}{tail[2:]}" for head, tail in cuts if len(tail) > 1]
    slips += [f"{head}{letter}{tail}" for head, tail in cuts for letter in ascii_lowercase]
    slips += [f"{head}{letter}{tail[1:]}" for head, tail in cuts if tail for letter in _VOWELS]
    return any(is_english(slip) for slip in slips)
