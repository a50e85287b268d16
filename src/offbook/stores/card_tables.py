"""Tables of cards and lorebooks, as they came in; part of the one schema (``stores.schema``).

Takes: nothing.  Gives: the tables. A card or lorebook goes with the document that its text became.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, LargeBinary, Table

from offbook.stores.columns import belongs_to, key, through_character, words
from offbook.stores.metadata import metadata

card_files: Final = Table(
    "card_files",
    metadata,
    through_character(),
    key("document_id", primary=True),
    # ``card``, ``card_lorebook`` (the card's own) or ``lorebook``.
    words("kind"),
    # The name of the file, and the format that it was in.
    words("name"),
    words("format"),
    # The JSON object, unknown fields included; of a card without its own lorebook, where that has
    # a row by itself, so that one can be forgotten without the other.
    words("raw"),
    belongs_to("documents", "document_id"),
)

card_assets: Final = Table(
    "card_assets",
    metadata,
    through_character(),
    key("document_id", primary=True),
    # Its place in the card's file; empty: the picture that the card came in.
    key("place", primary=True),
    Column("data", LargeBinary, nullable=False),
    belongs_to("card_files", "document_id", key=("document_id",)),
)
