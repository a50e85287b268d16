"""What the papers print, transcribed: one row a line, model and source, digits as printed.

Takes: a table's name.  Gives: the printed numbers. They are facts, copied from the papers' text;
what the extraction of the text has damaged is left out, and the table says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

FILE: Final = "published.json"


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A row of a paper: ``of`` is the model that answered (or embedded), ``values`` by column."""

    line: str
    of: str
    source: str
    values: Mapping[str, str]


def printed(table: str) -> tuple[PrintedRow, ...]:
    """The rows that the papers print for a table, in their order.

    Raises:
        KeyError: there is no such table.
    """
    return tuple(PrintedRow(**row) for row in _tables()[table])


def published_types(table: str) -> dict[str, str]:
    """The labels of a table of types by character, as the papers print them."""
    return {
        row.line: row.values["type.label"] for row in printed(table) if "type.label" in row.values
    }


@cache
def _tables() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = json.loads(
        files(__package__).joinpath(FILE).read_text("utf-8")
    )
    return found
