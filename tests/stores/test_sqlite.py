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
from random import Random

import pytest
from sqlalchemy import Connection, text

from offbook.errors import ConfigurationError, StoreFailed
from offbook.protocols import Store
from offbook.stores import (
    characters,
    chunks,
    documents,
    graph,
    jobs,
    memories,
    memory_banks,
    vectors,
)
from offbook.stores.opening import open_store, sqlite_url
from offbook.stores.sqlite import SqliteStore
from tests.stores import data
from tests.waiting import PATIENCE_SECONDS, eventually


async def pragma(store: Store, name: str) -> object:
    def ask(conn: Connection) -> object:
        result = conn.execute(text(f"PRAGMA {name}"))
        return result.scalar() if result.returns_rows else None

    return await store.write(ask)


async def test_the_promised_settings_are_in_force(sqlite_store: Store):
    assert await pragma(sqlite_store, "journal_mode") == "wal"
    assert await pragma(sqlite_store, "foreign_keys") == 1
    assert await pragma(sqlite_store, "secure_delete") == 1
    assert await pragma(sqlite_store, "synchronous") == 1
    assert await pragma(sqlite_store, "busy_timeout") == 15_000
    assert await pragma(sqlite_store, "wal_autocheckpoint") == 4_000


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
    await store.write(lambda c: characters.create(c, "Ada"))
    assert [each.name for each in await store.read(characters.list_all)] == ["Ada"]
    await store.close()
    assert held


async def test_the_home_is_readable_by_its_owner_only(sqlite_store: Store, sqlite_home: Path):
    await sqlite_store.write(lambda c: characters.create(c, "Ada"))
    assert stat.S_IMODE(sqlite_home.stat().st_mode) == 0o700
    files = list(sqlite_home.iterdir())
    assert {file.name for file in files} >= {"offbook.db", "offbook.db-wal"}
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)


async def test_closing_leaves_one_file(sqlite_home: Path):
    store = await open_store(sqlite_url(sqlite_home / "offbook.db"))
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.read(characters.list_all)
    await store.close()
    assert [file.name for file in sqlite_home.iterdir()] == ["offbook.db"]


def fill(conn: Connection, size: int) -> None:
    made = characters.create(conn, "Ada")
    documents.put(conn, made.id, data.document("d", "x" * size))


async def test_a_full_disk_loses_nothing_and_says_what_to_do(
    sqlite_store: Store, sqlite_home: Path
):
    await sqlite_store.write(lambda c: characters.create(c, "Bea"))
    pages = await pragma(sqlite_store, "page_count")
    assert isinstance(pages, int)
    await pragma(sqlite_store, f"max_page_count = {pages + 5}")
    with pytest.raises(StoreFailed, match="full") as raised:
        await sqlite_store.write(partial(fill, size=200_000))
    assert "space" in raised.value.hint
    assert str(sqlite_home / "offbook.db") in raised.value.message
    names = [found.name for found in await sqlite_store.read(characters.list_all)]
    assert names == ["Bea"]
    await pragma(sqlite_store, "max_page_count = 100000")
    await sqlite_store.write(partial(fill, size=200_000))


async def test_a_read_only_file_is_reported_with_its_path(tmp_path: Path):
    """The engine's own refusal, as on a read-only medium; root would pass a mere chmod."""
    store = SqliteStore(tmp_path / "x.db")
    await store.open()
    await pragma(store, "query_only = ON")
    with pytest.raises(StoreFailed, match="read-only") as raised:
        await store.write(lambda c: characters.create(c, "Ada"))
    assert "OFFBOOK_HOME" in raised.value.hint
    await store.close()


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"),
                                   OSError(30, "Read-only file system")])  # fmt: skip
async def test_a_home_that_cannot_be_made_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
):
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StoreFailed, match=error.strerror) as raised:
        await open_store(sqlite_url(tmp_path / "home" / "x.db"))
    assert "OFFBOOK_HOME" in raised.value.hint


async def test_a_folder_in_the_place_of_the_file_is_reported(tmp_path: Path):
    with pytest.raises(StoreFailed, match="cannot be opened"):
        await open_store(sqlite_url(tmp_path))


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path):
    path = tmp_path / "x.db"
    path.write_bytes(b"My novel. " * 1000)
    with pytest.raises(StoreFailed, match="not an offbook database") as raised:
        await open_store(sqlite_url(path))
    assert raised.value.hint
    assert path.read_bytes() == b"My novel. " * 1000


