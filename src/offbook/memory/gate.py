"""The write gate: turns that are nothing but small talk do not become memories.

Takes: what was said and answered.  Gives: why the turn is kept out, or nothing.  A turn is small
talk when nothing is left of what was said after greetings, thanks and the like, and the answer is
short. The rules are listed in docs/memory.md. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from offbook.text.tokens import count_tokens
from offbook.text.words import fold

SHORT_ANSWER_TOKENS: Final = 40
"""A longer answer says something, whatever it answers."""

PHRASES: Final[dict[str, tuple[str, ...]]] = {
    "a greeting": (
        "hello", "hi", "hey", "hello there", "hi there", "hey there", "hello again", "howdy",
        "greetings", "good morning", "good day", "good afternoon", "good evening", "welcome",
        "nice to meet you", "pleased to meet you", "good to see you", "bonjour", "salut",
        "bonsoir", "hallo", "guten tag", "guten morgen", "guten abend", "hola", "buenos dias",
        "buenas tardes", "ciao", "buongiorno", "你好", "您好", "早上好", "早安", "下午好", "晚上好",
        "嗨", "哈喽", "喂", "こんにちは", "おはよう", "おはようございます", "こんばんは", "안녕",
        "안녕하세요",
    ),
    "a question after health": (
        "how are you", "how are you doing", "how do you do", "how is it going", "hows it going",
        "how have you been", "whats up", "are you well", "are you there", "comment ca va",
        "ca va", "comment allez vous", "wie geht es dir", "wie geht es ihnen", "wie gehts",
        "como estas", "come stai", "你好吗", "您好吗", "最近好吗", "最近怎么样", "你怎么样",
        "元気", "元気ですか", "잘 지내", "잘 지내세요",
    ),
    "thanks": (
        "thanks", "thank you", "thank you very much", "thanks a lot", "many thanks", "thx",
        "much obliged", "merci", "merci beaucoup", "danke", "danke schon", "vielen dank",
        "gracias", "grazie", "谢谢", "谢谢你", "谢谢您", "多谢", "感谢", "ありがとう",
        "ありがとうございます", "감사합니다", "고마워",
    ),
    "a farewell": (
        "bye", "bye bye", "goodbye", "good bye", "good night", "farewell", "see you",
        "see you later", "see you soon", "see you tomorrow", "until next time", "take care",
        "au revoir", "bonne nuit", "auf wiedersehen", "tschuss", "gute nacht", "adios",
        "hasta luego", "再见", "拜拜", "晚安", "回头见", "明天见", "さようなら", "おやすみ",
        "またね", "안녕히 가세요", "잘 자",
    ),
    "a word in passing": (
        "ok", "okay", "i see", "hm", "hmm", "mm", "oh", "ah", "aha", "uh", "um", "haha", "hahaha",
        "lol", "wow", "cool", "nice", "great", "good", "fine", "interesting", "all right",
        "alright", "go on", "continue", "please continue", "嗯", "嗯嗯", "哦", "噢", "啊", "好的",
        "好", "哈哈", "哈哈哈", "呵呵", "继续", "不错", "なるほど", "そうですか", "そう", "네",
        "응",
    ),
}  # fmt: skip
"""Kind of small talk -> its phrases, folded: lower case, without accents."""

_FILLERS: Final = (
    "my", "dear", "friend", "sir", "madam", "master", "again", "today", "please", "and", "then",
    "well", "so", "very", "much", "to you", "you too", "now", "everyone", "吗", "呢", "啊", "呀",
    "吧", "了",
)  # fmt: skip
"""Words that may stand beside such phrases and say nothing."""
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_APOSTROPHES: Final = re.compile(r"['’]")
_NO_WORD: Final = re.compile(r"[\W_]+")


def kept_out(said: str, answered: str, names: Iterable[str] = ()) -> str:
    """Why a turn is small talk; empty where it is to be remembered.

    Args:
        said: What the person said.
        answered: What the character answered.
        names: Names that the character is addressed by.
    """
    # Nobody greets at such length, and a turn may be of a megabyte.
    if len(said) > 200 or count_tokens(answered[:2000]) > SHORT_ANSWER_TOKENS:
        return ""
    left = _folded(said)
    if not left:
        return "it has no words"
    for name in sorted(names, key=len, reverse=True):
        for part in (_folded(name), *_folded(name).split()):
            left = f" {left} ".replace(f" {part} ", " ").strip() if part else left
    kinds_said: list[str] = []

    def taken(match: re.Match[str]) -> str:
        kinds_said.append(_kinds()[match[0]])
        return " "

    left = _pattern(tuple(_kinds())).sub(taken, left)
    left = _pattern(_FILLERS).sub(" ", left).strip()
    kinds = " and ".join(dict.fromkeys(kinds_said))
    return f"{kinds}, and nothing besides" if kinds_said and not left else ""


@cache
def _kinds() -> dict[str, str]:
    """Folded phrase -> its kind."""
    return {fold(phrase): kind for kind, phrases in PHRASES.items() for phrase in phrases}


def _folded(text: str) -> str:
    return _NO_WORD.sub(" ", _APOSTROPHES.sub("", fold(text))).strip()


@cache
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Any of some phrases, the longest first."""
    # Scripts without blanks have no word ends to look for.
    parts = [
        fold(phrase) if _WIDE.search(phrase) else rf"\b{re.escape(fold(phrase))}\b"
        for phrase in sorted(phrases, key=len, reverse=True)
    ]
    return re.compile("|".join(parts))
