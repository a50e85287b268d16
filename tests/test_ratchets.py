"""Limits on size: a file at most 700 lines, a function at most 60."""

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "offbook"
FILE_LINES, FUNCTION_LINES = 700, 60


def python_files():
    return sorted(SOURCE.rglob("*.py"))


def test_there_is_something_to_measure():
    assert len(python_files()) > 20


def test_no_file_is_longer_than_the_limit():
    long = {str(p.relative_to(SOURCE)): len(p.read_text().splitlines()) for p in python_files()}
    assert {name: n for name, n in long.items() if n > FILE_LINES} == {}


def test_no_function_is_longer_than_the_limit():
    long = {}
    for path in python_files():
        for item in ast.walk(ast.parse(path.read_text())):
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (item.end_lineno or item.lineno) - item.lineno + 1
                if size > FUNCTION_LINES:
                    long[f"{path.relative_to(SOURCE)}:{item.name}"] = size
    assert long == {}


def test_every_module_says_what_it_is():
    silent = [
        str(path.relative_to(SOURCE))
        for path in python_files()
        if not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


def test_only_settings_read_the_environment():
    readers = [
        str(path.relative_to(SOURCE))
        for path in python_files()
        if "os.environ" in path.read_text() or "getenv(" in path.read_text()
    ]
    # The other one leaves word in it for a library that reads no settings of ours.
    assert readers == ["cli/process.py", "settings/loading.py"]


def test_the_flow_stays_a_table_of_contents():
    assert len((SOURCE / "pipeline.py").read_text().splitlines()) <= 200
