"""What a question names, and what of it the texts mention, without a call."""

from __future__ import annotations

import pytest

from offbook.names.story import Reach
from offbook.retrieval.boundary import MOST_CANDIDATES, names_of_question
from offbook.retrieval.graph_index import load_graph_index
from offbook.stores import characters
from offbook.types import Position
from tests.methods.questions import LATER, STORY, Asked, QuestionModel

APPLES = "# Garden\n\nAda Byrne picked apples. The Prince of Orr sent a letter to Ada Byrne.\n"


@pytest.fixture
async def ada(sqlite_store) -> Asked:
    made = Asked(sqlite_store, QuestionModel())
    return await made.create(("a.md", STORY), ("b.md", LATER), ("c.md", APPLES))


async def names(ada: Asked, question: str, until: Position | None = None):
    def read(conn):
        character = characters.require(conn, ada.id)
        reach = None if until is None else Reach(until)
        index = load_graph_index(conn, character, reach)
        return names_of_question(conn, index, ada.id, question, reach)

    return await ada.store.read(read)


async def test_names_of_the_graph_are_found_in_any_case(ada):
    found = await names(ada, "did black finn meet MAUD KEANE?")
    assert [name.text for name in found.known] == ["black finn", "MAUD KEANE"]
    assert found.mentioned == ("black finn", "MAUD KEANE")


async def test_words_that_the_texts_use_are_mentioned_and_others_are_not(ada):
    found = await names(ada, "Did you trim the lamps by telephone?")
    assert "lamps" in found.mentioned
    assert "telephone" not in found.mentioned
    assert "telephone" in found.unmentioned
    assert {"lamps", "telephone"} <= set(found.candidates)


async def test_a_name_is_mentioned_where_a_text_writes_it_and_not_where_its_stem_stands(ada):
    found = await names(ada, "Does the Prince use Apple?")
    assert "Apple" not in found.mentioned
    assert found.places["apple"] is None
    assert found.place_of("Apple", (await index_of(ada)).texts) == (False, None)
    assert "apple" not in found.unmentioned
    assert "apple" in found.lacking


async def index_of(ada: Asked):
    return await ada.store.read(
        lambda conn: load_graph_index(conn, characters.require(conn, ada.id), None)
    )


async def test_the_chunk_that_speaks_of_a_name_is_known(ada):
    texts = (await index_of(ada)).texts
    found = await names(ada, "Who is Orr?")
    spoken, chunk = found.place_of("lantern", texts)
    assert spoken
    assert chunk is not None
    assert found.place_of("Zanzibar", texts) == (False, None)


async def test_before_the_point_later_names_and_words_are_unknown(ada):
    until = Position(0, len(STORY))
    found = await names(ada, "Did Black Finn carry a lantern?", until)
    assert found.known == ()
    assert found.mentioned == ()
    assert {"Finn", "lantern"} <= set(found.unmentioned)
    assert (await names(ada, "Who is Tom Byrne?", until)).mentioned == ("Tom Byrne",)
    within = Position(1, LATER.index("Nora"))
    assert "Finn" not in (await names(ada, "Did Black Finn carry a lantern?", within)).unmentioned
    assert "lantern" in (await names(ada, "Did Black Finn carry a lantern?", within)).unmentioned


async def test_what_a_name_shares_most_words_with_is_its_candidate(ada):
    found = await names(ada, "Did Marie Curie use the Paris metro?")
    assert found.candidates[found.nearest_candidate("Curie")] == "Marie Curie"
    assert found.nearest_candidate("Zanzibar") is None


async def test_runs_of_han_are_candidates_between_particles(ada):
    found = await names(ada, "你认识李白吗？")
    assert "认识李白" in found.candidates
    assert found.nearest_candidate("李白") is not None


async def test_candidates_are_few_however_long_a_question_is(ada):
    found = await names(ada, " ".join(f"Zog{n} quux{n}ing," for n in range(200)))
    assert len(found.candidates) == MOST_CANDIDATES


async def test_the_character_is_no_candidate(ada):
    found = await names(ada, "Ada Byrne, who are you?")
    assert found.candidates == ()
