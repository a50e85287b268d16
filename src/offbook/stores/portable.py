"""A character in one file, and back: the same on both engines.

Takes: a character, or an archive.  Gives: the other. The round trip is exact: exporting what was
imported gives the same bytes. Left out: secrets, cached calls, leases, the revision, and, unless
asked for, conversations and what was learned from them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Table, delete, exists, select, update
from sqlalchemy.exc import IntegrityError

from offbook.errors import StoreFailed, UsageError
from offbook.stores import card_tables, characters, memory_banks, schema, summary_tables, vectors
from offbook.stores.archive import ArchiveReader, ArchiveWriter, reading, to_line, writing
from offbook.stores.call_cache import forget_documents
from offbook.stores.rows import Law, RowReader, to_row
from offbook.stores.statements import insert_missing
from offbook.types import Character

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH: Final = 500

# In the order in which foreign keys allow them to be written.
_KNOWLEDGE: Final = (
    schema.documents,
    card_tables.card_files,
    card_tables.card_assets,
    schema.chunkings,
    schema.chunks,
    schema.chunk_attributes,
    schema.vector_sets,
    schema.raw_entities,
    schema.entity_groups,
    schema.entity_members,
    schema.decisions,
    schema.graph_answers,
    schema.relations,
    summary_tables.summaries,
    summary_tables.summary_chunks,
    summary_tables.summary_trees,
)
_TALK: Final = (
    schema.conversations,
    schema.conversation_states,
    schema.turns,
    schema.turn_documents,
)
_AFTER: Final = (schema.memory_fragments, schema.jobs)
_OWN_COLUMNS: Final = (
    "name", "created", "embedder", "dimension", "profile", "profile_documents", "voice", "settings",
)  # fmt: skip
_SECRET: Final = ("key", "token", "secret", "password")


def export_character(
    conn: Connection, character: str, file: Path, *, with_conversations: bool = False
) -> None:
    """Write a character into ``file``.

    Args:
        conn: Connection of a read.
        character: Id of the character.
        file: Where to; what is there is written over.
        with_conversations: Also conversations, and the memories that were learned from them.

    Raises:
        UnknownName: there is no such character.
        StoreFailed: the file cannot be written.
    """
    found = characters.require(conn, character)
    try:
        with writing(file) as archive:
            own = _own_row(conn, found.id)
            archive.add("character.jsonl", [to_line(own)])
            if with_conversations:
                archive.add("principals.jsonl", _principals(conn, found.id))
            talk = _TALK if with_conversations else ()
            for table in (*_KNOWLEDGE, *talk, *_AFTER):
                rows = _rows(conn, table, found.id, with_conversations=with_conversations)
                archive.add(f"{table.name}.jsonl", rows)
            _add_vectors(conn, archive, found.id, with_conversations=with_conversations)
            archive.finish({"id": found.id, "with_conversations": with_conversations})
    except OSError as error:
        raise StoreFailed(
            f"{str(file)!r} cannot be written: {error.strerror or error}",
            "name a file in a folder that exists and has room",
        ) from error


def import_character(conn: Connection, file: Path, *, replace: bool = False) -> Character:
    """Read a character from ``file``; all of it or, on any error, nothing.

    Args:
        conn: Connection of a write.
        file: An export.
        replace: Put it in the place of a character of the same id. Conversations with that one
            stay, unless the file brings its own.

    Raises:
        UsageError: the file is no export, broken, altered or of a newer version, or the character
            exists and is not to be replaced.
    """
    try:
        with reading(file) as archive:
            return _import(conn, archive, replace=replace)
    except IntegrityError as error:
        raise UsageError(
            f"{str(file)!r} contradicts itself: {str(error.orig).splitlines()[0]}",
            "export the character again",
        ) from error


def _import(conn: Connection, archive: ArchiveReader, *, replace: bool) -> Character:
    character, talk = archive.about["id"], archive.about["with_conversations"]
    if not isinstance(character, str) or characters.character_id(character) != character:
        raise ValueError(f"the id {character!r} cannot be an id")
    own = RowReader(schema.characters, _OWN_COLUMNS)
    (row,) = [own.values(line) for line in archive.lines("character.jsonl")]
    _make_room(conn, character, {**row, "id": character}, replace=replace, talk=bool(talk))
    if talk:
        _import_principals(conn, archive)
    law = Law()
    for table in (*_KNOWLEDGE, *(_TALK if talk else ()), *_AFTER):
        reader, rows = RowReader(table), []
        for line in archive.lines(f"{table.name}.jsonl"):
            values = reader.values(line)
            law.check(table.name, values)
            rows.append({"character_id": character, **values})
            if len(rows) == BATCH:
                conn.execute(table.insert(), rows)
                rows = []
        if rows:
            conn.execute(table.insert(), rows)
    _import_vectors(conn, archive, character)
    memory_banks.renew(conn, character)
    return characters.require(conn, character)


def _make_room(
    conn: Connection, character: str, row: Mapping[str, Any], *, replace: bool, talk: bool
) -> None:
    """Store the character's own row, in the place of an old one where that is wanted."""
    columns = schema.characters.c
    old = conn.execute(select(columns.revision).where(columns.id == character)).scalar_one_or_none()
    revision = max(characters.first_revision(), (old or 0) + 1)
    if old is None:
        conn.execute(schema.characters.insert(), {**row, "revision": revision})
        return
    if not replace:
        raise UsageError(
            f"There is a character {character!r} already.",
            "import it with --replace, or delete the other one first",
        )
    forget_documents(conn, character)
    tables = [schema.documents, schema.vector_sets, schema.entity_groups, schema.decisions,
              schema.graph_answers, summary_tables.summaries, summary_tables.summary_trees,
              schema.jobs, schema.leases]  # fmt: skip
    for table in (*tables, schema.conversations) if talk else tables:
        conn.execute(delete(table).where(table.c.character_id == character))
    memory = schema.memory_fragments.c
    conn.execute(
        delete(schema.memory_fragments).where(
            memory.character_id == character, memory.turn_id.is_(None)
        )
    )
    conn.execute(
        update(schema.characters).where(columns.id == character).values(**row, revision=revision)
    )


