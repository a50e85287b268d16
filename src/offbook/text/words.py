"""Search terms: which words of a text a search may find it by, in any script.

Takes: text.  Gives: folded words (case, accents, width) and search terms: stop words dropped,
English endings taken off, bigrams for scripts that are written without blanks.
Paper: bigrams as in Nie, Gao, Zhang, Zhou 2000 (IRAL); stems as in Porter 2001 (Snowball English).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from offbook.text.word_lists import word_lists

ENGLISH: Final = word_lists("offbook.text")["stop words"]
"""English stop words, contractions without their apostrophe.

A contraction that spells another word without its apostrophe ("hell", "shed", "wed") is not among
them; with the apostrophe it is recognised by its ending.
"""

CONTRACTION_ENDINGS: Final = frozenset(("d", "ll", "m", "re", "t", "ve"))
"""What follows the apostrophe of a contraction; ``s`` is possessive or ``is``, dropped alike."""

ELISIONS: Final = frozenset(("c", "d", "j", "l", "m", "n", "qu", "s", "t"))
"""What precedes the apostrophe of a French or Italian elision (d'Artagnan, l'Homme)."""

HAN_FUNCTION: Final = "的了吗嗎呢吧啊呀嘛我你您他她它们們这這那哪谁誰什么麼麽是就也很都"
"""Chinese characters that end a run of search characters: pronouns, particles, question words."""


_MARKS: Final = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\ufe20-\ufe2f]+"
)
"""Accents, and the vowel points of Hebrew and Arabic. The signs of Indic scripts and the voicing
marks of Kana tell words apart, so they stay."""

_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
    | dict.fromkeys("’‘ʼ＇´`", "'")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")
)
"""Letters that Unicode does not decompose, the apostrophes, and characters without a shape."""

_HAN: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
)
_KATAKANA: Final = "\u30a1-\u30ff\u31f0-\u31ff"
_HIRAGANA: Final = "\u3041-\u309f"
_HANGUL: Final = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_SPACELESS: Final = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"
"""Thai, Lao, Burmese, Khmer: written without blanks between words."""

_SIGNS: Final = "\u0900-\u0963\u0970-\u0dff\u0f71-\u0f84"
"""Indic and Tibetan blocks, whose vowel signs are no letters to the regular expression."""

_PUNCTUATION: Final = re.compile(
    "[\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u2000-\u206f"
    "\u20a0-\u20cf\u2190-\u245f\u2500-\u2775\u2794-\u2bff]+"
)
"""Signs of European print, which stand between words: a text with no others reads like ASCII."""

_HAN_FUNCTION: Final = re.compile(f"[{HAN_FUNCTION}]")
_ASCII_WORD: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)*")
_RUN: Final = re.compile(
    f"(?P<han>[{_HAN}]+)|(?P<katakana>[{_KATAKANA}]+)|(?P<hiragana>[{_HIRAGANA}]+)"
    f"|(?P<hangul>[{_HANGUL}]+)|(?P<spaceless>[{_SPACELESS}]+)"
    f"|(?P<word>(?:(?![{_HAN}{_KATAKANA}{_HIRAGANA}{_HANGUL}{_SPACELESS}])[^\\W_]|[{_SIGNS}])+"
    f"(?:'(?:(?![{_HAN}{_KATAKANA}{_HIRAGANA}{_HANGUL}{_SPACELESS}])[^\\W\\d_])+)*)"
)


def fold(text: str) -> str:
    """Lower case without accents: what is alike to a reader who types a search is equal.

    Compatibility forms are unified (full width, ligatures), curly apostrophes made straight,
    Hangul and voiced Kana kept whole.
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    # The iota below a Greek letter becomes a letter of its own, behind what else the letter bears.
    apart = unicodedata.normalize("NFD", text)
    decomposed = unicodedata.normalize("NFKD", apart.casefold()).casefold()
    return unicodedata.normalize("NFC", _MARKS.sub("", decomposed).translate(_LETTERS))


def words(text: str) -> list[str]:
    """Folded words in order, stop words included; a run of a script without blanks is one word."""
    folded = fold(text)
    plain = _plain_words(folded)
    return [match.group() for match in _RUN.finditer(folded)] if plain is None else plain


def _plain_words(folded: str) -> list[str] | None:
    """The words of a text in Latin letters without accents; None: it has others."""
    if folded.isascii():
        return _ASCII_WORD.findall(folded)
    printed = _PUNCTUATION.sub(" ", folded)
    return _ASCII_WORD.findall(printed) if printed.isascii() else None


def search_terms(text: str) -> list[str]:
    """The terms by which ``text`` can be found, in order: stems, or pairs of wide characters."""
    return [term for _, term in search_words(text)]


def search_words(text: str) -> list[tuple[str, str]]:
    """Each search term of ``text`` with the word that it stems from: ``("taught", "taught")``.

    The word is folded and without its possessive ending; where terms are pairs of characters the
    pair is the word as well.
    """
    folded = fold(text)
    plain = _plain_words(folded)
    if plain is None:
        return list(_reduced_runs(folded))
    return [pair for word in plain if (pair := _reduced(word))]


def word_term(word: str) -> str:
    """The search term of one folded word; empty for a stop word."""
    pair = _reduced(word)
    return pair[1] if pair else ""


@lru_cache(maxsize=1 << 17)
def _reduced(word: str) -> tuple[str, str] | None:
    """The bare word and its term; None for a stop word and for a lone Latin letter."""
    if "'" in word:
        word = _without_apostrophe(word)
    if not word or word in ENGLISH or (len(word) == 1 and word.isascii() and word.isalpha()):
        return None
    stem = _stem(word) if len(word) > 2 and word.isascii() and word.isalpha() else word
    return word, stem


def _without_apostrophe(word: str) -> str:
    """Possessives and elisions reduced to the noun, contractions to nothing, names joined."""
    head, _, tail = word.rpartition("'")
    if tail == "s":
        return _without_apostrophe(head) if "'" in head else head
    if tail in CONTRACTION_ENDINGS:
        return ""
    if head in ELISIONS and tail not in ENGLISH:
        return tail
    return word.replace("'", "")


def _reduced_runs(folded: str) -> Iterator[tuple[str, str]]:
    for match in _RUN.finditer(folded):
        script, run = match.lastgroup, match.group()
        if script == "word":
            if pair := _reduced(run):
                yield pair
        elif script == "han":
            for part in _HAN_FUNCTION.split(run):
                yield from _pairs(part)
        elif script != "hiragana" or len(run) > 1:  # a lone Hiragana is a particle
            yield from _pairs(run)


def _pairs(run: str) -> Iterator[tuple[str, str]]:
    if len(run) == 1:
        yield run, run
    for position in range(len(run) - 1):
        pair = run[position : position + 2]
        yield pair, pair


def _stem(word: str) -> str:
    """By Snowball's English stemmer, imported when the first word needs it."""
    from snowballstemmer import stemmer

    # One for each word: it holds the word that it works on, and servers have many threads.
    stem: str = stemmer("english").stemWord(word)
    return stem
