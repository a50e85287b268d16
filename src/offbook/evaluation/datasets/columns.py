"""Fields of a row under the names that datasets give them, and what was met on the way.

Takes: rows, and a table of column names.  Gives: texts and lists of texts; fields that nobody
reads are counted and end as notes, so that nothing is passed over in silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.datasets.reading import Row

_BETWEEN: Final = re.compile(r"[\s_\-]+")
_MOST_PLACES: Final = 8


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

    def told(self, rows: int) -> tuple[str, ...]:
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
    """The fields of rows by what they mean.

    Args:
        names: Meaning -> the column names that stand for it, the first that a row has counts.
        notes: Where unread fields are counted.
        ignored: Columns that are known and not needed: not noted.
    """

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
        found: dict[str, Any] = {}
        for meaning, names in self._names.items():
            for name in names:
                if values.get(name) not in (None, "", []):
                    found[meaning] = values[name]
                    break
        return Fields(row, found)


class Fields:
    """The fields of one row, by meaning."""

    def __init__(self, row: Row, values: Mapping[str, Any]) -> None:
        self.row = row
        self._values = values

    def __contains__(self, meaning: str) -> bool:
        return meaning in self._values

    def value(self, meaning: str) -> Any:
        """The value as the file has it, or None."""
        return self._values.get(meaning)

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
