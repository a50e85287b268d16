"""A judge behind an endpoint: whatever form of answer it knows, its ratings arrive."""

from __future__ import annotations

import pytest

from offbook.errors import AnswerError
from offbook.evaluation.benchmark import Question
from offbook.evaluation.interviews.item_by_item import ItemsProtocol
from offbook.evaluation.interviews.open_interview import OpenInterviewProtocol
from offbook.evaluation.judge_checks import METRIC, JudgeChecks
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.questions import QuestionsProtocol
from offbook.models.openai_compatible import OpenAICompatible
from offbook.prompts.ask import ask
from tests.evaluation.made import cell, dataset, item, passage, run
from tests.loopback.answers import Answer
from tests.loopback.judge_answers import judge_answer, plain_judge_answer

QUESTIONS = tuple(Question(f"q{n}", f"What of {n}?", answers=("rain",)) for n in range(3))
ITEMS = tuple(item(n, ("E/I", "Openness")[n % 2]) for n in range(1, 5))
CONTEXT = (passage("She hates rain."),)
CASES = {
    "questions": (QuestionsProtocol, QUESTIONS, ("ke", "kh", "uqr", "acc", "acc_l", "hs")),
    "items": (ItemsProtocol, ITEMS, ("mbti_item", "bigfive_item")),
    "open": (OpenInterviewProtocol, ITEMS, ("16p_batch", "bfi_batch", "16p_option", "bfi_option")),
    "checks": (JudgeChecks, QUESTIONS, ()),
}


async def ratings_of(model, protocol, questions, metrics):
    data, of_run = dataset(*questions), run(metrics)
    cells = [
        cell(q.id, f"{variant} says rain of {q.id}.", variant, context=CONTEXT)
        for q in questions
        for variant in ("naive", "vanilla")
    ]
    found = []
    for judgement in protocol().judgements(of_run, data, cells):
        found += judgement.read(await ask(model, judgement.prompt, judgement.inputs))
    return found


@pytest.mark.parametrize("answer", [judge_answer, plain_judge_answer], ids=["json", "plain"])
@pytest.mark.parametrize("case", CASES)
async def test_every_protocol_is_rated_in_json_and_in_free_text(loopback, case, answer):
    loopback.answer = answer
    if answer is plain_judge_answer:
        loopback.refuses = frozenset({"json_schema", "json_object"})
    protocol, questions, metrics = CASES[case]
    model = OpenAICompatible(loopback.base_url, "judge-7b")
    found = await ratings_of(model, protocol, questions, metrics)
    assert {rating.key.metric for rating in found} == set(metrics or (METRIC,))
    for rating in found:
        assert rating.value is not None
        if rating.key.metric in SCALES:
            assert SCALES[rating.key.metric].accepts(rating.value)
        assert rating.analysis
    sent = {body["temperature"] for body in loopback.chat_bodies}
    assert sent == {0.2}


async def test_json_and_free_text_give_the_same_ratings(loopback):
    model = OpenAICompatible(loopback.base_url, "judge-7b")
    values = []
    for answer in (judge_answer, plain_judge_answer):
        loopback.answer = answer
        found = await ratings_of(model, *CASES["questions"])
        values.append([rating.value for rating in found])
    assert values[0] == values[1]
    assert len(set(values[0])) > 3


async def test_a_judge_that_is_cut_off_each_time_is_asked_again_and_gives_nothing(loopback):
    loopback.answer = lambda _: Answer("It fits.\nRating: 1", finish_reason="length")
    model = OpenAICompatible(loopback.base_url, "judge-7b")
    (judgement, *_) = QuestionsProtocol().judgements(
        run(("ke",)), dataset(*QUESTIONS), [cell("q1")]
    )
    with pytest.raises(AnswerError, match="cut off"):
        await ask(model, judgement.prompt, judgement.inputs, retries=2)
    assert loopback.count() == 3
