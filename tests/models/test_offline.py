"""The offline backend as a chat model: every prompt, the narrow wire, clear refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from offbook.errors import ModelError
from offbook.models.offline import OfflineModel
from offbook.models.offline.model import answered_prompts
from offbook.prompts import catalogue
from offbook.prompts.cluster_summary import ClusterInputs
from offbook.prompts.complexity import ComplexityInputs, NextStepInputs
from offbook.prompts.conversation import SummarizeConversationInputs
from offbook.prompts.described import Described
from offbook.prompts.emotion import ScoreEmotionsInputs, Utterance
from offbook.prompts.extraction import ExtractionInputs
from offbook.prompts.grading import GradeInputs
from offbook.prompts.interviewing import (
    AnswersToConvert,
    BatchToRate,
    InterviewAnswer,
    ItemToRate,
    LabelledReply,
    Pole,
    RepliesToCompare,
)
from offbook.prompts.judging import GroundedReply, ReplyToJudge, ReplyWithAnswers
from offbook.prompts.keywords import KeywordsInputs
from offbook.prompts.merging import (
    EntityToMerge,
    MergeEntitiesInputs,
    MergeRelationsInputs,
    RelationToMerge,
)
from offbook.prompts.probes import (
    PROBE_NEEDLE,
    PROBE_STRUCTURED,
    NeedleProbeInputs,
    StructuredProbeInputs,
)
from offbook.prompts.profile import PROFILE, ProfileInputs
from offbook.prompts.prompt import Prompt
from offbook.prompts.question import QuestionInputs
from offbook.prompts.reply import REPLY, ReplyInputs
from offbook.prompts.same_entity import Comparison, LinkedGroup, SameEntityInputs, VerifyGroupInputs
from offbook.prompts.traits import AttributesInputs, PassageInputs
from offbook.types import ContextItem, Message, Turn
from offbook.wire import ChatRequest

NORA = "Nora Vey repairs clocks in Hull. Her father was a sailor. She hates rain."
REPLY_TO_JUDGE = ReplyToJudge("Nora Vey", NORA, "What do you hate?", "I hate rain, as all of Hull.")
ITEM = ItemToRate("Nora Vey", "I like rain.", "Do you like rain?", "No, I hate it.")
BATCH = BatchToRate(
    "E/I",
    Pole("E", "at ease in company, talkative"),
    Pole("I", "at ease alone, quiet"),
    (InterviewAnswer("Are you talkative?", "Yes, always."),),
)
INPUTS: dict[str, Any] = {
    "knowledge_exposure": REPLY_TO_JUDGE,
    "knowledge_hallucination": REPLY_TO_JUDGE,
    "unknown_rejection": REPLY_TO_JUDGE,
    "answer_contained": ReplyWithAnswers("Nora Vey", "What do you hate?", "Rain.", ("rain",)),
    "answer_quality": ReplyWithAnswers("Nora Vey", "What do you hate?", "Rain.", ("rain",)),
    "hallucination_score": GroundedReply("Nora Vey", "What?", "Rain.", ("rain",), (NORA,)),
    "rate_mbti_item": ITEM,
    "rate_bigfive_item": ITEM,
    "rate_bfi_batch": BATCH,
    "rate_16p_batch": BATCH,
    "convert_options": AnswersToConvert(("strongly disagree", "agree"), BATCH.answers),
    "compare_replies": RepliesToCompare(
        "Nora Vey", NORA, "What?", (LabelledReply("A", "", "Rain."), LabelledReply("B", "", "?"))
    ),
    "reply": ReplyInputs(
        "Nora Vey", "", (), (), (ContextItem("knowledge", "Nora", NORA, 1.0),), "What do you hate?"
    ),
    "profile": ProfileInputs("Nora Vey", (NORA,)),
    "extract": ExtractionInputs("Nora Vey", "Nora Vey", NORA),
    "glean": ExtractionInputs("Nora Vey", "Nora Vey", NORA, found=("Hull",)),
    "merge_entities": MergeEntitiesInputs((EntityToMerge(("Nora", "Nora Vey"), (NORA, NORA)),)),
    "merge_relations": MergeRelationsInputs(
        (RelationToMerge("Nora Vey", "Hull", ("Nora Vey works in Hull.", "She was born there.")),)
    ),
    "same_entity": SameEntityInputs(
        "Nora Vey",
        (
            Comparison(
                Described("Miss Vey", "character", "Miss Vey works in Hull."),
                (Described("Nora Vey", "character", "She works in Hull."),),
            ),
        ),
    ),
    "verify_group": VerifyGroupInputs(
        "Nora Vey",
        (
            LinkedGroup(
                tuple(Described(name, "character", "") for name in ("Nora", "Nora Vey", "Mr. Vey"))
            ),
        ),
    ),
    "hypothetical_context": QuestionInputs("Nora Vey", NORA, "Do you know Hull?", ("Hull",)),
    "question_entities": QuestionInputs("Nora Vey", NORA, "Do you know Hull?", ("Hull",)),
    "analyse_question": QuestionInputs("Nora Vey", NORA, "Do you know Hull?", ("Hull",)),
    "reveals_trait": PassageInputs("Nora Vey", "Nora Vey", NORA, "What do you hate?"),
    "index_traits": PassageInputs("Nora Vey", "Nora Vey", NORA),
    "grade_passage": GradeInputs("Nora Vey", "What do you hate?", "Nora Vey", (NORA[:62], NORA)),
    "classify_question": ComplexityInputs("Nora Vey", "What do you hate?"),
    "next_step": NextStepInputs("Nora Vey", "What do you hate?", (NORA,), ("What do you hate?",)),
    "extract_attributes": AttributesInputs("Nora Vey", "What do you hate?", (NORA,)),
    "score_emotions": ScoreEmotionsInputs("Nora Vey", (Utterance("I hate rain!", "Rain again."),)),
    "summarize_conversation": SummarizeConversationInputs(
        "Nora Vey", "They spoke of Hull.", (Turn("Do you hate rain?", "I do. It never ends."),)
    ),
    "question_keywords": KeywordsInputs("Nora Vey", "Do you hate the rain in Hull?"),
    "summarize_cluster": ClusterInputs("Nora Vey", (NORA, "Nora Vey has a shop by the harbour.")),
    "probe_structured": StructuredProbeInputs(("anchor", "bell")),
    "probe_needle": NeedleProbeInputs("lantern", "filler " * 50),
}


def request_for(prompt: Prompt[Any, Any], inputs: Any) -> ChatRequest:
    return ChatRequest((Message("user", "as it would be sent"),), origin=(prompt, inputs))


@pytest.mark.parametrize("prompt", catalogue.ALL, ids=lambda prompt: prompt.name)
async def test_every_prompt_of_the_catalogue_has_an_answer_that_its_own_parser_reads(prompt):
    assert prompt.name in INPUTS, "a new prompt needs an offline answer, and inputs in this test"
    response = await OfflineModel().complete(request_for(prompt, INPUTS[prompt.name]))
    value = prompt.answer.parse(response.text)
    assert prompt.answer.write(value) == response.text
    if prompt.check is not None:
        prompt.check(INPUTS[prompt.name], value)


def test_the_rules_name_no_prompt_that_does_not_exist():
    assert answered_prompts() == {prompt.name for prompt in catalogue.ALL}


async def test_tokens_are_counted_on_both_sides():
    response = await OfflineModel().complete(request_for(REPLY, INPUTS["reply"]))
    assert response.text == "I hate rain."
    assert (response.prompt_tokens, response.completion_tokens) == (6, 4)
    assert response.finish_reason == "stop"


async def test_a_stream_gives_the_same_text_word_by_word():
    request = request_for(PROFILE, INPUTS["profile"])
    pieces = [piece async for piece in OfflineModel().stream(request)]
    assert len(pieces) > 5
    assert "".join(pieces) == (await OfflineModel().complete(request)).text


async def test_equal_requests_have_equal_answers():
    texts = {
        (await OfflineModel().complete(request_for(REPLY, INPUTS["reply"]))).text for _ in range(5)
    }
    assert len(texts) == 1


async def test_the_probes_are_answered_right():
    structured = await OfflineModel().complete(
        request_for(PROBE_STRUCTURED, INPUTS["probe_structured"])
    )
    items = PROBE_STRUCTURED.answer.parse(structured.text).items
    assert [(item.number, item.word) for item in items] == [(1, "anchor"), (2, "bell")]
    needle = await OfflineModel().complete(request_for(PROBE_NEEDLE, INPUTS["probe_needle"]))
    assert needle.text == "lantern"


@dataclass(frozen=True)
class _Unknown:
    name: str = "weather_report"


async def test_an_unknown_prompt_is_refused_by_its_name():
    request = ChatRequest((Message("user", "?"),), origin=(_Unknown(), None))
    with pytest.raises(ModelError, match="weather_report") as caught:
        await OfflineModel().complete(request)
    assert "configure a model" in caught.value.hint


async def test_free_messages_are_refused():
    with pytest.raises(ModelError, match="only what offbook itself asks"):
        await OfflineModel().complete(ChatRequest((Message("user", "Hello"),)))


def test_it_calls_itself_offline():
    assert (OfflineModel().name, OfflineModel().base_url) == ("offline", "offline:")
