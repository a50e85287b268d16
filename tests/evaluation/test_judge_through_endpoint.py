"""A judge behind an endpoint: whatever form of answer it knows, its ratings arrive."""

from __future__ import annotations

import pytest

from offbook.evaluation.benchmark import Question
from offbook.evaluation.judge_checks import METRIC, JudgeChecks
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.pairwise import METRIC as PAIRWISE
from offbook.evaluation.pairwise import Pairwise
from offbook.evaluation.protocols import ItemsProtocol, OpenInterviewProtocol, QuestionsProtocol
from offbook.evaluation.reply_metrics import EVIDENCED
from offbook.evaluation.scripts import ScriptProtocol
from offbook.models.openai_compatible import OpenAICompatible
from offbook.prompts.ask import ask
from tests.evaluation.made import cell, dataset, item, passage, run
from tests.loopback.judge_answers import judge_answer, plain_judge_answer

QUESTIONS = tuple(Question(f"q{n}", f"What of {n}?", answers=("rain",)) for n in range(3))
TURNS = tuple(
    Question(f"s/{n:03}", f"What of {n}?", script="s", turn=n, facts=("past: it was",))
    for n in range(1, 4)
)
ITEMS = tuple(item(n, ("E/I", "Openness")[n % 2]) for n in range(1, 5))
CONTEXT = (passage("She hates rain."),)
CASES = {
    "questions": (QuestionsProtocol, QUESTIONS, ("ke", "kh", "uqr", "acc", "acc_l", "hs")),
    "items": (ItemsProtocol, ITEMS, ("mbti_item", "bigfive_item")),
    "open": (OpenInterviewProtocol, ITEMS, ("16p_batch", "bfi_batch", "16p_option", "bfi_option")),
    "checks": (JudgeChecks, QUESTIONS, ()),
    "turns": (ScriptProtocol, TURNS, ("persona", "consistency")),
    "points": (QuestionsProtocol, TURNS, ("spacetime",)),
    "pairs": (lambda: Pairwise("naive", "vanilla"), QUESTIONS, ()),
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
    assert {rating.key.metric for rating in found} == set(
        metrics or ((PAIRWISE if case == "pairs" else METRIC),)
    )
    assert sum(rating.unjudged for rating in found) < len(found) / 2
    for rating in found:
        if rating.unjudged:
            assert rating.key.metric in EVIDENCED
            continue
        assert rating.value is not None
        if rating.key.metric in SCALES:
            assert SCALES[rating.key.metric].accepts(rating.value)
        assert rating.analysis
    sent = {body["temperature"] for body in loopback.chat_bodies}
    assert sent == {0.2}
