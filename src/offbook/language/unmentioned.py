"""Which words of a question a character's texts never use.

Takes: a question, and whether the texts hold a search term.  Gives: the words that they lack, as
the question writes them: evidence of what the character cannot know of. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from offbook.language.english_words import is_english
from offbook.language.nicknames import is_given
from offbook.language.words import fold, word_term

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SHORTEST_PLACE: Final = 4
_ALPHABETIC: Final = "\u2e80"
"""From here on the scripts whose words do not stand between blanks."""


def unmentioned_words(question: str, holds: Callable[[str], bool]) -> tuple[str, ...]:
    """The words of ``question`` that the texts never use in any form.

    Args:
        question: What is asked, in any script; words of scripts without blanks are passed over.
        holds: Whether any of the texts has a search term (see ``offbook.language.words``).

    Returns:
        Each word once, as it is written first, in the order of the question; no stop words.
    """
    lacking: dict[str, str] = {}
    for match in _WORD.finditer(question):
        word = match.group()
        if max(word) >= _ALPHABETIC:
            continue
        term = word_term(fold(word))
        if term and not holds(term) and not any(map(holds, _of_its_people(word))):
            lacking.setdefault(term, word)
    return tuple(lacking.values())


def _of_its_people(word: str) -> Iterator[str]:
    """Terms of the adjectives that a place of this name would have: the Crimea, Crimean."""
    low = fold(word).removesuffix("'s")
    if len(low) < _SHORTEST_PLACE or is_english(low) or is_given(low):
        return  # Julian is not of Julia's people
    if low.endswith("a"):
        yield word_term(f"{low}n")
    elif low.endswith("y"):
        yield from (word_term(f"{low[:-1]}ian"), word_term(low[:-1]))
    else:
        yield from (word_term(f"{low}ian"), word_term(f"{low}ese"))
