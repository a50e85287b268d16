from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from offbook.stores.opening import sqlite_url

OPEN = """
import asyncio, sys
from offbook.stores.opening import open_store
assert "sqlalchemy" not in sys.modules
async def main():
    await (await open_store(sys.argv[1])).close()
asyncio.run(main())
print(sorted(sys.modules.keys() & {"alembic", "asyncpg", "numpy"}))
"""


def test_opening_the_embedded_store_imports_nothing_that_it_does_not_need(tmp_path: Path):
    url = sqlite_url(tmp_path / "a folder" / "x.db")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", OPEN, url], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
    assert (tmp_path / "a folder" / "x.db").exists()