def _own_row(conn: Connection, character: str) -> dict[str, Any]:
    columns = [schema.characters.c[name] for name in _OWN_COLUMNS]
    row = conn.execute(select(*columns).where(schema.characters.c.id == character)).mappings().one()
    return {**row, "settings": without_secrets(row["settings"])}


def without_secrets(settings: Any) -> Any:
    """Settings without what may be a secret, at any depth."""
    if isinstance(settings, dict):
        return {
            name: without_secrets(value)
            for name, value in settings.items()
            if not any(word in name.lower() for word in _SECRET)
        }
    if isinstance(settings, list):
        return [without_secrets(value) for value in settings]
    return settings


def _rows(
    conn: Connection, table: Table, character: str, *, with_conversations: bool
) -> Iterator[bytes]:
    columns = [column for column in table.columns if column.name != "character_id"]
    order = [column for column in table.primary_key if column.name != "character_id"]
    if "ordinal" in table.columns:  # a turn's parent goes before it
        order.insert(0, table.c.ordinal)
    statement = select(*columns).where(table.c.character_id == character).order_by(*order)
    if table is schema.vector_sets:
        statement = statement.where(table.c.active)
    if table is schema.memory_fragments and not with_conversations:
        statement = statement.where(table.c.turn_id.is_(None))
    if table is schema.jobs and not with_conversations:
        memory = schema.memory_fragments.c
        learned = exists().where(
            memory.character_id == character,
            memory.id == table.c.subject,
            memory.turn_id.is_not(None),
        )
        statement = statement.where(~learned)
    for row in conn.execute(statement, execution_options={"yield_per": BATCH}).mappings():
        yield to_line(to_row(row))


def _principals(conn: Connection, character: str) -> Iterator[bytes]:
    """Who talked, without their keys."""
    columns, talk = schema.principals.c, schema.conversations.c
    statement = select(columns.id, columns.label, columns.created).where(
        columns.id.in_(select(talk.principal_id).where(talk.character_id == character))
    )
    for row in conn.execute(statement.order_by(columns.id)).mappings():
        yield to_line(dict(row))


def _import_principals(conn: Connection, archive: ArchiveReader) -> None:
    reader = RowReader(schema.principals, ("id", "label", "created"))
    rows = [reader.values(line) for line in archive.lines("principals.jsonl")]
    if rows:
        conn.execute(insert_missing(conn, schema.principals), rows)


def _add_vectors(
    conn: Connection, archive: ArchiveWriter, character: str, *, with_conversations: bool
) -> None:
    for kind in vectors.KINDS:
        ids, matrix = vectors.load_matrix(conn, character, kind)
        if kind == "memory" and not with_conversations:
            ids, matrix = _authored(conn, character, ids, matrix)
        if ids:
            archive.add(f"{kind}_vectors.jsonl", (to_line({"id": name}) for name in ids))
            archive.add(f"{kind}_vectors.npy", _npy(matrix), compress=False)


def _authored(
    conn: Connection, character: str, ids: list[str], matrix: NDArray[np.float32]
) -> tuple[list[str], NDArray[np.float32]]:
    memory = schema.memory_fragments.c
    statement = select(memory.id).where(memory.character_id == character, memory.turn_id.is_(None))
    authored = set(conn.scalars(statement))
    places = [place for place, name in enumerate(ids) if name in authored]
    return [ids[place] for place in places], matrix[places]


def _npy(matrix: NDArray[np.float32]) -> Iterator[bytes]:
    import numpy as np

    header = io.BytesIO()
    shape = {"descr": "<f4", "fortran_order": False, "shape": matrix.shape}
    np.lib.format.write_array_header_1_0(header, shape)
    yield header.getvalue()
    for start in range(0, len(matrix), BATCH):
        yield matrix[start : start + BATCH].astype("<f4", copy=False).tobytes()


def _from_npy(data: bytes) -> NDArray[np.float32]:
    """The matrix; nothing is believed that the bytes do not bear out."""
    import numpy as np

    stream = io.BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("vectors are in an unknown version of the npy format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    flat = np.frombuffer(data, dtype="<f4", offset=stream.tell())
    if fortran or dtype != np.dtype("<f4") or len(shape) != 2 or flat.size != shape[0] * shape[1]:
        raise ValueError(f"vectors of shape {shape} and type {dtype} do not fit their bytes")
    if not np.isfinite(flat).all():
        raise ValueError("a vector holds NaN or infinity")
    return flat.reshape(shape).astype(np.float32, copy=False)


def _import_vectors(conn: Connection, archive: ArchiveReader, character: str) -> None:
    active = vectors.active_set(conn, character)
    for kind in vectors.KINDS:
        data = archive.whole(f"{kind}_vectors.npy")
        if data is None:
            continue
        ids = [line["id"] for line in archive.lines(f"{kind}_vectors.jsonl")]
        matrix = _from_npy(data)
        named = all(isinstance(name, str) for name in ids)
        if active is None or not named or matrix.shape != (len(ids), active.dimension):
            raise ValueError(f"the {kind} vectors do not fit their ids or their set")
        for start in range(0, len(ids), BATCH):
            piece = slice(start, start + BATCH)
            vectors.put_vectors(conn, character, active.id, kind, ids[piece], matrix[piece])
