"""What a judge is asked about interviews: items, batches of one dimension, options, preferences.

Takes: questions with open answers.  Gives: ratings of items and batches, the option of each item,
the better of several replies. Numbers mean what ``evaluation.metrics.scales`` says.
Paper: AMADEUS (003), Figure 4 (items, 1 = very much so); Emotional RAG (004), Figure 4, which
follows InCharacter (an expert rates batches; options). Preferences are ours. Wordings are ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, Field

from offbook.errors import InvalidAnswer
from offbook.prompts.entities import one_line
from offbook.prompts.judging import (
    Analysed,
    Judged,
    Range,
    Shown,
    judgement,
    labelled_letter,
    rating_in,
    require_analysis,
)
from offbook.prompts.prompt import Json, in_order

FIVE: Final = Range(1, 5)
SEVEN: Final = Range(1, 7)
FIVE_BY_PARTS: Final = Range(1, 5, whole=False)
PERCENT: Final = Range(0, 100, whole=False)
_ROUNDING: Final = 0.11
"""33.3 % and 66.6 % are meant to be the whole."""
_ITEM_NUMBER: Final = re.compile(r"\[(?=\s*\d+\s*\])")
_POLE_FIRST: Final = re.compile(r"\b([A-Z])\b[^\n\d%]{0,30}?(\d{1,3}(?:\.\d+)?)\s*%")
_PERCENT_FIRST: Final = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%\s*(?:for|of|on|in)?\s*\(?([A-Z])\b")


@dataclass(frozen=True, slots=True)
class ItemToRate:
    """An item and the open answer; ``statement`` is the item as printed, and may be empty."""

    character: str
    statement: str
    question: str
    reply: str


@dataclass(frozen=True, slots=True)
class InterviewAnswer:
    """One question of an interview, and what was answered."""

    question: str
    reply: str

    def line(self) -> str:
        """Both on one line, which no text can make look like two items."""
        question, answered = (
            _ITEM_NUMBER.sub("(", one_line(text)) for text in (self.question, self.reply)
        )
        return f'asked: "{question}" answered: "{answered}"'


@dataclass(frozen=True, slots=True)
class Pole:
    """One end of a dimension: its letter or word, and what it means."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class BatchToRate:
    """Answers of one dimension; ``first`` is its first pole, or much of the trait.

    Names of the one who was asked and of who asked have been masked: the expert rates answers.
    """

    dimension: str
    first: Pole
    second: Pole
    answers: tuple[InterviewAnswer, ...]


@dataclass(frozen=True, slots=True)
class AnswersToConvert:
    """Answers to be turned into options; ``choices`` are the meanings of 1, 2, ... in order."""

    choices: tuple[str, ...]
    answers: tuple[InterviewAnswer, ...]


@dataclass(frozen=True, slots=True)
class LabelledReply:
    """A reply under a label; ``author`` is who is said to have written it, and may be empty."""

    label: str
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class RepliesToCompare:
    """Replies to one question, in the order in which they are shown.

    ``answers`` are right ones, ``evidence`` is what the character's texts say of the replies.
    """

    character: str
    description: str
    question: str
    replies: tuple[LabelledReply, ...]
    answers: tuple[str, ...] = ()
    evidence: tuple[Shown, ...] = ()


class RatingOfSeven(Analysed):
    """A rating from 1 (very much so) to 7 (not at all)."""

    rating: Annotated[int, Field(ge=1, le=7), BeforeValidator(SEVEN)]


class RatingOfFive(Analysed):
    """A rating from 1 (very much so) to 5 (not at all)."""

    rating: Annotated[int, Field(ge=1, le=5), BeforeValidator(FIVE)]


class BatchRating(Analysed):
    """How much of the trait shows, from 1 to 5; halves and the like are fine."""

    rating: Annotated[float, Field(ge=1, le=5), BeforeValidator(FIVE_BY_PARTS)]


def _percent(value: Any) -> Any:
    return PERCENT(value.strip().removesuffix("%")) if isinstance(value, str) else PERCENT(value)


class PolePercentage(BaseModel):
    """How much of a person lies at one pole."""

    pole: str
    percent: Annotated[float, Field(ge=0, le=100), BeforeValidator(_percent)]


def _as_list(value: Any) -> Any:
    """``{"E": 70, "I": 30}`` is what many models write instead of a list."""
    if isinstance(value, dict):
        return [{"pole": pole, "percent": percent} for pole, percent in value.items()]
    return value


