"""How a vector lies in a column: a float32 blob on SQLite, a pgvector ``vector`` on PostgreSQL.

Takes: float32 arrays.  Gives: their bytes on the engine's wire, and arrays back; whole matrices
in one pass.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Dialect, LargeBinary
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADER: Final = struct.Struct(">HH")


class _PgVector(UserDefinedType[bytes]):
    """The column type of pgvector without a dimension; its values are the binary wire form."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "VECTOR"


class Vector(TypeDecorator[Any]):
    """A float32 vector of any dimension; values go in and out as one-dimensional arrays.

    Bytes are passed through as they are: they are rows that ``pack`` made.
    """

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The column type for the engine."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(_PgVector())
        return dialect.type_descriptor(LargeBinary())

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        """An array in the engine's form."""
        if value is None or isinstance(value, bytes):
            return value
        return pack(value.reshape(1, -1), dialect.name)[0]

    def process_result_value(self, value: Any, dialect: Dialect) -> NDArray[np.float32] | None:
        """An array from the engine's form."""
        return None if value is None else unpack([bytes(value)], dialect.name)[0]


def pack(matrix: NDArray[np.float32], dialect: str) -> list[bytes]:
    """Rows of ``matrix`` in the form that the engine's column takes."""
    import numpy as np

    rows, dimension = matrix.shape
    if dialect != "postgresql":
        data = np.ascontiguousarray(matrix, dtype="<f4").tobytes()
        size = 4 * dimension
        return [data[start : start + size] for start in range(0, rows * size, size)]
    framed = np.empty(rows, dtype=_frame(dimension))
    framed["dimension"] = dimension
    framed["unused"] = 0
    framed["values"] = matrix
    data, size = framed.tobytes(), framed.dtype.itemsize
    return [data[start : start + size] for start in range(0, rows * size, size)]


def unpack(rows: Sequence[bytes], dialect: str) -> NDArray[np.float32]:
    """The matrix, C-contiguous float32, whose rows the engine returned.

    Args:
        rows: Values of a ``Vector`` column, at least one, all of one dimension.
        dialect: Name of the engine's dialect.

    Raises:
        ValueError: the rows have different lengths.
    """
    import numpy as np

    size = len(rows[0])
    data = b"".join(rows)
    if len(data) != size * len(rows):
        raise ValueError("vectors of different dimensions in one set")
    if dialect != "postgresql":
        flat = np.frombuffer(data, dtype="<f4")
        return flat.reshape(len(rows), size // 4).astype(np.float32, copy=False)
    dimension, _ = _HEADER.unpack_from(rows[0])
    framed = np.frombuffer(data, dtype=_frame(dimension))
    return np.ascontiguousarray(framed["values"], dtype=np.float32)


def _frame(dimension: int) -> np.dtype[np.void]:
    """The binary form of pgvector: dimension, two unused bytes, then big-endian floats."""
    import numpy as np

    return np.dtype([("dimension", ">u2"), ("unused", ">u2"), ("values", ">f4", (dimension,))])
