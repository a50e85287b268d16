"""Questions in other languages than English, of which no list of words is at hand.

Takes: the tokens of a question.  Gives: whether it is in another language, and which capitals are
no names there. Source: ours; the words that questions begin with in the commoner languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from offbook.language.clauses import Token
from offbook.language.grammar import word_set
from offbook.language.words import fold

_QUESTION_WORDS: Final = word_set(
    "wer wie wo wann warum wieso woher wohin welche welcher welches welchen wessen wem"
    " kennst magst weisst kannst bist heisst"
    " qui quoi quand pourquoi quel quelle quels quelles est-ce qu'est-ce connais-tu connais"
    " quien quienes que donde cuando cual cuales conoces sabes"
    " chi dove perche quale quali conosci quem onde quando"
    " кто что где когда как почему какой какая какие какое откуда куда зачем чей чья знаешь ты"
) | {fold("où"), fold("qué"), fold("cómo"), fold("weißt"), fold("heißt")}
"""None of them is an English word, or a name."""
_BEFORE_NOUNS: Final = word_set(
    "der die das den dem des ein eine einen einem einer eines"
    " mein meine meinen meinem meiner dein deine deinen deinem deiner deines"
    " sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer euer eure unser unsere"
    " kein keine keinen im am zum zur vom beim"
)
"""German writes all nouns with a capital; behind these stands no name of anybody."""


def is_in_another_language(tokens: Sequence[Token]) -> bool:
    """Whether a question in Latin letters is in another language than English."""
    words = [fold(token.text) for token in tokens if token.is_word]
    return bool(words) and words[0].isascii() and words[0] in _QUESTION_WORDS


def is_no_name(tokens: Sequence[Token], at: int) -> bool:
    """Whether a capital is that of a question word, of a German noun, or of where it stands."""
    word = fold(tokens[at].text)
    if not word.isascii():
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        first = not any(token.is_word for token in tokens[:at])
        return word in _QUESTION_WORDS or (
            first and after is not None and after.is_word and not after.is_capital
        )
    if not is_in_another_language(tokens):
        return False
    return word in _QUESTION_WORDS or (at > 0 and fold(tokens[at - 1].text) in _BEFORE_NOUNS)
