"""A walk over entities and passages: what lies two steps from a question is found by it."""

from __future__ import annotations

from dataclasses import replace

from offbook.retrieval.pagerank import walk
from offbook.types import Source
from tests.retrieval.graphs import index, person, tie


def mentioned(name: str, *chunks: str):
    sources = tuple(Source("d", chunk, 0, 5) for chunk in chunks)
    return replace(person(name), sources=sources)


GRAPH = index(
    [
        mentioned("Ada Byrne", "c1", "c2", "c3", "c4"),
        mentioned("Ruth", "c1", "c2"),
        mentioned("Obed Marsh", "c2", "c3"),
        mentioned("Sister Clemence", "c3"),
        mentioned("The tannery", "c4"),
    ],
    [
        tie("Ada Byrne", "Ruth", description="Ada is married to Ruth, her wife."),
        tie("Ruth", "Obed Marsh", description="Obed is the father of Ruth."),
        tie("Obed Marsh", "Sister Clemence", description="Clemence gave him lessons."),
        tie("Ada Byrne", "The tannery", description="Ada hates the smell."),
    ],
)


def test_a_walk_from_kin_comes_to_who_is_two_steps_away():
    reached = walk(GRAPH, "Who gave lessons to your wife's father?", [], {"c4": 0.4})
    assert reached.chunks.index("c3") < reached.chunks.index("c1")
    assert "Clemence gave him lessons." in [each.description for each in reached.relations]


def test_it_begins_at_whom_the_question_names():
    assert walk(GRAPH, "Tell me of Ruth.", [1], {}).chunks[0] in {"c1", "c2"}
    # The likest passage weighs less than who is named.
    assert walk(GRAPH, "Tell me of Ruth.", [1], {"c4": 0.9}).chunks[0] != "c4"


def test_nobody_named_and_no_word_shared_leads_nowhere():
    assert walk(GRAPH, "How are you?", [], {"c4": 0.4}).chunks == ()


def test_the_character_is_no_place_to_walk_through():
    reached = walk(GRAPH, "Ada Byrne?", [0], {})
    assert (reached.chunks, reached.relations) == ((), ())


def test_a_graph_without_relations_is_walked_by_its_passages():
    alone = index([mentioned("Ruth", "c1", "c2"), mentioned("Obed", "c2", "c3")])
    assert set(walk(alone, "Ruth", [0], {}).chunks) == {"c1", "c2", "c3"}
    assert walk(alone, "Ruth", [0], {}).chunks[-1] == "c3"
    assert walk(index(), "Ruth", [], {}).chunks == ()
