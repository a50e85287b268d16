"""Tables of the server: what keys may do, and ingestions that go on behind requests.

Takes: nothing.  Gives: the tables; part of the one schema (``stores.schema``). A key hangs on its
principal, whose row holds its hash and its characters; an ingestion hangs on its character.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import JSON, Column, Double, ForeignKey, Index, Integer, Table, Text

from offbook.stores.columns import Key, key, of_character, words
from offbook.stores.metadata import metadata

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
    # The process that works on it, if one does.
    Column("owner", Key),
    Column("host", Text),
    Column("pid", Integer),
    Column("heartbeat", Double),
    Index(None, "status"),
)
