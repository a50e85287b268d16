"""JSON that stands on one line, whatever its reader takes for the end of one.

Takes: JSON.  Gives: the same, in which the ends of lines that Unicode knows are written as escapes:
many clients read streams with functions that end lines there as well, in the midst of a text.
"""

from __future__ import annotations

from typing import Final

_ENDS: Final = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Those below a blank are escaped in any JSON; these may only stand in texts."""


def on_one_line(written: str) -> str:
    """JSON without any ends of lines.

    Args:
        written: JSON that was written without indentation.
    """
    return written if written.isascii() else written.translate(_ENDS)
