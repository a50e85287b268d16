"""Which name readers know best, and descriptions that say everything once."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.models.offline.merging import (
    canonical_name,
    heard,
    merge_entities,
    merge_relations,
)
from offbook.prompts.merging import (
    MERGE_ENTITIES,
    MERGE_RELATIONS,
    EntityToMerge,
    MergeEntitiesInputs,
    MergeRelationsInputs,
    RelationToMerge,
    check_merge_entities,
    check_merge_relations,
)


@pytest.mark.parametrize(
    ("names", "best"),
    [
        (("Nora", "Nora Whitlock", "the Captain", "my aunt"), "Nora Whitlock"),
        (("Nell", "Miss Whitlock", "the old nurse"), "Miss Whitlock"),
        (("the Count", "Count of Arlune", "Osric Vane"), "Osric Vane"),
        (("Sir Osric Vane", "Osric Vane", "Sir Osric"), "Osric Vane"),
        (("the old nurse", "Nell"), "Nell"),
        (("Captain", "my uncle"), "Captain"),
        (("Countess of Arlune", "Nora"), "Nora"),
        (("Duke of Arlune", "Arlune", "the Duke"), "Duke of Arlune"),
        (("Duke of Arlune", "Osric Vane", "Arlune"), "Osric Vane"),
        (("Osric II", "Osric"), "Osric II"),
        (("Cambridge University", "the University"), "Cambridge University"),
        (("NORA WHITLOCK", "Nora Whitlock"), "Nora Whitlock"),
        (("李白", "李太白"), "李太白"),
        (("", "Nora"), "Nora"),
        ((" ",), " "),
    ],
)
def test_the_best_known_name_is_chosen(names: tuple[str, ...], best: str) -> None:
    assert canonical_name(EntityToMerge(names, ())) == best


def test_among_equals_the_descriptions_decide() -> None:
    told = ("Whitlock sang. Whitlock swam.", "Nora wept.")
    assert canonical_name(EntityToMerge(("Nora", "Whitlock"), told)) == "Whitlock"


def describe(*descriptions: str, names: tuple[str, ...] = ("Nora", "Nora Whitlock")) -> str:
    answer = merge_entities(MergeEntitiesInputs((EntityToMerge(names, descriptions),)))
    return answer.items[0].description


def test_what_says_most_stands_first_and_nothing_twice() -> None:
    merged = describe(
        "Nora sang. Nora left the house.",
        "Nora left the house.",
        "Nora Whitlock was the keeper of the light, also known as Nell.",
        "NORA LEFT THE HOUSE!",
    )
    assert merged == (
        "Nora Whitlock was the keeper of the light, also known as Nell. "
        "Nora sang. Nora left the house."
    )


def test_a_sentence_gives_way_to_one_that_says_more() -> None:
    assert describe("Nora left.", "Nora left for Galway.") == "Nora left for Galway."


def test_contradictions_are_both_kept() -> None:
    merged = describe("Nora was born in 1860.", "Nora was born in 1861, her sister said.")
    assert "1860" in merged
    assert "1861" in merged


def test_descriptions_stay_within_eighty_words() -> None:
    many = [f"Nora met number {n} on the {n}th day at a place called Port {n}." for n in range(40)]
    assert len(describe(*many).split()) <= 80
    endless = "Nora " + "walked and " * 300
    assert len(describe(endless, "").split()) <= 80
    assert len(describe("诺拉" * 500, names=("诺拉",))) <= 161


def test_where_nothing_is_said_the_name_stands_in() -> None:
    assert describe("", "  ") == "Nora"


def test_relations_keep_three_sentences_the_strongest_first() -> None:
    relation = RelationToMerge(
        "Nora",
        "Tom",
        (
            "Nora saw Tom.",
            "Nora saw Tom.",
            "Nora walked with Tom.",
            "Nora married Tom.",
            "Nora wrote to Tom.",
            "Nora spoke of Tom.",
        ),
    )
    told = merge_relations(MergeRelationsInputs((relation,))).items[0].description
    assert told.startswith("Nora married Tom. ")
    assert told.count(".") == 3
    assert len(set(told.split(". "))) == 3


def test_a_relation_without_words_names_its_ends() -> None:
    relation = RelationToMerge("Nora", "Tom", ("", " "))
    assert merge_relations(MergeRelationsInputs((relation,))).items[0].description == "Nora – Tom"


STORABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
NAMES = st.lists(
    st.text(STORABLE, min_size=1, max_size=30).filter(str.strip), min_size=1, max_size=5
)
TOLD = st.lists(st.text(STORABLE, max_size=120), max_size=6)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(NAMES, TOLD), min_size=1, max_size=4))
def test_every_answer_passes_the_prompts_own_check(
    groups: list[tuple[list[str], list[str]]],
) -> None:
    entities = MergeEntitiesInputs(
        tuple(EntityToMerge(tuple(names), tuple(told)) for names, told in groups)
    )
    merged = merge_entities(entities)
    check_merge_entities(entities, merged)
    assert MERGE_ENTITIES.answer.parse(MERGE_ENTITIES.answer.write(merged)) == merged
    for item, (names, _) in zip(merged.items, groups, strict=True):
        assert item.name in names
    assert merge_entities(entities) == merged
    relations = MergeRelationsInputs(
        tuple(RelationToMerge(names[0], names[-1], tuple(told)) for names, told in groups)
    )
    told_relations = merge_relations(relations)
    check_merge_relations(relations, told_relations)
    assert MERGE_RELATIONS.answer.parse(MERGE_RELATIONS.answer.write(told_relations))


@given(
    name=st.text(alphabet="aá_ '.9", min_size=1, max_size=4),
    told=st.text(alphabet="aá_ '.9", max_size=40),
)
def test_a_name_is_heard_as_often_as_it_stands_there_as_whole_words(name: str, told: str) -> None:
    assert heard(name, told) == len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", told))
