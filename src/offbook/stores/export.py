"""A character in one file, and back: the same on both engines.

The file is a ZIP whose bytes depend on nothing but its contents; what is cut short, altered, too
large or of a newer version is refused. The round trip is exact: exporting what was imported gives
the same bytes. Left out: secrets, cached calls, leases, the revision, and, unless asked for,
conversations and what was learned from them.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, get_args

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Integer,
    LargeBinary,
    Table,
    Text,
    delete,
    exists,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from offbook.errors import StoreFailed, UsageError
from offbook.stores import (
    cards,
    characters,
    chunks,
    documents,
    graph,
    jobs,
    memories,
    schema,
    stories,
    vectors,
)
from offbook.stores.call_cache import forget_documents
from offbook.stores.statements import add_missing, mark_unpurged, of, owner_of, storable
from offbook.types import Character, WitnessHow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


FORMAT: Final = "offbook-character"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
MAX_RATIO: Final = 100
FREE_BYTES: Final = 512 * 1024 * 1024
MAX_MANIFEST_BYTES: Final = 4 * 1024 * 1024

_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    NotImplementedError,
    RecursionError,
    RuntimeError,
    TypeError,
    ValueError,
)


class ArchiveWriter:
    """Writes members, then the manifest that names them all."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members: dict[str, dict[str, Any]] = {}

    def add(self, name: str, pieces: Iterable[bytes], *, compress: bool = True) -> None:
        """Write one member as its pieces come."""
        info = zipfile.ZipInfo(name)  # its time is the first of 1980, always
        info.create_system = 3
        info.external_attr = 0o600 << 16
        info.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
        digest, size = hashlib.sha256(), 0
        with self._archive.open(info, "w", force_zip64=True) as member:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                member.write(piece)
        self._members[name] = {"bytes": size, "sha256": digest.hexdigest()}

    def finish(self, about: Mapping[str, Any]) -> None:
        """Write the manifest; ``about`` says whose archive it is."""
        manifest = {"format": FORMAT, "version": VERSION, **about, "members": self._members}
        self.add(MANIFEST, [to_line(manifest)])


class ArchiveReader:
    """Reads the members that the manifest names, and ``about``, the manifest itself."""

    def __init__(self, archive: zipfile.ZipFile, packed_bytes: int) -> None:
        self._archive = archive
        self._check_sizes(packed_bytes)
        if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
            raise ValueError("its manifest is too large")
        self.about: dict[str, Any] = parse(archive.read(MANIFEST))
        if self.about["format"] != FORMAT:
            raise ValueError(f"it is of the format {self.about['format']!r}")
        version = self.about["version"]
        if not isinstance(version, int) or version > VERSION:
            raise UsageError(
                f"The export has the format's version {version!r}; this offbook reads up to"
                f" {VERSION}.",
                "it was written by a newer offbook: pip install --upgrade offbook",
            )
        self._members: dict[str, dict[str, Any]] = self.about["members"]

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        """The JSON objects of a member, one a line."""
        digest = hashlib.sha256()
        with self._archive.open(name) as member:
            for line in member:
                digest.update(line)
                yield parse(line)
        self._check_digest(name, digest.hexdigest())

    def whole(self, name: str) -> bytes | None:
        """A member in one piece, or None if there is no such member."""
        if name not in self._members:
            return None
        data = self._archive.read(name)
        self._check_digest(name, hashlib.sha256(data).hexdigest())
        return data

    def _check_digest(self, name: str, digest: str) -> None:
        if self._members[name]["sha256"] != digest:
            raise ValueError(f"its member {name!r} was altered")

    def _check_sizes(self, packed_bytes: int) -> None:
        """Refuse what would swell beyond all measure; zipfile stops at the size that is named."""
        whole = sum(info.file_size for info in self._archive.infolist())
        if whole > max(FREE_BYTES, MAX_RATIO * packed_bytes):
            raise UsageError(
                f"The export claims to hold {whole} bytes in a file of {packed_bytes}.",
                "do not import files from people you do not trust",
            )


