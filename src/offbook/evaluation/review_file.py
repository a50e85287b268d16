"""The CSV file of a review: written for spreadsheets, and read back from whatever they made of it.

Takes: rows.  Gives: a file that Excel opens right (BOM, no cell that is run as a formula); rows of
a file with commas, semicolons or tabs, in UTF-8 with or without BOM or in UTF-16.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from offbook.errors import UsageError

COLUMNS: Final = (
    *("id", "subject", "variant", "repeat", "metric", "unit", "scale"),
    *("question", "right_answers", "reply", "analysis", "judge"),
    *("judge_value", "missing_because", "person_value", "person_name", "person_note"),
)
"""The columns in their order; a person fills in the last three."""
_NEEDED: Final = ("id", "judge_value", "person_value")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
_LONGEST_CELL: Final = 32_000
"""Excel cuts a cell at 32,767 characters, and says nothing."""
_LONGEST_FIELD: Final = 10_000_000
_SAID: Final = {"yes": 1.0, "no": 0.0}


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One row as it came back; ``number`` is the spreadsheet's, the heading being row 1."""

    number: int
    id: str
    judge_value: str
    person_value: str
    person_name: str
    person_note: str
    shown: Mapping[str, str]


def write_rows(path: Path, rows: Iterable[Mapping[str, str]], separator: str = ",") -> int:
    """Write a review; gives how many rows there are.

    Args:
        path: Where to.
        rows: One a rating (``reviewing.review_rows``).
        separator: ``,`` or, for spreadsheets that use a decimal comma, ``;``.

    Raises:
        UsageError: the file cannot be written.
    """
    count = 0
    try:
        with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
            writer = csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL)
            writer.writerow(COLUMNS)
            for row in rows:
                writer.writerow([_safe(row[name]) for name in COLUMNS])
                count += 1
    except OSError as error:
        raise UsageError(
            f"cannot write {str(path)!r}: {error.strerror}", "name another file"
        ) from None
    return count


def read_rows(path: Path) -> list[ReviewRow]:
    """The rows of a review that came back; blank ones are passed over.

    Raises:
        UsageError: it cannot be read, or a column that is needed is not there.
    """
    text = _text(path)
    header = text.partition("\n")[0]
    separator = max(",;\t", key=header.count)
    # A process-wide setting of the module: some replies are longer than its 131,072 characters.
    before = csv.field_size_limit(_LONGEST_FIELD)
    try:
        table = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise UsageError(
            f"{str(path)!r} is no CSV file: {error}", "save it as CSV (UTF-8)"
        ) from None
    finally:
        csv.field_size_limit(before)
    names = [name.strip().casefold() for name in table[0]] if table else []
    lacking = [name for name in _NEEDED if name not in names]
    if lacking:
        raise UsageError(
            f"{str(path)!r} has no column {lacking[0]!r}",
            f"keep the first row of the export: {', '.join(COLUMNS)}",
        )
    return [
        _row(number, dict(zip(names, cells, strict=False)))
        for number, cells in enumerate(table[1:], 2)
        if any(cell.strip() for cell in cells)
    ]


def number_text(value: float | None) -> str:
    """A value as a cell; empty where there is none."""
    if value is None:
        return ""
    return str(int(value)) if value.is_integer() else repr(value)


def number_in(text: str) -> float | None:
    """The number of a cell, with a decimal point or comma, or yes or no; None where it is none."""
    plain = text.strip().removeprefix("'").removesuffix("%").strip().casefold()
    if plain in _SAID:
        return _SAID[plain]
    try:
        return float(plain.replace(",", "."))
    except ValueError:
        return None


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {str(path)!r}: {error.strerror}", "name the file") from None
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise UsageError(
            f"{str(path)!r} is not in UTF-8", "save it as 'CSV UTF-8 (comma delimited)'"
        ) from None


def _row(number: int, cells: Mapping[str, str]) -> ReviewRow:
    shown = {name: _plain(cell) for name, cell in cells.items()}
    return ReviewRow(
        number=number,
        id=shown.get("id", "").strip(),
        judge_value=cells.get("judge_value", ""),
        person_value=cells.get("person_value", ""),
        person_name=shown.get("person_name", "").strip(),
        person_note=shown.get("person_note", "").strip(),
        shown=shown,
    )


def _safe(cell: str) -> str:
    """A cell that no spreadsheet runs as a formula: an apostrophe in front makes it text."""
    text = cell.replace("\x00", "")
    if len(text) > _LONGEST_CELL:
        text = f"{text[:_LONGEST_CELL]}… (cut for the spreadsheet; the run holds it whole)"
    return f"'{text}" if _is_guarded(text) else text


def _plain(cell: str) -> str:
    """A cell without the apostrophe that the export put in front."""
    rest = cell.removeprefix("'")
    return rest if rest != cell and _is_guarded(rest) else cell


def _is_guarded(text: str) -> bool:
    """Whether an apostrophe goes in front: also where the text begins with some of its own."""
    bare = text.lstrip("'")
    return bare.lstrip().startswith(_FORMULA) or bare[:1].isspace()
