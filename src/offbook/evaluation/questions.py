"""The protocol of single questions: each reply is rated alone, by every metric of the run.

Takes: finished cells.  Gives: one judgement a metric and reply; the scores of the run.
Paper: RoleRAG (001), section 4.2, tables 1-4; AMADEUS (003), section 5.2, table 6.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

from offbook.evaluation.judging import PlacesOf, reply_judgements
from offbook.evaluation.scoring import More, scores_of

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.protocol import Judgement, Score
    from offbook.evaluation.record import Cell, CellKey, Rating, Run


class QuestionsProtocol:
    """Each question is one reply, rated alone.

    Attributes:
        more: What is scored besides ratings of replies and what they cost.
    """

    more: Sequence[More] = ()

    def __init__(self) -> None:
        self._places = PlacesOf()

    def ready(self, key: CellKey) -> Hashable:
        """A reply can be judged as soon as it is there."""
        return key

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        """One a metric of the run and reply; failed cells, and undefined metrics, are left out."""
        asked = self._places(dataset).asked(cells)
        return [judgement for each in asked for judgement in reply_judgements(run, each)]

    def scores(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> list[Score]:
        """Means by variant and group, what there is more, and what the replies cost."""
        return scores_of(run, dataset, cells, ratings, self.more)
