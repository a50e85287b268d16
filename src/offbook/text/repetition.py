"""Whether a text has run into a loop, as small models do: the same words over and over.

Takes: a text.  Gives: where the loop begins, and the text up to there.
"""

from __future__ import annotations

import re
from typing import Final

LOOKED_AT: Final = 2_000
"""Characters at the end of a text that are looked at: five times the longest unit."""
_LOOP: Final = re.compile(r"(\S.{7,398}?)\1{4,}(.{0,399})\Z", re.DOTALL)
"""Five times the same 8 to 399 characters, and the beginning of a sixth: a refrain stands three or
four times, and rows of dots or laughter have fewer different characters than words have."""
_BLANK: Final = re.compile(r"\s{200,}\Z")
"""What a model writes that may write blanks without end before an answer or inside of it: JSON."""
_MARKS: Final = re.compile(r"[.,;:!?…)\]\"'”’»*。！？」』]+")
_VARIED: Final = 4
"""Different characters that a unit of words has at least."""


def loop_start(text: str) -> int | None:
    """Find the second of five or more equal stretches that end a text; None: there are none."""
    begun = max(0, len(text) - LOOKED_AT)
    match = _LOOP.search(text, begun)
    if match is None or len(set(match[1])) < _VARIED or not match[1].startswith(match[2]):
        return None
    return match.end(1)


def runs_on(text: str) -> bool:
    """Whether a text that was cut off would have gone on without end."""
    return _BLANK.search(text) is not None or loop_start(text) is not None


def without_loop(text: str) -> str:
    """The text up to where it begins to say the same again, and the marks that end it there."""
    start = loop_start(text)
    if start is None:
        return text
    ended = _MARKS.match(text, start)
    return text[: start if ended is None else ended.end()].rstrip()
