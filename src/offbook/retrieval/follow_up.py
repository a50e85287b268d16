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
    r"|^\s*(?:please |can you |could you )*(?:(?:tell (?:me|us)|say) more|go on|continue)\b"
    r"|[他她它那这]|\b그(?:는|의|를|가|에게|녀|것|들)|거기|彼|それ|そこ|その",
    re.IGNORECASE,
)
_NAMES_ITS_OWN: Final = re.compile(r"(?<=[\s(\"'“])(?!I\b|I')[^\W\d_a-z]\w+")


def with_antecedent(question: str, history: Sequence[Message]) -> str:
    """``question``, with what it refers back to in front, where it does.

    "And who taught him?" alone finds nothing; together with "Tell me about Faria" it does. What it
    refers to is the person's last message that stands alone, else the last one.
    """
    if not _refers_back(question):
        return question
    said = [message.content for message in reversed(history) if message.role == "user"]
    before = next((text for text in said if not _refers_back(text)), said[0] if said else "")
    return f"{before}\n{question}" if before else question


def _refers_back(question: str) -> bool:
    """Whether it leans on what was said; one that names someone mostly means that one."""
    if not _REFERS_BACK.search(question):
        return False
    cased = any(letter.isupper() or letter.islower() for letter in question)
    return not (cased and _NAMES_ITS_OWN.search(question))
