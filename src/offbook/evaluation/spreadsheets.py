"""Text in CSV files that spreadsheets open: none of it is run as a formula, and all comes back."""

from __future__ import annotations

from typing import Final

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def guarded(text: str) -> str:
    """Make a cell that no spreadsheet runs: an apostrophe in front makes it text."""
    return f"'{text}" if _is_guarded(text) else text


def unguarded(cell: str) -> str:
    """Take the apostrophe off that `guarded` put in front."""
    rest = cell.removeprefix("'")
    return rest if rest != cell and _is_guarded(rest) else cell


def _is_guarded(text: str) -> bool:
    """Whether an apostrophe goes in front: also where the text begins with some of its own."""
    bare = text.lstrip("'")
    return bare.lstrip().startswith(_FORMULA) or bare[:1].isspace()
