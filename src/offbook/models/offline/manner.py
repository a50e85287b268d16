"""The character's own turns of speech around a reply.

Takes: a reply and the speech samples of the persona document.  Gives: the reply, at times with a
short sample, word for word, in front of it; never one that this conversation has heard.
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

from offbook.language.words import fold
from offbook.prompts.reply import ReplyInputs

_LONGEST: Final = 60
_EVERY: Final = 3


def in_voice(text: str, inputs: ReplyInputs, *, answered: bool) -> str:
    """``text``, with a speech sample in front of two replies out of three that carry an answer."""
    said = "\n".join(message.content for message in inputs.history)
    samples = [sample.strip() for sample in inputs.voice]
    fitting = [
        sample
        for sample in samples
        if 0 < len(sample) <= _LONGEST
        and "\n" not in sample
        and sample[-1] in ".!"
        and sample not in said
        and sample not in text
    ]
    pick = crc32(f"{fold(inputs.question)}\n{len(inputs.history)}".encode())
    if not answered or not fitting or pick % _EVERY == 0:
        return text
    return f"{fitting[pick // _EVERY % len(fitting)]} {text}"
