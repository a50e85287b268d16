"""The list of misprints points to tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/errata.md").read_text("utf-8")


def test_every_test_that_the_errata_name_exists():
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    files = set(re.findall(r"`(tests/[\w/]+\.py)`", PAGE))
    defined = {
        name for file in files for name in re.findall(r"def (test_\w+)", (ROOT / file).read_text())
    }
    assert len(named) > 12
    assert named - defined == set()


def test_every_row_of_the_errata_names_its_test():
    tables = [line for line in PAGE.splitlines() if line.startswith("| ") and "where |" not in line]
    silent = [row for row in tables if "test_" not in row and not row.endswith("| the same |")]
    assert silent == []
