"""One person is one node, offline: disguises, homonyms, wives, fathers and sons, rulers, dates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import offbook.demo
from tests.end_to_end.world import World

Nodes = list[set[str]]
Build = Callable[[str, str], Nodes]


@pytest.fixture
def nodes(offline: World) -> Build:
    """Builds the graph of a persona from one document; gives the names of each node."""

    def build(name: str, text: str) -> Nodes:
        offline.done("create", name)
        file = offline.write("life.md", text)
        offline.done("ingest", name, file, "--method", "rolerag", "--set", "graph.dates=true")
        found = offline.run("show", name, "entities", "--json").json
        return [{entity["name"], *entity["aliases"]} for entity in found]

    return build


def together(nodes: Nodes, *names: str) -> bool:
    """Whether all names stand in one node."""
    assert all(any(name in node for node in nodes) for name in names), (names, nodes)
    return any(set(names) <= node for node in nodes)


def apart(nodes: Nodes, *names: str) -> bool:
    """Whether no two names stand in one node."""
    assert all(any(name in node for node in nodes) for name in names), (names, nodes)
    return all(len(node & set(names)) <= 1 for node in nodes)


DISGUISES = """# Anselm Corvane, Duke of Harrowmere

Anselm Corvane was a clockmaker of Tarn who lost nine years at the oar and came back to the \
city as the Duke of Harrowmere. The Countess Ilse saw him at a ball and called the Duke a ghost.

## The duke

The Duke of Harrowmere is the name under which Anselm entered the court of Tarn. The Duke gave \
a supper for the Countess Ilse. The Duke keeps three hounds.

## The friar

Anselm Corvane plays Father Obrecht, an old friar, when he must hear a secret. Father Obrecht \
wears a brown hood. In the robe of the friar the Duke listened to Rufus Tolley.

## The pedlar

As Merrick the Pedlar, Anselm sold ribbons to Lady Tolley. Merrick the Pedlar limps on one leg.

## The oar

On the galley the overseers called Anselm Corvane number 17. Rufus Tolley had sent him there.

## The end

Father Obrecht threw back his hood and told Rufus Tolley that he was Anselm Corvane. Rufus \
Tolley, Duke of Marle, begged for his life. The Duke forgave Rufus.
"""


def test_who_wears_disguises_is_one_node(nodes):
    found = nodes("Anselm Corvane", DISGUISES)
    assert together(
        found, "Anselm Corvane", "the Duke", "Father Obrecht", "Merrick the Pedlar", "number 17"
    )
    assert together(found, "Anselm Corvane", "Duke of Harrowmere")
    assert apart(found, "Anselm Corvane", "Countess Ilse", "Rufus Tolley", "Lady Tolley")


FAMILY = """# Nell Harker

Nell Harker was born in Tarn. Nell Harker was a painter of boats.

## The yard

Monsieur Brandt, the shipwright, gave Nell her first brush. Monsieur Brandt died in the flood.

## The son

Conrad Brandt, the shipwright's son, sailed with Nell to the north. Conrad wrote letters to \
Nell every week.

## The bank

Pellworth held the debts of the yard. Pellworth asked no questions. Nell feared Pellworth.

## The ball

Madame Pellworth danced with Conrad Brandt until dawn.

## The wedding

Pellworth chose a lieutenant as a husband for Louisa Pellworth.
"""


def test_father_and_son_and_a_wife_and_a_daughter_are_told_apart(nodes):
    found = nodes("Nell Harker", FAMILY)
    assert apart(found, "Monsieur Brandt", "Conrad Brandt")
    assert together(found, "Conrad Brandt", "Conrad")
    assert apart(found, "Pellworth", "Madame Pellworth", "Louisa Pellworth")
    assert together(found, "Nell Harker", "Nell")


COMPOSER = """# Corvin

Matthias van Corvin (3 May 1760 - 9 June 1821) was a composer of Tarn.

## Family

Corvin was the son of Hubert van Corvin, a horn player. Corvin had two brothers. Corvin was \
taught by Leopold Anders on 4 June 1770 and again on 14 June 1770.

## Patrons

The emperor Leopold II heard Corvin on 4 July 1790. Emperor Joseph II had died before that, \
and Joseph Anders wrote his dirge. Corvin met Dora Corvin, his cousin, on the fourth of July 1790.
"""


def test_the_persona_is_one_node_under_its_full_name(nodes):
    found = nodes("Corvin", COMPOSER)
    assert together(found, "Corvin", "Matthias van Corvin")
    assert apart(found, "Corvin", "Hubert van Corvin", "Dora Corvin")


def test_rulers_have_numbers_and_no_surnames(nodes):
    found = nodes("Corvin", COMPOSER)
    assert apart(found, "Leopold II", "Leopold Anders")
    assert apart(found, "Emperor Joseph II", "Joseph Anders", "Leopold II")


def test_times_are_the_same_only_if_they_are_equal(nodes):
    found = nodes("Corvin", COMPOSER)
    assert apart(found, "4 June 1770", "14 June 1770", "4 July 1790")


def test_the_demo_has_one_node_for_its_hero_and_one_for_each_other(nodes):
    text = (Path(offbook.demo.__file__).parent / "edmond_dantes.md").read_text("utf-8")
    found = nodes("Edmond Dantès", text)
    assert together(
        found,
        *("Edmond Dantès", "the Count", "Count of Monte Cristo", "Abbé Busoni", "Lord Wilmore"),
        *("Sinbad the Sailor", "Zaccone", "number 34"),
    )
    assert apart(found, "Danglars", "Madame Danglars", "Eugénie Danglars")
    assert apart(found, "Monsieur Morrel", "Maximilien Morrel", "Julie Morrel")
    assert apart(found, "Edmond Dantès", "Louis Dantès", "Countess G.", "Fernand")
    assert together(found, "Villefort", "Gérard de Villefort")
    assert together(found, "Fernand Mondego", "Count of Morcerf")
    assert apart(found, "24 February 1815", "28 February 1815", "February 1815")
