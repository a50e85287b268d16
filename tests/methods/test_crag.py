"""CRAG: grades, what they call for, the second source, failures, points in the story."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from offbook import pipeline, registry
from offbook.errors import UnknownName
from offbook.ingestion.reports import unheard
from offbook.methods.knowledge import Knowledge
from offbook.types import ContextItem, Message, Recall
from tests.methods.compared import DEEDS, LATER, QUESTION, TEXTS, Asked, Told, texts, told_places

K = 3
SECOND = "the second source"


@pytest.fixture
async def ada(sqlite_store) -> Asked:
    return await Asked(sqlite_store, Told(correct=["taught"]), "crag", {"crag": {"k": K}}).made()


def reasons(recall: Recall) -> dict[str, str]:
    return {skipped.title: skipped.why for skipped in recall.skipped}


async def test_each_retrieved_chunk_is_graded_once_side_by_side(ada):
    await ada.recall(QUESTION)
    assert ada.model.asked == ["grade_passage"] * K
    assert ada.model.peak == K
    for request in ada.model.requests:
        (seen,) = request.documents
        held = " ".join(request.origin[1].strips)
        name = {"ada-byrne/a-md": "a.md", "ada-byrne/b-md": "b.md"}[seen]
        assert held in TEXTS[name]


async def test_one_correct_chunk_is_refined_and_asks_no_second_source(ada):
    ada.sections["crag"]["strip"] = 1
    found = await ada.recall(QUESTION)
    assert texts(found) == ["Tom Keane taught Ada to trim the lamp."]
    assert told_places(found) == texts(found)
    assert len(found.skipped) == K - 1
    assert all(why.startswith("graded incorrect") for why in reasons(found).values())


async def test_ambiguous_chunks_are_refined_and_the_second_source_asked(ada):
    ada.model.words = {"correct": (), "ambiguous": ("taught",)}
    found = await ada.recall(QUESTION)
    assert texts(found)[0] == DEEDS[1]
    assert len(found.context) > 1
    seen = [" ".join(inputs.strips) for inputs in ada.model.inputs("grade_passage")]
    for text in texts(found)[1:]:
        assert "lamp" in text
        assert not any(text in passage for passage in seen)
    assert told_places(found) == texts(found)
    assert "stays open" in reasons(found)[SECOND]
    assert "'documents'" in reasons(found)[SECOND]


async def test_correct_ones_come_before_ambiguous_ones(ada):
    ada.model.words = {"correct": ("bed",), "ambiguous": ("taught",)}
    ada.sections["crag"]["k"] = 6
    assert texts(await ada.recall(QUESTION)) == [DEEDS[3], DEEDS[1]]


async def test_incorrect_chunks_leave_the_second_source_alone(ada):
    ada.model.words = {"correct": (), "ambiguous": ()}
    found = await ada.recall(QUESTION)
    graded = [" ".join(inputs.strips) for inputs in ada.model.inputs("grade_passage")]
    assert found.context
    assert not any(text in passage for text in texts(found) for passage in graded)
    assert reasons(found)[SECOND].startswith("nothing that was retrieved answers")
    assert ada.model.asked == ["grade_passage"] * K, "the second source is filtered by words"


async def test_without_a_second_source_there_is_only_what_was_retrieved(ada):
    ada.model.words = {"correct": (), "ambiguous": ()}
    ada.sections["crag"]["second"] = 0
    found = await ada.recall(QUESTION)
    assert found.context == ()
    assert len(found.skipped) == K


async def test_what_of_the_second_source_shares_no_word_is_told(ada):
    ada.model.words = {"correct": (), "ambiguous": ()}
    ada.sections["crag"] = {"k": 1, "searcher": "fixed"}
    found = await ada.recall("Who taught you to sail a submarine?")
    assert texts(found) == []
    assert reasons(found)["a page"].endswith("no part of it shares a word with the question")


class Fixed:
    """A searcher of a third party."""

    name = "fixed"

    async def search(self, knowledge: Knowledge, question: str, seen: Any, most: int) -> Any:
        assert (knowledge.character.name, len(seen), most) == ("Ada Byrne", 1, 3)
        return [ContextItem("knowledge", "a page", "A page on lamps. It is long.", 1.0)]


class Long:
    """Another, whose pages are longer than any budget."""

    name = "long"

    async def search(self, knowledge: Knowledge, question: str, seen: Any, most: int) -> Any:
        return [ContextItem("knowledge", "a long page", "Lamps. " * 200, 1.0)]


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    def entry_points(group: str) -> list[EntryPoint]:
        mine = [EntryPoint(c.name, f"{__name__}:{c.__name__}", group) for c in (Fixed, Long)]
        return mine if group == "offbook.searcher" else []

    monkeypatch.setattr(registry, "entry_points", entry_points)
    registry._table.cache_clear()
    yield
    monkeypatch.undo()
    registry._table.cache_clear()


async def test_a_package_may_bring_another_second_source(ada):
    ada.model.words = {"correct": (), "ambiguous": ()}
    ada.sections["crag"] = {"k": 1, "searcher": "fixed", "strip": 1}
    found = await ada.recall("Who trims the lamp?")
    assert [(item.title, item.text) for item in found.context] == [("a page", "A page on lamps.")]


async def test_an_unknown_searcher_names_the_known_ones(ada):
    ada.model.words = {"correct": (), "ambiguous": ()}
    ada.sections["crag"]["searcher"] = "web"
    with pytest.raises(UnknownName, match="'web'") as error:
        await ada.recall(QUESTION)
    assert "documents" in error.value.hint
    assert ada.model.asked == [], "nothing was spent"


async def test_a_sentence_of_chunks_that_overlap_is_shown_once(ada):
    ada.sections["crag"] = {"k": 20, "splitter": "fixed", "strip": 1}
    ada.sections["fixed"] = {"size": 90, "overlap": 60}
    await pipeline.ingest(ada.runtime, ada.id, [], unheard, lambda: None)
    ada.model.words = {"correct": ("lamp",), "ambiguous": ()}
    found = await ada.recall(QUESTION)
    told = "\n".join(texts(found))
    assert told.count("Tom Keane taught Ada to trim the lamp.") == 1
    assert told.count("Ada keeps the lamp of the tower.") == 1
    assert "what of it bears on the question is shown already" in reasons(found).values()
    assert told_places(found) == "\n\n".join(texts(found)).split("\n\n")


async def test_an_unusable_grade_is_told_and_is_no_grade(ada):
    ada.model.broken = ("taught",)
    ada.model.words = {"correct": ("oils",), "ambiguous": ()}
    found = await ada.recall(QUESTION)
    assert texts(found) == ["Ada keeps the lamp of the tower. She oils it at dusk."]
    assert reasons(found)["Ada Byrne, Year 1"].startswith("not graded: ")


async def test_where_nothing_could_be_graded_that_is_said(ada):
    ada.model.broken = ("grade_passage",)
    found = await ada.recall(QUESTION)
    assert sum(why.startswith("not graded") for why in reasons(found).values()) == K
    assert reasons(found)[SECOND].startswith("nothing that was retrieved could be graded")
    assert not {DEEDS[1]} & set(texts(found))


async def test_an_ambiguous_chunk_without_a_relevant_part_is_told(ada):
    ada.model.words = {"correct": (), "ambiguous": ("",)}
    ada.model._grade = lambda strips: _open()
    found = await ada.recall(QUESTION)
    assert "graded ambiguous: no part of it bears on the question" in reasons(found).values()


def _open() -> Any:
    from offbook.prompts.retrieval import PassageGrade

    return PassageGrade(relevant=[], grade="ambiguous")


async def test_where_no_word_is_found_nothing_was_retrieved(ada):
    ada.sections["retrieval"] = {"mode": "lexical"}
    found = await ada.recall("Quixwarble?")
    assert (found.context, ada.model.asked) == ((), [])
    assert reasons(found)[SECOND].startswith("nothing was retrieved")


async def test_a_question_that_refers_back_is_graded_with_what_it_refers_to(ada):
    history = (Message("user", "Did Maud sell the oil?"), Message("assistant", "She did."))
    await ada.recall("And why did she?", history=history)
    assert all("Maud" in inputs.question for inputs in ada.model.inputs("grade_passage"))


async def test_nothing_that_stands_after_the_point_is_graded_or_recalled(ada):
    at = TEXTS["a.md"].index("He lived in Cork")
    ada.model.words = {"correct": (), "ambiguous": ("taught",)}
    ada.sections["crag"] = {"k": 1}
    found = await ada.recall(QUESTION, as_of=f"a.md@{at}")
    for text in (*DEEDS[2:], *LATER, "Cork"):
        assert all(text not in request.messages[-1].content for request in ada.model.requests)
        assert all(text not in item.text for item in found.context)
    assert all(source.end <= at for item in found.context for source in item.sources)
    assert "Ada keeps the lamp" in "".join(texts(found)), "the second source has its point, too"


async def test_both_sources_have_their_part_of_the_budget(ada):
    ada.model.words = {"correct": (), "ambiguous": ("lamp",)}
    ada.sections["crag"] = {"k": 1, "searcher": "long", "knowledge_share": 1, "second_share": 9}
    ada.sections["context"] = {"budget_tokens": 100}
    found = await ada.recall(QUESTION)
    first, second = found.context
    assert first.text == "Tom Keane taught Ada to trim the lamp."
    assert second.title == "a long page"
    assert 0 < len(second.text) < len("Lamps. " * 200)


@pytest.mark.parametrize("usable", [True, False])
async def test_the_second_source_may_be_searched_by_keywords_that_a_model_writes(
    ada, monkeypatch, usable
):
    searched: list[str] = []

    async def search(self: Any, knowledge: Any, question: str, seen: Any, most: int) -> Any:
        searched.append(question)
        return []

    monkeypatch.setattr(Fixed, "search", search)
    ada.model.words = {"correct": (), "ambiguous": ()}
    ada.model.broken = () if usable else ("question_keywords",)
    ada.sections["crag"] = {"k": 1, "rewrite": True, "searcher": "fixed"}
    found = await ada.recall(QUESTION)
    assert ada.model.asked[:2] == ["grade_passage", "question_keywords"]
    assert searched == (["lamp trimming"] if usable else [QUESTION])
    assert ("keywords" in reasons(found)) is not usable


# -- strips over all passages ----------------------------------------------------------------------


@pytest.fixture
async def all_strips(ada: Asked) -> Asked:
    ada.sections["crag"] = {"k": 3, "strip": 1, "strips": 2}
    return ada


async def test_the_best_strips_of_all_passages_are_kept_whatever_their_own_grade(all_strips):
    all_strips.model.best = ("He lived", "taught", "oil")
    found = await all_strips.recall(QUESTION)
    # One is correct: what was retrieved is refined as a whole, and nothing else is searched.
    assert texts(found) == ["Tom Keane taught Ada to trim the lamp. He lived in Cork."]
    assert all_strips.model.asked == ["grade_passage"] * 3 + ["select_strips"]
    (inputs,) = all_strips.model.inputs("select_strips")
    graded = [strip for one in all_strips.model.inputs("grade_passage") for strip in one.strips]
    assert sorted(inputs.strips) == sorted(graded)
    assert "no strip of it is among the best of all passages" in reasons(found).values()
    all_strips.model.best = ("oil", "taught")
    found = await all_strips.recall(QUESTION)
    assert [text for text in texts(found) if "oil" in text][:1] == texts(found)[:1]
    assert told_places(found) == texts(found)


async def test_where_it_stays_open_both_sources_are_chosen_from_side_by_side(all_strips):
    all_strips.model.words = {"correct": (), "ambiguous": ("taught",)}
    all_strips.model.best = ("lamp",)
    found = await all_strips.recall(QUESTION)
    assert all_strips.model.asked[-2:] == ["select_strips"] * 2
    first, second = all_strips.model.inputs("select_strips")
    assert set(first.strips).isdisjoint(second.strips)
    assert len(texts(found)) > 1


async def test_where_nothing_answers_only_the_second_source_is_chosen_from(all_strips):
    all_strips.model.words = {"correct": (), "ambiguous": ()}
    all_strips.model.best = ("lamp",)
    await all_strips.recall(QUESTION)
    (inputs,) = all_strips.model.inputs("select_strips")
    graded = [strip for one in all_strips.model.inputs("grade_passage") for strip in one.strips]
    assert set(inputs.strips).isdisjoint(graded)


async def test_where_strips_cannot_be_chosen_those_of_the_grades_stand_and_it_is_told(all_strips):
    all_strips.model.broken = ("select_strips",)
    found = await all_strips.recall(QUESTION)
    assert texts(found) == ["Tom Keane taught Ada to trim the lamp."]
    assert reasons(found)["strips"].startswith("not chosen over all passages: ")


async def test_where_no_strip_bears_on_the_question_nothing_is_kept(all_strips):
    found = await all_strips.recall(QUESTION)
    assert texts(found) == []
    assert set(reasons(found).values()) == {"no strip of it is among the best of all passages"}
