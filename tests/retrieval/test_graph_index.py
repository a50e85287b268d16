"""Look-ups in a graph: vectors, neighbours, the character's own node."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from offbook.graph.assembly import character_node
from offbook.retrieval.graph_index import EntityVectors
from tests.retrieval.graphs import axis, index, person, tie

ADA, TOM, MAUD = person("Ada Byrne"), person("Tom Byrne", "", "Tommy"), person("Maud Keane")
LAMP = person("The lamp", kind="object")


def test_the_nearest_above_the_threshold_come_best_first():
    vectors = {
        "Tom Byrne": axis(0, 1, 0.9),
        "Maud Keane": axis(0, 1, 0.6),
        "The lamp": axis(0, 1, 0.5),
    }
    found = index([ADA, TOM, MAUD, LAMP], vectors=vectors)
    assert [at for at, _ in found.similar(axis(1), 3, 0.55)] == [1, 2]
    assert [at for at, _ in found.similar(axis(1), 1, 0.55)] == [1]
    assert found.similar(axis(1), 3, 0.95) == []
    assert found.similar(axis(1), 3, 0.55)[0][1] == pytest.approx(0.9)


def test_the_character_is_never_what_a_name_is_like():
    found = index([ADA, TOM], vectors={"Ada Byrne": axis(1), "Tom Byrne": axis(0)})
    assert found.similar(axis(1), 3, 0.5) == []


def test_of_several_vectors_the_nearest_counts():
    matrix = np.stack([axis(0), axis(1), axis(2)])
    found = EntityVectors(matrix, np.array([0, 0, 1]), 3)
    assert found.scores(axis(1)).tolist() == [1.0, 0.0, -1.0]


def test_neighbours_of_a_type_come_strongest_first_in_either_direction():
    relations = [tie("Tom Byrne", "Ada Byrne", 4), tie("Ada Byrne", "Maud Keane", 9)]
    relations += [tie("Ada Byrne", "The lamp", 10), tie("Ada Byrne", "Ada Byrne", 10)]
    found = index([ADA, TOM, MAUD, LAMP], relations)
    assert found.neighbours("character", 10) == [(2, 9), (1, 4)]
    assert found.neighbours("character", 1) == [(2, 9)]
    assert found.neighbours("object", 10) == [(3, 10)]
    assert found.neighbours("event", 10) == []


def test_the_strongest_of_several_relations_counts_for_a_neighbour():
    found = index([ADA, TOM], [tie("Ada Byrne", "Tom Byrne", 2), tie("Tom Byrne", "Ada Byrne", 8)])
    assert found.neighbours("character", 10) == [(1, 8)]
    assert [relation.strength for relation in found.between(0, 1)] == [8, 2]


def test_a_relation_whose_end_is_no_entity_does_not_raise():
    found = index([ADA], [tie("Ada Byrne", "Ghost", 7), tie("Ghost", "Spirit", 7)])
    assert found.neighbours("character", 10) == []
    assert found.name_of("Ghost") == "Ghost"
    assert len(found.touching(0)) == 1


@pytest.mark.parametrize(
    ("character", "entities", "own"),
    [
        ("Ada Byrne", [TOM, ADA], 1),
        ("ada byrne", [TOM, ADA], 1),
        ("Ada", [TOM, ADA], 1),
        ("Tommy", [ADA, TOM], 1),
        ("Ada Byrne of Skerry", [TOM, ADA], 1),
        ("Zoe", [TOM, ADA], None),
    ],
)
def test_the_character_is_found_by_its_name_or_a_part_of_it(character, entities, own):
    assert index(entities, character=character).own == own


def test_of_a_book_the_character_has_most_of_the_names_that_it_gives():
    entities = [person("Captain Voss", "", "Voss"), person("Edward Voss", "", "Ned")]
    assert character_node(entities, "Captain Voss") is entities[0]
    called = ("Edward Voss", "Ned", "Captain Voss")
    assert character_node(entities, "Captain Voss", called) is entities[1]
    assert character_node(entities, "The Sailor", called) is entities[1]
    assert character_node(entities, "The Sailor") is None


def _bank(offset: float, size: int = 40) -> tuple[EntityVectors, NDArray[np.float32]]:
    """Vectors that share a direction by ``offset``, as those of some embedders do."""
    chance = np.random.default_rng(7)
    rows = chance.normal(size=(size, 64))
    rows[3] = 0.6 * rows[0] + 0.4 * rows[3]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    shared = np.zeros(64)
    shared[0] = 1
    moved = (1 - offset) * rows + offset * shared
    moved = (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)
    return EntityVectors(moved[1:], np.arange(size - 1), size - 1), moved[0]


@pytest.mark.parametrize("offset", [0.0, 0.3, 0.6])
def test_what_is_above_chance_is_the_same_whatever_an_embedder_gives_all_texts(offset):
    vectors, question = _bank(offset)
    graph = index([person(f"Person {n}") for n in range(39)])
    graph.vectors = vectors
    above = graph.above_chance(question)
    assert np.flatnonzero(above >= 2.5).tolist()[:1] == [2]
    assert (above >= 2.5).sum() <= 3
    assert abs(float(above.mean())) < 1e-5


def test_few_entities_say_nothing_of_chance_and_those_without_vectors_are_not_above_it():
    people = [person(name) for name in ("Ada Byrne", "Tom Byrne", "Maud Keane")]
    graph = index(people, vectors={"Ada Byrne": axis(0), "Tom Byrne": axis(1)})
    assert graph.above_chance(axis(0)).tolist() == [0.0, np.inf, 0.0]
