"""Whether a word is one of English, or rather a name, a coinage or foreign.

Takes: folded words.  Gives: yes or no, by stems. Source: the word lists of SCOWL up to size 50,
without names and abbreviations (permissive licence, see NOTICE); benchmarks/english_words.py
makes the file.
"""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from typing import Final

from offbook.language.words import word_term

_FILE: Final = Path(__file__).parent / "data" / "english_words.txt.gz"


@cache
def _stems() -> frozenset[str]:
    return frozenset(gzip.decompress(_FILE.read_bytes()).decode("ascii").split("\n"))


def is_english(word: str) -> bool:
    """Whether ``word`` (folded) is in any form a common noun, verb or the like of English.

    A name that is such a word as well ("rose", "mark") is one; numbers and stop words are.
    """
    term = word_term(word)
    return not term or term in _stems() or not term.isalpha()
