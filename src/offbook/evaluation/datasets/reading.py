"""Files of datasets: rows of JSON, JSON Lines, CSV or text; their columns; folders and options."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

    @property
    def short_place(self) -> str:
        """Where it stands, for notes."""
        return f"{self.path.name}:{self.number}"


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
    return _json_value(path, read_text(path))


def _json_value(path: Path, text: str, line: int | None = None) -> Any:
    """The JSON value of a file, or of one line of it."""
    hint = "mend it, or fetch the file again: it may be cut off"
    hint = hint if line is None else "a line is one JSON object: mend that line, or remove it"
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        near = "" if line is None else f", near {text[max(0, error.pos - 20) :][:40]!r}"
        raise UsageError(
            f"line {line or error.lineno} of {str(path)!r} is no JSON: {error.msg} "
            f"at character {error.colno}{near}",
            hint,
        ) from error
    except RecursionError as error:
        raise UsageError(
            f"line {line or 1} of {str(path)!r} is no dataset: brackets within brackets", hint
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
        return _listed_rows(path, _json_value(path, text))
    if ending == ".json":
        return _object_rows(path, _json_value(path, text))
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
        value = _json_value(path, line, number)
        if not isinstance(value, dict):
            raise UsageError(
                f"line {number} of {str(path)!r} is no object: {line[:_SHOWN]!r}",
                'a line is {"question": "...", ...}',
            )
        yield Row(path, number, value)


LONGEST_FIELD: Final = 10_000_000
"""Characters of one field of a CSV file."""


def separator_in(text: str) -> str:
    """What separates the fields of a CSV file, by its first line."""
    return max(",;\t", key=text.partition("\n")[0].count)


def _csv_rows(path: Path, text: str, delimiter: str | None) -> Iterator[Row]:
    delimiter = delimiter or separator_in(text)
    # A setting of the process: a document in a field may be longer than its 131,072 characters.
    csv.field_size_limit(LONGEST_FIELD)
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


_BETWEEN: Final = re.compile(r"[\s_\-]+")
_MOST_PLACES: Final = 8
_MOST_PROBLEMS: Final = 20


def column_key(name: str) -> str:
    """A column's name as it is compared: lower case, runs of blanks, ``-`` and ``_`` are one."""
    return _BETWEEN.sub("_", name.strip()).casefold()


class Notes:
    """What a loader met and did about it, each sort once with how often."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._fields: Counter[str] = Counter()
        self._places: dict[str, list[str]] = {}

    def say(self, note: str) -> None:
        """Keep a note, once."""
        if note not in self._said:
            self._said.append(note)

    def unread(self, field: str) -> None:
        """Count a field that no loader reads."""
        self._fields[field] += 1

    def at(self, what: str, place: object) -> None:
        """Count an event, and remember where."""
        self._places.setdefault(what, []).append(str(place))

    def listed(self, rows: int) -> tuple[str, ...]:
        """All notes; ``rows`` is of how many rows the counts are."""
        counted = [
            f"{what}: {len(places)} ({_listed(places)})" for what, places in self._places.items()
        ]
        fields = [
            f"field {field!r} is not read (in {count} of {rows} rows)"
            for field, count in sorted(self._fields.items())
        ]
        return (*self._said, *counted, *fields)


class Columns:
    """The fields of rows by what they mean."""

    def __init__(
        self, names: Mapping[str, Iterable[str]], notes: Notes, ignored: Iterable[str] = ()
    ) -> None:
        self._names = {
            meaning: [column_key(name) for name in each] for meaning, each in names.items()
        }
        self._known = {name for each in self._names.values() for name in each}
        self._ignored = {column_key(name) for name in ignored}
        self._notes = notes

    def of(self, row: Row) -> Fields:
        """The fields of a row, those that nobody reads counted."""
        values = {column_key(str(key)): value for key, value in row.values.items()}
        for key in row.values:
            if column_key(str(key)) not in self._known | self._ignored:
                self._notes.unread(str(key))
        fields: dict[str, Any] = {}
        for meaning, names in self._names.items():
            for name in names:
                if values.get(name) not in (None, "", []):
                    fields[meaning] = values[name]
                    break
        return Fields(row, fields)


class Fields:
    """The fields of one row, by meaning."""

    def __init__(self, row: Row, values: Mapping[str, Any]) -> None:
        self.row = row
        self._values = values

    def text(self, meaning: str) -> str:
        """The value as text, trimmed; empty where there is none.

        Raises:
            UsageError: it is a list or an object.
        """
        value = self._values.get(meaning, "")
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict | list):
            raise UsageError(
                f"{meaning!r} in {self.row.place} is no text: {str(value)[:40]!r}",
                "give one text",
            )
        return str(value).strip()

    def texts(self, meaning: str) -> tuple[str, ...]:
        """The value as texts: a list as it is, one text as one; empty ones left out."""
        value = self._values.get(meaning, [])
        each = value if isinstance(value, list) else [value]
        if any(isinstance(one, dict | list) for one in each):
            raise UsageError(
                f"{meaning!r} in {self.row.place} is no list of texts: {str(value)[:40]!r}",
                'give a text, or a list ["...", "..."]',
            )
        return tuple(text for one in each if one is not None and (text := str(one).strip()))


def _listed(places: list[str]) -> str:
    shown = ", ".join(places[:_MOST_PLACES])
    return shown if len(places) <= _MOST_PLACES else f"{shown}, ..."


def problems_listed(problems: Sequence[str]) -> str:
    """What is wrong with the rows of a file, the first ones in words."""
    more = len(problems) - _MOST_PROBLEMS
    return "; ".join(problems[:_MOST_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")


def needed(path: Path | None, dataset: str, what: str) -> Path:
    """The path, expanded, once it is sure that it is there.

    Raises:
        UsageError: none was named.
        UnreadableDocument: there is nothing.
    """
    if path is None:
        raise UsageError(
            f"the dataset {dataset!r} is read from a folder or file, and none was named",
            f"give the path of {what}; docs/datasets.md says where to get it",
        )
    path = path.expanduser()
    if not path.exists():
        raise UnreadableDocument(
            f"there is nothing at {str(path)!r}", f"give the path of {what}; check the spelling"
        )
    return path


def first(path: Path, places: Iterable[str]) -> Path | None:
    """The first of ``places`` below ``path`` (a glob each) that is there; ``path`` if it fits."""
    for place in places:
        if path.is_file():
            if path.match(place):
                return path
        elif "*" not in place:
            if (path / place).exists():
                return path / place
        else:
            for match in sorted(path.glob(place)):
                return match
    return None


def required(path: Path, places: Sequence[str], what: str) -> Path:
    """As `first`.

    Raises:
        UnreadableDocument: none is there; the hint lists the places.
    """
    place = first(path, places)
    if place is None:
        raise UnreadableDocument(
            f"{str(path)!r} holds no {what}", f"looked for: {', '.join(places)}"
        )
    return place


def chosen(value: str, known: Sequence[str], option: str) -> str:
    """The option's value, once it is sure that it is one of ``known``.

    Raises:
        UsageError: it is not.
    """
    for each in known:
        if each.casefold() == value.strip().casefold():
            return each
    raise UsageError(f"{option} is {value!r}", f"known: {', '.join(known)}")
