"""What a model thinks aloud is not part of its answer: ``<think>`` blocks are removed here.

Takes: the text of an answer, whole or in pieces.  Gives: the answer without its thoughts.
Source: ours; the tags are those of open reasoning models.

The rules, for tags ``<think>`` and ``<thinking>`` in any case:

- A block is removed with everything in it, wherever it stands; blocks may be nested.
- A ``</think>`` without an opening one ends a thought that began before the answer did (templates
  that open the thought themselves): everything before it is removed.
- An opening tag at the beginning of a line that is never closed: the rest was thought. Often
  nothing is left; an empty answer is asked for again.
- An opening tag in the middle of a line that is never closed is text that speaks of the tag.
- Where the answer was expected to begin inside a thought and holds no tag, all of it is answer.
- A structured answer that is valid JSON as it stands is left alone: there, tags stand in strings.
"""

from __future__ import annotations

import json
import re
from typing import Final

_TAG: Final = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_TAGS: Final = ("<think>", "</think>", "<thinking>", "</thinking>")


def strip_thinking(text: str, *, structured: bool = False) -> str:
    """``text`` without thoughts and blanks at its head; ``structured``: JSON was asked for."""
    if not _TAG.search(text):
        return text.lstrip()
    if structured and _is_json(text):
        return text
    thinking = ThinkingFilter()
    answer = ""
    for piece in (*thinking.feed(text), *thinking.finish()):
        answer = "" if piece is None else answer + piece
    return answer.lstrip()


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


class ThinkingFilter:
    """Removes thoughts from an answer in pieces; ``inside``: it begins inside a thought."""

    def __init__(self, inside: bool = False) -> None:
        self.tagged = False
        """Whether there was a tag so far."""
        self._depth = int(inside)
        self._pending = ""
        self._thought: list[str] = []
        self._mention = False
        self._closed = False
        self._line_blank = True
        self._started = False

    def feed(self, piece: str) -> list[str | None]:
        """What ``piece`` adds to the answer; None: all of the answer so far was thought."""
        text = self._pending + piece
        pieces: list[str | None] = []
        start = 0
        for tag in _TAG.finditer(text):
            self._take(text[start : tag.start()], pieces)
            self._turn(tag, pieces)
            start = tag.end()
        end = max(start, len(text) - _length_of_broken_tag(text))
        self._pending = text[end:]
        self._take(text[start:end], pieces)
        return pieces

    def finish(self) -> list[str | None]:
        """What is left when no more comes."""
        pieces: list[str | None] = []
        rest, self._pending = self._pending, ""
        self._take(rest, pieces)
        if self._depth and (self._closed or self._mention or not self.tagged):
            # The thought only mentioned a tag, or the answer did, or the answer did not begin
            # inside a thought after all: what was held back is text.
            self._depth = 0
            self._emit("".join(self._thought), pieces)
        return pieces

    def _take(self, text: str, pieces: list[str | None]) -> None:
        if self._depth:
            self._thought.append(text)
        else:
            self._emit(text, pieces)

    def _emit(self, text: str, pieces: list[str | None]) -> None:
        if not self._started:
            text = text.lstrip()
        if text:
            self._started = True
            self._line_blank = not text.rpartition("\n")[2].strip() and (
                "\n" in text or self._line_blank
            )
            pieces.append(text)

    def _turn(self, tag: re.Match[str], pieces: list[str | None]) -> None:
        self.tagged = True
        closing = bool(tag[1])
        if not closing:
            if self._depth == 0:
                self._mention = not self._line_blank
                self._closed = False
                self._thought = [tag[0]] if self._mention else []
            elif self._mention:
                self._thought.append(tag[0])
            self._depth += 1
        elif self._depth:
            self._depth -= 1
            self._closed, self._mention, self._thought = True, False, []
        else:
            self._started, self._line_blank = False, True
            pieces.append(None)


def _length_of_broken_tag(text: str) -> int:
    """Length of the end of ``text`` that may become a tag with the next piece."""
    start = text.rfind("<", max(0, len(text) - len("</thinking>")))
    if start < 0:
        return 0
    tail = text[start:].lower()
    return len(tail) if any(tag.startswith(tail) for tag in _TAGS) else 0
