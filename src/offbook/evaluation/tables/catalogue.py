"""The published tables by name.

Takes: a name.  Gives: a `Table`, or an error with the nearest name.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from offbook.errors import UnknownName
from offbook.evaluation.tables import amadeus, emotional, rolerag
from offbook.evaluation.tables.layout import Table

TABLES: Final = {
    table.name: table for table in (*rolerag.TABLES, *amadeus.TABLES, *emotional.TABLES)
}
"""All tables, in the order of evaluation.md."""


def table_named(name: str) -> Table:
    """The table of this name.

    Raises:
        UnknownName: there is none; the hint has the nearest and all of them.
    """
    if name not in TABLES:
        near = get_close_matches(name, TABLES, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownName(f"no table {name!r}", f"{hint}known: {', '.join(TABLES)}")
    return TABLES[name]
