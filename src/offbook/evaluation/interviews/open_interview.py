"""The protocol of open interviews: answers by dimension, rated in batches by an expert.

Takes: the finished cells of one character, variant and repeat.  Gives: judgements of batches, and
of options where the run asks for them; dimension scores against labels.
Paper: Emotional RAG (004), section III, Figure 4, tables II and III, after InCharacter. Answers are
matched to items by id; names are masked before rating; ratings of an expert are not reverse-keyed,
because the expert reads what the answer says.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.interviews.dimensions import SIXTEEN, TRAITS
from offbook.evaluation.interviews.masking import masking
from offbook.evaluation.interviews.option_conversion import OPTION_TESTS, option_judgements
from offbook.evaluation.interviews.scoring import interview_scores
from offbook.evaluation.judging import Asked, PlacesOf, documents_of, rated, rating_key
from offbook.evaluation.metrics.incharacter import batches
from offbook.evaluation.protocol import Judgement
from offbook.evaluation.scoring import scores_of
from offbook.prompts.interviewing import (
    RATE_16P_BATCH,
    RATE_BFI_BATCH,
    BatchToRate,
    InterviewAnswer,
    Pole,
    PolePercentages,
)
from offbook.prompts.prompt import Prompt

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.protocol import Score
    from offbook.evaluation.record import Cell, CellKey, Rating, RatingKey, Run

_EXPERTS: Final[Mapping[str, tuple[Prompt[BatchToRate, Any], Mapping[str, tuple[Pole, Pole]]]]] = {
    "bfi_batch": (RATE_BFI_BATCH, TRAITS),
    "16p_batch": (RATE_16P_BATCH, SIXTEEN),
}
"""The expert's prompt and the dimensions that it knows, by the name of the scale."""


class OpenInterviewProtocol:
    """A whole interview is answered first, and rated then."""

    def __init__(self) -> None:
        self._places = PlacesOf()

    def ready(self, key: CellKey) -> Hashable:
        """One interview: a subject, a variant, a repeat."""
        return key.subject, key.variant, key.repeat

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        """Batches of each dimension, and options, as the run's metrics say.

        The answers that are there make the batches; failed cells are left out.
        """
        interviews: dict[Hashable, list[Asked]] = {}
        for asked in self._places(dataset).asked(cells):
            interviews.setdefault(self.ready(asked.cell.key), []).append(asked)
        return [
            judgement
            for interview in interviews.values()
            for metric in run.metrics
            for judgement in _of_interview(run, metric, interview)
        ]

    def scores(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> list[Score]:
        """Dimension scores, agreement with labels, and what the replies cost."""
        return scores_of(run, dataset, cells, ratings, [interview_scores])


def batched(interview: Sequence[Asked]) -> dict[str, Sequence[Asked]]:
    """The answers that an expert rates at once, by the unit of the rating: ``dimension/batch``.

    Args:
        interview: The answers of one interview, in the order of the questionnaire.
    """
    by_dimension: dict[str, list[Asked]] = {}
    for asked in interview:
        if asked.question.item is not None:
            by_dimension.setdefault(asked.question.item.dimension, []).append(asked)
    return {
        f"{dimension}/{number}": batch
        for dimension, answers in by_dimension.items()
        for number, batch in enumerate(batches(answers), 1)
    }


def _of_interview(run: Run, metric: str, interview: Sequence[Asked]) -> Iterator[Judgement]:
    mask = masking(interview[0].subject)
    if metric in OPTION_TESTS:
        yield from option_judgements(run, metric, interview, mask)
    elif metric in _EXPERTS:
        for unit, batch in batched(interview).items():
            dimension = unit.rpartition("/")[0]
            if dimension in _EXPERTS[metric][1]:
                yield _batch(
                    rating_key(run, batch[0].cell.key, metric, unit), dimension, batch, mask
                )


def _batch(
    key: RatingKey, dimension: str, batch: Sequence[Asked], mask: Callable[[str], str]
) -> Judgement:
    prompt, known = _EXPERTS[key.metric]
    first, second = known[dimension]
    answers = tuple(InterviewAnswer(mask(each.question.text), mask(each.reply)) for each in batch)
    return Judgement(
        keys=(key,),
        prompt=prompt,
        inputs=BatchToRate(dimension, first, second, answers),
        read=partial(_read, key, first.name),
        documents=documents_of([each.cell for each in batch]),
    )


def _read(key: RatingKey, first: str, answer: Any) -> list[Rating]:
    value = answer.of(first) if isinstance(answer, PolePercentages) else answer.rating
    return [rated(key, value, answer.analysis)]
