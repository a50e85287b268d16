"""Vectors: what an embedder made of chunks, entities and memories, in sets.

A set holds the vectors of one embedder. One set is active; another may be in the making, and
replaces it in one transaction when it is complete, so that re-embedding never loses vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from sqlalchemy import Connection, LargeBinary, delete, func, select, type_coerce, update

from offbook.errors import EmbedderMismatch, ModelError, StoreFailed
from offbook.stores import characters, memories
from offbook.stores.columns import unpack
from offbook.stores.schema import characters as character_rows
from offbook.stores.schema import chunks, subjects, vector_sets, vectors
from offbook.stores.statements import among, columns_of, of, put_rows, read_as, row_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["chunk", "raw_entity", "entity", "memory", "relation", "summary"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors of one embedder; ``status`` is building or complete."""

    id: str
    embedder: str
    dimension: int
    status: str
    active: bool


def active_set(conn: Connection, character: str) -> VectorSet | None:
    """Return the set that retrieval reads, if any."""
    return next((each for each in list_sets(conn, character) if each.active), None)


def list_sets(conn: Connection, character: str) -> list[VectorSet]:
    """List all sets of a character, oldest first."""
    chosen = select(*columns_of(VectorSet, vector_sets)).where(of(vector_sets, character))
    oldest_first = chosen.order_by(func.length(vector_sets.c.id), vector_sets.c.id)
    return read_as(conn, VectorSet, oldest_first)


def use_set(conn: Connection, character: str, embedder: str, dimension: int) -> VectorSet:
    """Return the active set, for adding vectors of this embedder; the first one is made.

    Raises:
        EmbedderMismatch: the stored vectors came from another embedder.
    """
    active = active_set(conn, character)
    if active is not None:
        check_embedder(active, character, embedder, dimension)
        return active
    made = _make_set(conn, character, embedder, dimension, active=True)
    _name_embedder(conn, character, embedder, dimension)
    return made


def check_embedder(
    stored: VectorSet, character: str, embedder: str, dimension: int | None = None
) -> None:
    """Refuse an embedder that did not make the stored vectors.

    Raises:
        EmbedderMismatch: name or dimension differ; the hint is the command that re-embeds.
    """
    if stored.embedder != embedder:
        raise EmbedderMismatch(
            f"The vectors of {character!r} are from the embedder {stored.embedder!r},"
            f" the configured one is {embedder!r}.",
            f"offbook reembed {character}, or set embed.model back to {stored.embedder!r}",
        )
    if dimension is not None and stored.dimension != dimension:
        raise EmbedderMismatch(
            f"The vectors of {character!r} have {stored.dimension} dimensions,"
            f" those of {embedder!r} now have {dimension}.",
            f"offbook reembed {character}",
        )


def begin_set(conn: Connection, character: str, embedder: str, dimension: int) -> VectorSet:
    """Return a set in the making beside the active one; an interrupted one is taken up again.

    One of another embedder or dimension that was never completed is thrown away.
    """
    for each in list_sets(conn, character):
        if each.active:
            continue
        if (each.embedder, each.dimension) == (embedder, dimension):
            return each
        _remove_set(conn, character, each.id)
    return _make_set(conn, character, embedder, dimension, active=False)


def activate_set(
    conn: Connection, character: str, set_id: str, *, without: Sequence[str] = ()
) -> None:
    """Put a complete set in the place of the active one, and delete all others.

    The subjects in ``without``, which the new embedder refuses, may lack a vector.

    Raises:
        StoreFailed: the set is gone, or lacks vectors that the active one has.
    """
    sets = {item.id: item for item in list_sets(conn, character)}
    chosen = sets.get(set_id)
    if chosen is None:
        raise StoreFailed(
            f"{character!r} has no vector set {set_id!r}.", f"offbook reembed {character}"
        )
    for other in sets.values():
        if other.active and other.id != set_id:
            _check_complete(conn, character, old=other.id, new=set_id, without=set(without))
    for other_id in sets:
        if other_id != set_id:
            _remove_set(conn, character, other_id)
    switched = update(vector_sets).where(of(vector_sets, character, id=set_id))
    conn.execute(switched.values(status="complete", active=True))
    _name_embedder(conn, character, chosen.embedder, chosen.dimension)


