"""Which words of a question a character's texts never use.

Takes: a question, and whether the texts hold a search term.  Gives: the words that they lack, as
the question writes them: evidence of what the character cannot know of. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from offbook.language.words import fold, word_term

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
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
        if term and not holds(term):
            lacking.setdefault(term, word)
    return tuple(lacking.values())