class PolePercentages(Analysed):
    """Both poles; they sum to 100."""

    percentages: Annotated[list[PolePercentage], BeforeValidator(_as_list)]

    def of(self, pole: str) -> float:
        """The percentage of a pole."""
        return next(each.percent for each in self.percentages if each.pole == pole)


class ChosenOption(BaseModel):
    """The option that an answer comes to; null where it says nothing of the matter."""

    item: int
    analysis: str
    choice: int | None


class ChosenOptions(BaseModel):
    """One part an item."""

    items: list[ChosenOption]


class Preference(Analysed):
    """The label of the best reply."""

    best: str


def check_percentages(inputs: BatchToRate, answer: PolePercentages) -> None:
    """Both poles once, summing to 100."""
    require_analysis(inputs, answer)
    poles = {inputs.first.name, inputs.second.name}
    answered = [each.pole for each in answer.percentages]
    if set(answered) != poles or len(answered) != 2:
        raise InvalidAnswer(
            f"give a percentage of {inputs.first.name} and one of {inputs.second.name}, "
            f"not of {', '.join(answered) or 'nothing'}"
        )
    total = sum(each.percent for each in answer.percentages)
    if abs(total - 100) > _ROUNDING:
        raise InvalidAnswer(f"the percentages sum to {total:g}, not to 100")


def check_options(inputs: AnswersToConvert, answer: ChosenOptions) -> None:
    """Every item once, each with one of the options or null."""
    most = len(inputs.choices)
    for part in in_order(answer.items, len(inputs.answers)):
        if part.choice is not None and not 1 <= part.choice <= most:
            raise InvalidAnswer(f"item {part.item}: {part.choice} is not from 1 to {most}")


def check_preference(inputs: RepliesToCompare, answer: Preference) -> None:
    """One of the labels that are there."""
    require_analysis(inputs, answer)
    labels = [reply.label for reply in inputs.replies]
    if answer.best not in labels:
        raise InvalidAnswer(f"{answer.best[:40]!r} is none of the labels {', '.join(labels)}")


def _percentages_in(text: str) -> dict[str, Any]:
    """Analysis and percentages in free text: ``E: 70%, I: 30%`` or ``70% E and 30% I``."""
    named = _POLE_FIRST.findall(text)
    turned = [(pole, percent) for percent, pole in _PERCENT_FIRST.findall(text)]
    # "I would say 30% I": only two different poles are two poles.
    pairs = next((each for each in (named, turned) if len(dict(each)) == len(each) == 2), [])
    if len(pairs) != 2:
        raise InvalidAnswer(
            "the answer does not hold the percentages of both poles once each", answer=text
        )
    rows = [{"pole": pole, "percent": percent} for pole, percent in pairs]
    return {"analysis": text.strip(), "percentages": rows}


RATE_MBTI_ITEM: Final = judgement(
    "rate_mbti_item",
    ItemToRate,
    Judged(RatingOfSeven, partial(rating_in, scale=SEVEN)),
    "AMADEUS Figure 4 (MBTI)",
)
"""How much does the answer speak for the item? 1 is very much so, 7 not at all."""

RATE_BIGFIVE_ITEM: Final = judgement(
    "rate_bigfive_item",
    ItemToRate,
    Judged(RatingOfFive, partial(rating_in, scale=FIVE)),
    "AMADEUS Figure 4 (BFI)",
)
"""How much does the answer speak for the item? 1 is very much so, 5 not at all."""

RATE_BFI_BATCH: Final = judgement(
    "rate_bfi_batch",
    BatchToRate,
    Judged(BatchRating, partial(rating_in, scale=FIVE_BY_PARTS)),
    "Emotional RAG section III, after InCharacter",
)
"""How much of a trait shows in a batch of answers?"""

RATE_16P_BATCH: Final = judgement(
    "rate_16p_batch",
    BatchToRate,
    Judged(PolePercentages, _percentages_in),
    "Emotional RAG Figure 4, after InCharacter",
    check_percentages,
)
"""How far does a batch of answers lie towards either pole?"""

CONVERT_OPTIONS: Final = judgement(
    "convert_options",
    AnswersToConvert,
    Json(ChosenOptions),
    "InCharacter, option conversion",
    check_options,
)
"""Which option would the one who answered have ticked?"""

COMPARE_REPLIES: Final = judgement(
    "compare_replies",
    RepliesToCompare,
    Judged(Preference, labelled_letter),
    "ours (a check of the judge)",
    check_preference,
)
"""Which of several replies is the best?"""
