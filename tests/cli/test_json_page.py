"""docs/json.md names every field that is printed, every kind of error, every exit code."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from offbook import errors
from tests.cli.shapes import ASK, DOCUMENTS, NAMED, PAGE, USAGE, keys, misfit
from tests.end_to_end.world import World

GRAPH = ["--set", "method=rolerag"]
"""Of a command that needs the graph."""

ENSEMBLE = ["--set", "method=ensemble"]
"""Of a command that needs all of it."""


@pytest.mark.parametrize(
    "words",
    [
        ["create", "Bea"],
        ["cast", "ada-byrne"],
        ["create", "Tom", "--from", "ada-byrne"],
        ["story", "ada-byrne", "--kind", "story"],
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
        ["scene", "ada-byrne", "Ada", "Tom", "--turns", "1"],
        ["ingest", "ada-byrne"],
        ["ingest", "ada-byrne", "--estimate"],
        ["forget", "ada-byrne", "ada.md", "-y"],
        ["reembed", "ada-byrne"],
        ["delete", "ada-byrne", "-y"],
        ["export", "ada-byrne", "file.offbook"],
        ["doctor"],
        ["demo"],
        ["demo", "book"],
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


GOOD_USAGE: dict[str, Any] = {
    "calls": 0,
    "cached_calls": 0,
    "round_trips": 0,
    "prompt_tokens": 0,
    "completion_tokens": 0,
    "embed_calls": 0,
    "cost_usd": None,
    "seconds": 0.5,
    "by_task": {},
}


def test_what_fits_fits():
    assert misfit(GOOD_USAGE | {"more": 1}, USAGE) is None
    assert misfit([], DOCUMENTS) is None


@pytest.mark.parametrize(
    ("value", "shape", "where"),
    [
        (GOOD_USAGE | {"calls": True}, USAGE, "$.calls"),
        ({}, ASK, "$ lacks"),
        ([{}], DOCUMENTS, "$[0] lacks"),
        ("other", {"in", "out"}, "not one of"),
    ],
)
def test_what_does_not_fit_is_named(value, shape, where):
    assert where in str(misfit(value, shape))
