"""A reply that says nothing new says so: who asks again hears the answer again, and that it is one.

Takes: a reply, and the conversation before it.  Gives: the reply, with a few words in front where
all of it was said before. Source: ours.
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

from offbook.language.sentences import sentences
from offbook.language.words import fold
from offbook.models.offline.manner import Situation
from offbook.models.offline.telling import is_said
from offbook.prompts.reply import ReplyInputs

_AGAIN: Final = (
    "As I told you: {text}",
    "I have said it before, and I say it again: {text}",
    "It is as I said: {text}",
    "I can only say it once more: {text}",
)
_ANSWERS: Final = ("answer", "memory")
"""Situations in which something is told; small talk is repeated without a word of it."""


def once_more(text: str, inputs: ReplyInputs, situation: Situation) -> str:
    """``text``, and that it was said before where every sentence of it was."""
    earlier = [message.content for message in inputs.history if message.role == "assistant"]
    said = "\n".join(earlier)
    if situation not in _ANSWERS or not said:
        return text
    told = [text[start:end] for start, end in sentences(text)]
    if not told or not all(is_said(sentence, said) for sentence in told):
        return text
    # With every turn another way to say so: who asks three times is not answered by a machine.
    pick = crc32(fold(inputs.question).encode()) + len(earlier)
    return _AGAIN[pick % len(_AGAIN)].format(text=text)


def without_note(text: str) -> str:
    """A reply of an earlier conversation without what ``once_more`` put in front of it."""
    for form in _AGAIN:
        head = form.partition("{")[0]
        if text.startswith(head):
            return text.removeprefix(head)
    return text
