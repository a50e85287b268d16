"""InCharacter's questionnaire files: items with their keys, in English and Chinese.

Takes: ``BFI.json`` or ``16Personalities.json``.  Gives: items and questions, in the file's order,
each with its id: answers are matched to items by id, never by their place.
Paper: InCharacter (Wang et al. 2024); Emotional RAG (004), section III. 16Personalities is keyed
by the letter in ``category``: its list ``reverse`` says otherwise of item 25.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Item
from offbook.evaluation.datasets.reading import read_json
from offbook.evaluation.metrics.incharacter import sign_of

NAMES: Final = ("BFI", "16Personalities")


@dataclass(frozen=True, slots=True)
class Worded:
    """An item in one language."""

    item: Item
    question: str
    language: str


def read_questionnaire(path: Path, language: str) -> tuple[str, tuple[Worded, ...]]:
    """The questionnaire's name, and its items in a language (``en``, ``zh``).

    Raises:
        UnreadableDocument, UsageError: the file is no questionnaire; it says where.
    """
    value = read_json(path)
    questions = value.get("questions") if isinstance(value, dict) else None
    if not isinstance(questions, dict) or not questions:
        raise UsageError(
            f"{str(path)!r} is no questionnaire of InCharacter: it has no 'questions'",
            "name BFI.json or 16Personalities.json",
        )
    name = str(value.get("name") or path.stem)
    return name, tuple(_worded(path, name, questions, language))


def _worded(path: Path, name: str, questions: dict[str, Any], language: str) -> Iterator[Worded]:
    for number, entry in questions.items():
        question = str(entry.get(f"rewritten_{language}") or "").strip()
        statement = str(entry.get(f"origin_{language}") or "").strip()
        dimension = str(entry.get("dimension") or "").strip()
        if not question or not dimension:
            raise UsageError(
                f"item {number!r} of {str(path)!r} has no "
                f"{f'rewritten_{language}' if not question else 'dimension'!r}",
                "fetch the file again, or choose another language (en, zh)",
            )
        try:
            sign = sign_of(str(entry.get("category") or ""), dimension)
        except ValueError as error:
            raise UsageError(
                f"item {number!r} of {str(path)!r}: {error}",
                "a category is positive, negative or a pole of the dimension",
            ) from error
        yield Worded(Item(name, number, dimension, sign, statement), question, language)
