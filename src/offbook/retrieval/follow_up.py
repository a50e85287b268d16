"""Follow-up questions: what a question that refers back is searched with.

Takes: a question and the conversation so far.  Gives: the text to search for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from offbook.types import Message

_REFERS_BACK: Final = re.compile(
    r"\b(?:he|she|they|him|her|his|hers|them|their|theirs|it|its|this|that|these|those)\b"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )\bthere\b(?! (?:is|are|was|were)\b)"
    r"|^\s*(?:and|but|why|how so|what about|what else|since when|when|where|who)\b"
    r"[^,.\s]*\s*\S*\?\s*$"
    r"|[他她它那这]|\b그(?:는|의|를|가|에게|녀|것|들)|거기|彼|それ|そこ|その",
    re.IGNORECASE,
)
_NAMES_ITS_OWN: Final = re.compile(r"(?<=[\s(\"'“])(?!I\b|I')[^\W\d_a-z]\w+")


def with_antecedent(question: str, history: Sequence[Message]) -> str:
    """``question``, with the person's last message in front where it refers back.

    "And who taught him?" alone finds nothing; together with "Tell me about Faria" it does. A
    question that names someone itself is left alone: its pronouns mostly mean that one.
    """
    before = next((m.content for m in reversed(history) if m.role == "user"), None)
    if before is None or not _REFERS_BACK.search(question):
        return question
    cased = any(letter.isupper() or letter.islower() for letter in question)
    if cased and _NAMES_ITS_OWN.search(question):
        return question
    return f"{before}\n{question}"
