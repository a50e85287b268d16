"""The character's own turns of speech around a reply.

Takes: a reply, what sort of reply it is, and the speech samples of the persona document.  Gives:
the reply, at times with one sample, word for word, beside it; never one that was heard before.
"""

from __future__ import annotations

import re
from typing import Final, Literal
from zlib import crc32

from offbook.language.words import fold
from offbook.prompts.reply import ReplyInputs

Situation = Literal[
    "answer",
    "decline",
    "memory",
    "told",
    "heard",
    "greeting",
    "thanks",
    "farewell",
    "wellbeing",
    "name",
    "identity",
    "nature",
    "afterlife",
    "feeling",
]

_ANY_LENGTH: Final = 140
_EVERY: Final = 3
_FITTING: Final[dict[str, re.Pattern[str]]] = {
    "answer": re.compile(r"^(?!.*\d)[^\n]{1,60}$"),
    "decline": re.compile(
        r"\b(?:know nothing|do not know|don't know|cannot (?:say|tell)|could not (?:say|tell)"
        r"|never heard|ignoran\w+|no idea|beyond my|not for me to)\b",
        re.IGNORECASE,
    ),
    "greeting": re.compile(
        r"\b(?:welcome|greetings|hello|good (?:day|morning|evening)|be seated|come in|sit down)\b",
        re.IGNORECASE,
    ),
    "thanks": re.compile(r"\bthanks?\b", re.IGNORECASE),
    "farewell": re.compile(
        r"\b(?:farewell|goodbye|adieu|until (?:we|then)|go well)\b", re.IGNORECASE
    ),
}


def in_voice(text: str, inputs: ReplyInputs, situation: Situation) -> str:
    """``text`` with a speech sample that suits the situation, in two replies out of three.

    A sample opens an answer or a greeting and closes a refusal, word for word.
    """
    pattern = _FITTING.get(situation)
    pick = crc32(f"{fold(inputs.question)}\n{len(inputs.history)}".encode())
    if pattern is None or pick % _EVERY == 0:
        return text
    heard = "\n".join(message.content for message in inputs.history)
    fitting = [
        sample
        for sample in (sample.strip() for sample in inputs.voice)
        if 0 < len(sample) <= _ANY_LENGTH
        and sample[-1] in ".!"
        and pattern.search(sample)
        and sample not in heard
        and sample not in text
    ]
    if not fitting:
        return text
    sample = fitting[pick // _EVERY % len(fitting)]
    return f"{sample} {text}" if situation in ("answer", "greeting") else f"{text} {sample}"
