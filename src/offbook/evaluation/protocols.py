"""How benchmarks are run: single questions, items of a questionnaire, open interviews.

Paper: RoleRAG (001), section 4.2 (questions); AMADEUS (003), section 5.2 (items: one open answer
in a fresh context, one rating); Emotional RAG (004), section III, after InCharacter (interviews:
batches of a dimension rated by an expert, or answers converted to options). Names are masked
before an expert rates; the expert's ratings are not reverse-keyed.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation import questionnaires
from offbook.evaluation.metrics.typology import batches
from offbook.evaluation.personality import personality_scores
from offbook.evaluation.record import Judgement, Rating, RatingKey, Run
from offbook.evaluation.reply_metrics import (
    BIG_FIVE,
    MBTI_DIMENSIONS,
    Exchange,
    PlacesOf,
    documents_of,
    rated,
    rating_key,
    reply_judgements,
)
from offbook.evaluation.scores import scores_of
from offbook.prompts.interviewing import (
    CONVERT_OPTIONS,
    RATE_16P_BATCH,
    RATE_BFI_BATCH,
    AnswersToConvert,
    BatchToRate,
    ChosenOption,
    ChosenOptions,
    InterviewAnswer,
    Pole,
    PolePercentages,
)
from offbook.prompts.prompt import Prompt

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset, Subject
    from offbook.evaluation.record import Cell, CellKey, Score


PARTICIPANT: Final = "the participant"
INTERVIEWER: Final = "the interviewer"
_LANGUAGE: Final = re.compile(r"-(?:en|zh)$")


def masking(subject: Subject) -> Callable[[str], str]:
    """A function that masks the names of a subject and of its interviewer.

    Longest first, in one pass: "Hermione Granger" is masked before "Hermione", and no mask is
    masked again. A name of letters is masked as a whole word only; scripts without blanks
    anywhere.
    """
    masks = {subject.interviewer.strip(): INTERVIEWER}
    names_of_subject = (subject.name, _LANGUAGE.sub("", subject.name), *subject.names)
    masks.update((name.strip(), PARTICIPANT) for name in names_of_subject)
    masks.pop("", None)
    if not masks:
        return lambda text: text
    names = sorted(masks, key=lambda name: (-len(name), name))
    pattern = re.compile("|".join(_bounded(name) for name in names))
    return lambda text: pattern.sub(lambda match: masks[match.group()], text)


def _bounded(name: str) -> str:
    """The name, not within a longer word of the same script."""
    before = r"(?<![^\W\d_\u2e80-\u9fff\uac00-\ud7af])" if _is_alphabetic(name[0]) else ""
    after = r"(?![^\W\d_\u2e80-\u9fff\uac00-\ud7af])" if _is_alphabetic(name[-1]) else ""
    return f"{before}{re.escape(name)}{after}"


def _is_alphabetic(character: str) -> bool:
    return character.isalpha() and not "\u2e80" <= character <= "\ud7af"


@cache
def poles_of(scale: str, dimension: str) -> tuple[Pole, ...]:
    """Both ends of a dimension, as an expert is told of them; none: the scale has no such one.

    Of 16Personalities the first is the one that 100 % stands for, of the Big Five much of a trait.
    """
    text = files(questionnaires).joinpath("poles.tsv").read_text("utf-8")
    return tuple(
        Pole(row["pole"], row["meaning"])
        for row in csv.DictReader(text.splitlines(), delimiter="\t")
        if (row["scale"], row["dimension"]) == (scale, dimension)
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
    run: Run, metric: str, exchanges: Sequence[Exchange], mask: Callable[[str], str]
) -> Iterator[Judgement]:
    """The calls that turn the answers of one character into options."""
    test = OPTION_TESTS[metric]
    mine = [
        a for a in exchanges if a.question.item and a.question.item.dimension in test.dimensions
    ]
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


class QuestionsProtocol:
    """Each question is one reply, rated alone."""

    def __init__(self) -> None:
        self._places = PlacesOf()

    def ready(self, key: CellKey) -> Hashable:
        """A reply can be judged as soon as it is there."""
        return key

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        """One a metric of the run and reply; failed cells, and undefined metrics, are left out."""
        exchanges = self._places(dataset).exchanges(cells)
        return [judgement for each in exchanges for judgement in reply_judgements(run, each)]

    def scores(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> list[Score]:
        """Means by variant and group, personalities against labels, and what the replies cost."""
        return scores_of(run, dataset, cells, ratings, [personality_scores])


_EXPERTS: Final[Mapping[str, Prompt[BatchToRate, Any]]] = {
    "bfi_batch": RATE_BFI_BATCH,
    "16p_batch": RATE_16P_BATCH,
}
"""The expert's prompt, by the name of the scale."""


class OpenInterviewProtocol(QuestionsProtocol):
    """A whole interview is answered first, and rated then."""

    def ready(self, key: CellKey) -> Hashable:
        """One interview: a subject, a variant, a repeat."""
        return key.subject, key.variant, key.repeat

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        """Batches of each dimension, and options, as the run's metrics say.

        The answers that are there make the batches; failed cells are left out.
        """
        interviews: dict[Hashable, list[Exchange]] = {}
        for exchange in self._places(dataset).exchanges(cells):
            interviews.setdefault(self.ready(exchange.cell.key), []).append(exchange)
        return [
            judgement
            for interview in interviews.values()
            for metric in run.metrics
            for judgement in _of_interview(run, metric, interview)
        ]


def batched(interview: Sequence[Exchange]) -> dict[str, Sequence[Exchange]]:
    """The answers that an expert rates at once, by the unit of the rating: ``dimension/batch``."""
    by_dimension: dict[str, list[Exchange]] = {}
    for exchange in interview:
        if exchange.question.item is not None:
            by_dimension.setdefault(exchange.question.item.dimension, []).append(exchange)
    return {
        f"{dimension}/{number}": batch
        for dimension, answers in by_dimension.items()
        for number, batch in enumerate(batches(answers), 1)
    }


def _of_interview(run: Run, metric: str, interview: Sequence[Exchange]) -> Iterator[Judgement]:
    mask = masking(interview[0].subject)
    if metric in OPTION_TESTS:
        yield from option_judgements(run, metric, interview, mask)
    elif metric in _EXPERTS:
        for unit, batch in batched(interview).items():
            dimension = unit.rpartition("/")[0]
            if poles_of(metric, dimension):
                yield _batch(
                    rating_key(run, batch[0].cell.key, metric, unit), dimension, batch, mask
                )


def _batch(
    key: RatingKey, dimension: str, batch: Sequence[Exchange], mask: Callable[[str], str]
) -> Judgement:
    first, second = poles_of(key.metric, dimension)
    answers = tuple(InterviewAnswer(mask(each.question.text), mask(each.reply)) for each in batch)
    return Judgement(
        keys=(key,),
        prompt=_EXPERTS[key.metric],
        inputs=BatchToRate(dimension, first, second, answers),
        read=partial(_open_interview_read, key, first.name),
        documents=documents_of([each.cell for each in batch]),
    )


def _open_interview_read(key: RatingKey, first: str, answer: Any) -> list[Rating]:
    value = answer.of(first) if isinstance(answer, PolePercentages) else answer.rating
    return [rated(key, value, answer.analysis)]


class ItemsProtocol(QuestionsProtocol):
    """Each item of a questionnaire is one open answer, rated alone."""
