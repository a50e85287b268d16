"""Which name readers know best, and descriptions that say everything once."""

from __future__ import annotations

import pytest

from offbook.prompts.entities import (
    EntityToMerge,
    MergeEntitiesInputs,
    MergeRelationsInputs,
    RelationToMerge,
)
from offbook.rules.merging import canonical_name, merge_entities, merge_relations
from tests.tables import cases


@pytest.mark.parametrize(("names", "best"), cases(__file__, "the best known name is chosen"))
def test_the_best_known_name_is_chosen(names: tuple[str, ...], best: str) -> None:
    assert canonical_name(EntityToMerge(names, ())) == best


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
