"""Iterative retrieval: each passage once, nothing searched for twice, never more than the steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from offbook.errors import InputRefused
from offbook.methods.adaptive import Steps, retrieve_in_steps
from offbook.types import Character, Chunk, Passage
from tests.methods.compared import Told

ADA = Character("ada", "Ada", "")


def passage(name: str) -> Passage:
    return Passage(Chunk(name, "a-md", "acts", 0, 0, len(name), (), name), 1.0, None, None)


async def steps(found: dict[str, Sequence[str]], *searches: str, **told: Any) -> Steps:
    async def search(text: str, most: int) -> list[Passage]:
        return [passage(name) for name in found.get(text, ())][:most]

    model: Any = Told(searches=searches, **told)
    return await retrieve_in_steps(model, ADA, "lamp", search, steps=3, k=2, retries=0)


def names(found: Steps) -> list[list[str]]:
    return [[passage.chunk.id for passage in step] for step in found.found]


async def test_a_step_adds_so_many_new_passages():
    found = await steps({"lamp": "abc", "oil": "abcde", "cat": "edf"}, "oil", "cat", "dog")
    assert names(found) == [["a", "b"], ["c", "d"], ["e", "f"]]
    assert found.searched == ("lamp", "oil", "cat")
    assert found.failed == ""


@pytest.mark.parametrize(
    ("found", "searches", "expected"),
    [
        ({"lamp": "ab"}, (), [["a", "b"]]),
        ({"lamp": "ab", "oil": "ba"}, ("oil", "cat"), [["a", "b"], []]),
        ({"lamp": "ab", "The lamps!": "cd"}, ("The lamps!",), [["a", "b"]]),
        (
            {"lamp": "ab", "to be": "cd", "To be": "ef"},
            ("to be", "To be"),
            [["a", "b"], ["c", "d"]],
        ),
        ({}, ("oil",), [[]]),
    ],
    ids=["enough", "nothing new", "known words", "known stop words", "nothing at all"],
)
async def test_it_stops_early(found, searches, expected):
    assert names(await steps(found, *searches)) == expected


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (3, [["a", "b"], ["c"]]),
        (4, [["a", "b"], ["c", "d"]]),
        (9, [["a", "b"], ["c", "d"], ["e", "f"]]),
    ],
)
async def test_all_steps_together_find_no_more_than_they_may(most, expected):
    found = {"lamp": "ab", "oil": "cd", "cat": "ef"}

    async def search(text: str, wanted: int) -> list[Passage]:
        return [passage(name) for name in found[text]]

    model: Any = Told(searches=("oil", "cat", "dog"))
    outcome = await retrieve_in_steps(
        model, ADA, "lamp", search, steps=3, k=2, most=most, retries=0
    )
    assert names(outcome) == expected


async def test_a_search_that_is_refused_keeps_what_was_found_but_not_the_first_one():
    def refusing(name: str) -> Any:
        async def search(text: str, most: int) -> list[Passage]:
            if text == name:
                raise InputRefused("too long")
            return [passage(each) for each in "abcd"][:most]

        return search

    model: Any = Told(searches=("oil",))
    asked = model, ADA, "lamp"
    found = await retrieve_in_steps(*asked, refusing("oil"), steps=3, k=2, retries=0)
    assert names(found) == [["a", "b"]]
    assert found.failed.startswith("the model refuses")
    with pytest.raises(InputRefused):
        await retrieve_in_steps(*asked, refusing("lamp"), steps=3, k=2, retries=0)