def put_vectors(
    conn: Connection,
    character: str,
    set_id: str,
    kind: Kind,
    ids: Sequence[str],
    matrix: NDArray[np.float32],
) -> None:
    """Store vectors, row i of ``matrix`` under ``ids[i]``; old ones of the same ids are replaced.

    Raises:
        EmbedderMismatch: the matrix has another dimension than the set.
        ModelError: a vector holds NaN or infinity.
        ValueError: ids and rows differ in number.
    """
    import numpy as np

    if len(ids) != len(matrix):
        raise ValueError(f"{len(ids)} ids for {len(matrix)} vectors")
    if not ids:
        return
    chosen = select(vector_sets.c.dimension).where(of(vector_sets, character, id=set_id))
    dimension = conn.execute(chosen).scalar_one_or_none()
    if dimension is None:
        raise StoreFailed(
            f"{character!r} has no vector set {set_id!r}: another process has replaced it.",
            "run the command again",
        )
    if matrix.shape[1] != dimension:
        raise EmbedderMismatch(
            f"The embedder returned {matrix.shape[1]} dimensions; the vectors of {character!r}"
            f" have {dimension}.",
            f"offbook reembed {character}",
        )
    if not np.isfinite(matrix).all():
        raise ModelError(
            "The embedder returned a vector that holds NaN or infinity.",
            "look at the embedding server's log, or choose another embed.model",
        )
    rows = [
        {"subject_id": name, "set_id": set_id, "vector": vector}
        for name, vector in zip(ids, matrix, strict=True)
    ]
    put_rows(conn, vectors[kind], character, rows)
    _changed(conn, character, kind)


def load_matrix(
    conn: Connection, character: str, kind: Kind, chunking: str | None = None
) -> tuple[list[str], NDArray[np.float32]]:
    """Load all vectors of a kind in the active set, ordered by id; of chunks perhaps one chunking.

    Returns:
        Ids, and the matrix of shape ``(len(ids), dimension)``, C-contiguous float32; without
        vectors its shape is ``(0, dimension)``.
    """
    import numpy as np

    active = active_set(conn, character)
    if active is None:
        return [], np.empty((0, 0), dtype=np.float32)
    table = vectors[kind]
    # As bytes: ``unpack`` makes the matrix in one pass instead of row by row.
    chosen = select(table.c.subject_id, type_coerce(table.c.vector, LargeBinary))
    chosen = chosen.where(of(table, character, set_id=active.id)).order_by(table.c.subject_id)
    if chunking is not None:
        chosen = chosen.join_from(table, chunks).where(chunks.c.chunking == chunking)
    rows: Sequence[Any] = conn.execute(chosen).all()
    if not rows:
        return [], np.empty((0, active.dimension), dtype=np.float32)
    ids, blobs = zip(*rows, strict=True)
    return list(ids), unpack(blobs, conn.dialect.name)


def which_have(
    conn: Connection, character: str, set_id: str, kind: Kind, ids: Sequence[str]
) -> set[str]:
    """Return those of some subjects that have a vector in a set."""
    table = vectors[kind]
    chosen = of(table, character, set_id=set_id) & among(table.c.subject_id, ids)
    return set(conn.scalars(select(table.c.subject_id).where(chosen)))


def missing_ids(
    conn: Connection, character: str, set_id: str, kind: Kind, chunking: str | None = None
) -> list[str]:
    """Ids of the subjects that have no vector in a set yet: what is still to embed."""
    subject, table = subjects[kind], vectors[kind]
    present = select(table.c.subject_id).where(of(table, character, set_id=set_id))
    chosen = select(subject.c.id).where(of(subject, character), subject.c.id.not_in(present))
    if chunking is not None:
        chosen = chosen.where(chunks.c.chunking == chunking)
    return list(conn.scalars(chosen.order_by(subject.c.id)))


def remove_vectors(conn: Connection, character: str, kind: Kind, ids: Sequence[str]) -> None:
    """Delete the vectors of subjects whose text has changed, from all sets."""
    table = vectors[kind]
    conn.execute(delete(table).where(of(table, character), among(table.c.subject_id, ids)))
    _changed(conn, character, kind)


def _changed(conn: Connection, character: str, kind: Kind) -> None:
    """Note the change where the index of that kind looks for it."""
    if kind == "memory":
        memories.grow_bank(conn, character)
    else:
        characters.touch(conn, character)


def _check_complete(
    conn: Connection, character: str, *, old: str, new: str, without: set[str]
) -> None:
    for kind, table in vectors.items():
        made_anew = select(table.c.subject_id).where(of(table, character, set_id=new))
        lacking = of(table, character, set_id=old) & table.c.subject_id.not_in(made_anew)
        missing = set(conn.scalars(select(table.c.subject_id).where(lacking)))
        if missing - without:
            raise StoreFailed(
                f"{len(missing - without)} {kind} vectors of {character!r} are not made anew yet.",
                f"offbook reembed {character}",
            )


def _make_set(
    conn: Connection, character: str, embedder: str, dimension: int, *, active: bool
) -> VectorSet:
    last = max((int(each.id) for each in list_sets(conn, character)), default=0)
    status = "complete" if active else "building"
    made = VectorSet(str(last + 1), embedder, dimension, status, active)
    put_rows(conn, vector_sets, character, [row_of(made)])
    return made


def _remove_set(conn: Connection, character: str, set_id: str) -> None:
    conn.execute(delete(vector_sets).where(of(vector_sets, character, id=set_id)))


def _name_embedder(conn: Connection, character: str, embedder: str, dimension: int) -> None:
    sharing = characters.sharing(conn, character)
    chosen = update(character_rows).where(among(character_rows.c.id, sharing))
    conn.execute(chosen.values(embedder=embedder, dimension=dimension))
    characters.touch(conn, character)
