"""A commit is judged by the same examples each time, whatever was tested before in the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MADE_UP = """
import sys
from importlib import import_module
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import conftest

settings.load_profile("repeatable")
conftest.pytest_sessionstart()
for name in sys.argv[1:]:
    import_module(name)

@given(st.lists(st.text() | st.integers()))
@settings(max_examples=300)
def say(told):
    print(ascii(told))

say()
"""


def made_up(*loaded: str) -> str:
    """The examples of a law, with these modules loaded before."""
    done = subprocess.run(
        [sys.executable, "-c", MADE_UP, *loaded],
        cwd=Path(__file__).resolve().parents[1],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


@pytest.mark.long
def test_what_is_made_up_does_not_hang_on_the_modules_that_are_loaded():
    alone = made_up()
    assert len(alone.splitlines()) > 100
    assert made_up("offbook.rules.model") == alone