@contextmanager
def writing(file: Path | IO[bytes]) -> Iterator[ArchiveWriter]:
    """An archive to be written to ``file``."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        yield ArchiveWriter(archive)


@contextmanager
def reading(file: Path) -> Iterator[ArchiveReader]:
    """The archive in ``file``.

    Raises:
        UsageError: it is no export, broken, altered, too large, or of a newer version.
    """
    try:
        # Opened here, so that it is closed here, whoever still holds a half-read member.
        with file.open("rb") as opened, zipfile.ZipFile(opened) as archive:
            yield ArchiveReader(archive, file.stat().st_size)
    except OSError as error:
        raise UsageError(
            f"{str(file)!r} cannot be read: {error.strerror or error}", "see that it is yours"
        ) from error
    except _BROKEN as error:
        why = f"{type(error).__name__}: {error}" if isinstance(error, KeyError) else str(error)
        raise UsageError(
            f"{str(file)!r} is not a whole offbook export: {why}", "export the character again"
        ) from error


def to_line(value: Mapping[str, Any]) -> bytes:
    """One JSON object on a line, always spelled the same."""
    line = json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return line.encode() + b"\n"


def parse(line: bytes) -> dict[str, Any]:
    """The object that ``to_line`` wrote.

    Raises:
        ValueError: it is no JSON object, or holds NaN or infinity.
    """
    value = json.loads(line, parse_constant=_refuse)
    if not isinstance(value, dict):
        raise ValueError(f"a line holds no object: {line[:40]!r}")
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")


OWNERS: Final = frozenset({"character_id", "source_id"})
"""Columns that do not travel."""
_MAX_INTEGER: Final = 2**31 - 1
_MAX_BIG_INTEGER: Final = 2**63 - 1

# What a JSON column holds; any other but attributes and places holds a list of texts.
_OBJECTS: Final = frozenset({"settings", "parameters", "recall", "emotion", "mood", "answer"})


def _columns(table: Table) -> list[str]:
    return [column.name for column in table.columns if column.name not in OWNERS]


def to_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row of the database as a JSON object; bytes become Base64."""
    return {
        str(name): base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for name, value in row.items()
    }


def to_values(table: Table, names: Sequence[str], line: Mapping[str, Any]) -> dict[str, Any]:
    """Read the values to be stored in these columns of a table.

    Raises:
        ValueError: a column is missing, unknown, or holds what it cannot hold.
    """
    if line.keys() != set(names):
        odd = sorted(line.keys() ^ set(names))
        raise ValueError(f"a row of {table.name!r} has other columns than it should: {odd}")
    return {name: _value(table.c[name], line[name]) for name in names}


def _value(column: Column[Any], value: Any) -> Any:
    if value is None:
        if not column.nullable:
            raise ValueError(f"{column} is missing")
        return None
    if not _fits(column, value):
        raise ValueError(f"{column} cannot be {str(value)[:40]!r}")
    if isinstance(column.type, LargeBinary):
        return base64.b64decode(value, validate=True)
    storable(value)
    return float(value) if isinstance(column.type, Double) else value


