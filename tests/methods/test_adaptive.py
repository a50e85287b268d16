"""Adaptive-RAG: none, one or several retrievals, and what happens where that cannot be judged."""

from __future__ import annotations

import pytest

from offbook.types import Message
from tests.methods.compared import DEEDS, LATER, QUESTION, TEXTS, Asked, Told, texts, told_places


@pytest.fixture
async def ada(sqlite_store) -> Asked:
    return await Asked(sqlite_store, Told(), "adaptive", {"adaptive": {"k": 1}}).made()


async def test_a_question_that_needs_nothing_is_not_searched_for(ada):
    ada.model.route = "none"
    found = await ada.recall("Hello!")
    assert found.context == ()
    assert [(s.title, s.why) for s in found.skipped] == [
        ("retrieval", "judged to need none; nothing was searched for")
    ]
    assert ada.model.asked == ["classify_question"]


async def test_class_a_is_answered_from_the_models_own_knowledge_where_that_is_set(ada):
    ada.model.route = "none"
    assert (await ada.recall("Hello!")).stance == "in_character"
    ada.sections["adaptive"]["own_knowledge"] = True
    assert (await ada.recall("Hello!")).stance == "open"
    ada.model.route = "one"
    assert (await ada.recall(QUESTION)).stance == "in_character"
    assert [each.own_knowledge for each in ada.model.inputs("classify_question")] == [
        False,
        True,
        True,
    ]


async def test_one_retrieval_is_what_naive_recalls(ada):
    naive = Asked(ada.store, Told(), "naive", {"naive": {"k": 3}})
    ada.sections["adaptive"]["k"] = 3
    found, expected = await ada.recall(QUESTION), await naive.recall(QUESTION)
    assert found.context == expected.context
    assert ada.model.asked == ["classify_question"]
    assert ada.model.requests[0].documents == frozenset(), "it holds no text of any document"


async def test_several_steps_search_for_what_is_missing(ada):
    ada.model.route, ada.model.searches = "several", ("a sloop with bread", "Maud Dolan")
    found = await ada.recall(QUESTION)
    assert texts(found) == [DEEDS[1], LATER[1], LATER[0]]
    assert told_places(found) == texts(found)
    assert ada.model.asked == ["classify_question", "next_step", "next_step"]
    first, second = ada.model.inputs("next_step")
    assert first.searched == (QUESTION,)
    assert second.searched == (QUESTION, "a sloop with bread")
    assert [DEEDS[1] in text for text in second.passages] == [True, False]
    assert [r.documents for r in ada.model.requests] == [
        frozenset(),
        {"ada-byrne/a-md"},
        {"ada-byrne/a-md", "ada-byrne/b-md"},
    ]
    assert found.skipped == ()


async def test_a_step_may_search_by_the_last_thought_as_the_paper_does(ada):
    ada.model.route, ada.model.searches = "several", ("a sloop with bread",)
    ada.sections["adaptive"]["search_by"] = "thought"
    await ada.recall(QUESTION)
    assert ada.model.inputs("next_step")[1].searched == (QUESTION, "So it was a sloop with bread.")


async def test_each_step_has_its_part_of_the_budget(ada):
    ada.model.route, ada.model.searches = "several", ("a sloop with bread",)
    ada.sections |= {"adaptive": {"k": 4}, "context": {"budget_tokens": 100}}
    ada.sections["adaptive"]["steps"] = 2
    found = await ada.recall(QUESTION)
    assert any("sloop" in text for text in texts(found))


async def test_a_route_that_could_not_be_judged_is_told_and_one_retrieval_stands_in(ada):
    ada.model.broken = ("classify_question",)
    found = await ada.recall(QUESTION)
    assert texts(found) == [DEEDS[1]]
    (skipped,) = found.skipped
    assert "was not judged" in skipped.why
    assert skipped.why.endswith("one stands in")


async def test_a_step_that_could_not_be_asked_for_is_told(ada):
    ada.model.route, ada.model.broken = "several", ("next_step",)
    found = await ada.recall(QUESTION)
    assert texts(found) == [DEEDS[1]]
    (skipped,) = found.skipped
    assert (skipped.title, skipped.why[:11]) == ("step 2", "not taken: ")


async def test_a_question_that_refers_back_is_judged_and_searched_with_what_it_refers_to(ada):
    history = (Message("user", "Did Maud Dolan sell the oil?"), Message("assistant", "Yes."))
    ada.model.route, ada.model.searches = "several", ("why did she sail",)
    found = await ada.recall("And why did she?", history=history)
    assert texts(found)[0] == LATER[0]
    assert "Maud" in ada.model.inputs("classify_question")[0].question
    assert all("Maud" in inputs.question for inputs in ada.model.inputs("next_step"))
    # What a step searches for is taken as it is.
    assert ada.model.inputs("next_step")[1].searched[1] == "why did she sail"


async def test_nothing_that_stands_after_the_point_is_read_or_recalled(ada):
    at = TEXTS["a.md"].index("He lived in Cork")
    ada.model.route, ada.model.searches = "several", ("a sloop with bread", "the rock")
    ada.sections["adaptive"]["k"] = 2
    found = await ada.recall(QUESTION, as_of=f"a.md@{at}")
    for text in (*DEEDS[2:], *LATER, "Cork"):
        assert all(text not in request.messages[-1].content for request in ada.model.requests)
        assert all(text not in item.text for item in found.context)
    assert all(source.end <= at for item in found.context for source in item.sources)
