"""Tables of cases, a row each, in a file beside the tests that go through them.

Takes: the file of a test, the name of a table.  Gives: the rows of ``cases.tsv`` below ``[name]``.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any


def cases(test_file: str, name: str) -> list[Any]:
    """Read cells, parted by tabs; one that begins with "=" is a literal of Python.

    A line that begins with "#" says what the rows below it are about.
    """
    text = Path(test_file).with_name("cases.tsv").read_text("utf-8")
    _, _, behind = text.partition(f"[{name}]\n")
    lines = behind.partition("\n[")[0].strip("\n").split("\n")
    assert lines != [""], f"no table {name!r}"
    rows = [tuple(map(_cell, line.split("\t"))) for line in lines if not line.startswith("#")]
    return [row[0] if len(row) == 1 else row for row in rows]


def _cell(text: str) -> Any:
    return ast.literal_eval(text[1:]) if text.startswith("=") else text
