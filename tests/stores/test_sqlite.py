from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sqlite3
import stat
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, text

from offbook.errors import ConfigurationError, StoreFailed
from offbook.protocols import Store
from offbook.stores import characters, chunks, documents, graph, jobs, vectors
from offbook.stores.connection import open_store, sqlite_url
from offbook.stores.sqlite import SqliteStore
from tests.stores import data
from tests.waiting import PATIENCE_SECONDS, eventually


async def pragma(store: Store, name: str) -> Any:
    def ask(conn: Connection) -> Any:
        result = conn.execute(text(f"PRAGMA {name}"))
        return result.scalar() if result.returns_rows else None

    return await store.write(ask)


async def test_the_promised_settings_are_in_force(sqlite_store: Store):
    assert await pragma(sqlite_store, "journal_mode") == "wal"
    assert await pragma(sqlite_store, "foreign_keys") == 1
    assert await pragma(sqlite_store, "secure_delete") == 1
    assert await pragma(sqlite_store, "synchronous") == 1
    assert await pragma(sqlite_store, "busy_timeout") == 15_000


async def test_a_cursor_that_somebody_holds_stops_no_connection(
    sqlite_home: Path, monkeypatch: pytest.MonkeyPatch
):
    """As ``gc.get_objects`` in another thread does, and any debugger."""
    held = []

    class Holding(sqlite3.Connection):
        def cursor(self, *args, **kwargs):
            held.append(super().cursor(*args, **kwargs))
            return held[-1]

        def execute(self, *args):
            held.append(super().execute(*args))
            return held[-1]

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Holding))
    store = await open_store(sqlite_url(sqlite_home / "offbook.db"))
    await store.write(characters.create, "Ada")
    assert [each.name for each in await store.read(characters.list_all)] == ["Ada"]
    await store.close()
    assert held


async def test_the_home_is_readable_by_its_owner_only(sqlite_store: Store, sqlite_home: Path):
    await sqlite_store.write(characters.create, "Ada")
    assert stat.S_IMODE(sqlite_home.stat().st_mode) == 0o700
    files = list(sqlite_home.iterdir())
    assert {file.name for file in files} >= {"offbook.db", "offbook.db-wal"}
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)


async def test_closing_leaves_one_file(sqlite_home: Path):
    store = await open_store(sqlite_url(sqlite_home / "offbook.db"))
    await store.write(characters.create, "Ada")
    await store.read(characters.list_all)
    await store.close()
    assert [file.name for file in sqlite_home.iterdir()] == ["offbook.db"]


async def test_opening_and_reading_do_not_wait_for_another_process_that_writes(tmp_path: Path):
    path = tmp_path / "x.db"
    await (await open_store(sqlite_url(path))).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = await SqliteStore(path, busy_timeout_seconds=0.1).open()
    assert await store.read(characters.list_all) == []
    other.close()
    await store.close()


async def test_opening_waits_for_another_process_that_makes_the_database(tmp_path: Path):
    path = tmp_path / "x.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreFailed, match="locked"):
        await SqliteStore(path, busy_timeout_seconds=0.05).open()
    opening = asyncio.ensure_future(SqliteStore(path, busy_timeout_seconds=PATIENCE_SECONDS).open())
    await asyncio.sleep(0.1)
    assert not opening.done()
    other.execute("ROLLBACK")
    other.close()
    await (await opening).close()


async def test_a_place_that_cannot_keep_a_journal_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreFailed, match="journal") as raised:
        await SqliteStore(Path(":memory:")).open()
    assert "local disk" in raised.value.hint


@pytest.mark.parametrize("url", ["sqlite:///", "sqlite:///:memory:", "mysql://x/y", "nonsense"])
async def test_a_url_of_no_known_kind_is_refused(url: str):
    with pytest.raises(ConfigurationError) as raised:
        await open_store(url)
    assert "sqlite:////" in raised.value.hint


def remains(home: Path, marker: str) -> list[str]:
    """Names of the files of the home that hold the marker, in any of the usual encodings."""
    needles = [marker.encode(), marker.encode("utf-16-le")]
    return [
        str(file.name)
        for file in home.rglob("*")
        if file.is_file() and any(needle in file.read_bytes() for needle in needles)
    ]


