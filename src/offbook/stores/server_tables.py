"""Tables of the server: what keys may do, and what goes on behind requests.

Takes: nothing.  Gives: the tables; part of the one schema (``stores.schema``). A key hangs on its
principal, whose row holds its hash and its characters; an ingestion hangs on its character, and
a job of an evaluation on the run that it works on.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import JSON, Boolean, Column, Double, ForeignKey, Index, Integer, Table, Text

from offbook.stores.columns import Key, key, of_character, words
from offbook.stores.metadata import metadata


def _worked_on() -> tuple[Column[Any], ...]:
    """The process that works on it, if one does."""
    return (
        Column("owner", Key),
        Column("host", Text),
        Column("pid", Integer),
        Column("heartbeat", Double),
    )


api_keys: Final = Table(
    "api_keys",
    metadata,
    Column("principal_id", Key, ForeignKey("principals.id", ondelete="CASCADE"), primary_key=True),
    Column("rights", JSON, nullable=False),
    Column("expires", Text),
    # Requests a minute; null: what the server's settings say.
    Column("rpm", Integer),
)

ingestions: Final = Table(
    "ingestions",
    metadata,
    of_character(),
    key("id", primary=True),
    words("status"),
    # What was asked for, texts included; null as soon as the ingestion has ended.
    Column("request", JSON(none_as_null=True)),
    Column("progress", JSON, nullable=False),
    Column("report", JSON(none_as_null=True)),
    Column("error", JSON(none_as_null=True)),
    words("created"),
    words("updated"),
    *_worked_on(),
    # Whether somebody wants it to end before its time; null as long as nobody does.
    Column("cancelled", Boolean),
    # The digests of its documents' texts before it began; null until it has.
    Column("known", JSON(none_as_null=True)),
    # What its earlier stretches asked of models: a server that stops leaves the rest to the next.
    Column("usage", JSON(none_as_null=True)),
    Index(None, "status"),
)

evaluation_jobs: Final = Table(
    "evaluation_jobs",
    metadata,
    key("id", primary=True),
    words("kind"),
    words("status"),
    # Null until the run is begun, and where what is done is no run.
    Column("run_id", Key, ForeignKey("evaluation_runs.id", ondelete="CASCADE")),
    # What was asked for, questions included; null as soon as the job has ended.
    Column("request", JSON(none_as_null=True)),
    Column("progress", JSON, nullable=False),
    Column("report", JSON(none_as_null=True)),
    Column("error", JSON(none_as_null=True)),
    # Whether somebody wants it to end before its time.
    Column("cancelled", Boolean, nullable=False),
    words("created"),
    words("updated"),
    *_worked_on(),
    Index(None, "status"),
    Index(None, "run_id"),
)
