"""Which language a text is in, as far as the rules have to know.

Takes: text, or the tokens of a question.  Gives: its language by its script, whether it is English,
and which capitals of another language are no names. Source: ours; the words that questions begin
with in the commoner languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from offbook.text.clauses import Token
from offbook.text.english_words import is_english
from offbook.text.grammar import FUNCTION
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.rules")

Language = Literal["en", "zh", "ja", "ko"]

_HANGUL: Final = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_KANA: Final = re.compile(r"[\u3041-\u30ff]")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_LETTER: Final = re.compile(r"[^\W\d_]")
_LOWER_WORD: Final = re.compile(r"(?<![\w'’-])[^\W\d_A-Z][^\W\d_]*(?:['’][^\W\d_]+)?")
_GREETING: Final = re.compile(
    r"^(?:你好|您好|嗨|早上好|晚上好|大家好|こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして"
    r"|안녕(?:하세요|하십니까)?)[啊呀吗！!。.,，?？]*$"
)
_STRANGE: Final = 2
"""Words that are not English from which on a question may be in another language."""
QUESTION_WORDS: Final = re.compile(
    r"什么|关系|和|与|跟|怎么|怎样|为什么|哪里|哪儿|哪个|谁|何时|多少|几|吗|呢|请|告诉|知道|觉得|认为|关于|如何"
    r"|ですか|ますか|でしたか|ましたか|どこ|いつ|なぜ|どうして|だれ|誰|何|どう|について|教えて"
    r"|무엇|무슨|어디|언제|누가|누구|왜|어떻게|얼마|입니까|습니까|나요|세요|까요|당신|너는|네가|你|您|あなた|君"
)
"""What a question in Chinese, Japanese or Korean has that no text answers with."""


def language_of(text: str) -> Language:
    """The language by its script: a fifth of the letters decides, Hangul and Kana first."""
    letters = len(_LETTER.findall(text)) or 1
    if 5 * len(_HANGUL.findall(text)) >= letters:
        return "ko"
    wide = len(_KANA.findall(text)) + len(_HAN.findall(text))
    if 5 * wide < letters:
        return "en"
    return "ja" if 5 * len(_KANA.findall(text)) >= wide else "zh"


def is_in_english(text: str) -> bool:
    """Whether a text is in Latin letters, and most of its plain words are English."""
    if language_of(text) != "en" or re.search(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]{3}", text):
        return False
    plain = [fold(word) for word in _LOWER_WORD.findall(text)]
    strange = sum(word not in FUNCTION and not is_english(word) for word in plain)
    return strange < _STRANGE or 2 * strange <= len(plain)


def is_greeting(text: str) -> bool:
    """Whether a text in one of these scripts is a greeting and nothing else."""
    return bool(_GREETING.match(text.strip()))


_QUESTION_WORDS: Final = frozenset(map(fold, _LISTS["foreign question words"]))
"""None of them is an English word, or a name."""
_BEFORE_NOUNS: Final = _LISTS["german articles and the like"]
"""German writes all nouns with a capital; behind these stands no name of anybody."""


def is_in_another_language(tokens: Sequence[Token]) -> bool:
    """Whether a question in Latin letters is in another language than English."""
    words = [fold(token.text) for token in tokens if token.is_word]
    return bool(words) and words[0].isascii() and words[0] in _QUESTION_WORDS


def is_no_name(tokens: Sequence[Token], index: int) -> bool:
    """Whether a capital is that of a question word, of a German noun, or of where it stands."""
    word = fold(tokens[index].text)
    if not word.isascii():
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        first = not any(token.is_word for token in tokens[:index])
        return word in _QUESTION_WORDS or (
            first and after is not None and after.is_word and not after.is_capital
        )
    if not is_in_another_language(tokens):
        return False
    return word in _QUESTION_WORDS or (index > 0 and fold(tokens[index - 1].text) in _BEFORE_NOUNS)
