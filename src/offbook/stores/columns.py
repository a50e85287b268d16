"""Columns and keys as the schema's tables have them.

Takes: names.  Gives: columns and foreign keys.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Column, ForeignKey, ForeignKeyConstraint, Integer, Text

Key: Final = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that identifies: compared and ordered by code point on both engines."""


def of_character() -> Column[Any]:
    """The first half of a key, of a row that hangs on its character directly."""
    link = ForeignKey("characters.id", ondelete="CASCADE")
    return Column("character_id", Key, link, primary_key=True)


def through_character() -> Column[Any]:
    """The first half of a key, of a row that hangs on its character through another row."""
    return Column("character_id", Key, primary_key=True)


def belongs_to(table: str, *columns: str, key: tuple[str, ...] = ("id",)) -> ForeignKeyConstraint:
    """A row lives as long as the row of ``table`` that ``columns`` name, of the same character."""
    return ForeignKeyConstraint(
        ["character_id", *columns],
        [f"{table}.character_id", *(f"{table}.{name}" for name in key)],
        ondelete="CASCADE",
    )


def words(name: str) -> Column[str]:
    """A column of text that is never null."""
    return Column(name, Text, nullable=False)


def key(name: str, *, primary: bool = False, nullable: bool = False) -> Column[str]:
    """A column of text that identifies."""
    return Column(name, Key, primary_key=primary, nullable=nullable)


def integer(name: str) -> Column[int]:
    """A column of whole numbers that is never null."""
    return Column(name, Integer, nullable=False)
