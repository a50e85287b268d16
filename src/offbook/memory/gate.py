"""The write gate: turns that are nothing but small talk do not become memories.

Takes: what was said and answered.  Gives: why the turn is kept out, or nothing.  A turn is small
talk when nothing is left of what was said after greetings, thanks and the like, and the answer is
short. The rules are listed in docs/memory.md. Source: ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from offbook.text.sentences import sentences
from offbook.text.tokens import count_tokens
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

SHORT_ANSWER_TOKENS: Final = 40
"""A longer answer says something, whatever it answers."""

PHRASES: Final = word_lists("offbook.memory", "small_talk.tsv")
"""Kind of small talk -> its phrases, folded (lower case, no accents), an underscore for a blank."""
_COURTESIES: Final = frozenset({"a greeting", "thanks", "a farewell"})
_FILLERS: Final = (
    "my", "dear", "friend", "sir", "madam", "master", "again", "today", "please", "and", "then",
    "well", "so", "very", "much", "to you", "you too", "now", "everyone", "吗", "呢", "啊", "呀",
    "吧", "了",
)  # fmt: skip
"""Words that may stand beside such phrases and say nothing."""
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_APOSTROPHES: Final = re.compile(r"['’]")
_READ: Final = 20_000
_TAG: Final = r"[a-z][\w.-]{0,40}:[\w.-]{1,40}"
_MARKUP: Final = re.compile(
    rf"<({_TAG})\b[^<>]{{0,500}}>.*?</\1>|</?{_TAG}\b[^<>]{{0,500}}>", re.IGNORECASE | re.DOTALL
)
"""Tags with a namespace, which programs put between one another: ``<pyai:plan>...</pyai:plan>``."""
_NO_WORD: Final = re.compile(r"[\W_]+")


def kept_out(
    said: str, answered: str, names: Iterable[str] = (), *, is_answered: bool = True
) -> str:
    """Why a turn is nothing to remember; empty where it is to be remembered.

    Args:
        said: What the person said.
        answered: What the character answered.
        names: Names that the character is addressed by.
        is_answered: Whether the reply is whole, and answers what was asked.
    """
    if not _MARKUP.sub("", said[:_READ]).strip() or _is_data(said):
        return "it is markup or data of a program"
    if not is_answered and only_asks(said):
        return "nothing was told, and its reply declined or was cut"
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


def calls_for_nothing(said: str, names: Iterable[str] = ()) -> str:
    """Why an answer needs nothing looked up: greetings, thanks and farewells alone; else empty."""
    why = kept_out(said, "", names)
    kinds, mark, _ = why.partition(", and nothing besides")
    return why if mark and _COURTESIES.issuperset(kinds.split(" and ")) else ""


def only_asks(said: str) -> bool:
    """Whether all sentences of what was said are questions."""
    read = said[:_READ]
    parts = [read[start:end].rstrip(" \"'”’)") for start, end in sentences(read)]
    return all(part.endswith(("?", "？")) for part in parts)


def _is_data(said: str) -> bool:
    """Whether it is a JSON object or list."""
    text = said.strip()
    if len(text) > _READ or not text.startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


@cache
def _kinds() -> dict[str, str]:
    """Folded phrase -> its kind."""
    return {_folded(phrase): kind for kind, phrases in PHRASES.items() for phrase in phrases}


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
