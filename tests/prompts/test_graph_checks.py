"""What is no name, and what is no merged description."""

from __future__ import annotations

import json

import pytest

from offbook.errors import InvalidAnswer
from offbook.prompts.answers import read_answer
from offbook.prompts.extraction import EXTRACT, ExtractionInputs
from offbook.prompts.merging import (
    MERGE_ENTITIES,
    MERGE_RELATIONS,
    EntityToMerge,
    MergeEntitiesInputs,
    MergeRelationsInputs,
    RelationToMerge,
)
from offbook.prompts.profile import PROFILE, ProfileInputs
from offbook.wire import ChatResponse

PASSAGE = "??? met Ada at the 👩\u200d🚀 inn. \u200f\u202e"
ENTITIES = MergeEntitiesInputs(
    (
        EntityToMerge(("Ada", "Ada Byrne"), ("She keeps the light.", "She writes.")),
        EntityToMerge(("Tom",), ("He sails.", "He is lost.")),
        EntityToMerge(("Nora",), ("She waits.", "She sings.")),
    )
)
RELATIONS = MergeRelationsInputs((RelationToMerge("Ada", "Tom", ("She waits.", "She hopes.")),))


def extracted(name: str, *, end: str = "Ada"):
    entities = [
        {"name": "Ada", "type": "character", "description": ""},
        {"name": name, "type": "character", "description": ""},
    ]
    relation = {"source": "Ada", "target": end, "description": "", "strength": 1}
    text = json.dumps({"entities": entities, "relations": [relation]})
    return read_answer(EXTRACT, ExtractionInputs("Ada", "", PASSAGE), ChatResponse(text))


def merged(*parts: tuple[str, str]):
    items = [{"item": n, "name": a, "description": b} for n, (a, b) in enumerate(parts, 1)]
    return read_answer(MERGE_ENTITIES, ENTITIES, ChatResponse(json.dumps({"items": items})))


@pytest.mark.parametrize("name", ["???", "👩\u200d🚀", "Ada", "Nora"])
def test_signs_that_the_passage_has_are_a_name(name):
    assert extracted(name).entities[1].name == name


@pytest.mark.parametrize(
    "name", [" ", "\u200f", "\u202e", "\x01\x02", "\u0301", "...", "-", "\ufffd"]
)
def test_what_has_no_shape_or_only_signs_is_no_name(name):
    with pytest.raises(InvalidAnswer):
        extracted(name)
    with pytest.raises(InvalidAnswer):
        extracted("Tom", end=name)


@pytest.mark.parametrize("told", ["", " \n", "\u200b", "...", "N/A", "null", "String", "**none**"])
def test_what_says_nothing_is_no_description(told):
    with pytest.raises(InvalidAnswer):
        merged(("Ada", told), ("Tom", "He sails."), ("Nora", "She waits."))
    text = json.dumps({"items": [{"item": 1, "description": told}]})
    with pytest.raises(InvalidAnswer):
        read_answer(MERGE_RELATIONS, RELATIONS, ChatResponse(text))
    with pytest.raises(InvalidAnswer):
        read_answer(PROFILE, ProfileInputs("Ada", (PASSAGE,)), ChatResponse(told))


def test_what_the_texts_say_themselves_is_a_description():
    inputs = MergeRelationsInputs((RelationToMerge("Ada", "Tom", ("unknown", "...")),))
    for told in ("unknown", "..."):
        text = json.dumps({"items": [{"item": 1, "description": told}]})
        assert read_answer(MERGE_RELATIONS, inputs, ChatResponse(text))


def test_of_texts_that_say_nothing_nothing_has_to_be_said():
    """What was extracted so can be merged to nothing else, however often it is asked for."""
    inputs = MergeRelationsInputs((RelationToMerge("Ada", "Tom", ("unknown", "N/A", "...")),))
    text = json.dumps({"items": [{"item": 1, "description": "Unknown."}]})
    assert read_answer(MERGE_RELATIONS, inputs, ChatResponse(text))


def test_a_text_without_end_is_no_description():
    with pytest.raises(InvalidAnswer, match="be brief"):
        merged(("Ada", "She writes. " * 1000), ("Tom", "He sails."), ("Nora", "She waits."))


def test_answers_under_one_anothers_numbers_are_refused():
    with pytest.raises(InvalidAnswer, match="its own number"):
        merged(("Tom", "He sails."), ("ADA", "She writes."), ("Nora", "She waits."))


@pytest.mark.parametrize("name", ["Ada Byrne", "Somebody", "", "Nora"])
def test_one_name_that_is_not_given_does_no_harm(name):
    assert merged((name, "She writes."), ("Tom", "He sails."), ("Nora", "She waits."))


def test_one_name_for_all_is_no_exchange():
    """Each stands under its own number still; to ask for each again would cost a call a name."""
    found = merged(("Ada", "She keeps it."), ("Ada", "He sails."), ("Ada", "She waits."))
    assert [part.description for part in found.items] == [
        "She keeps it.",
        "He sails.",
        "She waits.",
    ]


def test_better_names_of_several_that_are_called_so_as_well_are_no_exchange():
    """Two that were left apart bear one name at times; a batch may have more than one such pair."""
    names = "Tom Wren", "Wren", "Ada Byrne", "Byrne"
    inputs = MergeEntitiesInputs(tuple(EntityToMerge((n,), ("A.", "B.")) for n in names))
    told = "Tom Wren", "Tom Wren", "Ada Byrne", "Ada Byrne"
    items = [{"item": n, "name": a, "description": "A, B."} for n, a in enumerate(told, 1)]
    assert read_answer(MERGE_ENTITIES, inputs, ChatResponse(json.dumps({"items": items})))


def test_answers_that_stand_one_number_too_late_are_refused():
    """The first is told twice, and from there on each bears the name of the one before it."""
    names = "Ada", "Tom", "Nora", "Silas"
    inputs = MergeEntitiesInputs(tuple(EntityToMerge((n,), ("A.", "B.")) for n in names))
    told = "Ada", "Ada", "Tom", "Nora"
    items = [{"item": n, "name": a, "description": "A, B."} for n, a in enumerate(told, 1)]
    with pytest.raises(InvalidAnswer, match="its own number"):
        read_answer(MERGE_ENTITIES, inputs, ChatResponse(json.dumps({"items": items})))
