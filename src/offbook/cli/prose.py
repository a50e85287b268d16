"""What a character says, as a terminal shows it: whole words, lines that fit, emphasis.

Takes: text in pieces, as it comes.  Gives: the same on standard output. Where that is no terminal
it is data, and goes out as it is.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import unicodedata
from typing import Final, TextIO

from offbook.cli.output import shortened, visible, width_of
from offbook.cli.process import is_dumb

WIDEST: Final = 100
"""Columns of prose, however wide the terminal is: longer lines are hard to read."""
_NOTE: Final = 160
"""Letters of a line below a reply where no terminal says how many it shows."""
_MARK: Final = re.compile(r"\*{1,3}|_{1,2}")
_ON: Final = {"*": ("3",), "_": ("3",), "**": ("1",), "__": ("1",), "***": ("1", "3")}
_OFF: Final = "\x1b[22;23m"


def columns(stream: TextIO) -> int | None:
    """How wide lines of prose may be on a terminal; None: the stream is none."""
    return min(shutil.get_terminal_size().columns, WIDEST) if stream.isatty() else None


def filled(text: str, indent: str = "", *, stream: TextIO | None = None) -> str:
    """A paragraph in lines that fit the stream, which is standard error by default."""
    line = indent + " ".join(text.split())
    if (width := columns(stream or sys.stderr)) is None:
        return line
    return textwrap.fill(
        line, max(width, len(indent) + 20), subsequent_indent=indent, break_on_hyphens=False
    )


def note_line(text: str) -> str:
    """A line below a reply, cut where the terminal ends."""
    return "  " + shortened(text, (columns(sys.stdout) or _NOTE) - 2) + "\n"


class Prose:
    """Write prose while it comes; the last word waits until it is whole.

    Args:
        name: Who says it, shown before it on a terminal.
        is_data: Whether elsewhere the words go out alone.
    """

    def __init__(self, name: str = "", *, is_data: bool = True) -> None:
        self._stream = sys.stdout
        self._width = columns(self._stream)
        self._is_styled = self._width is not None and not is_dumb()
        self._word = self._blank = self._last = ""
        self._column = 0
        self._styles: list[str] = []
        if name and not (is_data and self._width is None):
            label = visible(f"{name}:")
            self._out(f"\x1b[1m{label}{_OFF}" if self._is_styled else label)
            self._column, self._blank = width_of(label), " "
            if self._width is None:
                self._out(" ")

    def write(self, piece: str) -> None:
        """Take in what has come, and write the words that are whole."""
        if self._width is None:
            self._out(visible(piece))
        else:
            for letter in visible(piece):
                self._take(letter)
        self._stream.flush()

    def end(self) -> None:
        """Write the rest, and end the line."""
        self._take("\n") if self._width is not None else self._out("\n")
        self._stream.flush()

    def _out(self, text: str) -> None:
        self._stream.write(text)

    def _take(self, letter: str) -> None:
        if not letter.isspace():
            self._word += letter
            if unicodedata.east_asian_width(letter) in "WF":  # such scripts have no blanks
                self._flush()
            return
        self._flush()
        if letter == "\n":
            self._out((_OFF if self._styles else "") + "\n")
            self._column, self._blank, self._last = 0, "", ""
            self._styles.clear()
        else:
            self._blank += letter

    def _flush(self) -> None:
        if not self._word:
            return
        shown, width = self._styled(self._word)
        if self._column and self._column + len(self._blank) + width > (self._width or WIDEST):
            self._out("\n")
            self._column, self._blank = 0, ""
        self._out(self._blank + shown)
        self._column += len(self._blank) + width
        self._last, self._word, self._blank = self._word[-1], "", ""

    def _styled(self, word: str) -> tuple[str, int]:
        """A word with its Markdown emphasis as that of the terminal, and its width."""
        if not self._is_styled:
            return word, width_of(word)
        plain = word
        before_word = "" if self._blank else self._last

        def turned(match: re.Match[str]) -> str:
            nonlocal plain
            mark = match[0]
            before = word[: match.start()][-1:] or before_word
            after = word[match.end() :][:1]
            opens = after and not after.isspace() and not before.isalnum()
            if mark in self._styles and before and not after.isalnum():
                self._styles.remove(mark)
            elif mark not in self._styles and opens:
                self._styles.append(mark)
            else:
                return mark
            plain = plain.replace(mark, "", 1)
            on = "".join(f"\x1b[{code}m" for each in self._styles for code in _ON[each])
            return _OFF + on

        shown = _MARK.sub(turned, word)
        return shown, width_of(plain)
