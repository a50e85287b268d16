"""Follow-up questions: what a question that refers back is searched with.

Takes: a question and the conversation so far.  Gives: the text to search for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from offbook.types import Message

_REFERS_BACK: Final = re.compile(
    r"\b(?:he|she|it|they|him|her|his|hers|its|them|their|theirs|this|that|these|those|there|then"
    r"|one|ones)\b|^\s*(?:and|but|so|why|how so|what about|where|when|who)\b[^,.]{0,24}\?"
    r"|[他她它那这]|(?:그녀|그것|그들|거기)|(?:彼|それ|そこ|その)",
    re.IGNORECASE,
)


def with_antecedent(question: str, history: Sequence[Message]) -> str:
    """``question``, with the person's last message in front where it refers back.

    "And who taught him?" alone finds nothing; together with "Tell me about Faria" it does.
    """
    before = next((m.content for m in reversed(history) if m.role == "user"), None)
    if before is None or not _REFERS_BACK.search(question):
        return question
    return f"{before}\n{question}"
