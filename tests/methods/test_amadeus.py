"""AMADEUS: a whole recall, its order, its calls, its failures, and points in the story."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from offbook import pipeline
from offbook.errors import IndexMissing
from offbook.methods.amadeus import BELIEFS, TRAITS, extract
from offbook.methods.knowledge import Knowledge
from offbook.prompts.traits import EXTRACT_ATTRIBUTES, Attributes
from offbook.settings import SettingsModel
from offbook.settings.presets import PRESETS
from offbook.stores import characters, chunks, jobs
from offbook.types import Message, Recall
from tests.methods.revealing import DEEDS, STORY, Kept, Revealer
from tests.models.fakes import Scripted

QUESTION = "How many steps has the tower?"


@pytest.fixture
async def ada(sqlite_store) -> Kept:
    found = Kept(sqlite_store, Revealer("waited", "shared"))
    await found.made()
    found.model.requests.clear()
    return found


def told(recall: Recall, kind: str = "knowledge") -> list[str]:
    return [item.text.strip() for item in recall.context if item.kind == kind]


def test_the_papers_numbers_are_the_defaults_and_faithful_is_the_papers_way():
    amadeus = SettingsModel().amadeus
    assert (amadeus.k, amadeus.n, amadeus.m, amadeus.splitter) == (3, 30, 2, "acts")
    assert amadeus.gs == "live"
    assert not PRESETS["faithful"]["amadeus.profile"]
    assert PRESETS["faithful"]["retrieval.mode"] == "dense"
    assert PRESETS["faithful"]["amadeus.window"] <= amadeus.m, "Algorithm 1 stops at the m-th yes"


async def test_a_whole_recall_in_the_papers_order(ada):
    found = await ada.recall(QUESTION)
    assert found.context[0].kind == "profile"
    knowledge = told(found)
    similar = [item.text.strip() for item in found.context[1:4]]
    assert DEEDS[5] in similar
    chosen = [text for text in knowledge if "waited" in text or "shared" in text]
    assert len(chosen) == 2
    assert len(knowledge) == len(set(knowledge)) == 3 + len(set(chosen) - set(similar))
    assert [(item.kind, item.title) for item in found.context[-2:]] == [
        ("attribute", "Beliefs and values"),
        ("attribute", "Psychological traits"),
    ]
    assert found.context[-1].text == "Seen in 2 passages."
    assert found.skipped == ()
    for item in found.context:
        assert item.sources
        for source in item.sources:
            assert STORY[source.start : source.end].strip()
    # An attribute names the chunks that it was inferred from, whatever else is shown.
    places = {STORY[source.start : source.end].strip() for source in found.context[-1].sources}
    assert places == set(chosen)


async def test_every_chunk_is_looked_at_once_and_then_the_attributes_are_extracted(ada):
    await ada.recall(QUESTION)
    asked = ada.model.asked
    assert asked[-1] == "extract_attributes"
    assert set(asked[:-1]) == {"reveals_trait"}
    passages = [r.origin[1].passage for r in ada.model.requests if "reveals" in r.origin[0].name]
    assert len(passages) == len(set(passages)) <= len(DEEDS)
    assert all(request.documents == {"ada-byrne/a-md"} for request in ada.model.requests)


async def test_without_the_extractor_the_selected_chunks_are_all_there_is(ada):
    ada.amadeus["ae"] = "off"
    found = await ada.recall(QUESTION)
    assert told(found, "attribute") == []
    assert set(ada.model.asked) == {"reveals_trait"}
    assert len(told(found)) > 3


async def test_the_actor_is_told_attributes_apart_from_knowledge(ada):
    found = await ada.recall(QUESTION)
    character = await ada.store.read(characters.require, ada.id)
    await pipeline.reply(ada.runtime, character, found)
    prompt = ada.model.requests[-1].messages[-1].content
    assert prompt.index(DEEDS[5]) < prompt.index("She holds that a light is owed.")
    assert prompt.rstrip().endswith(QUESTION)


async def test_where_nothing_reveals_anything_the_most_similar_stand_in(ada):
    ada.model.words = ("zebra",)
    found = await ada.recall(QUESTION)
    assert len(told(found)) == 3
    assert told(found, "attribute")[1] == "Seen in 3 passages."
    (skipped,) = found.skipped
    assert (skipped.kind, skipped.title) == ("knowledge", "guided selection")
    assert "none of 7 chunks" in skipped.why


async def test_an_unusable_judgement_is_told_and_is_no_no(ada):
    ada.model.broken = ("nine years",)
    ada.model.words = ("waited",)
    found = await ada.recall(QUESTION)
    assert any("all night" in text for text in told(found))
    assert [skipped.title for skipped in found.skipped] == ["Ada Byrne, Year 0"]
    assert found.skipped[0].why.startswith("not judged")


@pytest.mark.parametrize(
    ("broken", "told_why"),
    [
        (("nine years",), "none of 6 chunks was found to reveal how the character takes this, and"
         " 1 could not be judged; "),
        (("reveals_trait",), "for none of 7 chunks a verdict could be got; "),
    ],
)  # fmt: skip
async def test_what_could_not_be_judged_is_not_said_to_reveal_nothing(ada, broken, told_why):
    ada.model.broken, ada.model.words = broken, ("zebra",)
    found = await ada.recall(QUESTION)
    assert found.skipped[-1].why.startswith(told_why)


async def test_attributes_that_cannot_be_extracted_are_told(ada):
    ada.model.broken = ("extract_attributes",)
    found = await ada.recall(QUESTION)
    assert told(found, "attribute") == []
    assert len(told(found)) >= 3
    (skipped,) = found.skipped
    assert (skipped.kind, skipped.why[:13]) == ("attribute", "not extracted")


@pytest.mark.parametrize(
    ("beliefs", "traits", "titles"),
    [("", "Pat\n ient.", [TRAITS]), ("Fair.", " \n", [BELIEFS]), ("", "", [])],
)
async def test_attributes_of_which_nothing_is_found_are_left_out(ada, beliefs, traits, titles):
    answer = Attributes(belief_and_values=beliefs, psychological_traits=traits)
    character = await ada.store.read(characters.require, ada.id)
    knowledge = Knowledge(
        character,
        ada.runtime.settings,
        ada.store,
        ada.runtime.embedder,
        extractor=Scripted(EXTRACT_ATTRIBUTES.answer.write(answer)),
    )
    assert await extract(knowledge, QUESTION, []) == ([], [])
    chosen = await knowledge.search(QUESTION, ada.runtime.settings.amadeus.splitter, 1)
    items, skipped = await extract(knowledge, QUESTION, chosen)
    assert ([item.title for item in items], skipped) == (titles, [])
    assert all("\n" not in item.text for item in items)


async def test_off_leaves_the_most_similar_to_the_extractor(ada):
    ada.amadeus = {"gs": "off"}
    found = await ada.recall(QUESTION)
    assert ada.model.asked == ["extract_attributes"]
    assert told(found, "attribute")[1] == "Seen in 3 passages."


async def test_without_a_summary_nothing_is_said_in_front(ada):
    ada.amadeus = {"profile": False}
    found = await ada.recall(QUESTION)
    assert found.context[0].kind == "knowledge"


async def test_a_question_that_refers_back_is_judged_with_what_it_refers_to(ada):
    history = (Message("user", "Did Maud wait for the boat?"), Message("assistant", "She did."))
    await ada.recall("And why did she?", history=history)
    inputs = [request.origin[1] for request in ada.model.requests]
    assert all("Maud" in each.question for each in inputs)


async def test_nothing_that_stands_after_the_point_is_judged_or_recalled(ada):
    at = STORY.index("burns oil")
    found = await ada.recall(QUESTION, as_of=f"a.md@{at}")
    for request in ada.model.requests:
        for later in DEEDS[4:]:
            assert later not in request.messages[-1].content
    assert not set(DEEDS[4:]) & set(told(found))
    assert all(source.end <= at for item in found.context for source in item.sources)


# -- judged at ingestion ----------------------------------------------------------------------


@pytest.fixture
async def indexed(sqlite_store) -> Kept:
    found = Kept(sqlite_store, Revealer("waited", "shared"), {"gs": "indexed"})
    await found.made()
    return found


async def test_each_chunk_is_judged_once_at_ingestion(indexed):
    assert sorted(indexed.model.asked) == [*["index_traits"] * len(DEEDS), "profile"]
    indexed.model.requests.clear()
    await indexed.ingest()
    assert "index_traits" not in indexed.model.asked
    await indexed.ingest(("b.md", "# Later\n\nShe waited once more.\n"))
    assert indexed.model.asked.count("index_traits") == 1


async def test_a_question_costs_one_call_before_the_reply(indexed):
    indexed.model.requests.clear()
    found = await indexed.recall(QUESTION)
    assert indexed.model.asked == ["extract_attributes"]
    assert told(found, "attribute")[1] == "Seen in 2 passages."


async def test_live_and_indexed_select_the_same_where_they_judge_the_same(ada, indexed_twin):
    for question in (QUESTION, "What does the lamp burn?", "Who had bread?"):
        live, stored = await ada.recall(question), await indexed_twin.recall(question)
        assert told(live) == told(stored)


@pytest.fixture
async def indexed_twin(ada) -> Kept:
    twin: Kept = replace(ada, model=Revealer("waited", "shared"), amadeus={"gs": "indexed"})
    await twin.ingest()
    return twin


async def test_only_what_bears_on_the_question_is_selected(indexed):
    """Patience is asked for: what was revealed of sharing bread does not bear on it."""
    found = await indexed.recall("Do you have the patience to wait?")
    sources = next(i for i in found.context if i.kind == "attribute").sources
    places = {STORY[source.start : source.end].strip() for source in sources}
    assert places == {DEEDS[0], DEEDS[4]}


async def test_without_judgements_the_command_is_named(ada):
    ada.amadeus = {"gs": "indexed"}
    with pytest.raises(IndexMissing, match="7 of 7 chunks") as error:
        await ada.recall(QUESTION)
    assert "--set amadeus.gs=indexed" in error.value.hint


async def test_a_chunk_that_could_not_be_judged_is_told_and_not_missed(sqlite_store):
    model = Revealer("waited", broken=("nine years",))
    ada = await Kept(sqlite_store, model, {"gs": "indexed"}).made()
    found = await ada.recall(QUESTION)
    assert [skipped.title for skipped in found.skipped] == ["Ada Byrne, Year 0"]
    assert any("all night" in text for text in told(found))


async def test_a_chunk_that_the_point_cuts_has_no_judgement(indexed):
    at = STORY.index("nine years")
    found = await indexed.recall("Do you have the patience to wait?", as_of=f"a.md@{at}")
    assert "nine years" not in str(found.context)
    assert any("no judgement" in skipped.why for skipped in found.skipped)


async def test_a_forgotten_document_takes_its_judgements_along(indexed):
    from offbook.stores import documents

    await indexed.store.write(documents.remove, indexed.id, "a-md")
    left: list[Any] = await indexed.store.read(chunks.list_judgements, indexed.id, "markdown")
    kinds = await indexed.store.read(
        jobs.list_jobs, indexed.id, kind=jobs.TRAITS, statuses={"done"}
    )
    assert (left, kinds) == ([], [])
