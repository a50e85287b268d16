"""The three branches and the verdict, with the faults of the published code as tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from offbook.prompts.emotion import write_memory
from offbook.prompts.extraction import ENTITY_TYPES
from offbook.retrieval.boundary import (
    Analysis,
    Findings,
    QuestionNames,
    find_context,
    names_to_look_up,
    of_names_alone,
)
from offbook.retrieval.memory_evidence import MemoryEvidence
from offbook.retrieval.name_table import NameInText
from offbook.settings.methods import RoleragSettings
from offbook.types import ContextItem, Source
from tests.methods.questions import entity
from tests.retrieval.graphs import axis, index, person, tie

ADA, TOM, MAUD = person("Ada Byrne"), person("Tom Byrne", "", "Tommy"), person("Maud Keane")
LAMP = person("The lamp", kind="object")
RELATIONS = [
    tie("Ada Byrne", "Tom Byrne", 8),
    tie("Maud Keane", "Ada Byrne", 3),
    tie("Tom Byrne", "Maud Keane", 9),
    tie("Ada Byrne", "The lamp", 6),
]
KNOWN = index(
    [ADA, TOM, MAUD, LAMP],
    RELATIONS,
    {"Tom Byrne": axis(1), "Maud Keane": axis(2), "The lamp": axis(3)},
    texts=["Ada Byrne and the Prince came.", "Albert fell."],
)


def asked(
    question: str,
    *entities: Any,
    graph=KNOWN,
    near: dict[str, Any] | None = None,
    complete: bool = False,
    places: dict[str, str | None] | None = None,
    types: Sequence[str] = ENTITY_TYPES,
    profile: str = "",
    at_a_point: bool = False,
    **settings: Any,
) -> Findings:
    names = QuestionNames(question, tuple(graph.names.find(question)), (), places or {}, (), ())
    vectors = near or {}
    analysis = Analysis("", tuple(entities), axis(0), vectors, complete)
    grounds = (Source("d", "", 0, 9),)
    return find_context(
        graph,
        names,
        analysis,
        RoleragSettings(**settings),
        grounds,
        types=types,
        profile=profile,
        at_a_point=at_a_point,
    )


def titles(items) -> list[str]:
    return [item.title for item in items]


def verdict(found: Findings) -> tuple[str, dict[str, str]]:
    assert found.boundary is not None
    return found.boundary.verdict, {r.entity: r.reason for r in found.boundary.reasons}


def test_what_cannot_be_known_is_out_with_its_reason():
    found = asked("Do you own a telephone?", entity("telephone", known=False, reason="Later."))
    (item,) = found.outside
    assert (item.kind, item.title, item.text) == ("out_of_scope", "telephone", "Later.")
    assert item.sources == (Source("d", "", 0, 9),)
    assert verdict(found) == ("out", {"telephone": "Later."})


def test_a_reason_is_never_empty():
    found = asked("A telephone?", entity("telephone", known=False, reason="  "))
    assert verdict(found) == ("out", {"telephone": "cannot be known"})


@pytest.mark.parametrize("name", ["Tom Byrne", "tom byrne", "TOMMY", "Tommy"])
def test_a_name_or_an_alias_in_any_case_brings_the_entity_and_its_relations(name):
    found = asked(f"Who is {name}?", entity(name))
    assert titles(found.entities) == ["Tom Byrne (Tommy)"]
    assert titles(found.relations) == ["Ada Byrne → Tom Byrne"]
    assert verdict(found) == ("in", {})


def test_the_first_specific_entity_is_not_thrown_away():
    found = asked("Tom Byrne or Maud Keane?", entity("Tom Byrne"), entity("Maud Keane"))
    assert titles(found.entities) == ["Tom Byrne (Tommy)", "Maud Keane"]


def test_a_name_that_is_not_found_is_looked_for_by_its_vector():
    found = asked("Who is Thomas?", entity("Thomas"), near={"thomas": axis(0, 1, 0.7)})
    assert titles(found.entities) == ["Tom Byrne (Tommy)"]
    assert found.entities[0].score == pytest.approx(0.7)
    assert verdict(found) == ("in", {})


def test_a_part_of_a_name_brings_all_who_bear_it_and_not_in_the_papers_way():
    graph = index([ADA, TOM, MAUD, LAMP], [], {"Tom Byrne": axis(0), "Maud Keane": axis(1)})
    assert titles(asked("Who is Maud?", entity("maud"), graph=graph).entities) == ["Maud Keane"]
    both = titles(asked("Who are the Byrnes?", entity("Byrne"), graph=graph).entities)
    assert both == ["Tom Byrne (Tommy)", "Ada Byrne"]
    assert len(asked("Who?", entity("Byrne"), graph=graph, k=1).entities) == 1
    off: dict[str, Any] = {"graph": graph, "parts_of_names": False}
    assert not asked("Who is Maud?", entity("maud"), **off).entities
    assert not asked("Who is Mau?", entity("Mau"), graph=graph).entities
    titled = index([ADA, person("Mr. Silas Crane"), person("林黛玉")])
    found = asked("Who is Mr. Crane?", entity("Mr. Crane"), graph=titled)
    assert titles(found.entities) == ["Mr. Silas Crane"]
    assert titles(asked("黛玉？", entity("黛玉"), graph=titled).entities) == ["林黛玉"]
    for name in ("Mrs. Crane", "Silas Pell", "林玉"):
        assert not asked(f"{name}?", entity(name), graph=titled).entities


def test_what_the_model_knows_is_within_and_that_no_text_mentions_it_is_a_note():
    found = asked("Who is Finn?", entity("Finn"), near={"finn": axis(0)})
    assert (found.outside, found.entities) == ([], [])
    assert verdict(found) == ("in", {"Finn": "nothing in the texts mentions it"})
    both = asked("Finn or a radio?", entity("Finn"), entity("radio", known=False, reason="Later."))
    assert verdict(both)[0] == "partly"
    assert titles(both.outside) == ["radio"]


@pytest.mark.parametrize("name", ["flood", "Finn"])
def test_what_a_description_or_the_summary_mentions_is_not_said_to_be_unmentioned(name):
    tom = person("Tom Byrne", "Tom Byrne saved Finn from the floods of the Ebb.")
    graph = index([ADA, tom, LAMP], [tie("Ada Byrne", "Tom Byrne", 8)])
    found = asked(f"What of the {name}?", entity(name), graph=graph)
    assert titles(found.entities) == ["Tom Byrne"]
    assert (found.outside, verdict(found)) == ([], ("in", {}))
    profile = "Ada Byrne met Finn in the flood."
    found = asked(f"What of the {name}?", entity(name), profile=profile)
    assert verdict(found) == ("in", {})
    other = asked(f"What of the {name}?", entity(name), profile="Ada Byrne likes the finns.")
    assert verdict(other) == ("in", {name: "nothing in the texts mentions it"})


def test_at_a_point_in_the_story_what_no_text_has_mentioned_is_unheard_of():
    found = asked("Who is Finn?", entity("Finn"), at_a_point=True)
    assert verdict(found)[0] == "out"


def test_in_the_papers_way_nothing_found_is_said():
    found = asked("Who is Finn?", entity("Finn"), near={"finn": axis(0)}, unmentioned="out")
    (item,) = found.outside
    assert (item.kind, item.title) == ("out_of_scope", "Finn")
    assert "nothing that Ada Byrne knows mentions it" in item.text
    assert verdict(found)[0] == "out"


def test_k_and_threshold_are_settings():
    near = {"thomas": axis(0, 1, 0.7)}
    assert not asked("Thomas?", entity("Thomas"), near=near, threshold=0.8).entities
    both = {"someone": axis(1, 2, 0.6)}
    assert len(asked("Someone?", entity("someone"), near=both, threshold=0.5).entities) == 2
    assert len(asked("Someone?", entity("someone"), near=both, threshold=0.5, k=1).entities) == 1


def test_what_the_texts_speak_of_is_not_said_to_be_unknown():
    found = asked("Do you know the Prince?", entity("Prince"))
    assert (found.outside, found.passages) == ([], ["t0"])
    assert verdict(found)[0] == "in"


def test_two_words_that_never_stand_together_are_no_finding_and_no_stranger():
    found = asked("Prince Albert?", entity("Prince Albert"))
    assert (found.outside, found.passages) == ([], [])


def test_a_word_that_the_texts_write_otherwise_is_unknown():
    own: dict[str, Any] = {"places": {"prince": None}, "unmentioned": "out"}
    found = asked("Do you know Prince?", entity("Prince"), **own)
    assert titles(found.outside) == ["Prince"]


def test_a_bad_guess_of_the_hypothetical_context_is_skipped_not_declared_unknown():
    found = asked("Who taught you?", entity("Johann Finn"))
    assert found.outside == []
    (skipped,) = found.skipped
    assert (skipped.title, verdict(found)[0]) == ("Johann Finn", "in")
    assert "hypothetical context" in skipped.why


def test_in_the_papers_way_every_name_that_is_not_found_is_said():
    found = asked("Who taught you?", entity("Johann Finn"), complete=True)
    assert titles(found.outside) == ["Johann Finn"]


def test_a_general_entity_brings_neighbours_of_its_type_strongest_first():
    found = asked("Have you any friends?", entity("friends", specific=False))
    assert titles(found.entities) == ["Tom Byrne (Tommy)", "Maud Keane"]
    assert [item.score for item in found.entities] == [0.8, 0.3]
    assert titles(found.relations) == ["Ada Byrne → Tom Byrne", "Maud Keane → Ada Byrne"]


def test_at_most_ten_neighbours():
    many = [person(f"Person {n}") for n in range(20)]
    ties = [tie("Ada Byrne", each.name, 1 + n % 10) for n, each in enumerate(many)]
    graph = index([ADA, *many], ties)
    found = asked("Friends?", entity("friends", specific=False), graph=graph)
    assert len(found.entities) == 10
    assert min(item.score for item in found.entities) >= 0.5
    assert len(asked("F?", entity("f", specific=False), graph=graph, neighbours=3).entities) == 3


def test_types_that_were_configured_stand_in_for_those_of_questions():
    people = [person(name, kind="person") for name in ("Ada Byrne", "Tom Byrne")]
    ties = [tie("Ada Byrne", "Tom Byrne", 8), tie("Ada Byrne", "Galway", 3)]
    graph = index([*people, person("Galway", kind="place")], ties)
    friends, types = entity("friends", specific=False), ("person", "place")
    found = asked("Have you any friends?", friends, graph=graph, types=types)
    assert titles(found.entities) == ["Tom Byrne", "Galway"]
    assert titles(found.relations) == ["Ada Byrne → Tom Byrne", "Ada Byrne → Galway"]


def test_types_that_were_added_stand_in_for_none():
    graph = index([ADA, person("Wren", kind="ship")], [tie("Ada Byrne", "Wren", 8)])
    for types, found in (((*ENTITY_TYPES, "ship"), []), (("character", "ship"), ["Wren"])):
        wars = entity("wars", specific=False, kind="event")
        assert titles(asked("Wars?", wars, graph=graph, types=types).entities) == found


def test_only_people_are_called_by_a_part_of_their_name():
    things = {
        "Rose Street": "location",
        "London Gazette": "organization",
        "King Street": "location",
    }
    graph = index([ADA, *(person(name, kind=kind) for name, kind in things.items())])
    for name in ("Rose", "London", "street", "King"):
        assert not asked(f"{name}?", entity(name), graph=graph).entities


def test_a_general_word_that_the_graph_has_a_node_for_brings_that_node_first():
    found = asked("And tom byrne?", entity("tom byrne", specific=False, kind="object"))
    assert titles(found.entities) == ["Tom Byrne (Tommy)", "The lamp"]
    assert found.skipped == []


def test_without_neighbours_of_the_type_it_is_said_why():
    found = asked("Wars?", entity("wars", specific=False, kind="event"))
    assert (found.entities, verdict(found)[0]) == ([], "in")
    assert "no event in the graph is linked to this character" in found.skipped[0].why


def test_an_unknown_character_raises_nothing():
    graph = index([TOM, MAUD], [tie("Tom Byrne", "Maud Keane")], character="Nobody")
    found = asked(
        "Tom Byrne, friends, Finn?",
        entity("Tom Byrne"),
        entity("friends", specific=False),
        entity("Finn"),
        graph=graph,
        unmentioned="out",
    )
    assert titles(found.entities) == ["Tom Byrne (Tommy)"]
    assert (found.relations, titles(found.outside)) == ([], ["Finn"])


def test_an_empty_graph_raises_nothing():
    asked_for = entity("Finn"), entity("joy", specific=False)
    found = asked("Finn?", *asked_for, graph=index(), unmentioned="out")
    assert titles(found.outside) == ["Finn"]
    assert verdict(asked("Finn?", *asked_for, graph=index()))[0] == "in"


def test_an_entity_that_only_relations_name_is_described_by_them():
    ghost = person("Ghost", "x")
    ghost = type(ghost)("Ghost", "Ghost", "", "", (), (), ())
    graph = index([ADA, ghost], [tie("Ada Byrne", "Ghost", 4, "Ada saw the ghost.")])
    found = asked("The ghost?", entity("ghost"), graph=graph)
    assert [(item.title, item.text) for item in found.entities] == [("Ghost", "Ada saw the ghost.")]
    assert found.entities[0].sources
    bare = index([type(ghost)("Ghost", "Ghost", "", "", (), (), ())])
    assert asked("Ghost?", entity("ghost"), graph=bare).entities[0].text == "Ghost"


def test_a_name_of_two_brings_both_the_one_nearer_to_the_question_first():
    jane, lizzy = person("Jane", "", "Miss Bennet"), person("Elizabeth", "", "Miss Bennet")
    for first, second in (("Jane", "Elizabeth"), ("Elizabeth", "Jane")):
        graph = index([jane, lizzy], vectors={first: axis(0), second: axis(1)})
        found = asked("Who is Miss Bennet?", entity("miss bennet"), graph=graph)
        assert titles(found.entities) == [f"{first} (Miss Bennet)", f"{second} (Miss Bennet)"]


def test_a_name_that_the_model_left_out_is_looked_up_all_the_same():
    found = asked("What did Tom Byrne say to Maud Keane?", entity("maud keane"))
    assert set(titles(found.entities)) == {"Tom Byrne (Tommy)", "Maud Keane"}


def test_an_everyday_word_that_the_model_left_out_is_not():
    graph = index([ADA, person("Hope")])
    assert asked("What hope is there?", entity("Ada Byrne"), graph=graph).entities == (
        asked("What is there?", entity("Ada Byrne"), graph=graph).entities
    )


def test_what_the_model_says_cannot_be_known_is_not_looked_up():
    found = asked("Do you know Tom Byrne?", entity("Tom Byrne", known=False, reason="Dead."))
    assert found.entities == []
    assert verdict(found) == ("out", {"Tom Byrne": "Dead."})


def test_the_character_itself_is_never_out_and_never_what_a_question_hinges_on():
    found = asked(
        "Ada Byrne, do you own a telephone?",
        entity("Ada Byrne", known=False),
        entity("telephone", known=False, specific=False),
    )
    assert titles(found.outside) == ["telephone"]
    assert verdict(found)[0] == "out"
    nameless = index([TOM], character="Zoe")
    assert verdict(asked("Zoe?", entity("zoe"), graph=nameless))[0] == "in"


@pytest.mark.parametrize(
    ("known", "expected"),
    [((True, True), "in"), ((True, False), "partly"), ((False, False), "out"), ((), "in")],
)
def test_the_verdict_counts_what_the_question_hinges_on(known, expected):
    entities = [
        entity(name, known=yes)
        for name, yes in zip(("Tom Byrne", "Maud Keane"), known, strict=False)
    ]
    assert verdict(asked("Tom Byrne and Maud Keane?", *entities))[0] == expected


def test_what_only_the_hypothetical_context_names_does_not_decide():
    later = entity("telephone", known=False, reason="Later.")
    found = asked("How did Tom Byrne call you?", entity("Tom Byrne"), later)
    assert verdict(found) == ("in", {"telephone": "Later."})
    assert titles(found.outside) == ["telephone"]
    assert verdict(asked("How are you called?", later))[0] == "out"


def test_an_entity_is_shown_once_with_its_best_score():
    found = asked("Tom Byrne, friends?", entity("friends", specific=False), entity("Tom Byrne"))
    assert next((i.title, i.score) for i in found.entities) == ("Tom Byrne (Tommy)", 1.0)
    assert len(titles(found.entities)) == len(set(titles(found.entities))) == 2
    assert len(found.relations) == 2


def test_a_main_characters_sources_are_one_a_chunk():
    sources = tuple(Source("d", f"c{n % 3}", n, n + 1) for n in range(300))
    busy = type(ADA)("B", "Busy", "character", "Told.", (), (), sources)
    (item,) = asked("Busy?", entity("Busy"), graph=index([busy])).entities
    assert item.sources == sources[:3]


def test_without_a_usable_answer_the_names_of_the_question_remain_and_nothing_is_judged():
    name = NameInText("Tom Byrne", ("tom", "byrne"), 0, (1,), True)
    names = QuestionNames("Tom Byrne?", (name,), (), {"prince": "t0", "x": None}, (), ())
    found = of_names_alone(KNOWN, names)
    assert titles(found.entities) == ["Tom Byrne (Tommy)"]
    assert (found.boundary, found.passages, found.outside) == (None, ["t0"], [])


def test_of_many_names_those_that_the_question_uses_come_first():
    many = person("Tom Byrne", "", "Tommy", "T.", "Tam", "Tomás", "Thomas", "Old Tom", "Black Tom")
    graph = index([ADA, many], [tie("Ada Byrne", "Tom Byrne", 8)], {})
    (title,) = titles(asked("Who is Black Tom?", entity("Black Tom"), graph=graph).entities)
    assert title == "Tom Byrne (Black Tom, Tommy, T., Tam, Tomás)"


def told(name: str, said: str) -> dict[str, MemoryEvidence]:
    item = ContextItem("memory", "", write_memory(said, "Is that so?"), 1.0, memory="m1")
    return {name: MemoryEvidence(said, (item,))}


def told_of(question: str, *entities: Any, by: dict[str, MemoryEvidence], graph=KNOWN) -> Findings:
    names = QuestionNames(question, tuple(graph.names.find(question)), (), {}, (), ())
    analysis = Analysis("", tuple(entities), axis(0), {})
    return find_context(graph, names, analysis, RoleragSettings(), (), by)


@pytest.mark.parametrize("known", [True, False])
def test_whom_the_character_was_told_of_is_known_whatever_the_model_says(known: bool):
    rex = entity("Rex", known=known, reason="Nothing mentions it.")
    found = told_of("Do you know Rex?", rex, by=told("rex", "My dog is called Rex."))
    assert (found.outside, [item.memory for item in found.told]) == ([], ["m1"])
    assert verdict(found) == ("in", {"Rex": "Ada Byrne was told: My dog is called Rex."})


def test_a_reason_quotes_the_head_of_a_long_sentence():
    said = "My dog is called Rex, and " + "he barks, " * 500
    found = told_of("Do you know Rex?", entity("Rex", known=False), by=told("rex", said))
    (reason,) = verdict(found)[1].values()
    assert reason.startswith("Ada Byrne was told: My dog is called Rex, and he barks,")
    assert reason.endswith("…")
    assert len(reason) < 300
    assert said in found.told[0].text


def test_what_was_told_of_one_says_nothing_of_another():
    entities = (entity("Rex", known=False), entity("telephone", known=False, reason="Later."))
    found = told_of("Has Rex a telephone?", *entities, by=told("rex", "My dog is called Rex."))
    assert titles(found.outside) == ["telephone"]
    assert verdict(found)[0] == "partly"


def test_what_the_texts_have_beside_it_is_found_as_well():
    tom = entity("Tom Byrne", known=False)
    found = told_of("Tom Byrne?", tom, by=told("tom byrne", "My uncle is Tom Byrne."))
    assert titles(found.entities) == ["Tom Byrne (Tommy)"]
    assert found.told


def test_only_names_that_the_texts_do_not_settle_are_looked_for():
    entities = (
        entity("Tom Byrne"),
        entity("Maud Keane", known=False),
        entity("Rex"),
        entity("telephone", known=False, specific=False),
    )
    analysis = Analysis("", entities, axis(0), {})
    assert names_to_look_up(KNOWN, analysis) == ["Maud Keane", "Rex"]
