"""Which raw entities are compared with which, and which are linked without a call.

Paper: RoleRAG (001), appendix B, Algorithm 1, lines 4 to 6: V holds the entities before i when i
is looked up. Here only one of several mentions that are linked anyway (a block) takes a place among
the k. Ours: candidates by name, one judgement a pair of names where a later mention tells nothing
new, homonyms that are judged, not forced together, and names that a chunk states to be one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.names.evidence import head_gender, head_kinship, head_name, speakers
from offbook.names.identity import name_key
from offbook.names.likeness import likeness, may_share_kin
from offbook.names.person import is_demonstrative, parse_name
from offbook.types import RawEntity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.settings.model import GraphSettings

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

    neighbours: Neighbours = [[] for _ in range(len(vectors))]
    if k < 1 or len(vectors) < 2:
        return neighbours
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
                neighbours[row] = [(int(rows[column]), cosine) for column, cosine in picked]
    return neighbours


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
    block: int,
    k: int,
    threshold: float,
) -> list[tuple[int, float]]:
    """The best columns of one row, one of a block and none of its own."""
    import numpy as np

    columns = np.flatnonzero((similar >= threshold) & (blocks != block))
    if len(columns) > _FIRST_LOOK:
        best = columns[np.argpartition(-similar[columns], _FIRST_LOOK - 1)[:_FIRST_LOOK]]
        # Equal scores at the edge would be cut by chance: all of the worst score stay in.
        floor = similar[best].min()
        best = columns[similar[columns] >= floor]
        if len(np.unique(blocks[best])) >= k:
            columns = best
    order = columns[np.lexsort((columns, -similar[columns]))]
    picked: list[tuple[int, float]] = []
    taken: set[int] = set()
    for column in order:
        if (of := int(blocks[column])) not in taken:
            taken.add(of)
            picked.append((int(column), float(similar[column])))
            if len(picked) == k:
                break
    return picked


def speaks_against(a: RawEntity, b: RawEntity) -> str | None:
    """Why two raw entities of equal names may not be one; None where nothing speaks against it.

    Args:
        a: One mention.
        b: Another whose ``name_key`` is the same.
    """
    if a.type and b.type and a.type.casefold() != b.type.casefold():
        return f"one is a {a.type}, the other a {b.type}"
    return _of_reference(a, b) or _of_descriptions(a.description, b.description)


def _of_reference(a: RawEntity, b: RawEntity) -> str | None:
    """Who is meant by "my father" or "sir" depends on who says it."""
    one, other = parse_name(a.name), parse_name(b.name)
    if one.words or other.words:
        return None
    said_a, said_b = speakers(a.description), speakers(b.description)
    if not said_a or not said_b or set(said_a) & set(said_b):
        return None
    if one.kin:
        shared = may_share_kin(one.kin, one.owner, said_a, said_b)
        return None if shared else f"{a.name!r} is said by different people"
    if is_demonstrative(one):
        return f"{a.name!r} is said by different people"
    return None


def _of_descriptions(a: str, b: str) -> str | None:
    one, other = head_gender(a), head_gender(b)
    if one and other and one != other:
        return "one is described as a man, the other as a woman"
    names = head_name(a), head_name(b)
    if all(names):
        first, second = parse_name(names[0]), parse_name(names[1])
        if likeness(first, second).conflict:
            return f"one is described as {names[0]}, the other as {names[1]}"
    kin, other_kin = head_kinship(a), head_kinship(b)
    if kin and other_kin and kin[1] == other_kin[1] and kin[0] != other_kin[0]:
        return f"one is the {kin[0]}, the other the {other_kin[0]} of the same person"
    return None


_BLOCKS: Final = 48
"""How many blocks of one name a mention is compared with."""

Pair = tuple[int, int]
"""A row and an earlier one."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Mentions of equal names that are linked without a call.

    ``of`` is the block of each row; ``contested`` are pairs of equal names of which something
    speaks against linking them: they are judged like any candidate.
    """

    of: list[int]
    contested: list[Pair]


def link_equal_names(entities: Sequence[RawEntity], settings: GraphSettings) -> Blocks:
    """Link equal names up to case and accents."""
    of: list[int] = []
    contested: list[Pair] = []
    latest: dict[str, list[int]] = {}
    spoken: dict[tuple[str, str], int] = {}
    for row, entity in enumerate(entities):
        # The last mention of each block of this name, the most recent block first. Very many
        # people say "my father": who said it before is found at once, others among the latest.
        key = _key(entity, row)
        before = latest.setdefault(key, [])
        said = speakers(entity.description) if settings.homonyms else ()
        same_speaker = dict.fromkeys(spoken[key, name] for name in said if (key, name) in spoken)
        near = [b for b in before if b not in same_speaker]
        fitting = next(
            (b for b in (*same_speaker, *near) if _may_link(entities[b], entity, settings)), None
        )
        if fitting is None:
            contested += [(row, b) for b in before[: settings.k]]
            of.append(row)
        else:
            before[:] = [b for b in before if b != fitting]
            of.append(of[fitting])
        before.insert(0, row)
        del before[_BLOCKS:]
        spoken.update({(key, name): row for name in said})
    return Blocks(of, contested)


def _key(entity: RawEntity, row: int) -> str:
    # A name of signs only has no key: it equals nothing.
    return name_key(entity.name) or f"\0{row}"


def _may_link(a: RawEntity, b: RawEntity, settings: GraphSettings) -> bool:
    return not settings.homonyms or speaks_against(a, b) is None


def candidate_pairs(
    entities: Sequence[RawEntity],
    vectors: NDArray[np.float32] | None,
    blocks: Blocks,
    settings: GraphSettings,
    by_name: Callable[[Sequence[RawEntity], int], Sequence[Sequence[int]]],
) -> list[Pair]:
    """The pairs to judge, in reading order of their later mention.

    What is known as the end of a relation alone has no description that a meaning could be
    compared by: it is compared by its name.
    """
    earlier_rows: list[list[int]] = [[] for _ in entities]
    for row, earlier in blocks.contested:
        earlier_rows[row].append(earlier)
    if vectors is not None:
        types = [entity.type for entity in entities] if settings.same_type else None
        near = nearest_earlier(
            vectors, k=settings.k, threshold=settings.threshold, blocks=blocks.of, types=types
        )
        for row, picked in enumerate(near):
            if entities[row].type or not settings.by_name:
                earlier_rows[row] += [earlier for earlier, _ in picked]
    if settings.by_name:
        for row, alike in enumerate(by_name(entities, settings.k)):
            earlier_rows[row] += [
                earlier
                for earlier in alike
                if blocks.of[earlier] != blocks.of[row]
                and _same_type(entities, row, earlier, settings)
            ]
        for one, other in _stated(entities):
            if blocks.of[one] != blocks.of[other]:
                earlier_rows[max(one, other)].append(min(one, other))
    pairs = [
        (row, earlier)
        for row, of_row in enumerate(earlier_rows)
        for earlier in dict.fromkeys(of_row)
    ]
    return _once(entities, pairs, blocks) if settings.once else pairs


def _stated(entities: Sequence[RawEntity]) -> Iterator[Pair]:
    """Each mention with those that its own chunk says are other names of it."""
    rows: dict[tuple[str, str], int] = {}
    for row, entity in enumerate(entities):
        rows.setdefault((entity.chunk, name_key(entity.name)), row)
    for row, entity in enumerate(entities):
        for alias in entity.aliases:
            other = rows.get((entity.chunk, name_key(alias)))
            if other is not None and other != row:
                yield row, other


def _same_type(
    entities: Sequence[RawEntity], row: int, earlier: int, settings: GraphSettings
) -> bool:
    """Whether types allow it; what is known as the end of a relation alone has none."""
    one, other = entities[row].type, entities[earlier].type
    return not settings.same_type or one == other or not one or not other


def _once(entities: Sequence[RawEntity], pairs: Sequence[Pair], blocks: Blocks) -> list[Pair]:
    """The first pair of any two blocks, and the first whose description names the other."""
    first: set[tuple[int, int]] = set()
    telling: set[tuple[int, int]] = set()
    once: list[Pair] = []
    for row, earlier in pairs:
        both = (blocks.of[earlier], blocks.of[row])
        tells = _names_other(entities[row], entities[earlier])
        if both not in first or (tells and both not in telling):
            once.append((row, earlier))
        first.add(both)
        if tells:
            telling.add(both)
    return once


def _names_other(a: RawEntity, b: RawEntity) -> bool:
    """Whether what is said of one names the other: there a text may say who is who."""
    one, other = a.name.casefold(), b.name.casefold()
    if one in other or other in one:
        return False
    return other in a.description.casefold() or one in b.description.casefold()
