"""Our own open questions after MBTI and the Big Five: 60 each, keyed and balanced, en and zh.

Takes: a name and a language.  Gives: items with the question that is put to a character and the
statement that it rewords. The sentences are ours; none is from a published questionnaire.
Paper: AMADEUS (003), section 5.2: 60 MBTI items, open answers rated one by one. Its items are
16Personalities', which may not be passed on; scores of ours are not comparable with its tables.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from offbook.evaluation.benchmark import Item

SHIPPED: Final = ("mbti-60", "bigfive-60")
"""The names of our questionnaires."""

LANGUAGES: Final = ("en", "zh")


@dataclass(frozen=True, slots=True)
class WordedItem:
    """An item and the question that puts it to a character."""

    item: Item
    question: str


@cache
def shipped(name: str, language: str = "en") -> tuple[WordedItem, ...]:
    """The items of one of `SHIPPED`, in their order.

    Raises:
        KeyError: there is no questionnaire of this name, or none in this language.
    """
    if name not in SHIPPED or language not in LANGUAGES:
        raise KeyError((name, language))
    return tuple(
        WordedItem(
            Item(
                name, str(row["number"]), row["dimension"], row["sign"], row["statement"][language]
            ),
            row["question"][language],
        )
        for row in _rows(f"{name.replace('-', '_')}.jsonl")
    )


def _rows(name: str) -> list[dict[str, Any]]:
    text = files(__name__).joinpath(name).read_text(encoding="utf-8")
    # Not splitlines(): it also splits at separators that may stand inside a JSON string.
    return [json.loads(line) for line in text.split("\n") if line]
