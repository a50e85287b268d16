"""Refusals in words: a text that says that it will not say anything describes nobody.

Takes: what a model wrote as a description, and what it was made from.  Gives: nothing, or an error.
Only how a text opens counts, and what its material says itself is no refusal. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from offbook.errors import InvalidAnswer
from offbook.language.words import fold

_CANNOT: Final = (
    r"(?:can ?not|can't|won't|will not|(?:am|'m) (?:unable|not able|not allowed)|unable)"
)
_DEEDS: Final = (
    r"(?:answer|assist|comply|continue|create|describe|discuss|engage|fulfill?|generate|help"
    r"|process|produce|provide|summari[sz]e|write)"
)
_HEAD_CHARS: Final = 400
_ASKED: Final = (
    r"\b[^.!?]{0,40}?\b(?:content|descriptions?|information|instructions?|passages?|questions?"
    r"|requests?|such|summar(?:y|ies)|texts?|that|this|your)\b"
)
"""What a model declines; without an apology somebody else may speak: "I cannot help my brother"."""
_OPENING: Final = re.compile(
    r"\W*(?P<said>"
    rf"(?:i(?:'m| am) (?:\w+ )?sorry|sorry|i apologi[sz]e|my apologies)\b"
    rf"[^.!?]{{0,40}}?{_CANNOT} (?:\w+ ){{0,2}}{_DEEDS}\b"
    rf"|(?:(?:unfortunately|i(?:'m| am) afraid)\W+(?:that )?)?"
    rf"i ?{_CANNOT} (?:\w+ ){{0,2}}{_DEEDS}{_ASKED}"
    r"|as an? (?:ai|artificial intelligence|(?:large )?language model)\b"
    r"|(?:es )?tut mir (?:sehr )?leid\b[^.!?]{0,40}?\bkann\b[^.!?]{0,60}?\bnicht\b"
    r"|(?:je suis )?desolee?\b[^.!?]{0,40}?\bje ne p(?:eux|uis)\b"
    r"|lo siento\b[^.!?]{0,40}?\bno puedo\b"
    r"|(?:[非很]常?)?(?:抱歉|对不起|對不起)[^。!！]{0,12}?(?:不能|无法|無法)"
    r")"
)


def check_described(texts: Iterable[str], material: Iterable[str]) -> None:
    """Refuse an answer of which a text declines instead of describing.

    Args:
        texts: The descriptions of the answer.
        material: What they were made from: whoever speaks so in it may be quoted.

    Raises:
        InvalidAnswer: quotes how the text begins.
    """
    heads = (fold(" ".join(text[:_HEAD_CHARS].split())) for text in texts)
    opened = [match["said"] for head in heads if (match := _OPENING.match(head))]
    if not opened:
        return
    told = fold(" ".join(" ".join(material).split()))
    for said in opened:
        if said not in told:
            raise InvalidAnswer(f"the text {said!r} ... declines; write what the given texts say")
