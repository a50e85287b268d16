"""What a client puts in front of a person's words, in the same message: passages, lists of files.

Takes: the text of a person's message.  Gives: what they said, and what the client put there.
Source: ours, after what Open WebUI 0.12.4 sends for a chat with files, knowledge or a web search.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_TASK: Final = re.compile(r"\s*###\s*Task:?\s", re.IGNORECASE)
_LISTED: Final = re.compile(r"\s*<attached_files>")
_CONVERSATION: Final = re.compile(
    r"<chat_history>|###\s*(?:Chat History|Previous Summary|Messages Being Compacted)\b",
    re.IGNORECASE,
)
_PASSAGE: Final = "<source"
_PASSAGE_ENDS: Final = "</source>"
_BLANKS: Final = 20
"""So many are looked at beside a tag."""


def split_enclosed(text: str) -> tuple[str, str]:
    """The person's own words, and what the client put in front of them; empty where it is nothing.

    What stands in front is taken as far as it may go: a passage or the name of a file that holds
    the closing tag itself must not speak as the person, nor must passages that nobody's words
    follow.
    """
    end = _end_of_passages(text)
    if end or _LISTED.match(text):
        end = max(end, _end_of(text, "attached_files"))
    return (text[end:].strip(), text[:end].strip()) if end else (text, "")


def _end_of_passages(text: str) -> int:
    if _TASK.match(text) is None:
        return 0
    head, opened, _ = text.partition("<context>")
    # In a call of the client's own the tags may stand in the conversation that it is about.
    return 0 if not opened or _CONVERSATION.search(head) else _end_of(text, "context")


def _end_of(text: str, tag: str) -> int:
    """Where an element ends for certain: behind its last closing tag; 0 where there is none.

    Where passages are elements themselves, the closing tag follows the last one's; where the
    opening tag has a line to itself, so has the closing one: others are the person's.
    """
    closing = f"</{tag}>"
    opened, closed = text.find(f"<{tag}>"), text.rfind(closing)
    if not 0 <= opened < closed:
        return 0
    signs: list[Callable[[int], bool]] = []
    if text.startswith(_PASSAGE, _after_blanks(text, opened + len(tag) + 2)):
        signs.append(lambda at: text[max(0, at - _BLANKS) : at].rstrip().endswith(_PASSAGE_ENDS))
    if _is_alone(text, opened, len(tag) + 2):
        signs.append(lambda at: _is_alone(text, at, len(closing)))
    for is_its_own in signs:
        at = closed
        while at > opened and not is_its_own(at):
            at = text.rfind(closing, 0, at)
        if at > opened:
            return at + len(closing)
    return closed + len(closing)


def _after_blanks(text: str, start: int) -> int:
    return start + len(text[start : start + _BLANKS]) - len(text[start : start + _BLANKS].lstrip())


def _is_alone(text: str, start: int, length: int) -> bool:
    """Whether what stands there has a line to itself, but for blanks."""
    end = start + length
    before = text[max(0, start - _BLANKS) : start].rstrip(" \t\r")
    after = text[end : end + _BLANKS].lstrip(" \t\r")
    return before[-1:] in ("", "\n") and after[:1] in ("", "\n")
