"""The terms of a text in the encoded form in which each chunk keeps them.

Takes: a text.  Gives: its terms as numbers with their counts, as a value or as bytes. Apart from
the search in them (``retrieval.lexical``), so that storing a text does not wait for NumPy.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from struct import Struct
from typing import Final
from zlib import crc32

from offbook.language.words import search_terms

ANALYZER: Final = "words-1"
"""Names what ``encode_terms`` writes; it changes when the same text would give other bytes."""

_PACKED: Final = Struct("<IH")
_MOST: Final = 0xFFFF


@lru_cache(maxsize=1 << 17)
def term_number(term: str) -> int:
    """The number that stands for a term on every machine: CRC-32 of its UTF-8 form."""
    return crc32(term.encode("utf-8", "surrogatepass"))


def encode_terms(text: str) -> bytes:
    """The terms of ``text`` as they are stored with its chunk.

    Returns:
        Records of 6 bytes, ascending by term: number (uint32) and count (uint16, at most 65,535),
        little-endian. Empty for a text without terms.
    """
    counted = sorted(count_terms(text).items())
    return b"".join(_PACKED.pack(number, min(count, _MOST)) for number, count in counted)


def count_terms(text: str) -> Counter[int]:
    """How often each term (by its number) occurs in ``text``."""
    return Counter(map(term_number, search_terms(text)))
