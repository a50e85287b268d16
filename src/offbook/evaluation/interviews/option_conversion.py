"""Open answers turned into the options of a questionnaire, many in one call.

Takes: answers of one character, in the order of the questionnaire.  Gives: judgements, with one
rating an item, matched by number and so by id.
Paper: InCharacter (option conversion); evaluation.md, "Emotional RAG's and InCharacter's metrics".
An answer that says nothing on the matter has no option: its rating is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from offbook.evaluation.judging import (
    BIG_FIVE,
    MBTI_DIMENSIONS,
    Asked,
    documents_of,
    rated,
    rating_key,
)
from offbook.evaluation.protocol import Judgement
from offbook.evaluation.record import Rating, RatingKey, Run
from offbook.prompts.interviewing import (
    CONVERT_OPTIONS,
    AnswersToConvert,
    ChosenOption,
    ChosenOptions,
    InterviewAnswer,
)

ITEMS_A_CALL: Final = 12


@dataclass(frozen=True, slots=True)
class OptionTest:
    """Options in the order of their numbers, and the dimensions whose items have them."""

    choices: tuple[str, ...]
    dimensions: tuple[str, ...]


OPTION_TESTS: Final[Mapping[str, OptionTest]] = {
    "bfi_option": OptionTest(
        (
            "strongly disagree",
            "disagree a little",
            "neither agree nor disagree",
            "agree a little",
            "strongly agree",
        ),
        BIG_FIVE,
    ),
    "16p_option": OptionTest(
        (
            "strongly agree",
            "agree",
            "agree a little",
            "neither agree nor disagree",
            "disagree a little",
            "disagree",
            "strongly disagree",
        ),
        MBTI_DIMENSIONS,
    ),
}
"""By the name of the scale (``metrics.scales``): BFI counts up to agreement, 16P down from it."""


def option_judgements(
    run: Run, metric: str, asked: Sequence[Asked], mask: Callable[[str], str]
) -> Iterator[Judgement]:
    """The calls that turn the answers of one character into options.

    Args:
        run: The run.
        metric: ``bfi_option`` or ``16p_option``.
        asked: Answers in the order of the questionnaire.
        mask: Hides names.
    """
    test = OPTION_TESTS[metric]
    mine = [a for a in asked if a.question.item and a.question.item.dimension in test.dimensions]
    for start in range(0, len(mine), ITEMS_A_CALL):
        some = mine[start : start + ITEMS_A_CALL]
        keys = tuple(rating_key(run, each.cell.key, metric) for each in some)
        answers = tuple(InterviewAnswer(mask(a.question.text), mask(a.reply)) for a in some)
        yield Judgement(
            keys=keys,
            prompt=CONVERT_OPTIONS,
            inputs=AnswersToConvert(test.choices, answers),
            read=partial(_read, keys),
            documents=documents_of([each.cell for each in some]),
        )


def _read(keys: Sequence[RatingKey], answer: ChosenOptions) -> list[Rating]:
    parts = {part.item: part for part in answer.items}
    return [_rating(key, parts[number]) for number, key in enumerate(keys, 1)]


def _rating(key: RatingKey, part: ChosenOption) -> Rating:
    if part.choice is None:
        return Rating(key, None, part.analysis, missing="the answer says nothing on the matter")
    return rated(key, part.choice, part.analysis)
