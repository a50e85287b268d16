"""The offline judge of interviews: how far an answer says yes, by rules; it measures nothing.

Takes: the inputs of the prompts about items, batches and options.  Gives: ratings by words of
agreement and refusal. Source: ours. Every record, table and picture marks its scores.
"""

from __future__ import annotations

import re
from typing import Final

from offbook.language.words import search_terms
from offbook.models.offline.judging import DECLINES
from offbook.prompts.interviewing import (
    AnswersToConvert,
    BatchRating,
    BatchToRate,
    ChosenOption,
    ChosenOptions,
    InterviewAnswer,
    ItemToRate,
    PolePercentage,
    PolePercentages,
    RatingOfFive,
    RatingOfSeven,
)

_YES: Final = re.compile(
    r"\b(?:yes|aye|indeed|certainly|of course|always|often|gladly|love|enjoy|like|prefer|must"
    r"|every|very|naturally|surely)\b|是的|当然|喜欢|总是|经常|一定",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"\b(?:no|not|never|nor|hardly|seldom|rarely|hate|dislike|refuse|avoid|nothing|nobody|without"
    r"|cannot)\b|n['’]t\b|不|没|讨厌|从来没",
    re.IGNORECASE,
)
_OPENS_YES: Final = re.compile(
    r"\W*(?:yes|aye|indeed|certainly|of course|是|当然|对)", re.IGNORECASE
)
_OPENS_NO: Final = re.compile(r"\W*(?:no\b|never|not\b|不|没)", re.IGNORECASE)


def rate_mbti_item(inputs: ItemToRate) -> RatingOfSeven:
    """1 for a plain yes, 7 for a plain no."""
    much = _agreement(inputs.statement or inputs.question, inputs.reply)
    return RatingOfSeven(analysis=_told(much), rating=round(4 - 3 * much))


def rate_bigfive_item(inputs: ItemToRate) -> RatingOfFive:
    """1 for a plain yes, 5 for a plain no."""
    much = _agreement(inputs.statement or inputs.question, inputs.reply)
    return RatingOfFive(analysis=_told(much), rating=round(3 - 2 * much))


def rate_bfi_batch(inputs: BatchToRate) -> BatchRating:
    """From 1 to 5 by how far the answers lean to much of the trait."""
    lean = _lean(inputs)
    return BatchRating(analysis=_told(lean), rating=round(3 + 2 * lean, 1))


def rate_16p_batch(inputs: BatchToRate) -> PolePercentages:
    """Percentages by how far the answers lean to the first pole."""
    lean = _lean(inputs)
    first = round(50 + 50 * lean)
    return PolePercentages(
        analysis=_told(lean),
        percentages=[
            PolePercentage(pole=inputs.first.name, percent=first),
            PolePercentage(pole=inputs.second.name, percent=100 - first),
        ],
    )


def convert_options(inputs: AnswersToConvert) -> ChosenOptions:
    """The option that lies as far along as the answer agrees; none for one that declines."""
    return ChosenOptions(
        items=[
            _option(number, answer, inputs.choices)
            for number, answer in enumerate(inputs.answers, 1)
        ]
    )


def _option(number: int, answer: InterviewAnswer, choices: tuple[str, ...]) -> ChosenOption:
    if DECLINES.search(answer.reply):
        return ChosenOption(item=number, analysis="it declines", choice=None)
    much = _agreement(answer.question, answer.reply)
    if "disagree" in choices[0]:
        much = -much
    place = round((1 - much) / 2 * (len(choices) - 1))
    return ChosenOption(item=number, analysis=_told(much), choice=1 + place)


def _agreement(statement: str, reply: str) -> float:
    """How far a reply agrees, from -1 to 1."""
    opening = bool(_OPENS_YES.match(reply)) - bool(_OPENS_NO.match(reply))
    said = len(_YES.findall(reply)) - len(_NO.findall(reply))
    asked, own = set(search_terms(statement)), set(search_terms(reply))
    taken_up = len(asked & own) / len(asked) if asked else 0.0
    return max(-1.0, min(1.0, 0.5 * opening + 0.2 * said + 0.2 * taken_up))


def _lean(inputs: BatchToRate) -> float:
    """How far answers lean to the first pole, from -1 to 1: what a question asks for counts."""
    first, second = (set(search_terms(p.meaning)) for p in (inputs.first, inputs.second))
    leans = []
    for answer in inputs.answers:
        asked = set(search_terms(answer.question))
        way = 1 if len(asked & first) >= len(asked & second) else -1
        leans.append(way * _agreement(answer.question, answer.reply))
    return sum(leans) / len(leans) if leans else 0.0


def _told(much: float) -> str:
    return f"agreement {much:+.2f}, from -1 to 1"
