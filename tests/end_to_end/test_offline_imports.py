"""What a command loads: nothing heavy before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import offbook
from tests.cli.texts import ADA
from tests.end_to_end.world import World
from tests.waiting import PATIENCE_SECONDS

HEAVY = {"numpy", "sqlalchemy", "openai", "jinja2", "pydantic", "rich", "alembic", "httpx"}
RUN = """
import sys
from offbook.cli.main import main
code = main(sys.argv[1:])
sys.stderr.write("\\nMODULES " + " ".join(sorted({name.partition(".")[0] for name in sys.modules})))
sys.exit(code)
"""


def modules(*words: str, code: str = RUN) -> set[str]:
    """Top-level modules that are loaded when a command has ended."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    return set(done.stderr.rpartition("MODULES ")[2].split())


@pytest.mark.long
def test_the_probe_sees_what_is_loaded():
    code = "import sys, json; sys.stderr.write('MODULES ' + ' '.join(sys.modules))"
    assert "json" in modules(code=code)
    assert modules(code=code).isdisjoint(HEAVY)


@pytest.mark.long
def test_importing_offbook_loads_nothing_heavy():
    code = "import sys, offbook; sys.stderr.write('MODULES ' + ' '.join(sys.modules))"
    loaded = modules(code=code)
    assert {name for name in loaded if name.startswith("offbook.")} == set()
    assert loaded.isdisjoint(HEAVY | {"typer", "asyncio"})


@pytest.mark.long
def test_help_loads_nothing_heavy(offline: World):
    assert modules("--help").isdisjoint(HEAVY)
    # typer itself takes pydantic to parse numbers and paths.
    assert modules("ingest", "--help").isdisjoint(HEAVY - {"pydantic"})


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "spared"), [("recall", {"jinja2", "tokenizers"}), ("ask", set[str]())]
)
def test_an_offline_command_loads_no_client_and_no_migrations(offline: World, command, spared):
    offline.done("create", "Ada")
    offline.done("ingest", "ada", offline.write("ada.md", ADA))
    loaded = modules(command, "ada", "Who taught you?", "--json")
    assert loaded.isdisjoint({"openai", "alembic", "httpx", "rich", *spared})
    assert "sqlalchemy" in loaded


def test_the_public_names_are_these():
    assert offbook.__all__ == [
        "Character",
        "Offbook",
        "OffbookError",
        "Recall",
        "Reply",
        "Usage",
        "__version__",
        "load_settings",
    ]
    assert offbook.__all__ == sorted(offbook.__all__) == dir(offbook)
    for name in offbook.__all__:
        assert getattr(offbook, name) is not None
