"""How fast the stores commit and load: one transaction a chunk, and 100,000 vectors in one read.

The same rows go through a bare sqlite3 connection in the same run, as the yardstick.

    python benchmarks/store.py [--chunks 3000] [--vectors 100000] [--postgres URL] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection

from offbook.protocols import Store
from offbook.stores import characters, chunks, documents, graph, vectors
from offbook.stores.connection import open_store, sqlite_url
from offbook.stores.schema import chunks as chunk_rows
from offbook.types import Chunk, Document, RawEntity

DIMENSION, ENTITIES = 384, 20
INSERT_CHUNK = chunk_rows.insert()
TEXT = "She measured the wheels of the engine and wrote down what they could be made to do. " * 8


def make_chunk(number: int) -> Chunk:
    start = number * len(TEXT)
    end = start + len(TEXT)
    return Chunk(f"{number:016x}", "d", "graph", number, start, end, ("Life", "Work"), TEXT)


def make_entities(chunk: Chunk) -> list[RawEntity]:
    return [
        RawEntity(
            f"{chunk.id}:{n}", chunk.id, n, f"Engine {n}", "object",
            "A calculating engine that was described and never finished in her lifetime.",
        )
        for n in range(ENTITIES)
    ]  # fmt: skip


def put_chunk(
    conn: Connection,
    chunk: Chunk,
    entities: Sequence[RawEntity],
    matrix: np.ndarray[Any, np.dtype[np.float32]],
) -> None:
    """What is committed for one chunk: its row, its entities, its vector (and theirs)."""
    row = {
        "source_id": "c",
        "id": chunk.id,
        "document_id": chunk.document,
        "chunking": chunk.chunking,
        "ordinal": chunk.ordinal,
        "start": chunk.start,
        "end": chunk.end,
        "headings": list(chunk.headings),
        "text": chunk.text,
    }
    conn.execute(INSERT_CHUNK, row)
    graph.put_raw_entities(conn, "c", entities)
    vectors.put_vectors(conn, "c", "1", "chunk", [chunk.id], matrix[:1])
    if len(matrix) > 1:
        ids = [entity.id for entity in entities]
        vectors.put_vectors(conn, "c", "1", "raw_entity", ids, matrix[1:])


def prepare(conn: Connection) -> None:
    characters.create(conn, "C")
    documents.put(conn, "c", Document("d", "d", "x", "0"))
    chunks.replace_chunks(conn, "c", "d", "graph", {}, [])
    vectors.use_set(conn, "c", "bench", DIMENSION)


async def commits(store: Store, count: int, rows: int, in_flight: int) -> float:
    """Chunks a second, each in a transaction of its own that is awaited.

    With ``in_flight`` 1 each waits for the one before; an ingest has 16, as many as model calls.
    """
    await store.write(prepare)
    random = np.random.default_rng(0)
    made = [(c := make_chunk(n), make_entities(c)) for n in range(count)]
    matrices = [random.standard_normal((rows, DIMENSION)).astype(np.float32) for _ in range(64)]

    async def work(first: int) -> None:
        for number in range(first, count, in_flight):
            chunk, entities = made[number]
            matrix = matrices[number % 64]
            await store.write(partial(put_chunk, chunk=chunk, entities=entities, matrix=matrix))

    began = time.perf_counter()
    await asyncio.gather(*(work(first) for first in range(in_flight)))
    return count / (time.perf_counter() - began)


def bare(path: Path, schema_of: Path, count: int, rows: int) -> float:
    """The same rows, indexes and transactions with nothing between us and sqlite3."""
    conn = sqlite3.connect(path, isolation_level=None)
    source = sqlite3.connect(schema_of)
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON",
                   "secure_delete = ON"):  # fmt: skip
        conn.execute(f"PRAGMA {pragma}")
    for table in ("sources", "documents", "chunkings", "vector_sets"):
        copy(source, conn, table, with_rows=True)
    for table in ("chunks", "raw_entities", "chunk_vectors", "raw_entity_vectors"):
        copy(source, conn, table, with_rows=False)
    source.close()
    blobs = [np.random.default_rng(n).standard_normal(DIMENSION).astype("<f4").tobytes()
             for n in range(64)]  # fmt: skip
    made = [(c := make_chunk(n), make_entities(c)) for n in range(count)]
    began = time.perf_counter()
    for number, (chunk, entities) in enumerate(made):
        conn.execute("BEGIN IMMEDIATE")
        conn.execute(
            "INSERT INTO chunks VALUES (?,?,?,?,?,?,?,?,?,NULL,NULL)",
            ("c", chunk.id, "d", "graph", chunk.ordinal, chunk.start, chunk.end,
             json.dumps(chunk.headings), chunk.text),
        )  # fmt: skip
        conn.executemany(
            "INSERT INTO raw_entities VALUES (?,?,?,?,?,?,?,?,?)",
            [("c", e.id, e.chunk, e.ordinal, e.name, e.type, e.description, e.start, e.end)
             for e in entities],
        )  # fmt: skip
        conn.execute("INSERT INTO chunk_vectors VALUES (?,?,?,?)",
                     ("c", chunk.id, "1", blobs[number % 64]))  # fmt: skip
        if rows > 1:
            conn.executemany(
                "INSERT INTO raw_entity_vectors VALUES (?,?,?,?)",
                [("c", e.id, "1", blobs[(number + n) % 64]) for n, e in enumerate(entities)],
            )
        conn.execute("COMMIT")
    rate = count / (time.perf_counter() - began)
    conn.close()
    return rate


def copy(
    source: sqlite3.Connection, target: sqlite3.Connection, table: str, *, with_rows: bool
) -> None:
    for (sql,) in source.execute(
        "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC",
        (table,),
    ):
        target.execute(sql)
    if with_rows:
        for row in source.execute(f"SELECT * FROM {table}"):
            target.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)


async def loading(store: Store, count: int) -> dict[str, float]:
    """Seconds to write and to load a matrix of ``count`` vectors of chunks."""
    matrix = np.random.default_rng(0).standard_normal((count, DIMENSION)).astype(np.float32)
    made = [make_chunk(n) for n in range(count)]
    await store.write(prepare)

    def fill(conn: Connection) -> None:
        chunks.replace_chunks(conn, "c", "d", "graph", {}, made)
        vectors.put_vectors(conn, "c", "1", "chunk", [c.id for c in made], matrix)

    seconds = {"write_seconds": await timed(store.write, fill)}
    for name, chunking in (("load_seconds", None), ("load_one_chunking_seconds", "graph")):
        load = partial(vectors.load_matrix, character="c", kind="chunk", chunking=chunking)
        seconds[name] = min([await timed(store.read, load) for _ in range(3)])
    ids, loaded = await store.read(lambda c: vectors.load_matrix(c, "c", "chunk"))
    assert loaded.shape == (count, DIMENSION)
    assert len(ids) == count
    return {name: round(value, 3) for name, value in seconds.items()}


async def timed(run: Callable[[Any], Any], operation: Callable[[Connection], Any]) -> float:
    began = time.perf_counter()
    await run(operation)
    return time.perf_counter() - began


async def measure(options: argparse.Namespace) -> dict[str, Any]:
    results: dict[str, Any] = {"chunks": options.chunks, "vectors": options.vectors}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name, rows in (("chunk_vector", 1), ("chunk_and_entity_vectors", 1 + ENTITIES)):
            figures = results[name] = {}
            for in_flight in (1, 16):
                path = home / f"{name}-{in_flight}.db"
                store = await open_store(sqlite_url(path))
                rate = await commits(store, options.chunks, rows, in_flight)
                await store.close()
                figures[f"commits_per_second_{in_flight}_in_flight"] = round(rate)
            theirs = bare(home / f"{name}-bare.db", path, options.chunks, rows)
            figures["bare_sqlite3_per_second"] = round(theirs)
        store = await open_store(sqlite_url(home / "vectors.db"))
        results["sqlite_matrix"] = await loading(store, options.vectors)
        await store.close()
    if options.postgres:
        store = await open_store(options.postgres)
        results["postgres_matrix"] = await loading(store, options.vectors)
        await store.write(lambda c: characters.remove(c, "c"))
        rate = await commits(store, min(options.chunks, 500), 1, 1)
        results["postgres_chunk_vector"] = {"commits_per_second": round(rate)}
        await store.close()
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=3000)
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--postgres", default="", help="URL of an empty database")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = asyncio.run(measure(options))
    if options.json:
        print(json.dumps(results))
    else:
        for name, value in results.items():
            print(f"{name:28} {value}")


if __name__ == "__main__":
    main()
