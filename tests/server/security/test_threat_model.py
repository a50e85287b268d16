"""docs/security.md: every threat names a test that there is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[2]
PAGE = (TESTS.parent / "docs" / "security.md").read_text("utf-8")
ROWS = [line for line in PAGE.split("## Threats")[1].splitlines() if line.startswith("| ")][1:]


def test_there_are_threats():
    assert len(ROWS) > 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:60])
def test_a_threat_has_a_test_that_exists(row: str):
    threat, done, test = (part.strip() for part in row.strip("|").split("|"))
    assert threat
    assert done
    named = re.fullmatch(r"`([\w/]+\.py)::(test_\w+)`", test)
    assert named is not None, test
    tree = ast.parse((TESTS / named[1]).read_text("utf-8"))
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    assert named[2] in {item.name for item in ast.walk(tree) if isinstance(item, functions)}
