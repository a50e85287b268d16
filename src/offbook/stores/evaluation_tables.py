"""Tables of evaluations: runs, their cells (one reply each), a judge's ratings.

Takes: nothing.  Gives: the tables; part of the one schema (``stores.schema``). Cells and ratings
hang on a run and on the character that was asked: they go with either.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import JSON, Boolean, Column, Double, ForeignKey, Index, Integer, Table, Text

from offbook.stores.columns import Key, integer, key, words
from offbook.stores.metadata import metadata


def _of_run() -> Column[Any]:
    link = ForeignKey("evaluation_runs.id", ondelete="CASCADE")
    return Column("run_id", Key, link, primary_key=True)


def _asked() -> Column[Any]:
    """The character: no part of the key, which the subject of the run is."""
    return Column(
        "character_id", Key, ForeignKey("characters.id", ondelete="CASCADE"), nullable=False
    )


def _number(name: str) -> Column[int]:
    return Column(name, Integer, primary_key=True, autoincrement=False)


runs: Final = Table(
    "evaluation_runs",
    metadata,
    key("id", primary=True),
    words("benchmark"),
    words("created"),
    words("status"),
    # How the record is written: an older one is read, a newer one is refused.
    integer("format"),
    Column("record", JSON, nullable=False),
    # Every judge that was asked, and where it answered.
    Column("judges", JSON, nullable=False),
    Column("usage", JSON, nullable=False),
    # The process that works on it, if one does.
    Column("owner", Key),
    Column("host", Text),
    Column("pid", Integer),
    Column("heartbeat", Double),
)

cells: Final = Table(
    "evaluation_cells",
    metadata,
    _of_run(),
    key("subject", primary=True),
    key("question", primary=True),
    key("variant", primary=True),
    _number("repeat"),
    _asked(),
    Column("reply", Text),
    Column("error", Text),
    Column("verdict", Text),
    Column("fallback", Boolean),
    # Pieces of the context that were forgotten since.
    integer("forgotten"),
    words("finished"),
    Column("usage", JSON, nullable=False),
    Column("documents", JSON, nullable=False),
    Column("context", JSON, nullable=False),
    Index(None, "character_id"),
)

ratings: Final = Table(
    "evaluation_ratings",
    metadata,
    _of_run(),
    key("subject", primary=True),
    key("variant", primary=True),
    _number("repeat"),
    key("metric", primary=True),
    key("unit", primary=True),
    key("judge", primary=True),
    _number("sample"),
    _asked(),
    Column("value", Double),
    Column("missing", Text),
    # A person's overruling stands beside the judge's value, never in its place.
    Column("person", Double),
    words("person_name"),
    words("person_note"),
    Column("documents", JSON, nullable=False),
    words("analysis"),
    Index(None, "character_id"),
)
