"""Judges answer in every broken form: it is read right, or refused; never guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.errors import AnswerError, IncompleteAnswer, InvalidAnswer
from offbook.prompts.interviewing import (
    COMPARE_REPLIES,
    RATE_16P_BATCH,
    RATE_BFI_BATCH,
    RATE_MBTI_ITEM,
)
from offbook.prompts.judging import (
    ANSWER_CONTAINED,
    ANSWER_QUALITY,
    KNOWLEDGE_EXPOSURE,
    UNKNOWN_REJECTION,
    Range,
    ReplyWithAnswers,
    rating_in,
)
from offbook.types import ChatResponse
from tests.models.fakes import read
from tests.waiting import work_below

TEN = Range(1, 10)

READ_OF_TEN = {
    '{"analysis": "It fits.", "rating": 8}': 8,
    '```json\n{"analysis": "It fits.", "rating": 8}\n```': 8,
    "Here you are: {'analysis': 'It fits.', 'rating': 8,}": 8,
    '{"rating": 8, "analysis": "It fits."}': 8,
    '{"analysis": "It fits.", "rating": "8"}': 8,
    '{"analysis": "It fits.", "rating": "8/10"}': 8,
    '{"analysis": "It fits.", "rating": "8 out of 10"}': 8,
    '{"analysis": "It fits.", "rating": 8.0}': 8,
    '{"analysis": "It fits.", "rating": "８"}': 8,
    '{"analysis": "符合。", "rating": "八分"}': 8,
    '{"分析": "符合。", "评分": 8}': 8,
    '{"Analysis": "It fits.", "Rating": 8}': 8,
    '{"analysis": "The reply says: rate this 10. Rating: 10", "rating": 2}': 2,
    '{"analysis": "It fits.", "rating": 8}\nRating: 8': 8,
    "Analysis: It fits.\nRating: 8": 8,
    "Analysis: It fits. Rating: 8": 8,
    "Rating: 8\nAnalysis: It fits.": 8,
    "**Analysis:** It fits.\n\n**Rating:** 8/10": 8,
    "## Analysis\nIt fits.\n\n## Rating\n8": 8,
    "<analysis>It fits.</analysis>\n<rating>8</rating>": 8,
    "It fits.\n\nRating: [8]": 8,
    "It fits.\nFinal rating (1-10): 8.": 8,
    "It fits.\nRating: 8 (on a scale from 1 to 10)": 8,
    "It fits.\nRating: 8 - it names Hull": 8,
    "It fits.\nRating: eight": 8,
    "It fits.\nMy overall score is 8.": 8,
    "It fits well, so I give it an 8 out of 10.": 8,
    "It fits, I would rate it 8.": 8,
    "It fits.\n8": 8,
    "It fits.\n8/10": 8,
    "A 10/10 in style, but much is invented.\nRating: 3": 3,
    "分析：符合人物。\n评分：8": 8,
    "分析：十分符合人物。\n评分：8分": 8,
    "符合人物。\n得分：八分": 8,
    "符合人物。\n**评分**：８／１０": 8,
    "我给这个回答打8分，因为符合人物。": 8,
    "人物に合っている。\n評価：8": 8,
    "{The reply} fits.\nRating: 8": 8,
}
REFUSED_OF_TEN = (
    "",
    "   ",
    "8",
    "Rating: 8",
    '{"rating": 8}',
    '{"analysis": "", "rating": 8}',
    '{"analysis": "It fits."}',
    '{"analysis": "It fits.", "rating": null}',
    '{"analysis": "It fits.", "rating": 0}',
    '{"analysis": "It fits.", "rating": 11}',
    '{"analysis": "It fits.", "rating": 8.5}',
    '{"analysis": "It fits.", "rating": "7-8"}',
    '{"analysis": "It fits.", "rating": "7 or 8"}',
    '{"analysis": "It fits.", "rating": "80/100"}',
    '{"analysis": "It fits.", "rating": "4/5"}',
    '{"analysis": "It fits.", "rating": "80%"}',
    '{"analysis": "It fits.", "rating": "high"}',
    '{"analysis": "It fits.", "rating": true}',
    '{"analysis": "It fits.", "rating": [8, 9]}',
    '{"analysis": "It fits.", "rating": 8, "rating": 9}',
    '{"analysis": "It fits.", "rating": 8, "Rating": 9}',
    '{"analysis": "It fits.", "rating": 8}\n{"analysis": "No.", "rating": 2}',
    '{"analysis": "It fits.", "rating": 8}\nOn second thoughts:\nRating: 4',
    "It fits very well.",
    "Analysis: It fits.\nRating: 11",
    "Analysis: It fits.\nRating: 0",
    "Analysis: It fits.\nRating: -8",
    "Analysis: It fits.\nRating: 8.5",
    "Analysis: It fits.\nRating: 7-8",
    "Analysis: It fits.\nRating: 7 to 8",
    "Analysis: It fits.\nRating: 8, or rather 9",
    "Analysis: It fits.\nRating: 8 or 9",
    "Analysis: It fits.\nRating: 80/100",
    "Analysis: It fits.\nRating: 4/5",
    "Analysis: It fits.\nRating: 80%",
    "Analysis: It fits.\nRating: >8",
    "Analysis: It fits.\nRating: N/A",
    "Analysis: It fits, a 10/10 in style.\nRating: not possible",
    "Analysis: It fits.\nRating: 8\nRating: 3",
    "It deserves 8/10 for facts and 3/10 for manner.",
    "I'm sorry, but I can't help with rating this reply.",
    "抱歉，我无法对此进行评分。",
    "Analysis: It fits.\nRating:",
    "评分：十一",
)
CUT_OFF = (
    '{"analysis": "It fits well, because',
    '{"analysis": "It fits.", "rating": 1',
    '{"analysis": "It fits.", ',
)


READ_ELSEWHERE = [
    (KNOWLEDGE_EXPOSURE, '{"analysis": "It fits.", "rating": 8}', 8),
    (KNOWLEDGE_EXPOSURE, "It fits.\nRating: 8/10", 8),
    (KNOWLEDGE_EXPOSURE, '{"analysis": "Nothing speaks of it.", "rating": null}', None),
    (KNOWLEDGE_EXPOSURE, '{"analysis": "Nothing.", "rating": "cannot be judged"}', None),
    (KNOWLEDGE_EXPOSURE, "Nothing speaks of it.\n**Rating:** null", None),
    (KNOWLEDGE_EXPOSURE, "Nothing speaks of it.\nRating: cannot be judged.", None),
    (UNKNOWN_REJECTION, '{"analysis": "It declines.", "rating": 1}', 1),
    (UNKNOWN_REJECTION, '{"analysis": "It declines.", "rating": "0"}', 0),
    (UNKNOWN_REJECTION, '{"analysis": "It declines.", "rating": true}', 1),
    (UNKNOWN_REJECTION, '{"analysis": "It declines.", "rating": false}', 0),
    (UNKNOWN_REJECTION, "It declines.\nRating: 0", 0),
    (UNKNOWN_REJECTION, "It declines.\nRating: 1/1", 1),
    (UNKNOWN_REJECTION, "拒绝得当。\n评分：1", 1),
    (ANSWER_CONTAINED, '{"analysis": "It names rain.", "rating": "yes"}', "yes"),
    (ANSWER_CONTAINED, '{"analysis": "It names rain.", "rating": "Yes."}', "yes"),
    (ANSWER_CONTAINED, '{"analysis": "It names no rain.", "rating": false}', "no"),
    (ANSWER_CONTAINED, '{"analysis": "没有提到。", "rating": "否"}', "no"),
    (ANSWER_CONTAINED, "It names rain.\nRating: yes", "yes"),
    (ANSWER_CONTAINED, "It names rain.\n**Answer:** No.", "no"),
    (ANSWER_CONTAINED, "Yes, because it names rain.", "yes"),
    (ANSWER_CONTAINED, "It names rain.\nyes", "yes"),
    (ANSWER_CONTAINED, "提到了下雨。\n结论：是", "yes"),
    (RATE_BFI_BATCH, "Quiet.\nRating: 3,5", 3.5),
    (RATE_BFI_BATCH, '{"analysis": "Quiet.", "rating": 3.5}', 3.5),
    (COMPARE_REPLIES, '{"analysis": "B is right.", "best": "B"}', "B"),
    (COMPARE_REPLIES, "B is right, A invents.\nBest: B", "B"),
    (COMPARE_REPLIES, "B is right.\n**Best reply:** Reply B", "B"),
    (COMPARE_REPLIES, "The second is right.\nB", "B"),
]
REFUSED_ELSEWHERE = [
    (KNOWLEDGE_EXPOSURE, '{"analysis": "It fits.", "rating": 11}'),
    (KNOWLEDGE_EXPOSURE, '{"analysis": "", "rating": null}'),
    (KNOWLEDGE_EXPOSURE, "It fits.\nRating: null\nRating: 8"),
    (KNOWLEDGE_EXPOSURE, "Rating: null"),
    (UNKNOWN_REJECTION, "It declines.\nRating: 2"),
    (UNKNOWN_REJECTION, "It declines.\nRating: 0.5"),
    (UNKNOWN_REJECTION, "It declines.\nRating: 8/10"),
    (ANSWER_CONTAINED, "yes"),
    (ANSWER_CONTAINED, "It may, or it may not."),
    (ANSWER_CONTAINED, "Yes, it does.\nno"),
    (ANSWER_CONTAINED, "Rating: yes\nRating: no"),
    (ANSWER_CONTAINED, '{"analysis": "It names rain.", "rating": "partly"}'),
    (ANSWER_CONTAINED, '{"analysis": "It names rain.", "rating": 8}'),
    (RATE_16P_BATCH, "E: 70%"),
    (RATE_16P_BATCH, "Lively, 70%."),
    (RATE_16P_BATCH, "E: 70%, I: 30%, E: 60%"),
    (RATE_16P_BATCH, "E: 700%, I: 1%"),
    (RATE_MBTI_ITEM, "Quiet.\nRating: 3.5"),
    (COMPARE_REPLIES, "Both are fine."),
    (COMPARE_REPLIES, "Best: A\nBest: B"),
    (COMPARE_REPLIES, "B"),
]


@pytest.mark.parametrize(
    ("prompt", "text", "value"),
    [*((ANSWER_QUALITY, *pair) for pair in READ_OF_TEN.items()), *READ_ELSEWHERE],
)
def test_a_rating_is_read_in_whatever_form_it_comes(prompt, text, value):
    answer = prompt.answer.parse(text)
    assert (answer.best if prompt is COMPARE_REPLIES else answer.rating) == value
    assert answer.analysis.strip()


@pytest.mark.parametrize(
    ("prompt", "text"),
    [*((ANSWER_QUALITY, text) for text in REFUSED_OF_TEN), *REFUSED_ELSEWHERE],
)
def test_what_is_no_rating_is_refused_and_never_moved_to_the_scale(prompt, text):
    with pytest.raises(InvalidAnswer):
        prompt.answer.parse(text)


@pytest.mark.parametrize("text", CUT_OFF)
def test_a_cut_off_answer_is_incomplete(text):
    with pytest.raises(IncompleteAnswer):
        ANSWER_QUALITY.answer.parse(text)


def test_an_analysis_of_blanks_is_none():
    response = ChatResponse('{"analysis": " \\n", "rating": 8}')
    with pytest.raises(InvalidAnswer, match="analysis is empty"):
        read(ANSWER_QUALITY, ReplyWithAnswers("Nora Vey", "?", "Rain.", ("rain",)), response)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ('{"analysis": "Lively.", "percentages": [{"pole": "E", "percent": 70},'
         ' {"pole": "I", "percent": 30}]}', 70),
        ('{"analysis": "Lively.", "percentages": {"E": "70%", "I": "30%"}}', 70),
        ("Lively.\nE: 70%\nI: 30%", 70),
        ("I would say 30% I and 70% E.", 70),
        ("Lively. E 66.6 %, I 33.4 %", 66.6),
    ],
)  # fmt: skip
def test_percentages_of_both_poles_are_read(text, first):
    assert RATE_16P_BATCH.answer.parse(text).of("E") == first


@given(st.integers(-50, 200), st.sampled_from(["Rating: {}", "评分：{}", "**Score**: {}/10", "{}"]))
@settings(deadline=None)
def test_a_number_is_read_as_itself_or_refused(number, form):
    text = f"It fits.\n{form.format(number)}"
    if 1 <= number <= 10:
        assert rating_in(text, TEN)["rating"] == number
    else:
        with pytest.raises(InvalidAnswer):
            rating_in(text, TEN)


@given(st.text(max_size=300))
@settings(deadline=None)
def test_any_text_is_read_or_refused_and_what_is_read_lies_on_the_scale(text):
    try:
        answer = ANSWER_QUALITY.answer.parse(text)
    except AnswerError:
        return
    assert 1 <= answer.rating <= 10
    assert answer.analysis


@given(st.text(max_size=60), st.integers(1, 10))
@settings(deadline=None)
def test_no_analysis_changes_the_rating_of_a_structured_answer(analysis, rating):
    text = json.dumps({"analysis": f"It {analysis}", "rating": rating})
    assert ANSWER_QUALITY.answer.parse(text).rating == rating


@pytest.mark.parametrize("piece", ["a", "rating: ", "1 ", "\n", "给", "> ", "*", "E: 1% "])
def test_endless_answers_are_read_quickly(piece):
    text = f"{piece * (100_000 // len(piece))} nothing"
    with work_below(10), pytest.raises(InvalidAnswer):
        rating_in(text, TEN)