MARKER = "Xq7ZunmistakableXq7Z"


def secret_text(number: int, lines: int) -> str:
    filler = "She walked along the river and counted the boats. "
    return "\n".join(f"{MARKER} {number} {line} {filler * (line % 7)}" for line in range(lines))


def ingest_secret(conn: Connection, character: str, number: int, lines: int) -> None:
    made = data.add_document(conn, character, f"{number}.md", secret_text(number, lines))
    data.extract_chunks(conn, character, made)
    jobs.quarantine(conn, character, "extract", [made[0].id], f"half an answer: {MARKER}")


@pytest.mark.parametrize("lines", [1, 40, 400])
async def test_a_forgotten_text_is_nowhere_in_the_home(
    sqlite_store: Store, sqlite_home: Path, lines: int
):
    """Also what page splits and merges left behind, and although others have read it."""
    character = (await sqlite_store.write(characters.create, "Ada")).id
    await sqlite_store.write(data.add_document, character=character, name="a", text="Kept.")
    other = await open_store(sqlite_url(sqlite_home / "offbook.db"))
    for number in range(6):
        await sqlite_store.write(ingest_secret, character=character, number=number, lines=lines)
        # Interleaved with what stays, so that pages hold both.
        kept = "\n".join(f"Kept {number} {line}. {'boats ' * (line % 11)}" for line in range(lines))
        await sqlite_store.write(
            data.add_document, character=character, name=f"k{number}", text=kept
        )
        await other.read(chunks.list_chunks, character)
    assert remains(sqlite_home, MARKER)
    for number in range(6):
        await other.read(graph.list_raw_entities, character)
        await sqlite_store.write(documents.remove, character=character, document=f"{number}.md")
    await sqlite_store.purge()
    assert remains(sqlite_home, MARKER) == []
    assert len(await other.read(documents.list_all, character)) == 7
    await other.close()
    assert remains(sqlite_home, MARKER) == []


@pytest.mark.parametrize("how", ["a new version", "forgotten"])
async def test_what_a_process_could_not_purge_any_more_the_next_one_does(
    sqlite_store: Store, sqlite_home: Path, tmp_path: Path, how: str
):
    """A new version leaves nothing of the old one, either."""
    await sqlite_store.write(characters.create, "Ada")
    await sqlite_store.write(ingest_secret, character="ada", number=1, lines=40)
    if how == "forgotten":
        await sqlite_store.write(documents.remove, character="ada", document="1.md")
    else:
        await sqlite_store.write(data.add_document, "ada", "1.md", "Nothing of it.")
    ended = tmp_path / "as it was when the process ended"
    shutil.copytree(sqlite_home, ended)
    assert remains(ended, MARKER)
    store = await open_store(sqlite_url(ended / "offbook.db"))
    assert remains(ended, MARKER) == []
    assert await pragma(store, "user_version") <= 0
    await store.close()


async def test_an_interrupted_purge_is_made_up_for_at_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "home" / "x.db"
    store = await SqliteStore(path, busy_timeout_seconds=0.1).open()
    character = (await store.write(characters.create, "Ada")).id
    for number in range(6):
        await store.write(ingest_secret, character=character, number=number, lines=400)
        await store.write(data.add_document, character=character, name=f"k{number}", text="Kept.")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM chunks").fetchall()
    for number in range(6):
        await store.write(documents.remove, character=character, document=f"{number}.md")
    with pytest.raises(StoreFailed, match="still") as raised:
        await store.purge()
    assert "end the other" in raised.value.hint
    await store.close()
    reader.execute("COMMIT")
    reader.close()
    await (await SqliteStore(path).open()).close()
    assert remains(tmp_path / "home", MARKER) == []


async def test_what_another_deletes_while_one_purges_is_made_up_for(tmp_path: Path):
    path = tmp_path / "x.db"
    store = await SqliteStore(path).open()
    for name in ("Ada", "Bea"):
        await store.write(characters.create, name)
    await store.write(characters.remove, "ada")
    raw: Any = await store.write(lambda conn, /: conn.connection.driver_connection)

    def delete_meanwhile(statement: str) -> None:
        if "wal_checkpoint" not in statement:
            return
        raw.set_trace_callback(None)
        other = create_engine(f"sqlite:///{path}")
        with other.begin() as conn:  # and its process ends before it can purge
            characters.remove(conn, "bea")
        other.dispose()

    raw.set_trace_callback(delete_meanwhile)
    await store.purge()
    assert await pragma(store, "user_version") > 0
    await store.purge()
    assert await pragma(store, "user_version") <= 0
    await store.close()