async def test_a_damaged_file_is_reported(tmp_path: Path):
    path = tmp_path / "x.db"
    store = await open_store(sqlite_url(path))
    await store.write(partial(fill, size=100_000))
    await store.close()
    whole = bytearray(path.read_bytes())
    whole[4096:] = Random(1).randbytes(len(whole) - 4096)
    path.write_bytes(whole)
    with pytest.raises(StoreFailed, match="damaged") as raised:
        await (await open_store(sqlite_url(path))).read(characters.list_all)
    assert "backup" in raised.value.hint


async def test_a_lock_that_is_held_for_long_is_reported_and_later_writes_succeed(tmp_path: Path):
    path = tmp_path / "x.db"
    store = await SqliteStore(path, busy_timeout_seconds=0.1).open()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFailed, match="locked") as raised:
        await store.write(lambda c: characters.create(c, "Ada"))
    assert "wait" in raised.value.hint
    assert await store.read(characters.list_all) == []
    other.execute("ROLLBACK")
    other.close()
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.close()


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
    character = (await sqlite_store.write(lambda c: characters.create(c, "Ada"))).id
    await sqlite_store.write(
        partial(data.add_document, character=character, name="a", text="Kept.")
    )
    other = await open_store(sqlite_url(sqlite_home / "offbook.db"))
    for number in range(6):
        await sqlite_store.write(
            partial(ingest_secret, character=character, number=number, lines=lines)
        )
        # Interleaved with what stays, so that pages hold both.
        kept = "\n".join(f"Kept {number} {line}. {'boats ' * (line % 11)}" for line in range(lines))
        await sqlite_store.write(
            partial(data.add_document, character=character, name=f"k{number}", text=kept)
        )
        await other.read(lambda c: chunks.list_chunks(c, character))
    assert remains(sqlite_home, MARKER)
    for number in range(6):
        await other.read(lambda c: graph.list_raw_entities(c, character))
        await sqlite_store.write(
            partial(documents.remove, character=character, document=f"{number}.md")
        )
    await sqlite_store.purge()
    assert remains(sqlite_home, MARKER) == []
    assert len(await other.read(lambda c: documents.list_all(c, character))) == 7
    await other.close()
    assert remains(sqlite_home, MARKER) == []


async def test_a_deleted_character_is_nowhere_in_the_home(sqlite_store: Store, sqlite_home: Path):
    name = f"Ada {MARKER}"
    character = await sqlite_store.write(partial(data.build_character, name=name))
    await sqlite_store.write(
        partial(data.add_document, character=character, name="s", text=secret_text(1, 50))
    )
    await sqlite_store.write(lambda c: data.talk(c, character, on="s"))
    assert await sqlite_store.write(lambda c: characters.remove(c, character))
    await sqlite_store.purge()
    assert remains(sqlite_home, MARKER) == []
    assert remains(sqlite_home, "Long ago.") == []


async def test_a_new_version_leaves_nothing_of_the_old_one(sqlite_store: Store, sqlite_home: Path):
    character = (await sqlite_store.write(lambda c: characters.create(c, "Ada"))).id
    add = partial(data.add_document, character=character, name="d")
    await sqlite_store.write(partial(add, text=secret_text(1, 100)))
    await sqlite_store.write(partial(add, text="Nothing of it."))
    await sqlite_store.purge()
    assert remains(sqlite_home, MARKER) == []


async def test_purging_reports_that_somebody_still_reads_what_was_deleted(tmp_path: Path):
    path = tmp_path / "x.db"
    store = await SqliteStore(path, busy_timeout_seconds=0.1).open()
    await store.write(lambda c: characters.create(c, "Ada"))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM characters").fetchall()
    await store.write(lambda c: characters.remove(c, "ada"))
    with pytest.raises(StoreFailed, match="still") as raised:
        await store.purge()
    assert "end the other" in raised.value.hint
    other.execute("COMMIT")
    other.close()
    await store.purge()
    await store.close()


async def test_an_interrupted_purge_is_made_up_for_at_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "home" / "x.db"
    store = await SqliteStore(path, busy_timeout_seconds=0.1).open()
    character = (await store.write(lambda c: characters.create(c, "Ada"))).id
    for number in range(6):
        await store.write(partial(ingest_secret, character=character, number=number, lines=400))
        await store.write(
            partial(data.add_document, character=character, name=f"k{number}", text="Kept.")
        )
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM chunks").fetchall()
    for number in range(6):
        await store.write(partial(documents.remove, character=character, document=f"{number}.md"))
    with pytest.raises(StoreFailed, match="still"):
        await store.purge()
    await store.close()
    reader.execute("COMMIT")
    reader.close()
    await (await SqliteStore(path).open()).close()
    assert remains(tmp_path / "home", MARKER) == []


