"""docs/json.md names every field that is printed, every kind of error, every exit code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from offbook import errors
from tests.end_to_end.world import World

PAGE = Path(__file__).resolve().parents[2] / "docs" / "json.md"
NAMED = frozenset(re.findall(r"`([a-z_]+)`", PAGE.read_text("utf-8")))
OPEN = {"by_task"}
"""Objects whose keys are data."""


GRAPH = ["--set", "method=rolerag"]
"""Of a command that needs the graph."""

ENSEMBLE = ["--set", "method=ensemble"]
"""Of a command that needs all of it."""


def keys(document: Any) -> Iterator[str]:
    if isinstance(document, list):
        for each in document:
            yield from keys(each)
    if isinstance(document, dict):
        for key, value in document.items():
            yield key
            if key not in OPEN:
                yield from keys(value)


@pytest.mark.parametrize(
    "words",
    [
        ["create", "Bea"],
        ["list"],
        ["show", "ada-byrne"],
        ["show", "ada-byrne", "documents"],
        ["show", "ada-byrne", "chunks"],
        [*GRAPH, "show", "ada-byrne", "entities"],
        [*GRAPH, "show", "ada-byrne", "relations"],
        [*GRAPH, "show", "ada-byrne", "aliases"],
        [*GRAPH, "show", "ada-byrne", "decisions"],
        [*GRAPH, "alias", "ada-byrne", "add", "Ada", "The Keeper"],
        [*GRAPH, "graph", "ada-byrne", "-o", "ada.json"],
        ["remember", "ada-byrne", "told.jsonl"],
        ["memories", "ada-byrne", "search", "the lamp"],
        ["memories", "ada-byrne", "kept-out"],
        [*ENSEMBLE, "ask", "ada-byrne", "Who taught you?", "--session", "s"],
        ["ask", "ada-byrne", "Who taught you?"],
        ["recall", "ada-byrne", "Who taught you?"],
        ["ingest", "ada-byrne"],
        ["ingest", "ada-byrne", "--estimate"],
        ["forget", "ada-byrne", "ada.md"],
        ["reembed", "ada-byrne"],
        ["delete", "ada-byrne"],
        ["export", "ada-byrne", "file.offbook"],
        ["doctor"],
        ["demo"],
    ],
    ids=" ".join,
)
def test_every_field_is_on_the_page_and_the_document_is_the_only_output(ada: World, words):
    if words[:2] in (GRAPH, ENSEMBLE):
        ada.done(*words[:2], "ingest", "ada-byrne")
    told = {"said": "Who taught you to trim the lamp?", "answered": "Tom did, and I am glad."}
    (ada.folder / "told.jsonl").write_text(json.dumps(told) + "\n", "utf-8")
    if "ensemble" in str(words) or "memories" in words:
        ada.done("remember", "ada-byrne", "told.jsonl")
    outcome = ada.done(*words, "--json")
    assert set(keys(outcome.json)) - NAMED == set()
    assert outcome.out.endswith("\n")
    assert outcome.out.count("\n") == 1


def test_every_kind_of_error_is_on_the_page():
    found = {
        each.kind
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.OffbookError)
    }
    assert len(found) > 10
    assert found - NAMED == set()


def test_every_exit_code_is_on_the_page():
    codes = set(map(int, re.findall(r"^\| (\d+) \|", PAGE.read_text("utf-8"), re.M)))
    assert codes == {0, 1, 2, 3, 4, 130, 143}
