"""The offline backend as a chat model: every prompt, the narrow wire, clear refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.errors import ModelError
from offbook.prompts import catalogue
from offbook.prompts.acting import SceneSoFar
from offbook.prompts.distilling import DistilTurnsInputs
from offbook.prompts.entities import (
    Described,
    LinkedGroup,
    VerifyGroupInputs,
)
from offbook.prompts.extraction import ExtractionInputs, Section
from offbook.prompts.interviewing import (
    AnswersToConvert,
    BatchToRate,
    InterviewAnswer,
    LabelledReply,
    Pole,
    RepliesToCompare,
)
from offbook.prompts.probes import (
    PROBE_NEEDLE,
    PROBE_STRUCTURED,
    NeedleProbeInputs,
    StructuredProbeInputs,
)
from offbook.prompts.prompt import Prompt
from offbook.prompts.question import QuestionInputs
from offbook.prompts.reply import REPLY, ReplyInputs
from offbook.prompts.speakers import SpeakersInputs
from offbook.prompts.story import StoryInputs
from offbook.prompts.summaries import (
    PROFILE,
    ClusterInputs,
    ProfileInputs,
    SummarizeConversationInputs,
)
from offbook.rules import OfflineModel
from offbook.rules.model import answered_prompts
from offbook.text.tokens import count_tokens
from offbook.types import ChatRequest, ContextItem, Message, Turn
from tests.models import fakes  # noqa: F401 -- what a text is
from tests.sizes import examples

NORA = "Nora Vey repairs clocks in Hull. Her father was a sailor. She hates rain."
INPUTS: dict[str, Any] = {  # of prompts that have to be asked about something
    "convert_options": AnswersToConvert(
        ("strongly disagree", "agree"), (InterviewAnswer("Are you talkative?", "Yes."),)
    ),
    "rate_16p_batch": BatchToRate(
        "Warmth",
        Pole("warm", ""),
        Pole("cold", ""),
        (InterviewAnswer("Do you like people?", "No."),),
    ),
    "compare_replies": RepliesToCompare(
        "Nora Vey", NORA, "What?", (LabelledReply("A", "", "Rain."), LabelledReply("B", "", "?"))
    ),
    "reply": ReplyInputs(
        "Nora Vey", "", (), (), (ContextItem("knowledge", "Nora", NORA, 1.0),), "What do you hate?"
    ),
    "profile": ProfileInputs("Nora Vey", (NORA,)),
    "extract": ExtractionInputs("Nora Vey", (Section("Nora Vey", NORA),)),
    "glean": ExtractionInputs("Nora Vey", (Section("Nora Vey", NORA),), found=("Hull",)),
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
    "summarize_conversation": SummarizeConversationInputs(
        "Nora Vey", "They spoke of Hull.", (Turn("Do you hate rain?", "I do. It never ends."),)
    ),
    "distil_turns": DistilTurnsInputs("Nora Vey", (Turn("My dog is called Rex.", "So?"),)),
    "summarize_cluster": ClusterInputs("Nora Vey", (NORA, "Nora Vey has a shop by the harbour.")),
    "speakers": SpeakersInputs("", "{1}“Rain!” {2}“No.”", ("Nora Vey", "Ed"), (2, None)),
    "story": StoryInputs(("Rain",), "", "{1}Nora Vey shut the shop. {2}“No,” Ed said.", ("Ed",), 2),
    "next_speaker": SceneSoFar("Rain", "A shop.", ("Nora Vey", "Ed"), ("Ed: No.",), may_end=True),
    "probe_structured": StructuredProbeInputs(("anchor", "bell")),
    "probe_needle": NeedleProbeInputs("lantern", "filler " * 50),
}


def request_for(prompt: Prompt[Any, Any], inputs: Any) -> ChatRequest:
    return ChatRequest((Message("user", "as it would be sent"),), origin=(prompt, inputs))


@pytest.mark.parametrize("prompt", catalogue.ALL, ids=lambda prompt: prompt.name)
@given(data=st.data())
@settings(max_examples=examples(15), deadline=None)
async def test_every_prompt_has_an_answer_that_its_own_parser_reads(prompt, data):
    inputs = INPUTS.get(prompt.name) or data.draw(st.from_type(prompt.inputs))
    response = await OfflineModel().complete(request_for(prompt, inputs))
    value = prompt.answer.parse(response.text)
    assert prompt.answer.write(value) == response.text
    if prompt.check is not None:
        prompt.check(inputs, value)
    assert (await OfflineModel().complete(request_for(prompt, inputs))) == response


def test_the_rules_name_no_prompt_that_does_not_exist():
    assert answered_prompts() == {prompt.name for prompt in catalogue.ALL}


async def test_tokens_are_counted_on_both_sides():
    response = await OfflineModel().complete(request_for(REPLY, INPUTS["reply"]))
    assert "She hates rain." in response.text
    assert response.prompt_tokens == 6
    assert response.completion_tokens == count_tokens(response.text)
    assert response.finish_reason == "stop"


async def test_a_stream_gives_the_same_text_word_by_word():
    request = request_for(PROFILE, INPUTS["profile"])
    pieces = [piece async for piece in OfflineModel().stream(request)]
    assert len(pieces) > 5
    assert "".join(pieces) == (await OfflineModel().complete(request)).text


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