def _fits(column: Column[Any], value: Any) -> bool:
    kind = column.type
    if isinstance(kind, JSON):
        if column.name == "settings" and isinstance(value, dict):
            return _are_texts(value.get(characters.NAMES, []))
        if column.name in _OBJECTS:
            return isinstance(value, dict)
        if column.name == "attributes":
            return chunks.are_attributes(value)
        if column.name == "places":
            return documents.are_places(value)
        return _are_texts(value)
    if isinstance(kind, Text | LargeBinary):
        return isinstance(value, str)
    if isinstance(kind, Boolean):
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(kind, Integer):
        most = _MAX_BIG_INTEGER if isinstance(kind, BigInteger) else _MAX_INTEGER
        return isinstance(value, int) and abs(value) <= most
    return math.isfinite(value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


class Law:
    """What must hold between the rows of an archive, and no foreign key says."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def check(self, table: str, row: Mapping[str, Any]) -> None:
        """Look at one row; documents come before their chunks.

        Raises:
            ValueError: a digest or length is not the text's, a chunk is not in its document, what
                was answered about the graph is no such answer, or a summary is of nothing.
        """
        if table == "documents":
            text = row["text"]
            digest = hashlib.sha256(text.encode()).hexdigest()
            if digest != row["digest"] or len(text) != row["chars"]:
                raise ValueError(f"the document {row['name']!r} was altered")
            self._texts[row["id"]] = text
        elif table == "chunks":
            text = self._texts.get(row["document_id"], "")
            if text[row["start"] : row["end"]] != row["text"] or row["start"] < 0:
                raise ValueError(f"the chunk {row['id']!r} is not in its document")
        elif table == "graph_answers" and not graph.is_answer(row["kind"], row["answer"]):
            raise ValueError(f"the answer {row['key']!r} about the graph was altered")
        elif table == "story_answers" and not stories.is_answer(row["answer"]):
            raise ValueError(f"what was said of the story ({row['key']!r}) was altered")
        elif table == "story_corrections" and row["how"] not in get_args(WitnessHow):
            raise ValueError(f"a word on who witnessed a scene ({row['digest']!r}) was altered")
        elif table == "summaries" and (row["level"] < 1 or not row["members"]):
            raise ValueError(f"the summary {row['id']!r} was altered")
        elif table == "card_files" and not cards.is_card_file(row["kind"], row["raw"]):
            raise ValueError(f"the card {row['name']!r} was altered")


BATCH: Final = 500

# In the order in which foreign keys allow them to be written.
KNOWLEDGE: Final = (
    schema.documents,
    schema.story_answers,
    schema.story_corrections,
    schema.card_files,
    schema.card_assets,
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
    schema.summaries,
    schema.summary_chunks,
    schema.summary_trees,
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
_OF_PRINCIPAL: Final = "id", "label", "created"
_SECRET: Final = ("key", "token", "secret", "password")


def export_character(
    conn: Connection, character: str, file: Path, *, with_conversations: bool = False
) -> None:
    """Write a character over ``file``, perhaps with conversations and what was learned from them.

    Raises:
        UnknownName: there is no such character.
        StoreFailed: the file cannot be written.
    """
    stored = characters.require(conn, character)
    try:
        with writing(file) as archive:
            row = _own_row(conn, stored.id)
            archive.add("character.jsonl", [to_line(row)])
            if with_conversations:
                archive.add("principals.jsonl", _principals(conn, stored.id))
            talk = _TALK if with_conversations else ()
            supported = (schema.memory_evidence,) if with_conversations else ()
            for table in (*KNOWLEDGE, *talk, *_AFTER, *supported):
                rows = _rows(conn, table, stored.id, with_conversations=with_conversations)
                archive.add(f"{table.name}.jsonl", rows)
            _add_vectors(conn, archive, stored.id, with_conversations=with_conversations)
            archive.finish({"id": stored.id, "with_conversations": with_conversations})
    except OSError as error:
        raise StoreFailed(
            f"{str(file)!r} cannot be written: {error.strerror or error}",
            "name a file in a folder that exists and has room",
        ) from error


def import_character(conn: Connection, file: Path, *, replace: bool = False) -> Character:
    """Read a character from ``file``; all of it or, on any error, nothing.

    It may replace a character of the same id: conversations with that one stay, unless the file
    brings its own.

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
    (line,) = archive.lines("character.jsonl")
    row = to_values(schema.characters, _OWN_COLUMNS, line)
    _make_room(conn, character, {**row, "id": character}, replace=replace, talk=bool(talk))
    if talk:
        lines = archive.lines("principals.jsonl")
        people = [to_values(schema.principals, _OF_PRINCIPAL, each) for each in lines]
        add_missing(conn, schema.principals, people)
    law = Law()
    supported = (schema.memory_evidence,) if talk else ()
    for table in (*KNOWLEDGE, *(_TALK if talk else ()), *_AFTER, *supported):
        names, owner = _columns(table), owner_of(conn, table, character)
        lines = archive.lines(f"{table.name}.jsonl")
        while rows := [{**owner, **to_values(table, names, x)} for x in islice(lines, BATCH)]:
            for row in rows:
                law.check(table.name, row)
                if table is schema.jobs and row["kind"] not in jobs.OF_CHARACTER:
                    row["character_id"] = ""
            conn.execute(table.insert(), rows)
    _import_vectors(conn, archive, character)
    memories.renew_bank(conn, character)
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
        characters.give_source(conn, character)
        return
    if not replace:
        raise UsageError(
            f"There is a character {character!r} already.",
            "import it with --replace, or delete the other one first",
        )
    mark_unpurged(conn)
    forget_documents(conn, character)
    characters.give_source(conn, character)
    if talk:
        conn.execute(delete(schema.conversations).where(of(schema.conversations, character)))
    authored = of(schema.memory_fragments, character, turn_id=None)
    conn.execute(delete(schema.memory_fragments).where(authored))
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
    columns = table.c[tuple(_columns(table))]
    order = [column for column in table.primary_key if column.name not in OWNERS]
    if "ordinal" in table.columns:  # a turn's parent goes before it
        order.insert(0, table.c.ordinal)
    owned = jobs.of(character) if table is schema.jobs else of(table, character)
    chosen = select(*columns).where(owned).order_by(*order)
    if table is schema.vector_sets:
        chosen = chosen.where(table.c.active)
    if table is schema.memory_fragments and not with_conversations:
        chosen = chosen.where(table.c.turn_id.is_(None))
    if table is schema.jobs and not with_conversations:
        memory = schema.memory_fragments.c
        is_subject = (memory.id == table.c.subject) & memory.turn_id.is_not(None)
        learned = exists().where(of(schema.memory_fragments, character), is_subject)
        chosen = chosen.where(~learned, table.c.kind != jobs.DISTIL)
    for row in conn.execute(chosen, execution_options={"yield_per": BATCH}).mappings():
        yield to_line(to_row(row))


def _principals(conn: Connection, character: str) -> Iterator[bytes]:
    """Who talked, without their keys."""
    principals, talk = schema.principals.c, schema.conversations
    who = principals.id.in_(select(talk.c.principal_id).where(of(talk, character)))
    chosen = select(*principals[_OF_PRINCIPAL]).where(who).order_by(principals.id)
    for row in conn.execute(chosen).mappings():
        yield to_line(dict(row))


def _add_vectors(
    conn: Connection, archive: ArchiveWriter, character: str, *, with_conversations: bool
) -> None:
    for kind in vectors.KINDS:
        ids, matrix = vectors.load_matrix(conn, character, kind)
        if kind == "memory" and not with_conversations:
            chosen = of(schema.memory_fragments, character, turn_id=None)
            authored = set(conn.scalars(select(schema.memory_fragments.c.id).where(chosen)))
            places = [place for place, name in enumerate(ids) if name in authored]
            ids, matrix = [ids[place] for place in places], matrix[places]
        if ids:
            archive.add(f"{kind}_vectors.jsonl", (to_line({"id": name}) for name in ids))
            archive.add(f"{kind}_vectors.npy", _npy(matrix), compress=False)


def _npy(matrix: NDArray[np.float32]) -> Iterator[bytes]:
    import numpy as np

    header = io.BytesIO()
    shape = {"descr": "<f4", "fortran_order": False, "shape": matrix.shape}
    np.lib.format.write_array_header_1_0(header, shape)
    yield header.getvalue()
    yield matrix.astype("<f4", copy=False).tobytes()


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
        vectors.put_vectors(conn, character, active.id, kind, ids, matrix)
