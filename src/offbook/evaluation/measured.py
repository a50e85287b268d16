"""What a run has measured, kept as numbers only: ratings by place, and what each reply cost.

Takes: cells and ratings, each read once and let go.  Gives: values by variant and metric, with
what is missing and what is undefined told apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from offbook.evaluation.judging import CHUNK_KINDS, REPLY_METRICS, Asked, Places
from offbook.evaluation.metrics.retrieval_use import CharacterUse, RetrievalUse, over_characters

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset, Question
    from offbook.evaluation.record import Cell, Rating, Run

COSTS: Final = ("calls", "prompt_tokens", "completion_tokens", "cost_usd", "seconds")
"""What a reply cost, by the names of the contract's USAGE."""


class Place(NamedTuple):
    """Where a value belongs: ``unit`` is a question's id, or ``dimension/batch``."""

    subject: str
    unit: str
    repeat: int


Values = Mapping[Place, float | None]
"""Values by place; None is missing."""


@dataclass(slots=True)
class _Chunks:
    """How one variant used the chunks of one subject."""

    questions: int = 0
    times: Counter[str] = field(default_factory=Counter)
    failures: list[bool] = field(default_factory=list)


class Measured:
    """The numbers of a run.

    Memory grows with the number of ratings, by some hundred bytes each; no text is kept.

    Args:
        run: The run; only ratings of the judge that it names are read.
        dataset: What was asked.
        cells: The cells, read once.
        ratings: The ratings, read once after the cells.
    """

    def __init__(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> None:
        self.run: Final = run
        self.places: Final = Places(dataset)
        self._values: dict[tuple[str, str], dict[Place, float | None]] = defaultdict(dict)
        self._undefined: Counter[tuple[str, str]] = Counter()
        self._chunks: dict[tuple[str, str], _Chunks] = defaultdict(_Chunks)
        self._known: dict[Place, Place] = {}
        self._names: dict[str, str] = {}
        self._failed: dict[str, list[Place]] = defaultdict(list)
        for cell in cells:
            self._add_cell(cell)
        self._count_failed()
        judge = run.models["judge"].model if "judge" in run.models else None
        for rating in ratings:
            if rating.key.judge == judge and rating.key.sample == 0:
                self._add_rating(rating)

    @property
    def variants(self) -> tuple[str, ...]:
        """Labels of the run's variants."""
        return tuple(variant.label for variant in self.run.variants)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Names of the subjects that were asked."""
        return tuple(self.run.subjects)

    def values(self, variant: str, metric: str) -> Values:
        """The values of a metric (a scale, a cost, ``failed``) by place; None is missing."""
        return self._values.get((variant, metric), {})

    def undefined(self, variant: str, metric: str) -> int:
        """How many replies of a variant have no such rating, by the metric's own definition."""
        return self._undefined[variant, metric]

    def question(self, place: Place) -> Question | None:
        """The question of a place; None for a batch of an interview."""
        return self.places.questions(place.subject).get(place.unit)

    def retrieval(self, variant: str) -> RetrievalUse | None:
        """How a variant used the characters' chunks; None where it retrieved none.

        Where the run does not know how many chunks there were, usage rates are undefined, and
        chunks that were never used are not in the histogram.
        """
        chunks = self.run.chunks.get(variant, {})
        uses = [
            _use(tally, chunks.get(subject))
            for (label, subject), tally in sorted(self._chunks.items())
            if label == variant
        ]
        used = any(use.distinct or use.failures for use in uses)
        return over_characters(uses) if used else None

    # -- reading -------------------------------------------------------------------------------

    def _add_cell(self, cell: Cell) -> None:
        key = cell.key
        place = self._place(key.subject, key.question, key.repeat)
        self._values[key.variant, "failed"][place] = float(cell.reply is None)
        for cost in COSTS:
            self._values[key.variant, cost][place] = getattr(cell.usage, cost)
        asked = self.places.one_asked(cell)
        if cell.reply is None:
            self._failed[key.variant].append(place)
        elif asked is not None:
            self._expect(asked, place)
        self._add_chunks(cell)

    def _expect(self, asked: Asked, place: Place) -> None:
        """What should be rated is missing until its rating comes."""
        variant = asked.cell.key.variant
        for metric in self._metrics():
            if REPLY_METRICS[metric].undefined(asked) is None:
                self._values[variant, metric][place] = None
            else:
                self._undefined[variant, metric] += 1

    def _count_failed(self) -> None:
        """A reply that failed has no rating where others of its variant should have one."""
        for variant, places in self._failed.items():
            for metric in self._metrics():
                expected = self._values.get((variant, metric))
                if expected or not self._undefined[variant, metric]:
                    self._values[variant, metric].update(dict.fromkeys(places))

    def _add_chunks(self, cell: Cell) -> None:
        tally = self._chunks[cell.key.variant, cell.key.subject]
        tally.questions += 1
        tally.times.update(
            {
                self._names.setdefault(source.chunk, source.chunk)
                for item in cell.context
                if item.kind in CHUNK_KINDS
                for source in item.sources
                if source.chunk
            }
        )
        if cell.fallback is not None:
            tally.failures.append(cell.fallback)

    def _add_rating(self, rating: Rating) -> None:
        key = rating.key
        place = self._place(key.subject, key.unit, key.repeat)
        self._values[key.variant, key.metric][place] = rating.final

    def _metrics(self) -> Iterator[str]:
        return (metric for metric in self.run.metrics if metric in REPLY_METRICS)

    def _place(self, subject: str, unit: str, repeat: int) -> Place:
        place = Place(subject, unit, repeat)
        return self._known.setdefault(place, place)


def _use(tally: _Chunks, chunks: int | None) -> CharacterUse:
    histogram = Counter(tally.times.values())
    distinct = len(tally.times)
    if chunks is not None and chunks > distinct:
        histogram[0] = chunks - distinct
    return CharacterUse(
        questions=tally.questions,
        # A document may have been forgotten since: what was used cannot be more than there is.
        chunks=0 if chunks is None else max(chunks, distinct),
        distinct=distinct,
        failures=tuple(tally.failures),
        duplication=dict(sorted(histogram.items())),
        unjudged=0,
    )
