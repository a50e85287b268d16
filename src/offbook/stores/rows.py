"""Rows of a table as JSON objects, and back with every value checked.

Takes: rows of the database, or objects of an archive that anybody may have written.  Gives: the
other; a value of the wrong type, or a chunk that is not in its document, is refused.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, Integer, LargeBinary, Table, Text

from offbook.stores import cards, chunk_attributes, graph_answers
from offbook.stores.statements import storable

_MAX_INTEGER: Final = 2**31 - 1

# What a JSON column holds; any other but the attributes of chunks holds a list of texts.
_OBJECTS: Final = frozenset({"settings", "parameters", "recall", "emotion", "mood", "answer"})


def to_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row of the database as a JSON object; bytes become Base64."""
    return {
        str(name): base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for name, value in row.items()
    }


class RowReader:
    """Reads the rows of one table.

    Args:
        table: The table that the rows are for.
        columns: Names of its columns; by default all but the character's id.
    """

    def __init__(self, table: Table, columns: Sequence[str] | None = None) -> None:
        names = columns or [c.name for c in table.columns if c.name != "character_id"]
        self._table = table.name
        self._columns = {name: table.columns[name] for name in names}

    def values(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """The values to be stored.

        Raises:
            ValueError: a column is missing, unknown, or holds what it cannot hold.
        """
        if line.keys() != self._columns.keys():
            odd = sorted(line.keys() ^ self._columns.keys())
            raise ValueError(f"a row of {self._table!r} has other columns than it should: {odd}")
        return {
            name: self._value(name, column, line[name]) for name, column in self._columns.items()
        }

    def _value(self, name: str, column: Column[Any], value: Any) -> Any:
        if value is None:
            if not column.nullable:
                raise ValueError(f"{self._table}.{name} is missing")
            return None
        if not _fits(column, value):
            raise ValueError(f"{self._table}.{name} cannot be {str(value)[:40]!r}")
        if isinstance(column.type, LargeBinary):
            return base64.b64decode(value, validate=True)
        if isinstance(value, str):
            storable(value)
        return float(value) if isinstance(column.type, Double) else value


def _fits(column: Column[Any], value: Any) -> bool:
    kind = column.type
    if isinstance(kind, JSON):
        if column.name in _OBJECTS:
            return isinstance(value, dict)
        if column.name == "attributes":
            return chunk_attributes.is_list(value)
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if isinstance(kind, Text | LargeBinary):
        return isinstance(value, str)
    if isinstance(kind, Boolean):
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(kind, Integer | BigInteger):
        return isinstance(value, int) and abs(value) <= _MAX_INTEGER
    return math.isfinite(value)


class Law:
    """What must hold between the rows of an archive, and no foreign key says."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def check(self, table: str, row: Mapping[str, Any]) -> None:
        """Look at one row; documents come before their chunks.

        Raises:
            ValueError: a digest or length is not the text's, a chunk is not in its document, what
                was answered about the graph is no such answer, or a summary is of nothing.
        """
        if table == "documents":
            text = row["text"]
            digest = hashlib.sha256(text.encode()).hexdigest()
            if digest != row["digest"] or len(text) != row["chars"]:
                raise ValueError(f"the document {row['name']!r} was altered")
            self._texts[row["id"]] = text
        elif table == "chunks":
            text = self._texts.get(row["document_id"], "")
            if text[row["start"] : row["end"]] != row["text"] or row["start"] < 0:
                raise ValueError(f"the chunk {row['id']!r} is not in its document")
        elif table == "graph_answers" and not graph_answers.is_answer(row["kind"], row["answer"]):
            raise ValueError(f"the answer {row['key']!r} about the graph was altered")
        elif table == "summaries" and (row["level"] < 1 or not row["members"]):
            raise ValueError(f"the summary {row['id']!r} was altered")
        elif table == "card_files" and not cards.is_card_file(row["kind"], row["raw"]):
            raise ValueError(f"the card {row['name']!r} was altered")
