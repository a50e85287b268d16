"""The k most similar earlier entities of each entity, exactly.

Takes: unit vectors in reading order.  Gives: for each row its nearest rows before it.
Paper: RoleRAG (001), Algorithm 1, line 5: V holds the entities before i when i is looked up. Here
only one of several mentions that are linked anyway (a block) takes a place among the k.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Neighbours = list[list[tuple[int, float]]]
"""For each row, pairs of an earlier row and the cosine, most similar first."""

_ROWS: Final = 256
_FIRST_LOOK: Final = 64
"""Candidates of a row that are looked at first; all of them where these were not enough."""


def nearest_earlier(
    vectors: NDArray[np.float32],
    *,
    k: int,
    threshold: float,
    blocks: Sequence[int],
    types: Sequence[str] | None = None,
) -> Neighbours:
    """For each row at most ``k`` earlier rows of other blocks, most similar first.

    Args:
        vectors: Shape ``(n, dimension)``, rows of length 1 (or 0: no neighbours).
        k: How many blocks at most.
        threshold: The least cosine similarity.
        blocks: The block of each row; of a block only the most similar row counts.
        types: The type of each row, where only rows of one type are compared; None: all are.

    Returns:
        Of equal similarity the earlier row comes first.
    """
    import numpy as np

    found: Neighbours = [[] for _ in range(len(vectors))]
    if k < 1 or len(vectors) < 2:
        return found
    block = np.asarray(blocks)
    for rows in _of_one_type(types, len(vectors)):
        part = np.ascontiguousarray(vectors[rows])
        for begin in range(0, len(rows), _ROWS):
            end = min(begin + _ROWS, len(rows))
            similar = part[begin:end] @ part[:end].T
            # Masked: a row sees what stands before it, not itself and not what comes later.
            later = np.arange(end)[None, :] >= np.arange(begin, end)[:, None]
            similar[later] = -np.inf
            for offset in np.flatnonzero(similar.max(axis=1) >= threshold):
                row = rows[begin + offset]
                picked = _pick(similar[offset], block[rows[:end]], int(block[row]), k, threshold)
                found[row] = [(int(rows[column]), cosine) for column, cosine in picked]
    return found


def _of_one_type(types: Sequence[str] | None, count: int) -> list[NDArray[np.intp]]:
    """Rows that are compared with one another, in reading order."""
    import numpy as np

    if types is None:
        return [np.arange(count)]
    _, kinds = np.unique(np.asarray(types, dtype=np.str_), return_inverse=True)
    return [np.flatnonzero(kinds == kind) for kind in range(int(kinds.max()) + 1)]


def _pick(
    similar: NDArray[np.float32],
    blocks: NDArray[np.int64],
    own: int,
    k: int,
    threshold: float,
) -> list[tuple[int, float]]:
    """The best columns of one row, one of a block and none of its own."""
    import numpy as np

    columns = np.flatnonzero((similar >= threshold) & (blocks != own))
    if len(columns) > _FIRST_LOOK:
        best = columns[np.argpartition(-similar[columns], _FIRST_LOOK - 1)[:_FIRST_LOOK]]
        # Equal scores at the edge would be cut by chance: all of the worst score stay in.
        floor = similar[best].min()
        best = columns[similar[columns] >= floor]
        if len(np.unique(blocks[best])) >= k:
            columns = best
    order = columns[np.lexsort((columns, -similar[columns]))]
    picked: list[tuple[int, float]] = []
    seen: set[int] = set()
    for column in order:
        if (of := int(blocks[column])) not in seen:
            seen.add(of)
            picked.append((int(column), float(similar[column])))
            if len(picked) == k:
                break
    return picked
