"""Small tables in HTML, as a notebook shows what ends a cell.

Takes: texts.  Gives: HTML in which nothing of them is markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

_LONGEST: Final = 240
"""Characters of a text in a cell: about three lines of a wide column."""
ROWS: Final = 8
"""Rows that are shown: a screen holds no more beside the cell that made them."""


def html_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of the first rows, and how many more there are."""
    listed = list(rows)
    if not listed:
        return ""
    lines = ["".join(f"<th>{escape(head)}</th>" for head in heads)]
    lines += ["".join(f"<td>{_shown(cell)}</td>" for cell in row) for row in listed[:ROWS]]
    more = f"<p>and {len(listed) - ROWS} more</p>" if len(listed) > ROWS else ""
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>{more}"


def html_line(text: str, *, strong: bool = False) -> str:
    """A paragraph; line breaks stay."""
    inner = escape(text).replace("\n", "<br>")
    return f"<p><b>{inner}</b></p>" if strong else f"<p>{inner}</p>"


def _shown(cell: object) -> str:
    text = f"{cell:.2f}" if isinstance(cell, float) else str(cell)
    return escape(text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…")
