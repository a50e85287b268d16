"""The ensemble: a whole recall, what waits for what, what is of no use, what fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offbook.errors import IndexMissing
from offbook.methods.ensemble import Ensemble
from offbook.models import batching
from offbook.settings import SettingsModel
from offbook.types import Recall
from tests.graph.world import Trigrams
from tests.methods.everything import PARTS, STORY, TOLD, Whole, entity

QUESTION = "Did Tom Byrne own a telephone?"
TOM = entity("Tom Byrne")
PHONE = entity("telephone", known=False, specific=False, reason="Nobody had one then.")


@pytest.fixture
async def ada(sqlite_store) -> Whole:
    return await Whole(sqlite_store).made()


@pytest.fixture
async def recalling(ada: Whole) -> Whole:
    await ada.remember(*TOLD)
    return ada


def kinds(found: Recall) -> list[str]:
    return [item.kind for item in found.context]


def why(found: Recall, kind: str) -> list[str]:
    return [each.why for each in found.skipped if each.kind == kind]


def test_it_is_the_default():
    assert SettingsModel().method == "ensemble"


async def test_by_default_nothing_is_selected_and_nothing_inferred(sqlite_store):
    usual = SettingsModel().ensemble
    sections = {"ensemble": {"gs": usual.gs, "ae": usual.ae}}
    ada = await Whole(sqlite_store, sections=sections).made()
    await ada.remember(*TOLD)
    found = await ada.recall(QUESTION, TOM)
    assert sorted(ada.model.names) == ["analyse_question", "score_emotions"]
    assert found.fallback is None
    assert set(kinds(found)) == {"profile", "entity", "knowledge", "memory"}
    assert why(found, "attribute") == []


async def test_as_many_passages_as_its_own_setting_says(ada):
    ada.sections = {"ensemble": {"k": 1, "gs": "off"}, "amadeus": {"k": 5, "gs": "off"}}
    found = await ada.recall(QUESTION, TOM)
    assert kinds(found).count("knowledge") == 1


async def test_where_replies_cost_nothing_more_passages_are_told(sqlite_store):
    ada = Whole(sqlite_store, sections={"ensemble": {"gs": "off", "ae": False}})
    parts = "\n\n".join(f"# Part {n}\n\nAda mended clock number {n} in Hull." for n in range(9))
    await ada.create(("a.md", parts))
    paid = await ada.knowledge(ada.model)
    counts = {}
    for free in (False, True):
        found = await Ensemble().recall(replace(paid, free=free), "Which clock did Ada mend?")
        counts[free] = kinds(found).count("knowledge")
    assert counts == {False: 4, True: 9}
    ada.sections |= {"context": {"budget_tokens": 100}}
    scarce = replace(await ada.knowledge(ada.model), free=True)
    found = await Ensemble().recall(scarce, "Which clock did Ada mend?")
    assert 4 <= kinds(found).count("knowledge") < 9


# -- a whole recall ---------------------------------------------------------------------------


async def test_all_of_them_in_one_recall_each_with_its_ground(recalling):
    found = await recalling.recall(QUESTION, TOM, PHONE)
    assert list(dict.fromkeys(kinds(found))) == [
        "profile", "entity", "knowledge", "attribute", "memory", "out_of_scope",
    ]  # fmt: skip
    assert found.boundary is not None
    assert found.boundary.verdict == "partly"
    assert found.emotion is not None
    assert found.method == "ensemble"
    for item in found.context:
        assert item.sources or item.memory
        for source in item.sources:
            assert STORY[source.start : source.end].strip()
    memory = next(item for item in found.context if item.kind == "memory")
    assert memory.emotion == found.emotion
    attribute = next(item for item in found.context if item.kind == "attribute")
    places = {STORY[source.start : source.end].strip() for source in attribute.sources}
    assert places == {PARTS[2], PARTS[4]}


async def test_three_waits_the_first_side_by_side(recalling):
    await recalling.recall(QUESTION, TOM)
    asked = recalling.model.names
    first = {"analyse_question", "score_emotions", "reveals_trait"}
    assert set(asked[:-1]) == first
    assert asked[-1] == "extract_attributes"
    assert asked.count("analyse_question") == asked.count("score_emotions") == 1
    assert recalling.model.peak > 1


async def test_the_question_is_embedded_once_for_all(recalling):
    class Counting(Trigrams):
        requests: list[list[str]] = []  # noqa: RUF012 - of this test alone

        async def embed(self, texts, kind):
            self.requests.append(list(texts))
            return await super().embed(texts, kind)

    recalling.embedder = Counting()
    await recalling.recall(QUESTION, TOM, PHONE)
    (texts,) = Counting.requests
    assert texts[0] == QUESTION
    assert len(texts) == len(set(texts))


async def test_judged_at_ingestion_there_is_no_call_for_passages(sqlite_store):
    ada = await Whole(sqlite_store, sections={"ensemble": {"gs": "indexed"}}).made()
    found = await ada.recall("Are you patient and can you wait?")
    assert set(ada.model.names) == {"analyse_question", "extract_attributes"}
    assert "attribute" in kinds(found)


# -- what is of no use ------------------------------------------------------------------------


async def test_beyond_the_boundary_nothing_invites_an_answer(recalling):
    found = await recalling.recall("Have you a telephone?", PHONE)
    assert found.boundary is not None
    assert found.boundary.verdict == "out"
    # Of what lies beyond the texts the character may have been told.
    assert set(kinds(found)) == {"profile", "out_of_scope", "memory"}
    assert "extract_attributes" not in recalling.model.names
    for kind in ("knowledge", "attribute"):
        assert any("beyond what the character can know" in each for each in why(found, kind))


async def test_without_passages_that_reveal_something_no_attributes_are_asked_for(ada):
    ada.model.revealing = ("zebra",)
    found = await ada.recall(QUESTION, TOM)
    assert "extract_attributes" not in ada.model.names
    assert "attribute" not in kinds(found)
    assert why(found, "attribute") == [
        "no passage was found to reveal how the character takes this"
    ]


async def test_passages_that_could_not_be_judged_are_not_said_to_reveal_nothing(ada):
    ada.model.failing = ("reveals_trait",)
    found = await ada.recall(QUESTION, TOM)
    assert "extract_attributes" not in ada.model.names
    (told,) = why(found, "attribute")
    assert told.startswith("for none of ")
    assert told.endswith(" chunks a verdict could be got")


async def test_a_passage_is_shown_once(ada):
    found = await ada.recall("Who waited nine years for the boat?", TOM)
    spans = [s for item in found.context if item.kind == "knowledge" for s in item.sources]
    texts = [STORY[span.start : span.end].strip() for span in spans]
    assert len(texts) == len(set(texts))
    assert any("stands in a passage that is shown" in each for each in why(found, "knowledge"))


async def test_weak_passages_and_unlike_memories_are_named(recalling):
    recalling.sections = {"ensemble": {"passage_score": 1.0, "memory_score": 1.0}}
    recalling.model.revealing = ()
    found = await recalling.recall(QUESTION, TOM)
    assert set(kinds(found)) == {"profile", "entity"}
    # What relates Tom to her is said in his description.
    assert why(found, "relation") == ["all of it is said in what is shown"]
    assert any("ensemble.passage_score" in each for each in why(found, "knowledge"))
    assert any("ensemble.memory_score" in each for each in why(found, "memory"))


async def test_no_more_memories_than_the_settings_say(recalling):
    recalling.sections = {"ensemble": {"memories": 1}}
    found = await recalling.recall(QUESTION, TOM)
    assert kinds(found).count("memory") == 1
    assert why(found, "memory") == ["others fit better (ensemble.memories = 1)"]


async def test_whom_the_question_names_is_shown_whatever_the_number(recalling):
    recalling.sections = {"ensemble": {"entities": 0}}
    family = entity("family", specific=False)
    found = await recalling.recall("Is Tom Byrne of your family?", TOM, family)
    assert [i.title for i in found.context if i.kind == "entity"] == ["Tom Byrne"]
    assert any("ensemble.entities = 0" in each for each in why(found, "entity"))


async def test_the_budget_starves_no_kind(recalling):
    recalling.sections = {"context": {"budget_tokens": 100}}
    found = await recalling.recall(QUESTION, TOM, PHONE)
    assert {"profile", "entity", "knowledge", "attribute", "memory", "out_of_scope"} <= set(
        kinds(found)
    )


# -- what fails, and what is not there ---------------------------------------------------------


async def test_without_memories_no_emotion_is_asked_for_and_it_is_said(ada):
    found = await ada.recall(QUESTION, TOM)
    assert "score_emotions" not in ada.model.names
    assert found.emotion is None
    (told,) = why(found, "memory")
    assert told.startswith("there are none; add some: offbook remember")


@pytest.mark.parametrize(
    ("failing", "kind", "left"),
    [
        ("analyse_question", "out_of_scope", {"profile", "entity", "knowledge", "memory"}),
        ("extract_attributes", "attribute", {"profile", "entity", "knowledge", "memory"}),
        ("score_emotions", "memory", {"profile", "entity", "knowledge", "attribute", "memory"}),
        ("reveals_trait", "knowledge", {"profile", "entity", "knowledge", "memory"}),
    ],
)
async def test_a_part_without_a_usable_answer_is_told_and_the_rest_goes_on(
    recalling, failing, kind, left
):
    recalling.model.failing = (failing,)
    found = await recalling.recall("What did Tom Byrne teach you?", TOM)
    assert left <= set(kinds(found))
    assert any(each.startswith("not ") for each in why(found, kind))
    if failing == "analyse_question":
        assert found.boundary is None


async def test_what_is_left_out_is_told_in_one_order_whatever_ends_first(recalling, monkeypatch):
    recalling.model.failing = ("analyse_question", "reveals_trait", "score_emotions")
    told = []
    for order in (slice(None), slice(None, None, -1)):

        async def one_by_one(jobs, order=order):
            for job in list(jobs)[order]:
                await job()

        monkeypatch.setattr(batching, "run_all", one_by_one)
        told.append((await recalling.recall(QUESTION, TOM)).skipped)
    assert told[0] == told[1]
    assert {each.kind for each in told[0]} >= {"out_of_scope", "knowledge", "memory"}


async def test_without_an_index_the_command_is_named(sqlite_store):
    ada = await Whole(sqlite_store).made()
    ada.sections = {"amadeus": {"splitter": "fixed"}}
    with pytest.raises(IndexMissing):
        await ada.recall(QUESTION)


# -- points in the story ----------------------------------------------------------------------


async def test_nothing_that_stands_after_the_point_is_asked_about_or_recalled(recalling):
    at = STORY.index("## Part 2")
    found = await recalling.recall("Who is Tom Byrne?", TOM, as_of=f"a.md@{at}")
    for request in recalling.model.asked:
        for later in PARTS[2:]:
            assert later not in request.messages[-1].content
    assert all(source.end <= at for item in found.context for source in item.sources)
    assert "memory" not in kinds(found)
    assert any("before this point" in each for each in why(found, "memory"))
    assert found.as_of == f"a.md@{at}"
