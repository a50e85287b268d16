"""LightRAG: a whole recall, its calls, what is not one there, and what is known at a point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from offbook import pipeline
from offbook.errors import IndexMissing
from offbook.ingestion.reports import unheard
from offbook.prompts.extraction import Extraction, KeyedRelation, extraction
from offbook.settings import load_settings
from offbook.stores import documents
from offbook.stores import graph as graph_rows
from offbook.types import Message
from tests.graph import rules_model
from tests.graph.world import Trigrams
from tests.ingestion.runtime import read
from tests.methods.keyworded import METHOD, keyworded
from tests.methods.questions import LATER, STORY, Asked, kinds

TEXTS = (("a.md", STORY), ("b.md", LATER))


@pytest.fixture
async def ada(sqlite_store) -> Asked:
    found = await keyworded(sqlite_store, *TEXTS, lightrag={"k": 1, "neighbours": 1})
    found.model.asked.clear()
    return found


def ask_for(ada: Asked, low: str = "", high: str = "") -> None:
    model: Any = ada.model
    model.low, model.high = ((low,) if low else ()), ((high,) if high else ())


def names(ada: Asked) -> list[str]:
    return [request.origin[0].name for request in ada.model.asked if request.origin]


async def test_a_whole_recall(ada):
    ask_for(ada, low="Black Finn", high="Tom Byrne, Black Finn")
    found = await ada.recall("Who is Finn?")
    assert kinds(found)["entity"][0] == "Black Finn"
    assert kinds(found)["relation"][0] == "Tom Byrne → Black Finn"
    assert "Tom Byrne" in kinds(found)["entity"], "the other end of the relation"
    assert kinds(found)["knowledge"][0] == "The letter"
    texts = {"a-md": STORY, "b-md": LATER}
    for item in found.context:
        assert item.sources
        for source in item.sources:
            assert texts[source.document][source.start : source.end].strip()
    assert (found.method, found.boundary, found.skipped) == ("lightrag", None, ())


async def test_one_call_and_one_request_of_vectors(ada):
    requests: list[list[str]] = []

    class Counting(Trigrams):
        async def embed(self, texts, kind):
            requests.append(list(texts))
            assert kind == "query"
            return await super().embed(texts, kind)

    ada.embedder = Counting()
    ask_for(ada, low="Tom Byrne", high="teaching")
    await ada.recall("Who taught you?")
    assert names(ada) == ["question_keywords"]
    assert requests == [["Tom Byrne", "teaching"]]


async def test_one_person_under_two_names_is_two_nodes(ada):
    ask_for(ada, low="Black Finn")
    found = await ada.recall("Who is Black Finn?")
    entities = {item.title: item for item in found.context if item.kind == "entity"}
    assert entities.keys() >= {"Black Finn", "Tom Byrne"}
    sources = {source.document for source in entities["Black Finn"].sources}
    assert sources == {"b-md"}, "what is told of Tom Byrne is not told of Black Finn"


async def test_equal_names_of_several_documents_are_one_node(ada):
    ask_for(ada, low="Ada Byrne")
    found = await ada.recall("Who are you?")
    (own,) = [item for item in found.context if item.title == "Ada Byrne" and item.kind == "entity"]
    assert {source.document for source in own.sources} == {"a-md", "b-md"}
    assert "keeps the light" in own.text
    assert "chest" in own.text


async def test_a_level_without_keywords_finds_by_the_other_alone(ada):
    ada.settings["lightrag"] = {"k": 1, "neighbours": 0}
    ask_for(ada, low="Maud Keane")
    low = await ada.recall("Maud?")
    assert kinds(low).keys() == {"entity", "knowledge"}
    ask_for(ada, high="Ada Byrne, Maud Keane")
    high = await ada.recall("Maud?")
    assert "relation" in kinds(high)


async def test_without_any_keyword_the_question_itself_is_searched_by(ada):
    ask_for(ada)
    found = await ada.recall("Maud Keane?")
    assert kinds(found)["entity"][0] == "Maud Keane"
    assert found.skipped == ()


async def test_an_unusable_answer_is_told_and_the_question_searched_by(ada):
    ada.model.broken = True
    found = await ada.recall("Maud Keane?")
    assert kinds(found)["entity"][0] == "Maud Keane"
    (skipped,) = found.skipped
    assert skipped.title == "the keywords"
    assert "the question itself" in skipped.why


async def test_a_question_that_refers_back_is_searched_together_with_the_one_before(ada):
    history = (Message("user", "Tell me about Maud Keane."), Message("assistant", "A friend."))
    await ada.recall("And what did she say?", history=history)
    model: Any = ada.model
    assert "Maud Keane" in model.keyword_inputs.question


async def test_before_the_letter_nobody_knows_of_black_finn(ada):
    ask_for(ada, low="Black Finn", high="Black Finn, Ada Byrne")
    found = await ada.recall("Who is Black Finn?", as_of="a.md")
    assert "Finn" not in " ".join(f"{item.title} {item.text}" for item in found.context)
    assert found.context
    assert found.as_of == "a.md"
    sources = [source.document for item in found.context for source in item.sources]
    assert set(sources) == {"a-md"}


async def test_without_mentions_it_says_how_to_get_them(sqlite_store):
    bare = await keyworded(sqlite_store)
    with pytest.raises(IndexMissing, match="no documents"):
        await bare.recall("Who?")
    bare.settings["method"] = "naive"
    bare.settings["naive"] = {"splitter": "graph"}
    await pipeline.ingest(bare.runtime, bare.id, [read("a.md", STORY)], unheard, lambda: None)
    bare.settings["method"] = "lightrag"
    with pytest.raises(IndexMissing, match="chunks") as caught:
        await bare.recall("Who?")
    assert "--method lightrag" in caught.value.hint


async def test_where_the_graph_is_built_only_vectors_of_relations_are_missing(sqlite_store):
    ada = await keyworded(sqlite_store, *TEXTS, method="rolerag")
    ada.settings["method"] = "lightrag"
    with pytest.raises(IndexMissing, match="relations of 'Ada Byrne' have no vector"):
        await ada.recall("Who?")
    ada.model.asked.clear()
    await pipeline.ingest(ada.runtime, ada.id, [], unheard, lambda: None)
    assert ada.model.asked == [], "what was extracted is not asked for again"
    ask_for(ada, low="Maud Keane")
    assert (await ada.recall("Maud?")).context


async def test_the_graph_after_it_does_not_extract_again(sqlite_store):
    ada = await keyworded(sqlite_store, *TEXTS)
    assert set(names(ada)) == {"extract"}
    ada.model.asked.clear()
    ada.settings["method"] = "rolerag"
    await pipeline.ingest(ada.runtime, ada.id, [], unheard, lambda: None)
    assert "extract" not in names(ada)
    assert {"who_is_who", "profile"} <= set(names(ada))


# -- edits leave no trace --------------------------------------------------------------------------

THIRD = "# The quay\n\nMaud Keane sold Nora Quill a boat. Tom Byrne left Galway.\n"
QUESTIONS = (("Tom Byrne", "leaving"), ("Nora Quill", "Maud Keane, Nora Quill"), ("Finn", "chest"))


async def pictures(world: Asked) -> list[Any]:
    found = []
    for low, high in QUESTIONS:
        ask_for(world, low, high)
        recall = await world.recall(f"{low}?")
        found.append(
            [(i.kind, i.title, i.text, round(i.score, 5), i.sources) for i in recall.context]
        )
    return found


@pytest.mark.parametrize(
    "edits",
    [
        [("put", "c.md", THIRD), ("remove", "c.md")],
        [("put", "c.md", LATER + THIRD), ("put", "c.md", THIRD), ("remove", "a.md")],
        [("remove", "a.md"), ("put", "a.md", THIRD), ("put", "a.md", STORY)],
    ],
)
async def test_after_edits_it_is_as_if_what_remains_had_been_indexed_at_once(sqlite_store, edits):
    edited = await keyworded(sqlite_store, *TEXTS)
    left = dict(TEXTS)
    for kind, name, *text in edits:
        if kind == "put":
            left[name] = text[0]
            await pipeline.ingest(
                edited.runtime, edited.id, [read(name, text[0])], unheard, lambda: None
            )
        else:
            del left[name]
            found = await edited.store.read(lambda c, n=name: documents.require(c, edited.id, n))
            await edited.store.write(lambda c, i=found.id: documents.remove(c, edited.id, i))
    scratch = Asked(sqlite_store, type(edited.model)(), dict(METHOD))
    await scratch.create(*left.items(), name="Ada Byrne again")
    assert await pictures(edited) == await pictures(scratch)


async def test_what_is_forgotten_is_not_found(ada):
    info = await ada.store.read(documents.require, ada.id, "b.md")
    await ada.store.write(documents.remove, ada.id, info.id)
    ask_for(ada, low="Black Finn", high="chest")
    found = await ada.recall("Finn?")
    assert "Finn" not in str(found.context)
    assert found.context


async def test_vectors_of_zeros_find_nothing(ada):
    class Blank(Trigrams):
        async def embed(self, texts, kind):
            return np.zeros((len(texts), 64), dtype=np.float32)

    ada.embedder = Blank()
    ask_for(ada, low="x")
    found = await ada.recall("x")
    assert found.context == ()
    (skipped,) = found.skipped
    assert skipped.why.startswith("nothing that the texts mention"), "it is told"


async def test_a_question_that_names_nothing_is_about_whom_it_is_put_to(ada):
    class Plain(Trigrams):
        async def embed(self, texts, kind):
            found = await super().embed(texts, kind)
            return found * np.array([[text != "Who are you?"] for text in texts], np.float32)

    ada.embedder = Plain()
    ask_for(ada)
    found = await ada.recall("Who are you?")
    assert kinds(found)["entity"][0] == "Ada Byrne"
    assert found.skipped == ()


async def test_it_is_the_same_on_both_engines(ada, postgres_store):
    other = await keyworded(postgres_store, *TEXTS, lightrag={"k": 1, "neighbours": 1})
    assert await pictures(other) == await pictures(ada)


THEMES = {"taught": "apprenticeship", "friend": "companionship"}


def with_keywords(inputs: Any) -> Extraction:
    """What the rules extract, and keywords that no text has where they are asked for."""
    answer = rules_model.extract(inputs)
    if not inputs.keywords:
        return answer
    relations = [
        KeyedRelation(
            **dict(one),
            keywords=[theme, " "] if (theme := theme_of(one.description)) else [],
        )
        for one in answer.relations
    ]
    return Extraction(entities=answer.entities, relations=relations)


def theme_of(description: str) -> str:
    return next((theme for word, theme in THEMES.items() if word in description), "")


@pytest.mark.parametrize("asked_for", [True, False])
async def test_relations_are_found_by_the_keywords_that_extraction_gave_them(
    sqlite_store, monkeypatch, asked_for
):
    monkeypatch.setitem(rules_model._RULES, "extract", with_keywords)
    monkeypatch.setitem(
        rules_model._RULES, "glean", lambda _: Extraction(entities=[], relations=[])
    )
    graph = {"keywords": asked_for, "gleaning": asked_for}
    settings = {"k": 1, "neighbours": 0}
    ada = await keyworded(sqlite_store, *TEXTS, lightrag=settings, graph=graph)
    relations = await ada.store.read(graph_rows.list_relations, ada.id)
    assert {key for one in relations for key in one.keywords} == (
        set(THEMES.values()) if asked_for else set()
    )
    assert ("glean" in names(ada)) is asked_for
    first = []
    for theme in THEMES.values():
        ask_for(ada, high=theme)
        first += kinds(await ada.recall("Who?")).get("relation", [])
    by_keywords = ["Tom Byrne → Ada Byrne", "Maud Keane → Ada Byrne"]
    assert (first == by_keywords) is asked_for


def test_a_schema_has_keywords_only_where_they_are_asked_for():
    assert "keywords" not in str(extraction().answer.schema())
    assert "keywords" in str(extraction(keywords=True).answer.schema())
    assert load_settings({"preset": "faithful", "method": "lightrag"}, {}).values.graph.keywords
    assert not load_settings({"preset": "faithful", "method": "rolerag"}, {}).values.graph.keywords
