"""Union-find over raw entities that knows who must not be joined.

Takes: links, and pairs of names that a person has told apart.  Gives: the components.
Paper: RoleRAG (001), Algorithm 1, lines 8 and 9 (connected components).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


class Links:
    """Disjoint sets of rows.

    Args:
        keys: The name key of each row (``equal_names.name_key``).
        apart: Pairs of name keys, or of ids, that may not stand in one set.
        ids: The id of each row, where any may be told apart by it.
    """

    def __init__(
        self,
        keys: Sequence[str],
        apart: Collection[tuple[str, str]] = (),
        ids: Sequence[str] | None = None,
    ) -> None:
        self._parent = list(range(len(keys)))
        told = {key for pair in apart for key in pair}
        # Only the names that are told apart have to be known of a set.
        self._names = [set(both) & told for both in zip(keys, ids or keys, strict=True)]
        self._apart = {pair for a, b in apart for pair in ((a, b), (b, a))}

    def root(self, row: int) -> int:
        """The row that stands for the set of ``row``."""
        while self._parent[row] != row:
            self._parent[row] = self._parent[self._parent[row]]
            row = self._parent[row]
        return row

    def join(self, a: int, b: int) -> bool:
        """Join the sets of two rows; False where a person's word forbids it."""
        a, b = sorted((self.root(a), self.root(b)))
        if a == b:
            return True
        if any((x, y) in self._apart for x in self._names[a] for y in self._names[b]):
            return False
        self._parent[b] = a
        self._names[a] |= self._names[b]
        return True

    def sets(self, rows: Iterable[int] | None = None) -> list[list[int]]:
        """The sets, in the order of their first rows."""
        found: dict[int, list[int]] = {}
        for row in range(len(self._parent)) if rows is None else rows:
            found.setdefault(self.root(row), []).append(row)
        return list(found.values())
