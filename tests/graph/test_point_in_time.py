"""A secret identity stays secret until the text tells it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from offbook.graph.assembly import Graph, load_graph, load_story
from offbook.graph.point_in_time import Story, groups_at
from offbook.names.story import Reach
from offbook.prompts.who_is_who import OneAndTheSame, WhoIsWho
from offbook.stores import graph
from offbook.types import Chunk, Decision, Position, RawEntity
from tests.graph.rules_model import _RULES
from tests.graph.world import GraphWorld
from tests.waiting import work_below

STORY = """## Chapter 1

Edda Vane keeps the lighthouse. Edda Vane fears Corvin.

## Chapter 2

Wanderer came to the harbour. Wanderer greeted Corvin.

## Chapter 3

Edda laughed at Corvin. Wanderer hid.

## Chapter 4

Wanderer is none other than Edda Vane. Corvin knew it.
"""


@dataclass
class Told:
    """The graphs of a story at its points."""

    world: GraphWorld

    async def at(self, chapter: int) -> Graph:
        end = STORY.index(f"## Chapter {chapter + 1}") if chapter < 4 else len(STORY)
        return await at(self.world, end)


def names(graph: Graph) -> list[set[str]]:
    return [set(entity.names) for entity in graph.entities]


@pytest.fixture
async def told(sqlite_store) -> Told:
    world = await GraphWorld(sqlite_store).create()
    await world.put("story", STORY)
    return Told(world)


@pytest.mark.parametrize("chapter", [1, 2, 3])
async def test_before_the_last_chapter_neither_name_leads_to_the_other(told, chapter):
    known = (await told.at(chapter)).entities
    assert any("Edda Vane" in entity.names for entity in known)
    for entity in known:
        assert not {"Wanderer", "Edda Vane"} <= set(entity.names)
        if "Wanderer" in entity.names:
            assert "Edda" not in entity.description
        if "Edda Vane" in entity.names:
            assert "Wanderer" not in entity.description


async def test_what_was_told_is_one_and_forms_of_a_name_are_so_from_the_start(told):
    for found in (await told.world.graph(), await told.at(4)):
        assert {"Wanderer", "Edda Vane", "Edda"} in names(found)
    assert {"Edda Vane", "Edda"} in names(await told.at(3))
    assert await at(told.world, 0) == Graph()


async def test_what_comes_later_is_neither_an_entity_nor_a_relation_nor_a_source(told):
    first = await told.at(1)
    assert names(first) == [{"Edda Vane"}, {"Corvin"}]
    story = await told.world.store.read(lambda conn: load_story(conn, told.world.character))
    until = STORY.index("## Chapter 2")
    sources = [s for entity in first.entities for s in entity.sources]
    sources += [s for relation in first.relations for s in relation.sources]
    assert sources
    assert all(story.chunks[source.chunk].end <= until for source in sources)
    assert [relation.description for relation in first.relations] == ["Edda Vane fears Corvin."]


async def test_a_persons_word_holds_from_where_both_are_spoken_of_together(told):
    await told.world.say("Wanderer", "Corvin", same=True)
    assert {"Wanderer", "Corvin"} <= names(await told.at(4))[0]
    assert not any({"Wanderer", "Corvin"} <= found for found in names(await told.at(1)))
    assert any({"Wanderer", "Corvin"} <= found for found in names(await told.at(2)))


async def test_a_persons_word_that_no_text_bears_out_holds_from_where_both_names_are_known(told):
    """Harbourmaster and Edda Vane never stand in one chunk: no chapter is going to reveal it."""
    story = STORY.replace("Wanderer hid.", "Wanderer hid. Harbourmaster slept.")
    await told.world.put("story", story)
    await told.world.say("Harbourmaster", "Edda Vane", same=True)

    async def known_at(heading: str) -> list[set[str]]:
        return names(await at(told.world, story.index(heading) if heading else len(story)))

    assert not any("Harbourmaster" in found for found in await known_at("## Chapter 3"))
    assert any({"Harbourmaster", "Edda Vane"} <= found for found in await known_at("## Chapter 4"))
    assert any({"Harbourmaster", "Edda Vane"} <= found for found in await known_at(""))


async def test_what_the_look_at_all_names_rests_on_is_known_before_it_counts(
    sqlite_store, monkeypatch
):
    """Both are spoken of in the first chapter; that they are one the third tells, in no formula."""

    def settled(inputs) -> WhoIsWho:
        numbers = [n for n, each in enumerate(inputs.names, 1) if each.name != "Corvin"]
        telling = [
            number
            for each in inputs.names
            for number, sentence in zip(each.sentences, each.told, strict=True)
            if "wig" in sentence
        ]
        group = OneAndTheSame(reason="the wig", names=numbers, sentences=telling)
        return WhoIsWho(same=[group], several=[])

    monkeypatch.setitem(_RULES, "who_is_who", settled)
    world = await GraphWorld(sqlite_store).create()
    story = (
        "## Chapter 1\n\nEdda fears Wanderer.\n\n## Chapter 2\n\nWanderer left Corvin.\n\n"
        "## Chapter 3\n\nCorvin took the wig and saw the face under which Wanderer hid.\n"
    )
    await world.put("story", story)
    whole = {"Edda", "Wanderer"}
    assert whole in names(await world.graph())
    assert whole in names(await at(world, len(story)))
    for chapter in (2, 3):
        early = await at(world, story.index(f"## Chapter {chapter}"))
        assert not any(whole <= found for found in names(early))


async def at(world: GraphWorld, offset: int) -> Graph:
    found: Graph = await world.store.read(
        lambda conn: load_graph(conn, world.character, Reach(Position(0, offset)))
    )
    return found


async def test_a_model_that_knows_the_secret_from_elsewhere_does_not_tell_it(told):
    """A decision that rests on mentions which never stand together counts from the end only."""
    decisions = await told.world.store.read(
        lambda conn: graph.list_decisions(conn, told.world.character)
    )
    entities = await told.world.store.read(
        lambda conn: graph.list_raw_entities(conn, told.world.character)
    )
    first = {
        name: next(e.id for e in entities if e.name == name) for name in ("Edda Vane", "Wanderer")
    }
    early = [replace(d, same=True) for d in decisions if {d.a, d.b} == set(first.values())]
    await told.world.store.write(
        lambda conn: graph.put_decisions(conn, told.world.character, early)
    )
    for chapter in (2, 3):
        for found in names(await told.at(chapter)):
            assert not {"Wanderer", "Edda Vane"} <= found


def test_a_point_in_a_story_of_many_people_takes_no_time():
    """Each group is looked at with its own decisions, not with those on all pairs."""
    many = 3_000
    chunk = Chunk("c", "story", "graph", 0, 0, 1, (), "They came.")
    groups = [
        [RawEntity(f"{row}-{at}", "c", row, name, "character", "") for at, name in enumerate(names)]
        for row, names in enumerate((f"Tom{n} Wren{n}", f"Tom{n}") for n in range(many))
    ]
    joined = [Decision(f"d{n}", f"{n}-0", f"{n}-1", True, "model", "") for n in range(many)]
    apart = [
        Decision(f"d{n}-{step}", f"{n}-0", f"{(n + step) % many}-0", False, "model", "")
        for n in range(many)
        for step in range(1, 11)
    ]
    story = Story({"c": chunk}, {"story": 0})
    with work_below(2):
        found = groups_at(groups, [*joined, *apart], story, Reach(Position(0, 1)))
    assert found == groups
