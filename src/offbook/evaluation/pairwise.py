"""Two methods side by side: which of two replies does a judge prefer, whichever stands first?

Each pair is judged twice, the second time in the other order; a reply wins that is preferred both
times, and where the two judgements disagree it is a tie. So is a pair of equal replies, about which
nobody is asked.
Source: ours, after the swapped orders of MT-Bench (Zheng et al. 2023, section 3.4).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.record import Judgement, Rating, RatingKey
from offbook.evaluation.reply_metrics import PlacesOf, documents_named, documents_of, shown
from offbook.evaluation.scores import Place
from offbook.prompts.interviewing import COMPARE_REPLIES, LabelledReply, RepliesToCompare

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import Cell, CellKey, Run
    from offbook.prompts.interviewing import Preference

METRIC: Final = "pairwise"
"""Name of these ratings; a value is 1 where the first method's reply was preferred, else 0."""
_LABELS: Final = ("A", "B")


@dataclass(frozen=True, slots=True)
class Preferences:
    """How often the replies of ``first`` were preferred to those of ``second``.

    Args:
        win_rate: Of ``first``: a win counts 1, a tie 1/2; characters are drawn for its interval
            where there are several. Missing are pairs without both judgements or both replies.
        equal: Of the ties, how many were of equal replies.
        first_place: How often the reply in the first place was preferred; 1/2 is no bias.
    """

    first: str
    second: str
    win_rate: Estimate
    wins: int
    ties: int
    losses: int
    equal: int
    first_place: Estimate
    mark: str | None = None

    @property
    def sentence(self) -> str:
        """Who is preferred, how often, with n."""
        ends = self.win_rate.interval
        names = (self.first, self.second)
        if ends is None or ends[0] <= 0.5 <= ends[1]:
            head = f"Neither {self.first} nor {self.second} is preferred: {self.first} wins"
            return f"{head} {self.win_rate:.2f}"
        rate = self.win_rate
        if ends[1] < 0.5:
            names = names[::-1]
            rate = Estimate(1 - (rate.mean or 0.0), rate.n, rate.missing, 1 - ends[1], 1 - ends[0])
        return f"{names[0]} is preferred to {names[1]}: it wins {rate:.2f}"

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return {**asdict(self), "sentence": self.sentence}


class Pairwise:
    """The comparison as a protocol: the runner asks for it about the stored cells of a run."""

    def __init__(self, first: str, second: str) -> None:
        self._methods = (first, second)
        self._places = PlacesOf()

    def ready(self, key: CellKey) -> Hashable:
        """All variants' replies to one question."""
        return key.subject, key.question, key.repeat

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        """Two for each question: the first method's reply in front, then behind."""
        judgements: list[Judgement] = []
        for place, (one, other) in self._pairs(cells).items():
            question = self._places(dataset).of(place.subject).questions.get(place.unit)
            if question is None or _same(one, other):
                continue
            introduction = self._places(dataset).of(place.subject).introduction
            documents = documents_of((one, other))
            documents |= documents_named(one.character, introduction)
            evidence = tuple(dict.fromkeys((*one.evidence, *other.evidence)))
            for order, pair in enumerate(((one, other), (other, one))):
                replies = tuple(
                    LabelledReply(label, "", cell.reply or "")
                    for label, cell in zip(_LABELS, pair, strict=True)
                )
                key = self._key(run, place, order)
                inputs = RepliesToCompare(
                    place.subject,
                    introduction.text,
                    question.text,
                    replies,
                    question.answers,
                    shown(evidence),
                )
                read = partial(_read, key, _LABELS[order])
                judgements.append(
                    Judgement((key,), COMPARE_REPLIES, inputs, read, documents, evidence)
                )
        return judgements

    def preferences(
        self, run: Run, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> Preferences:
        """Count what the judgements of a run say."""
        pairs: dict[Place, bool | None] = {}
        eligible = [cell for cell in cells if cell.key.variant in self._methods]
        compared = self._pairs(eligible)
        for cell in eligible:
            place = Place(cell.key.subject, cell.key.question, cell.key.repeat)
            pairs[place] = _same(*compared[place]) if place in compared else None
        values = {rating.key: rating.final for rating in ratings if rating.key.metric == METRIC}
        results: list[float | None] = []
        seats: list[float | None] = []
        for place, equal in pairs.items():
            votes = [values.get(self._key(run, place, order)) for order in (0, 1)]
            seats += [] if equal else [votes[0], None if votes[1] is None else 1 - votes[1]]
            # Two votes for one method are a win, one each is a tie.
            known = None if None in votes or equal is None else sum(v or 0 for v in votes) / 2
            results.append(0.5 if equal else known)
        several = len({place.subject for place in pairs}) > 1
        clusters = [place.subject if several else place.unit for place in pairs]
        counts = Counter(results)
        return Preferences(
            *self._methods,
            estimate(results, clusters),
            wins=counts[1.0],
            ties=counts[0.5],
            losses=counts[0.0],
            equal=sum(equal is True for equal in pairs.values()),
            first_place=estimate(seats),
            mark=run.mark,
        )

    def _pairs(self, cells: Iterable[Cell]) -> dict[Place, tuple[Cell, Cell]]:
        """The cells of both methods, for the questions to which both have a reply."""
        together: dict[Place, dict[str, Cell]] = defaultdict(dict)
        for cell in cells:
            if cell.reply is not None:
                place = Place(cell.key.subject, cell.key.question, cell.key.repeat)
                together[place][cell.key.variant] = cell
        first, second = self._methods
        return {
            place: (some[first], some[second])
            for place, some in together.items()
            if first in some and second in some
        }

    def _key(self, run: Run, place: Place, order: int) -> RatingKey:
        unit = f"{place.unit}/{'|'.join(self._methods)}/{order + 1}"
        judge = run.models["judge"].model
        return RatingKey(place.subject, "", place.repeat, METRIC, unit, judge)


def _same(one: Cell, other: Cell) -> bool:
    return (one.reply or "").split() == (other.reply or "").split()


def _read(key: RatingKey, mine: str, answer: Preference) -> list[Rating]:
    return [Rating(key, float(answer.best == mine), answer.analysis)]
