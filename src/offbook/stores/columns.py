"""Columns and keys as the schema's tables have them, and how a vector lies in a column.

That is a float32 blob on SQLite, and a pgvector ``vector`` on PostgreSQL.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    Column,
    Dialect,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    Text,
)
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)


Key: Final = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that identifies: compared and ordered by code point on both engines."""


def of_character(*, primary: bool = True) -> Column[Any]:
    """Begin the key of a row that hangs on its character directly."""
    link = ForeignKey("characters.id", ondelete="CASCADE")
    return Column("character_id", Key, link, primary_key=primary, nullable=False)


def through_character() -> Column[Any]:
    """Begin the key of a row that hangs on its character through another row."""
    return Column("character_id", Key, primary_key=True)


def of_source() -> Column[Any]:
    """Begin the key of a row that hangs on its source directly."""
    link = ForeignKey("sources.id", ondelete="CASCADE")
    return Column("source_id", Key, link, primary_key=True)


def through_source(*, primary: bool = True) -> Column[Any]:
    """Begin the key of a row that hangs on its source through another row."""
    return Column("source_id", Key, primary_key=primary, nullable=False)


def belongs_to(
    table: str, *columns: str, key: tuple[str, ...] = ("id",), owner: str = "character_id"
) -> ForeignKeyConstraint:
    """Let a row live as long as the row of ``table`` that ``columns`` name, of the same owner.

    What names a row that gets another name names it anew.
    """
    return ForeignKeyConstraint(
        [owner, *columns],
        [f"{table}.{owner}", *(f"{table}.{name}" for name in key)],
        ondelete="CASCADE",
        onupdate="CASCADE",
    )


def rests_on(table: str, *columns: str, key: tuple[str, ...] = ("id",)) -> ForeignKeyConstraint:
    """Let a row live as long as the row of ``table`` that ``columns`` name, of the same source."""
    return belongs_to(table, *columns, key=key, owner="source_id")


def words(name: str) -> Column[str]:
    """Make a column of text that is never null."""
    return Column(name, Text, nullable=False)


def key(name: str, *, primary: bool = False, nullable: bool = False) -> Column[str]:
    """Make a column of text that identifies."""
    return Column(name, Key, primary_key=primary, nullable=nullable)


def integer(name: str, *, primary: bool = False) -> Column[int]:
    """Make a column of whole numbers that is never null."""
    return Column(name, Integer, primary_key=primary, nullable=False, autoincrement=False)


_HEADER: Final = struct.Struct(">HH")
"""Of pgvector's binary form: the dimension, and two unused bytes before big-endian floats."""


class _PgVector(UserDefinedType[bytes]):
    """The column type of pgvector without a dimension; its values are the binary wire form."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "VECTOR"


class Vector(TypeDecorator[Any]):
    """A float32 vector of any dimension; values go in and out as one-dimensional arrays.

    Bytes are passed through as they are.
    """

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose the column type for the engine."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(_PgVector())
        return dialect.type_descriptor(LargeBinary())

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        """Turn an array into the engine's form."""
        if value is None or isinstance(value, bytes):
            return value
        if dialect.name == "postgresql":
            packed: bytes = _HEADER.pack(len(value), 0) + value.astype(">f4").tobytes()
            return packed
        plain: bytes = value.astype("<f4").tobytes()
        return plain

    def process_result_value(self, value: Any, dialect: Dialect) -> NDArray[np.float32] | None:
        """Read an array from the engine's form."""
        return None if value is None else unpack([bytes(value)], dialect.name)[0]


def unpack(rows: Sequence[bytes], dialect: str) -> NDArray[np.float32]:
    """Make the matrix, C-contiguous float32, whose rows the engine returned.

    Args:
        rows: Values of a ``Vector`` column, at least one, all of one dimension.
        dialect: Name of the engine's dialect.

    Raises:
        ValueError: the rows have different lengths.
    """
    import numpy as np

    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("vectors of different dimensions in one set")
    is_postgres = dialect == "postgresql"
    skipped, numbers = (_HEADER.size, ">f4") if is_postgres else (0, "<f4")
    flat = np.frombuffer(b"".join(row[skipped:] for row in rows), dtype=numbers)
    return np.ascontiguousarray(flat.reshape(len(rows), -1), dtype=np.float32)
