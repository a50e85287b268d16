"""Our own open questions after MBTI and the Big Five: 60 each, keyed and balanced, en and zh.

The sentences are ours; none is from a published questionnaire.
Paper: AMADEUS (003), section 5.2: 60 MBTI items, open answers rated one by one. Its items are
16Personalities', which may not be passed on; scores of ours are not comparable with its tables.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from offbook.evaluation.benchmark import Item

SHIPPED: Final = ("mbti-60", "bigfive-60")
"""The names of our questionnaires."""

LANGUAGES: Final = ("en", "zh")


@dataclass(frozen=True, slots=True)
class WordedItem:
    """An item and the question that puts it to a character, in one language."""

    item: Item
    question: str
    language: str


@cache
def shipped(name: str, language: str = "en") -> tuple[WordedItem, ...]:
    """The items of one of `SHIPPED`, in their order.

    Raises:
        KeyError: there is no questionnaire of this name, or none in this language.
    """
    if name not in SHIPPED or language not in LANGUAGES:
        raise KeyError((name, language))
    text = files(__name__).joinpath(f"{name.replace('-', '_')}.jsonl").read_text("utf-8")
    # Not splitlines(): it also splits at separators that may stand inside a JSON string.
    rows = [json.loads(line) for line in text.split("\n") if line]
    return tuple(
        WordedItem(
            Item(
                name, str(row["number"]), row["dimension"], row["sign"], row["statement"][language]
            ),
            row["question"][language],
            language,
        )
        for row in rows
    )
