"""`reembed` with the embedded embedder: all vectors anew, the same answers."""

from __future__ import annotations

from tests.cli.shapes import USAGE, misfit
from tests.end_to_end.world import World


def test_the_vectors_are_made_anew_and_find_the_same(ada: World):
    words = ["recall", "ada-byrne", "Who taught you?", "--json"]
    before = ada.done(*words).json["context"]
    shape = ada.done("reembed", "Ada Byrne", "--json").json
    assert misfit(shape, {"character": str, "vectors": int, "usage": USAGE}) is None
    assert shape["character"] == "Ada Byrne"
    assert shape["vectors"] == len(ada.done("show", "ada-byrne", "chunks", "--json").json)
    assert ada.done(*words).json["context"] == before


def test_for_a_person_it_is_one_line(ada: World):
    outcome = ada.done("reembed", "ada-byrne")
    assert outcome.out == ""
    assert "vectors by 'builtin-" in outcome.err


def test_without_chunks_there_is_nothing_to_do(offline: World):
    offline.done("create", "Ada")
    assert offline.done("reembed", "ada", "--json").json["vectors"] == 0
