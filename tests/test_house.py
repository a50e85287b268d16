"""The measure of the source itself: it runs, and says what was asked of it."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def figures():
    command = [sys.executable, "benchmarks/house.py", "--json"]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)


@pytest.fixture
def house(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("house")


@pytest.mark.long
def test_every_figure_with_a_target_is_measured(figures, house):
    for place in house.TARGETS:
        value = figures
        for name in place.split("."):
            value = value[name]
        assert isinstance(value, int | list), place
    text = "\n".join(house.as_text(figures))
    assert text.count("(at most") == len(house.TARGETS)


def module(house, text):
    tree = house.ast.parse(text)
    functions = [node for node in house.ast.walk(tree) if isinstance(node, house.Function)]
    lines = text.splitlines()
    return house.Module("m", "m.py", tree, lines, house.count_code_lines(tree, lines), functions)


def test_only_code_is_code(house):
    text = '"""A module.\n\nIt is short.\n"""\n\n# why\nx = 1\n"""What x is."""\n'
    assert module(house, text).code_lines == 1


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ("packed = a, b\n    g(*packed)", 1),
        ("packed = (a, b) if a else (b, a)\n    g(*packed)", 1),
        ("g(*(a, b))", 1),
        ("listed = [a, b]\n    g(*listed)", 0),
        ("g(*a)", 0),
    ],
)
def test_a_splat_of_a_packed_tuple_is_found(house, body, places):
    assert len(list(house.tuple_splats(module(house, f"def f(a, b):\n    {body}\n")))) == places


def test_imports_are_told_apart_and_cycles_found(house):
    texts = {
        "offbook.a": "from offbook import b",
        "offbook.b": "def f():\n    from offbook.c import x",
        "offbook.c": "if TYPE_CHECKING:\n    from offbook.a import x",
        "offbook.d": "import offbook.a",
    }
    modules = {
        name: house.Module(name, name, house.ast.parse(text), [], 0, [])
        for name, text in texts.items()
    }
    edges = house.import_edges(modules)
    assert {edge.kind for edge in edges} == {"runtime", "lazy", "types"}
    assert house.import_cycles(edges, "runtime", "lazy")["modules"] == 0
    everything = house.import_cycles(edges, "runtime", "lazy", "types")
    assert everything["groups"] == [["offbook.a", "offbook.b", "offbook.c"]]
    assert house.modules_with_one_importer(edges) == ["offbook.b", "offbook.c"]
