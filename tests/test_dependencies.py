"""What is imported is asked for: by the package's own requirements, and by what examples name.

A module that only comes along with some other distribution is gone as soon as that one changes.
"""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PART_OF = {
    "bs4": {"markdownify"},
    "langchain_core": {"langchain-openai"},
    "llama_index": {"llama-index-core"},
    "markupsafe": {"jinja2"},
    "mcp": {"mcp"},
    "openai": {"langchain-openai"},
    "pydantic": {"langchain-core", "langchain-openai"},
    "pydantic_ai": {"pydantic-ai-slim"},
    "pydantic_core": {"pydantic"},
    "starlette": {"fastapi"},
}
"""Modules that a distribution hands out in its own interface, so that they come with it; and those
of distributions that have an environment of their own in the tests."""
WHERE_THERE = {"opentelemetry"}
"""Modules that are used where somebody else has installed them."""


def imported(path):
    """The modules of others that a file imports, by their first name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - {"offbook"} - WHERE_THERE


def distribution(name):
    return re.split(r"[^\w.-]", name)[0].lower().replace("_", "-")


def missing(modules, named):
    """Those of the modules that none of the named distributions brings."""
    brought_by = packages_distributions()

    def bring(module):
        return {*map(distribution, brought_by.get(module, ())), *PART_OF.get(module, ())}

    return {module for module in modules if named.isdisjoint(bring(module))}


def test_every_import_of_the_package_is_required_by_it():
    extras = PROJECT["optional-dependencies"]
    shipped = [*PROJECT["dependencies"], *(r for e in extras if e != "test" for r in extras[e])]
    named = set(map(distribution, shipped))
    modules = set().union(*map(imported, (ROOT / "src").rglob("*.py")))
    assert {"httpx", "openai", "fastapi"} <= modules
    assert missing(modules, named) == set()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_names_what_it_needs(path):
    needs = re.search(r"Needs: (?:``pip install ([\w -]+)``|nothing but)", path.read_text("utf-8"))
    assert needs is not None
    assert missing(imported(path), set((needs[1] or "").split())) == set()
