"""Clusters of nodes that are alike, such that an edit touches few of them.

Takes: nodes with a lasting name, a vector and a size.  Gives: a partition of them. It depends on
the nodes alone, not on the order in which they came: what was added and deleted again leaves no
trace. Paper: none; in the place of RAPTOR's mixtures of Gaussians (arXiv 2401.18059, section 3),
whose clusters all move when one text is added. Centres are chosen by a hash of their names, as
content-defined chunking chooses its cuts; the rest goes to the centre that it is most like.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK: Final = 1024
"""Rows that are compared with all centres at once."""
_DIGITS: Final = 9
"""Equal vectors are equally like a centre, however the machine orders its sums."""
_FULL: Final = 2
"""A cluster holds this many times the usual number of nodes at most."""
_SPAN: Final = 2**64


@dataclass(frozen=True, slots=True)
class Limits:
    """How large clusters are.

    Args:
        size: Nodes of a cluster, on average; twice as many at most.
        tokens: What its nodes may have together. A node that is larger is alone.
    """

    size: int
    tokens: int


def clusters(
    names: Sequence[str],
    matrix: NDArray[np.float32],
    tokens: Sequence[int],
    limits: Limits,
    salt: int = 0,
) -> list[list[int]]:
    """Rows of each cluster, ascending; clusters in the order of their first rows.

    A centre is a node whose hash says so, whatever else there is: a new node that is none changes
    the cluster that it goes to, a new centre those from which it draws nodes, and nothing else.

    Args:
        names: A lasting name of each node, all different.
        matrix: A vector of each, float32, rows of length 1; one of zeros is like nothing.
        tokens: How large each is.
        limits: How large clusters are.
        salt: Another one gives other centres.
    """
    told = np.flatnonzero(matrix.any(axis=1))
    alone = [[row] for row in np.flatnonzero(~matrix.any(axis=1)).tolist()]
    if len(told) == 0:
        return alone
    vectors = matrix.astype(np.float64)
    found = _divide(told.tolist(), _Nodes(names, vectors, tokens, limits), salt, depth=0)
    return sorted([*found, *alone])


@dataclass(frozen=True, slots=True)
class _Nodes:
    names: Sequence[str]
    vectors: NDArray[np.float64]
    tokens: Sequence[int]
    limits: Limits

    def fit(self, rows: Sequence[int]) -> bool:
        """Whether rows may be one cluster."""
        if len(rows) == 1:
            return True
        size = sum(self.tokens[row] for row in rows)
        return len(rows) <= _FULL * self.limits.size and size <= self.limits.tokens

    def share(self, rows: Sequence[int]) -> float:
        """The share of these rows that are to be centres."""
        size = sum(self.tokens[row] for row in rows)
        wanted = max(len(rows) / self.limits.size, size / self.limits.tokens)
        return wanted / len(rows)


def _divide(rows: list[int], nodes: _Nodes, salt: int, depth: int) -> list[list[int]]:
    if nodes.fit(rows):
        return [sorted(rows)]
    order = sorted(rows, key=lambda row: (_hash(nodes.names[row], salt, depth), nodes.names[row]))
    cells = _around_centres(rows, _centres(order, nodes, salt, depth), nodes)
    if len(cells) == 1:
        # All are alike: cut in halves of the order of hashes, which is as lasting as the names.
        half = len(order) // 2
        cells = [order[:half], order[half:]]
    return [part for cell in cells for part in _divide(cell, nodes, salt, depth + 1)]


def _centres(order: list[int], nodes: _Nodes, salt: int, depth: int) -> list[int]:
    """Those whose hash is low; two at least, or nothing would be divided.

    On the first step how low depends on the settings alone. A cell that is too large is divided
    further by how large it is: that concerns its own nodes only.
    """
    share = 1 / nodes.limits.size if depth == 0 else nodes.share(order)
    low = [row for row in order if _hash(nodes.names[row], salt, depth) < share * _SPAN]
    return low if len(low) > 1 else order[:2]


def _around_centres(rows: list[int], centres: list[int], nodes: _Nodes) -> list[list[int]]:
    """Each row with the centre that it is most like; of equals the one of the lowest hash."""
    around = nodes.vectors[centres].T
    cells: dict[int, list[int]] = {}
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        likeness = np.round(nodes.vectors[block] @ around, _DIGITS)
        for row, centre in zip(block, likeness.argmax(axis=1).tolist(), strict=True):
            cells.setdefault(centre, []).append(row)
    return list(cells.values())


def _hash(name: str, salt: int, depth: int) -> int:
    told = f"{salt} {depth} {name}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(told, digest_size=8).digest())
