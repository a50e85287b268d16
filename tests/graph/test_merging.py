"""Descriptions become one: without a call where there is one, and each call is kept."""

from __future__ import annotations

import re

import pytest

from offbook.errors import InvalidAnswer
from offbook.graph.merging import (
    AT_ONCE,
    Merge,
    Merged,
    chosen_name,
    distinct,
    merge_all,
    merges_of,
    outcome,
    parts_of,
    plain_name,
    plain_type,
    raw_graph,
)
from offbook.models.batching import Asking
from offbook.types import RawEntity, RawRelation
from tests.graph.rules_model import RulesModel


def mention(name: str, chunk: str = "c1", kind: str = "character", told: str = "") -> RawEntity:
    return RawEntity(f"{chunk}-{name}", chunk, 0, name, kind, told, None, None)


def relation(chunk: str, source: str, target: str, told: str, strength: float = 5) -> RawRelation:
    return RawRelation(f"{chunk}-{source}-{target}", chunk, 0, source, target, told, strength)


def many(count: int) -> Merge:
    return Merge("entity", ("Ana",), tuple(f"Ana did {n}." for n in range(count)), ("c1",))


class Kept(dict[str, Merged]):
    """Answers as they arrive."""

    async def __call__(self, made) -> None:
        self.update({merge.key: merged for merge, merged in made})


async def merged(merges, model=None, known=None):
    model, kept = model or RulesModel(), Kept(known or {})
    aside = await merge_all(merges, kept, Asking(model, "Ana", retries=0), kept)
    return kept, aside, model


def test_one_description_needs_no_call_and_names_of_signs_are_not_confused():
    groups = [[mention("???", told="A keeper.")], [mention("!!!")], [mention("Bo", told="Old.")]]
    raw = raw_graph(groups, [relation("c1", "!!!", "Bo", "It called him.")])
    assert list(raw.edges) == [(1, 2)]
    assert merges_of(raw) == []
    several = ["A keeper.", " A  keeper. ", "", "A keeper. Old."]
    assert distinct(several) == ("A keeper. Old.",), "what others contain is no second one"


async def test_several_are_merged_in_one_call_a_group_and_never_twice():
    groups = [[mention("Ana", "c1", told="A keeper."), mention("Ana Bell", "c2", told="A wife.")]]
    merges = merges_of(raw_graph(groups, []))
    kept, aside, model = await merged(merges)
    assert (model.calls, aside) == ({"merge_entities": 1}, [])
    assert outcome(merges[0], kept) == Merged("Ana Bell", "A keeper. + A wife.")
    _, _, again = await merged(merges, known=kept)
    assert again.calls == {}


async def test_very_many_descriptions_are_merged_in_parts_that_do_not_wait_for_one_another():
    merge = many(2 * AT_ONCE + 5)
    kept, aside, model = await merged(parts_of(merge))
    assert (len(kept), aside) == (3, [])
    assert {request.origin[0].name for request in model.asked} == {"merge_entities"}
    made = outcome(merge, kept)
    assert made is not None
    expected = [str(n) for n in range(2 * AT_ONCE + 5)]
    assert re.findall(r"did (\d+)", made.description) == expected, "in the order of the story"
    (first, *_) = parts_of(merge)
    assert outcome(merge, {first.key: kept[first.key]}) is None


async def test_what_is_merged_in_parts_bears_the_name_that_most_parts_preferred():
    merge = many(2 * AT_ONCE + 1)
    names = iter(["Ana Bell", "Ana", "Ana Bell"])
    known = {part.key: Merged(next(names), "Told.") for part in parts_of(merge)}
    assert outcome(merge, known) == Merged("Ana Bell", "Told. Told. Told.")


async def test_what_cannot_be_merged_is_put_aside_and_the_rest_is_done():
    bad = Merge("entity", ("Ana",), ("one", "two"), ("c1",))
    good = Merge("entity", ("Bo",), ("three", "four"), ("c1",))

    def fail(request) -> None:
        if any("one | two" in message.content for message in request.messages):
            raise InvalidAnswer("nonsense")

    kept, aside, _ = await merged([bad, good], RulesModel(fail))
    assert [left.item for left in aside] == [bad]
    assert outcome(bad, kept) is None
    assert outcome(good, kept) == Merged("Bo", "three + four")


