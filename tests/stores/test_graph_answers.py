"""What a model said about the graph: kept, forgotten with its text, and checked on import."""

from __future__ import annotations

import pytest

from offbook.stores import characters, graph_answers
from offbook.stores.graph_answers import GraphAnswer

MERGE = GraphAnswer("merge", "m", {"name": "Ana", "description": "A baker."}, ("c1", "c2"))
SPLIT = GraphAnswer(
    "split", "s", {"names": ["Ana", "Bo"], "parts": [[0], [1]], "reason": "two"}, ("c3",)
)


async def test_answers_come_back_and_one_to_the_same_question_is_replaced(store):
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.write(lambda c: graph_answers.put(c, "ada", [SPLIT, MERGE]))
    assert await store.read(lambda c: graph_answers.list_all(c, "ada")) == [MERGE, SPLIT]
    other = GraphAnswer("merge", "m", {"name": "Bo", "description": "-"}, ("c1",))
    await store.write(lambda c: graph_answers.put(c, "ada", [other]))
    assert await store.read(lambda c: graph_answers.list_all(c, "ada")) == [other, SPLIT]


async def test_an_answer_goes_with_the_first_of_its_chunks(store):
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.write(lambda c: graph_answers.put(c, "ada", [SPLIT, MERGE]))
    await store.write(lambda c: graph_answers.forget_chunks(c, "ada", ["c2", "c9"]))
    assert await store.read(lambda c: graph_answers.list_all(c, "ada")) == [SPLIT]
    await store.write(lambda c: graph_answers.forget_chunks(c, "ada", []))
    assert await store.read(lambda c: graph_answers.list_all(c, "ada")) == [SPLIT]


@pytest.mark.parametrize(
    ("kind", "answer", "good"),
    [
        ("merge", MERGE.answer, True),
        ("split", SPLIT.answer, True),
        ("merge", SPLIT.answer, False),
        ("split", MERGE.answer, False),
        ("other", MERGE.answer, False),
        ("merge", {"name": "Ana", "description": 7}, False),
        ("merge", {"name": "Ana"}, False),
        ("split", {"names": "AB", "parts": [[0], [1]], "reason": ""}, False),
        ("split", {"names": ["A", 1], "parts": [[0], [1]], "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": [[0], [2]], "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": [[0, 1], []], "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": [[0], [True]], "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": "01", "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": [0, 1], "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": [["0"], [1]], "reason": ""}, False),
    ],
)
def test_the_shape_of_an_answer_is_known(kind, answer, good):
    assert graph_answers.is_answer(kind, answer) is good
