"""The list of laws names tests that exist, each as a line of its own."""

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parent
LAWS = (TESTS / "LAWS.md").read_text(encoding="utf-8").splitlines()
PROOF = re.compile(r"`([\w/]+(?:\.py|/))(?:::(\w+))?`")


def proofs():
    return [match.groups() for line in LAWS for match in PROOF.finditer(line)]


@cache
def functions_of(file):
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, functions)}


def test_every_law_names_what_shows_it():
    laws = [line for line in LAWS if line.startswith("- ")]
    assert len(laws) > 200
    assert [law for law in laws if not PROOF.search(law)] == []


def test_every_file_that_is_named_exists():
    assert [file for file, _ in proofs() if not (TESTS / file).exists()] == []


def test_every_test_that_is_named_exists():
    named = [(file, name) for file, name in proofs() if name]
    assert [f"{file}::{name}" for file, name in named if name not in functions_of(file)] == []
