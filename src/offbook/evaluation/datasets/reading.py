"""Files of a dataset: JSON Lines, JSON and CSV, to rows that know where they stand.

Takes: a path.  Gives: rows or a JSON value; a file that cannot be used is refused with the file,
the line and how to mend it. Encodings are never guessed (``documents.readers``).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from offbook.documents.readers import decode, read_bytes
from offbook.errors import UnreadableDocument, UsageError

ROW_ENDINGS: Final = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
"""Endings of files that hold rows."""

_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Row:
    """An object of a file; ``number`` is its line, or its place in a JSON list, from 1."""

    path: Path
    number: int
    values: dict[str, Any]

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"row {self.number} of {str(self.path)!r}"


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark, line ends as they are.

    Raises:
        UnreadableDocument: it is gone, binary, or in an encoding that is not known.
        UsageError: it is empty.
    """
    path = path.expanduser()
    text = decode(path, read_bytes(path))
    if not text.strip():
        raise UsageError(f"{str(path)!r} is empty", "name a file with a question a line")
    return text


def read_json(path: Path) -> Any:
    """The one JSON value of a file.

    Raises:
        UnreadableDocument, UsageError: as `read_text`, or it is no JSON.
    """
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"line {error.lineno} of {str(path)!r} is no JSON: {error.msg} "
            f"at character {error.colno}",
            "mend the file, or fetch it again: it may be cut off",
        ) from error
    except RecursionError as error:
        raise UsageError(
            f"{str(path)!r} is no dataset: brackets within brackets", "name another file"
        ) from error


def read_rows(path: Path) -> list[Row]:
    """The rows of a JSON Lines, JSON or CSV file; a list in a file named ``.jsonl`` is read too.

    Raises:
        UnreadableDocument, UsageError: as `read_text`, or a row cannot be read.
    """
    ending = path.suffix.lower()
    if ending == ".parquet":
        raise UnreadableDocument(
            f"{str(path)!r} is Parquet, which is not read",
            "write it as JSON Lines first, with the library that you have for it",
        )
    text = read_text(path)
    if ending in (".csv", ".tsv"):
        return list(_csv_rows(path, text, "\t" if ending == ".tsv" else None))
    if text.lstrip().startswith("["):
        return _listed_rows(path, read_json(path))
    if ending == ".json":
        return _object_rows(path, read_json(path))
    return list(_line_rows(path, text))


def rows_of(text: str, name: str) -> list[Row]:
    """The rows of JSON Lines that lie in no file; ``name`` is for messages.

    Raises:
        UsageError: a row cannot be read.
    """
    return list(_line_rows(Path(name), text))


def _listed_rows(path: Path, value: list[Any]) -> list[Row]:
    for number, each in enumerate(value, 1):
        if not isinstance(each, dict):
            raise UsageError(
                f"element {number} of {str(path)!r} is no object: {str(each)[:_SHOWN]!r}",
                'an element is {"question": "...", ...}',
            )
    return [Row(path, number, each) for number, each in enumerate(value, 1)]


def _object_rows(path: Path, value: dict[str, Any]) -> list[Row]:
    """The rows of ``{"data": [...]}``, or the object itself as the one row."""
    for key in ("data", "rows", "questions", "items"):
        if isinstance(value.get(key), list):
            return _listed_rows(path, value[key])
    return [Row(path, 1, value)]


def _line_rows(path: Path, text: str) -> Iterator[Row]:
    # Not splitlines(): it also splits at separators that may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise UsageError(
                f"line {number} of {str(path)!r} is no JSON: {error.msg} "
                f"at character {error.pos + 1}, near {line[max(0, error.pos - 20) :][:40]!r}",
                "a line is one JSON object: mend that line, or remove it",
            ) from error
        except RecursionError as error:
            raise UsageError(
                f"line {number} of {str(path)!r} is no row: brackets within brackets",
                "a line is one JSON object: mend that line, or remove it",
            ) from error
        if not isinstance(value, dict):
            raise UsageError(
                f"line {number} of {str(path)!r} is no object: {line[:_SHOWN]!r}",
                'a line is {"question": "...", ...}',
            )
        yield Row(path, number, value)


def _csv_rows(path: Path, text: str, delimiter: str | None) -> Iterator[Row]:
    head = text.split("\n", 1)[0]
    delimiter = delimiter or max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for values in reader:
            if None in values:
                raise UsageError(
                    f"line {reader.line_num} of {str(path)!r} has more fields than the first line",
                    f"put a field that holds {delimiter!r} into double quotes",
                )
            yield Row(path, reader.line_num, {key: value or "" for key, value in values.items()})
    except csv.Error as error:
        raise UsageError(
            f"line {reader.reader.line_num} of {str(path)!r} is no CSV: {error}",
            "close the double quotes, and write one that is meant twice",
        ) from error
