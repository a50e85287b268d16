"""The eight emotions that memories, questions and moods are measured in, and how they are told.

Takes: a line as a person writes it, or a question.  Gives: levels by name; whether it names a
feeling.
Paper: Emotional RAG (004), section II-B.2: Plutchik's eight, each from 1 to 10, in this order.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from offbook.text.word_lists import word_lists
from offbook.text.words import fold

EMOTIONS: Final = (
    "joy",
    "acceptance",
    "fear",
    "surprise",
    "sadness",
    "disgust",
    "anger",
    "anticipation",
)
LEAST: Final = 1.0
"""The level of an emotion that is not felt at all."""
MOST: Final = 10.0
_WIDE: Final = "\u2fff"
_LEVEL: Final = re.compile(r"\d{1,3}(\.\d{1,9})?")


def read_levels(line: str) -> dict[str, float]:
    """The eight levels of a line such as ``joy=4, fear=2``; what is not named is not felt.

    Raises:
        ValueError: a part is no emotion with a level; the text says which, and what is allowed.
    """
    levels = dict.fromkeys(EMOTIONS, LEAST)
    for part in line.split(","):
        name, _, level = (word.strip() for word in part.partition("="))
        read = float(level) if _LEVEL.fullmatch(level) else 0.0
        if name not in levels or not LEAST <= read <= MOST:
            raise ValueError(
                f"{part.strip()!r} is no emotion with a level; write some of "
                f"{', '.join(EMOTIONS)}, each from 1 to 10, as in joy=4,fear=2"
            )
        levels[name] = read
    return levels


def names_feeling(text: str) -> bool:
    """Whether a word of it names a feeling, or that one is felt: "How angry were you?"."""
    return _feelings().search(fold(text)) is not None


@cache
def _feelings() -> re.Pattern[str]:
    beginnings = map(fold, word_lists("offbook.text")["feelings"])
    # Scripts without blanks have no beginnings of words to look for.
    return re.compile("|".join(one if one > _WIDE else rf"\b{one}" for one in sorted(beginnings)))
