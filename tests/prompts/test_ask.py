"""An unusable answer is asked for again, as a new request that says what was wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import IncompleteAnswer, InputRefused, InvalidAnswer
from offbook.prompts.ask import answer_limit, ask, parameters_of, request_of, stream_text
from offbook.prompts.emotion import (
    SCORE_EMOTIONS,
    EmotionsAnswer,
    EmotionScores,
    ScoreEmotionsInputs,
    Utterance,
)
from offbook.prompts.entities import (
    MERGE_ENTITIES,
    EntityToMerge,
    MergedEntity,
    MergeEntitiesAnswer,
    MergeEntitiesInputs,
)
from offbook.prompts.extraction import (
    EXTRACT,
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    ExtractionInputs,
    Section,
)
from offbook.prompts.probes import (
    PROBE_NEEDLE,
    PROBE_STRUCTURED,
    NeedleProbeInputs,
    NumberedWords,
    StructuredProbeInputs,
)
from offbook.prompts.prompt import in_order
from offbook.prompts.question import ANALYSE_QUESTION, QuestionInputs
from offbook.prompts.refusals import assistant_speech
from offbook.prompts.reply import REPLY, ReplyInputs
from offbook.prompts.summaries import PROFILE, ProfileInputs
from offbook.text.emotion_names import EMOTIONS
from offbook.text.tokens import count_tokens
from offbook.types import ChatResponse, Message
from tests.models.fakes import Scripted

ADA = ProfileInputs("Ada", ("Ada counts.",))
WORDS = StructuredProbeInputs(("elm", "oak"))
GOOD = '{"items": [{"number": 1, "word": "elm"}, {"number": 2, "word": "oak"}]}'
HALF = GOOD[:40]


async def test_the_request_carries_all_that_decides_about_it():
    model = Scripted(GOOD)
    documents = frozenset({"ada/life.md"})
    value = await ask(model, PROBE_STRUCTURED, WORDS, sample=2, documents=documents)
    assert [item.word for item in value.items] == ["elm", "oak"]
    (sent,) = model.requests
    assert sent == request_of(PROBE_STRUCTURED, WORDS, sample=2, documents=documents)
    assert sent.schema == PROBE_STRUCTURED.answer.schema()
    assert sent.origin == (PROBE_STRUCTURED, WORDS)
    assert (sent.sample, sent.cacheable, sent.documents) == (2, False, documents)


async def test_after_half_an_answer_the_model_is_told_in_front_and_the_question_stays_last():
    model = Scripted(HALF, GOOD)
    value = await ask(model, PROBE_STRUCTURED, WORDS)
    assert len(value.items) == 2
    first, second = model.requests
    assert second.retry_of == first
    assert [m.role for m in second.messages] == ["system", "user"]
    assert second.messages[-1] == first.messages[-1]
    told = second.messages[0].content
    assert told.startswith(first.messages[0].content)
    assert "cut off" in told
    assert json.dumps(first.schema, separators=(",", ":")) in told
    assert HALF not in told


async def test_a_prompt_without_a_system_message_gets_one_that_says_what_was_wrong():
    inputs = NeedleProbeInputs("elm", "filler")
    model = Scripted("", "elm")
    assert await ask(model, PROBE_NEEDLE, inputs) == "elm"
    first, second = model.requests
    assert [m.role for m in first.messages] == ["user"]
    assert [m.role for m in second.messages] == ["system", "user"]
    assert "empty" in second.messages[0].content
    assert second.messages[1:] == first.messages


async def test_every_retry_goes_back_to_the_first_request():
    model = Scripted("no", HALF, GOOD)
    await ask(model, PROBE_STRUCTURED, WORDS)
    first, *later = model.requests
    assert [request.retry_of for request in later] == [first, first]
    assert [len(request.messages) for request in later] == [len(first.messages)] * 2


async def test_after_the_last_time_the_error_is_raised_with_what_was_wrong():
    model = Scripted(HALF, HALF, HALF)
    with pytest.raises(IncompleteAnswer) as caught:
        await ask(model, PROBE_STRUCTURED, WORDS)
    assert caught.value.answer == HALF
    assert "3 times for probe_structured.v1" in caught.value.hint
    assert len(model.requests) == 3


async def test_the_number_of_retries_is_a_setting():
    model = Scripted("")
    with pytest.raises(InvalidAnswer):
        await ask(model, PROFILE, ADA, retries=0)
    assert len(model.requests) == 1


async def test_one_that_goes_on_and_on_is_given_no_more_room():
    loop = '{"items":[' + '{"number":1,"word":"anchor"},' * 20
    model = Scripted(ChatResponse(loop, "length"), ChatResponse(HALF, "length"), GOOD)
    await ask(model, PROBE_STRUCTURED, WORDS)
    first, second, third = (request.limit or 0 for request in model.requests)
    assert first == second == third / 2


async def test_a_reply_as_long_as_the_person_allows_is_a_reply():
    model = Scripted(ChatResponse("I am Ada, and", "length"))
    limit = {"max_tokens": 5}
    assert await ask(model, REPLY, reply_inputs(), parameters=limit) == "I am Ada, and"


async def test_without_a_limit_of_the_person_a_reply_that_is_cut_off_is_asked_for_again():
    model = Scripted(ChatResponse("I am Ada, and", "length"), "I am Ada.")
    assert await ask(model, REPLY, reply_inputs()) == "I am Ada."


async def test_a_limit_that_leaves_room_for_nothing_is_named():
    model = Scripted(by=lambda _: ChatResponse(" ", "length"))
    with pytest.raises(IncompleteAnswer) as caught:
        await ask(model, REPLY, reply_inputs(), parameters={"max_tokens": 5})
    assert "reply.max_tokens" in caught.value.hint


async def test_half_a_structure_and_half_of_what_is_kept_are_asked_for_again_despite_a_limit():
    limit = {"max_tokens": 5}
    model = Scripted(ChatResponse(GOOD, "length"), GOOD)
    await ask(model, PROBE_STRUCTURED, WORDS, parameters=limit)
    assert len(model.requests) == 2
    model = Scripted(ChatResponse("Ada is", "length"), "Ada is a mathematician.")
    assert await ask(model, PROFILE, ADA, parameters=limit) == "Ada is a mathematician."


async def test_a_withheld_answer_is_not_asked_for_again():
    model = Scripted(ChatResponse("", "content_filter"))
    with pytest.raises(InputRefused):
        await ask(model, PROFILE, ADA)


async def test_a_value_that_does_not_fit_the_inputs_is_asked_for_again():
    def check(inputs: StructuredProbeInputs, value: NumberedWords) -> None:
        if len(value.items) != len(inputs.words):
            raise InvalidAnswer("missing: [1]")

    checked = replace(PROBE_STRUCTURED, check=check)
    model = Scripted('{"items": [{"number": 2, "word": "oak"}]}', GOOD)
    assert len((await ask(model, checked, WORDS)).items) == 2
    assert "missing: [1]" in model.requests[1].messages[0].content


async def test_parameters_of_the_caller_win_and_none_removes_one():
    request = request_of(REPLY, reply_inputs(), parameters={"temperature": None, "max_tokens": 9})
    assert request.parameters == {"max_tokens": 9}
    assert request_of(REPLY, reply_inputs()).parameters == {"temperature": 0.7}


@pytest.mark.parametrize(
    ("seed", "second"), [(5, 6), (-1, 0), (2**63 - 1, -(2**63)), (True, True), (None, None)]
)
def test_of_several_answers_each_has_a_seed_that_endpoints_take(seed, second):
    first, then = (parameters_of(sample, {"seed": seed})["seed"] for sample in (0, 1))
    assert (first, then) == (seed, second)
    assert isinstance(then, bool) is isinstance(seed, bool)


def reply_inputs() -> ReplyInputs:
    return ReplyInputs("Ada", "", (), (), (), "Who are you?")


async def test_a_stream_gives_its_pieces():
    model = Scripted("I am Ada.")
    pieces = [piece async for piece in stream_text(model, REPLY, reply_inputs())]
    assert pieces == ["I ", "am ", "Ada. "]
    assert not model.requests[0].cacheable


async def test_a_stream_of_nothing_is_an_error():
    with pytest.raises(InvalidAnswer, match="empty"):
        _ = [piece async for piece in stream_text(Scripted(" "), REPLY, reply_inputs())]


SERVICE = "As an AI, I cannot say. Ask me anything else."
SPOKEN = "I am Ada, and I count. That is all."


def doubt(beginning: str) -> str:
    return "it speaks as an assistant" if assistant_speech(beginning) else ""


async def test_a_reply_that_begins_like_an_assistants_is_asked_for_again_once():
    model = Scripted(SERVICE, SPOKEN)
    assert await ask(model, REPLY, reply_inputs(), doubt=doubt) == SPOKEN
    assert "it speaks as an assistant" in model.requests[1].messages[0].content
    assert model.requests[1].messages[-1] == model.requests[0].messages[-1]
    stubborn = Scripted(SERVICE, SERVICE)
    assert await ask(stubborn, REPLY, reply_inputs(), doubt=doubt) == SERVICE
    assert len(stubborn.requests) == 2


@pytest.mark.parametrize(
    ("answers", "told", "calls"),
    [
        ((SPOKEN,), SPOKEN, 1),
        ((SERVICE, SPOKEN), SPOKEN, 2),
        ((SERVICE, SERVICE), SERVICE, 2),
        (("I'm just an AI",), "", 1),
    ],
)
async def test_of_a_stream_nothing_is_shown_that_is_taken_back(answers, told, calls):
    model = Scripted(*answers, "I am Ada.")
    pieces = [piece async for piece in stream_text(model, REPLY, reply_inputs(), doubt=doubt)]
    assert "".join(pieces).split() == (told or "I am Ada.").split()
    assert len(model.requests) == (calls if told else 2)


async def test_thoughts_that_nobody_saw_are_asked_anew_and_not_shown():
    class ThinksAloud(Scripted):
        async def stream(self, request):
            async for piece in super().stream(request):
                if piece.startswith("</think>"):
                    raise InvalidAnswer("it thought aloud")
                yield piece

    model = ThinksAloud("They greet me </think> Ay.", SPOKEN)
    pieces = [piece async for piece in stream_text(model, REPLY, reply_inputs(), doubt=doubt)]
    assert "".join(pieces).strip() == SPOKEN
    model = ThinksAloud(f"{SPOKEN} </think> Ay.")
    with pytest.raises(InvalidAnswer, match="thought aloud"):
        _ = [piece async for piece in stream_text(model, REPLY, reply_inputs(), doubt=doubt)]


async def test_a_reply_comes_in_the_pieces_that_the_model_gave():
    model = Scripted(SPOKEN)
    pieces = [piece async for piece in stream_text(model, REPLY, reply_inputs(), doubt=doubt)]
    assert [piece.strip() for piece in pieces] == SPOKEN.split()


@dataclass(frozen=True)
class Part:
    item: int


def numbers(*given_numbers: int) -> list[Part]:
    return [Part(n) for n in given_numbers]


@given(st.permutations(range(1, 8)))
def test_parts_come_in_the_order_of_the_items(order):
    assert [part.item for part in in_order(numbers(*order), 7)] == list(range(1, 8))


@pytest.mark.parametrize(
    ("got", "told"),
    [
        ((1, 3), r"missing: \[2\]"),
        ((1, 2, 2, 3), r"more than once: \[2\]"),
        ((1, 2, 3, 4), r"not in the question: \[4\]"),
        ((), r"missing: \[1\], \[2\], \[3\]"),
    ],
)
def test_a_number_that_is_missing_repeated_or_unknown_is_named(got, told):
    with pytest.raises(InvalidAnswer, match=told):
        in_order(numbers(*got), 3)


def test_long_lists_of_numbers_are_shortened():
    with pytest.raises(InvalidAnswer, match="and 80 more"):
        in_order([], 100)


def scored(count: int):
    strengths = dict.fromkeys(EMOTIONS, 10)
    items = [EmotionScores(item=n + 1, **strengths) for n in range(count)]
    return (
        SCORE_EMOTIONS,
        ScoreEmotionsInputs("Ada", (Utterance("Ay."),) * count),
        EmotionsAnswer(items=items),
    )


def merged(count: int):
    told = "Ada Byrne keeps the light on the rock, and has done so since her father drowned. " * 4
    items = [MergedEntity(item=n + 1, name="Ada Byrne", description=told) for n in range(count)]
    entity = EntityToMerge(("Ada Byrne", "Ada"), (told, told))
    return (
        MERGE_ENTITIES,
        MergeEntitiesInputs((entity,) * count),
        MergeEntitiesAnswer(items=items),
    )


def extracted(words: int, sentence: str):
    """An entity and a relation for every fourth word, told in a sentence of the passage."""
    passage = sentence * words
    count = max(1, len(passage.split()) // 4)
    entity = ExtractedEntity(
        section=1, name="Ada Byrne", type="character", description=sentence, aliases=[]
    )
    relation = ExtractedRelation(
        section=1, source="Ada", target="Rock", description=sentence, strength=5
    )
    answer = Extraction(entities=[entity] * count, relations=[relation] * (count // 2))
    return EXTRACT, ExtractionInputs("Ada", (Section("", passage),)), answer


CASES = [scored(1), scored(24), merged(1), merged(24), extracted(6, "Ada Byrne rang the bell. ")]


@pytest.mark.parametrize(("prompt", "inputs", "answer"), CASES)
def test_long_answers_stay_far_below(prompt, inputs, answer):
    limit = answer_limit(prompt, inputs)
    assert limit is not None
    assert 2 * count_tokens(prompt.answer.write(answer)) <= limit


def test_the_limit_grows_with_the_passage_and_not_with_what_was_said_before():
    short, long = (ExtractionInputs("Ada", (Section("", "Ada rings. " * n),)) for n in (1, 100))
    assert answer_limit(EXTRACT, long) > answer_limit(EXTRACT, short) + 2_000  # type: ignore[operator]
    before = (Message("user", "Who?"), Message("assistant", "I."))
    question = QuestionInputs("Ada", "", "Who are you?")
    later = QuestionInputs("Ada", "", "Who are you?", earlier=before * 50)
    assert answer_limit(ANALYSE_QUESTION, later) == answer_limit(ANALYSE_QUESTION, question)
