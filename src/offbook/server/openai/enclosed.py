"""What a client puts in front of a person's words, in the same message: passages, lists of files.

Takes: the text of a person's message.  Gives: what they said, and what the client put there.
Source: ours, after what Open WebUI 0.12.4 sends for a chat with files, knowledge or a web search.
"""

from __future__ import annotations

import re
from typing import Final

_TASK: Final = re.compile(r"\s*###\s*Task:?\s", re.IGNORECASE)
_FILES: Final = re.compile(r"\s*<attached_files>.*?</attached_files>\s*", re.DOTALL)
_OPENED, _CLOSED = "<context>", "</context>"
_HISTORY: Final = "<chat_history>"


def split_enclosed(text: str) -> tuple[str, str]:
    """The person's own words, and what the client put in front of them; empty where it is nothing.

    What stands in front is taken as far as it may go: a passage that holds the closing tag itself
    must not speak as the person.
    """
    passages = end = _end_of_passages(text)
    while found := _FILES.match(text, end):
        end = found.end()
    said = text[end:].strip()
    if not said and end == passages:
        return text, ""  # passages come with a question only: somebody wrote this
    return (said, text[:end].strip()) if end else (text, "")


def _end_of_passages(text: str) -> int:
    if _TASK.match(text) is None:
        return 0
    opened, closed = text.find(_OPENED), text.rfind(_CLOSED)
    # In a call of the client's own the tags may stand in the conversation that it is about.
    if not 0 <= opened < closed or _HISTORY in text[:opened]:
        return 0
    return closed + len(_CLOSED)