@pytest.mark.parametrize("answered", [{0}, {1, 4}, {2, 3, 5}])
async def test_after_an_interruption_the_same_questions_are_put(answered):
    long = many(AT_ONCE + 9)
    merges = [Merge("entity", (f"E{n}",), ("a", "b" * n), ("c1",)) for n in range(1, 40)]
    merges += [
        *parts_of(long),
        *(Merge("relation", (f"R{n}", "x"), ("a", "b"), ("c1",)) for n in range(30)),
    ]
    kept, _, first = await merged(merges)
    assert len(first.asked) >= 7
    # Killed when only these answers had been stored: others may be in the cache of calls.
    told = {item for number in answered for item in shown(first.asked[number])}
    known = {m.key: kept[m.key] for m in merges if (m.names[0], m.descriptions) in told}
    again, _, model = await merged(merges, known=known)
    assert again == kept
    left = [r for number, r in enumerate(first.asked) if number not in answered]
    assert [r.messages[-1] for r in model.asked] == [r.messages[-1] for r in left]


def shown(request) -> list[tuple[str, tuple[str, ...]]]:
    """The items of a question."""
    prompt, inputs = request.origin
    if prompt.name == "merge_entities":
        return [(item.names[0], item.descriptions) for item in inputs.entities]
    return [(item.source, item.descriptions) for item in inputs.relations]


async def test_few_calls_at_once_leave_a_place_for_the_summary():
    merges = [Merge("entity", (str(n),), ("a", "b"), ("c1",)) for n in range(300)]
    merges += [Merge("relation", (str(n), "x"), ("a", "b"), ("c1",)) for n in range(100)]
    _, _, model = await merged(merges)
    assert 2 <= sum(model.calls.values()) <= 300 / 16 + 100 / 16 + 2
    _, _, model = await merged(merges[:60] + merges[-20:])
    assert sum(model.calls.values()) <= 15


def test_the_canonical_name_is_one_that_the_texts_use():
    names = ["Ana Bell", "Ana"]
    assert chosen_name("ANA BELL", names, "Ana") == "Ana Bell"
    assert chosen_name("The Keeper", names, "Ana") == "Ana"
    assert chosen_name("", names, "Ana") == "Ana"
    # Without a call it is the commonest, then the longest.
    assert plain_name([mention("Ana"), mention("Ana Bell"), mention("Ana")]) == "Ana"
    assert plain_name([mention("Ana"), mention("Ana Bell")]) == "Ana Bell"
    assert plain_type([mention("A", kind=""), mention("A", kind="event")]) == "event"


def test_a_relation_whose_ends_fall_together_becomes_part_of_the_description():
    groups = [[mention("Ana", told="A keeper."), mention("Ana Bell")]]
    raw = raw_graph(groups, [relation("c1", "Ana", "Ana Bell", "Ana took the name Bell.")])
    assert raw.edges == {}
    (merge,) = merges_of(raw)
    assert merge.descriptions == ("A keeper.", "Ana took the name Bell.")


def test_one_direction_is_one_relation_and_the_other_another():
    groups = [[mention("Ana"), mention("Ana", "c2")], [mention("Bo"), mention("Bo", "c2")]]
    stated = [
        relation("c1", "Ana", "Bo", "She met him.", 3),
        relation("c2", "Ana", "Bo", "She left him.", 9),
        relation("c2", "Bo", "Ana", "He wrote.", 2),
    ]
    raw = raw_graph(groups, stated)
    assert {ends: len(found) for ends, found in raw.edges.items()} == {(0, 1): 2, (1, 0): 1}
    (merge,) = merges_of(raw)
    assert merge.names == ("Ana", "Bo")


def test_the_ends_of_a_relation_are_called_as_its_own_passages_call_them():
    ana = [mention("Ana"), mention("Ana", "c2"), *(mention("Lady X", f"d{n}") for n in range(5))]
    stated = [
        relation("c1", "Ana", "Bo", "She met him."),
        relation("c2", "Ana", "Bo", "She left him."),
    ]
    raw = raw_graph([ana, [mention("Bo"), mention("Bo", "c2")]], stated)
    (merge,) = merges_of(raw)
    assert merge.names == ("Ana", "Bo"), "a name that only other documents hold would stay behind"
    assert merge.chunks == ("c1", "c2")
