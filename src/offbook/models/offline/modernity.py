"""How much a word that stands on no list sounds like something that came after a given year.

Takes: a word, a year.  Gives: whether it sounds later, and how much. Two rules: parts of words with
the age of what they name (tele-, -phone, cyber-), and a linear separator of word meanings, fitted
when it is needed to our own list of dated topics (``dated``) and to words that belong to any age.
Paper: ridge regression on class labels (Hastie, Tibshirani, Friedman 2009, 4.2).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from offbook.language.concepts import words_of_any_age
from offbook.language.english_words import is_english
from offbook.language.words import fold, search_words, word_term
from offbook.models.offline import dated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LATER: Final = 0.4
_LATER_OF_COMMON: Final = 0.55
"""From which score a word is later. A common word has many meanings, so it must score higher."""
_COMMON: Final = 3000
"""Rank in the table of meanings up to which a word is common."""
_SURE: Final = 1.0
_THINGS: Final = ("object", "event", "organization")
_RIDGE: Final = 10.0
_PARTS: Final = (
    (re.compile(r"^(?:tele)(?!ology|olog)\w{3,}"), 1790),
    (re.compile(r"^(?:electr)\w{3,}"), 1750),
    (re.compile(r"^(?:photo|phono)\w{4,}"), 1830),
    (re.compile(r"^(?:thermo|hydro)\w{4,}"), 1780),
    (re.compile(r"^(?:aero|radio)\w{4,}"), 1900),
    (re.compile(r"^(?:psychoa|psychoth|neuro)\w{4,}"), 1880),
    (re.compile(r"^(?:micro|mega|multi)(?!scop)(?:\w{4,})"), 1850),
    (re.compile(r"^(?:cyber|nano|giga|tera)\w{3,}"), 1948),
    (re.compile(r"^(?:bio)(?!graph)\w{4,}"), 1890),
    (re.compile(r"^(?:video|audio|inter?net|turbo|cryo|techno)\w*"), 1930),
    (re.compile(r"^(?:e|i|wi|hi|sci|lo)-(?:fi|mail|book|\w{4,})$"), 1950),
    (re.compile(r"\w{2,}(?:phone|phones)$"), 1827),
    (re.compile(r"\w{3,}(?:graphy|grapher)$(?<!geography)(?<!geographer)(?<!biography)"), 1600),
    (re.compile(r"\w{2,}(?:ware)$(?<!aware)(?<!beware)(?<!silverware)(?<!earthenware)"), 1958),
    (re.compile(r"\w{2,}(?:tron|trons|bots|bot|copter|copters)$"), 1920),
    (re.compile(r"\w{3,}(?:\.com|\.org|\.net)$"), 1990),
    (re.compile(r"\w{3,}(?:scope|scopes)$(?<!horoscope)(?<!horoscopes)"), 1600),
    (re.compile(r"\w{2,}(?:burger|burgers)$"), 1885),
)
"""Parts of words, and since when words are made with them."""


def is_later(word: str, year: int) -> bool:
    """Whether a folded word sounds like something that nobody had before ``year`` was over."""
    rank = _rank(word)
    return sounds_later(word, year) > (_LATER_OF_COMMON if rank < _COMMON else _LATER)


def sounds_later(words: str, year: int) -> float:
    """How much ``words`` sound like what came after ``year``; 0 or less: not at all.

    Args:
        words: A noun, or two that stand together, in any case.
        year: The last that counts as before.
    """
    folded = fold(words)
    if any(since > year and part.search(folded) for part, since in _PARTS):
        return _SURE
    vector = _meaning(folded)
    if vector is None:
        return 0.0
    direction, offset = _separator(year, dated.shipped_topics())
    return round(float(vector @ direction) + offset, 6)


def _meaning(text: str) -> NDArray[np.float64] | None:
    """The meaning of a few words; None where the table holds none of them."""
    import numpy as np

    from offbook.models.static_vectors import ABSENT, shipped_vectors

    pairs = search_words(text)
    if not pairs:
        return None
    table = shipped_vectors()
    words, stems = zip(*pairs, strict=True)
    rows = table.rows(_hashes(words), _hashes(stems))
    if (rows == ABSENT).all():
        parted = _parted(words[0]) if len(words) == 1 else ""
        return _meaning(parted) if parted else None
    weights = np.log(table.ranks(rows) + 2.0)
    summed = (table.unit(rows) * weights[:, None]).sum(axis=0).astype(np.float64)
    unit: NDArray[np.float64] = summed / np.linalg.norm(summed)
    return unit


def _rank(word: str) -> int:
    """How many words are more frequent than this one."""
    from offbook.models.static_vectors import shipped_vectors

    table = shipped_vectors()
    return int(table.ranks(table.rows(_hashes([word]), _hashes([word_term(word)])))[0])


def _parted(word: str) -> str:
    """A compound as two English words ("hairdryer"), the halves as equal as may be; else empty."""
    cuts = sorted(range(3, len(word) - 2), key=lambda cut: abs(2 * cut - len(word)))
    found = (cut for cut in cuts if is_english(word[:cut]) and is_english(word[cut:]))
    cut = next(found, 0)
    return f"{word[:cut]} {word[cut:]}" if cut else ""


def _hashes(words: Sequence[str]) -> NDArray[np.uint32]:
    import numpy as np

    from offbook.models.builtin import word_hash

    return np.fromiter(map(word_hash, words), np.uint32, len(words))


@lru_cache(maxsize=16)
def _separator(year: int, topics: dated.Topics) -> tuple[NDArray[np.float64], float]:
    """The direction in which meanings are later than ``year``, and where the border lies."""
    import numpy as np

    known = [(topic.name, topic.year) for topic in topics.topics if topic.type in _THINGS]
    known += [(word, dated.ANY_AGE) for word in sorted(words_of_any_age())]
    meanings = [(vector, since) for text, since in known if (vector := _meaning(text)) is not None]
    rows = np.array([[*vector, 1.0] for vector, _ in meanings])
    later = np.array([since > year for _, since in meanings])
    if later.all() or not later.any():
        return np.zeros(rows.shape[1] - 1), 0.0
    share = later.mean()
    weights = np.where(later, 0.5 / share, 0.5 / (1 - share))
    labels = np.where(later, 1.0, -1.0)
    normal = rows.T @ (rows * weights[:, None]) + _RIDGE * np.eye(rows.shape[1])
    solved = np.linalg.solve(normal, rows.T @ (weights * labels))
    return solved[:-1], float(solved[-1])
