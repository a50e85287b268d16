"""Names that begin with an article and are somebody's: "he was the Grey Fox".

Takes: a passage and where the article stands.  Gives: whether what it begins is a person's name. By
its form it may as well be an inn's; who is, is called or owns something is none. Source: ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from offbook.language.grammar import word_set
from offbook.models.offline.name_words import is_given_name

if TYPE_CHECKING:
    from offbook.models.offline.passage_words import Passage

_BEING: Final = word_set("is was am became becomes")
_SUBJECTS: Final = word_set("he she i who")
_CALLING: Final = word_set("call calls called nickname nicknamed dub dubbed christened")
_CALLED: Final = word_set("him her me you himself herself")
_OWNED: Final = word_set(
    "letter letters eyes smile lips wife widow son daughter mother father brother sister"
)


def is_given_to_a_person(passage: Passage, article: int) -> bool:
    """Whether somebody is, or is called, what the article begins, or has something personal."""
    third, second, first = (passage.word(article - step) for step in (3, 2, 1))
    if first in _BEING:
        return second in _SUBJECTS or is_given_name(second) or is_given_name(third)
    if first in _CALLED:
        return second in _CALLING
    return first == "of" and second in _OWNED