async def test_an_opening_does_not_wait_to_make_up_for_a_purge(tmp_path: Path):
    path = tmp_path / "x.db"
    store = await SqliteStore(path).open()
    character = await store.write(data.build_character)
    await store.write(characters.remove, character)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM characters").fetchall()
    patient = SqliteStore(path, busy_timeout_seconds=10 * PATIENCE_SECONDS)
    other = await asyncio.wait_for(patient.open(), PATIENCE_SECONDS)
    assert await pragma(other, "user_version") > 0
    assert await pragma(other, "busy_timeout") == 10_000 * PATIENCE_SECONDS
    reader.close()
    await other.close()
    await store.close()
    last = await SqliteStore(path).open()
    assert await pragma(last, "user_version") <= 0
    await last.close()


CRASH = """
import asyncio, sys
from pathlib import Path
from offbook.stores.connection import open_store, sqlite_url
from tests.stores import data
from offbook.stores import characters
async def main():
    store = await open_store(sqlite_url(Path(sys.argv[1])))
    character = (await store.write(lambda c: characters.create(c, "Ada"))).id
    for number in range(100_000):
        name, text = f"{number}", f"First {number}.\\nSecond {number}. " + "x" * 3000
        await store.write(lambda c: data.add_document(c, character, name, text, extract=True))
        print(number, flush=True)
asyncio.run(main())
"""


@pytest.mark.long
async def test_a_process_killed_while_it_commits_loses_nothing_it_reported(tmp_path: Path):
    path = tmp_path / "x.db"
    root = str(Path(__file__).resolve().parents[2])
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CRASH, str(path), stdout=asyncio.subprocess.PIPE, cwd=root,
        env={**os.environ, "PYTHONPATH": root},
    )  # fmt: skip
    assert process.stdout is not None
    reported = -1
    while reported < 30:
        reported = int(await process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    rest = (await process.stdout.read()).splitlines(keepends=True)
    reported = max([reported, *(int(line) for line in rest if line.endswith(b"\n"))])
    await process.wait()
    store = await open_store(sqlite_url(path))

    def look(conn: Connection) -> tuple[int, int, int, int, int]:
        ids, matrix = vectors.load_matrix(conn, "ada", "chunk")
        assert len(ids) == len(matrix)
        found = chunks.list_chunks(conn, "ada")
        texts = {info.id: documents.require(conn, "ada", info.id).text
                 for info in documents.list_all(conn, "ada")}  # fmt: skip
        assert all(texts[c.document][c.start : c.end] == c.text for c in found)
        entities = graph.list_raw_entities(conn, "ada")
        return len(texts), len(found), len(ids), len(entities), len(jobs.list_jobs(conn, "ada"))

    counts = await store.read(look)
    whole = counts[0]
    assert whole >= reported + 1
    assert counts == (whole, 2 * whole, 2 * whole, 4 * whole, 0)
    assert await store.write(lambda c: c.execute(text("PRAGMA integrity_check")).scalar()) == "ok"
    await store.write(data.add_document, "ada", "after", "It goes on.")
    await store.close()


async def test_a_cancelled_write_that_has_not_begun_is_withdrawn(sqlite_store: Store):
    begun, gate = threading.Event(), threading.Event()

    def block(_: Connection) -> None:
        begun.set()
        gate.wait(PATIENCE_SECONDS)

    blocking = asyncio.ensure_future(sqlite_store.write(block))
    await eventually(begun.is_set)
    waiting = asyncio.ensure_future(sqlite_store.write(characters.create, "Ada"))
    await asyncio.sleep(0.02)
    waiting.cancel()
    await asyncio.sleep(0.02)
    gate.set()
    await blocking
    with contextlib.suppress(asyncio.CancelledError):
        await waiting
    assert await sqlite_store.read(characters.list_all) == []