async def test_a_process_that_ends_between_deletion_and_purge_is_made_up_for(
    sqlite_store: Store, sqlite_home: Path, tmp_path: Path
):
    character = (await sqlite_store.write(lambda c: characters.create(c, "Ada"))).id
    await sqlite_store.write(
        partial(ingest_secret, character=character, number=1, lines=40),
    )
    await sqlite_store.write(partial(documents.remove, character=character, document="1.md"))
    ended = tmp_path / "as it was when the process ended"
    shutil.copytree(sqlite_home, ended)
    assert remains(ended, MARKER)
    store = await open_store(sqlite_url(ended / "offbook.db"))
    assert remains(ended, MARKER) == []
    assert await pragma(store, "user_version") == 0
    await store.close()


async def test_a_deletion_that_fails_asks_for_no_purge(sqlite_store: Store):
    character = await sqlite_store.write(data.build_character)

    def half(conn: Connection) -> None:
        documents.remove(conn, character, "life.md")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await sqlite_store.write(half)
    assert await pragma(sqlite_store, "user_version") == 0


async def test_an_opening_does_not_wait_to_make_up_for_a_purge(tmp_path: Path):
    path = tmp_path / "x.db"
    store = await SqliteStore(path).open()
    character = await store.write(data.build_character)
    await store.write(lambda c: characters.remove(c, character))
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM characters").fetchall()
    patient = SqliteStore(path, busy_timeout_seconds=10 * PATIENCE_SECONDS)
    other = await asyncio.wait_for(patient.open(), PATIENCE_SECONDS)
    assert await pragma(other, "user_version") == 1
    assert await pragma(other, "busy_timeout") == 10_000 * PATIENCE_SECONDS
    reader.close()
    await other.close()
    await store.close()
    last = await SqliteStore(path).open()
    assert await pragma(last, "user_version") == 0
    await last.close()


CRASH = """
import asyncio, sys
from pathlib import Path
from offbook.stores.opening import open_store, sqlite_url
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
    await store.write(lambda c: data.add_document(c, "ada", "after", "It goes on."))
    await store.close()


WRITE = """
import asyncio, sys
from pathlib import Path
from functools import partial
from offbook.stores.opening import open_store
from offbook.stores import characters, memories
from offbook.types import MemoryFragment
async def main():
    store = await open_store(sys.argv[1])
    for number in range(60):
        item = MemoryFragment(f"{sys.argv[2]}{number}", "said", "answered")
        await store.write(partial(memories.add, character="ada", fragments=[item]))
    await store.close()
asyncio.run(main())
"""


async def test_two_processes_that_write_at_once_lose_nothing(database_url: str):
    store = await open_store(database_url)
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.write(lambda c: memory_banks.renew(c, "ada"))
    made = await store.read(lambda c: memory_banks.state(c, "ada"))
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", WRITE, database_url, name, stderr=asyncio.subprocess.PIPE
        )
        for name in "ab"
    ]
    for process in processes:
        _, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
    found = await store.read(lambda c: memories.list_memories(c, "ada"))
    assert len(found) == 120
    assert (
        await store.read(lambda c: memory_banks.state(c, "ada"))
    ).revision == made.revision + 120
    ordinals = await store.read(
        lambda c: (
            c.execute(text("SELECT ordinal FROM memory_fragments ORDER BY ordinal")).scalars().all()
        )
    )
    assert list(ordinals) == list(range(120))
    await store.close()


async def test_a_cancelled_write_that_has_not_begun_is_withdrawn(sqlite_store: Store):
    begun, gate = threading.Event(), threading.Event()

    def block(_: Connection) -> None:
        begun.set()
        gate.wait(PATIENCE_SECONDS)

    blocking = asyncio.ensure_future(sqlite_store.write(block))
    await eventually(begun.is_set)
    waiting = asyncio.ensure_future(sqlite_store.write(lambda c: characters.create(c, "Ada")))
    await asyncio.sleep(0.02)
    waiting.cancel()
    await asyncio.sleep(0.02)
    gate.set()
    await blocking
    with contextlib.suppress(asyncio.CancelledError):
        await waiting
    assert await sqlite_store.read(characters.list_all) == []
