"""Tables of the tree of summaries; part of the one schema (``stores.schema``).

Takes: nothing.  Gives: the tables. A summary goes with its character by key; with a chunk beneath
it by ``stores.summaries.forget_chunks``, since no key can say that the whole goes with a part.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import JSON, Column, Index, Table

from offbook.stores.columns import (
    belongs_to,
    integer,
    key,
    of_character,
    through_character,
    words,
)
from offbook.stores.metadata import metadata

summaries: Final = Table(
    "summaries",
    metadata,
    of_character(),
    key("id", primary=True),
    # 1 where its members are chunks; one more than the highest of its members.
    integer("level"),
    words("text"),
    # Ids of the chunks and summaries that it is made from, in the order in which they were read.
    Column("members", JSON, nullable=False),
)

summary_chunks: Final = Table(
    "summary_chunks",
    metadata,
    through_character(),
    key("summary_id", primary=True),
    # Every chunk beneath it, on whatever level: what it rests on.
    key("chunk_id", primary=True),
    belongs_to("summaries", "summary_id"),
    belongs_to("chunks", "chunk_id"),
    Index(None, "character_id", "chunk_id"),
)

summary_trees: Final = Table(
    "summary_trees",
    metadata,
    of_character(),
    # Names the chunks and settings that the last finished tree was built from.
    key("built_from"),
)
