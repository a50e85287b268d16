"""A passage as words with their places, and what in it is quoted.

Takes: text.  Gives: tokens whose offsets are those of the text, the spans that stand in quotation
marks, and where clauses begin. Source: ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from offbook.text.grammar import AMBIGUOUS_PREPOSITIONS, COORDINATORS, SUBORDINATORS

_TOKEN: Final = re.compile(
    r"\{\{\w+\}\}"
    r"|[^\W\d_]+n['’]t\b"
    r"|['’](?:s|d|ll|re|ve|m)\b(?!\w)"
    r"|(?<!\w)(?:[A-Z]\.){3,}"
    r"|(?:[dDlLO]['’](?=[A-ZÀ-Þ]))?[^\W_]+(?:-[^\W_]+)*"
    r"|[^\w\s]|_"
)
_QUOTED: Final = re.compile(
    r"“[^”]*(?:”|\Z)|\"[^\"]*(?:\"|\Z)|«[^»]*(?:»|\Z)|「[^」]*(?:」|\Z)|『[^』]*(?:』|\Z)|《[^》]*(?:》|\Z)"
    r"|(?<!\w)‘[^‘’]*(?:’(?=\w)[^‘’]*)*’(?!\w)"
    r"|(?<![\w'])'(?=\w)[^'\n]{1,400}?(?:'(?=\w)[^'\n]{1,400}?){0,12}(?<=[\w.,!?])'(?!\w)"
    r"|(?<![\w*])\*(?=[^\s*])[^*\n]{1,120}(?<=[^\s*])\*(?![\w*])"
    r"|(?<!\w)_(?=[^\s_])[^_\n]{1,120}(?<=[^\s_])_(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a sign; ``low`` is its lower case with a straight apostrophe."""

    text: str
    start: int
    end: int
    low: str
    quoted: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is made of letters or digits."""
        return self.text[0].isalnum() or (len(self.text) > 2 and self.text[0] == "{")

    @property
    def is_capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[0].isupper()


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Spans in quotation marks, never closed ones to the end, or set off by ``*`` or ``_``."""
    return [match.span() for match in _QUOTED.finditer(text)]


def tokens_of(text: str) -> list[Token]:
    """Tokens in order; those inside quotation marks are marked."""
    spans = quoted_spans(text)
    tokens: list[Token] = []
    index = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        while index < len(spans) and spans[index][1] <= start:
            index += 1
        quoted = index < len(spans) and spans[index][0] <= start
        word = match.group()
        tokens.append(Token(word, start, end, word.lower().replace("’", "'"), quoted))
    return tokens


def starts_clause(tokens: list[Token], index: int) -> bool:
    """Whether a subject may stand at ``index``: nothing before it needs an object."""
    if index <= 0:
        return True
    before = tokens[index - 1]
    if before.quoted or not before.is_word:
        return before.text not in ("-", "/", "&", "'", "’")
    return before.low in SUBORDINATORS or before.low in COORDINATORS


def may_lead_clause(word: str) -> bool:
    """Whether a word leads either a noun or a clause ("after he left", "after the war")."""
    return word in AMBIGUOUS_PREPOSITIONS
