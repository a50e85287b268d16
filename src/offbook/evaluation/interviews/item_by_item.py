"""The protocol of items: one open answer in a fresh context, one rating an item.

Takes: finished cells of questions that reword items.  Gives: one judgement an item and metric; the
scores of items, letters against labels, and what the replies cost.
Paper: AMADEUS (003), section 5.2, Figure 4, tables 3-5 and 8: MBTI 1-7 and Big Five 1-5, both with
1 = very much so; HS against the retrieved chunks.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

from offbook.evaluation.interviews.scoring import item_scores
from offbook.evaluation.judging import PlacesOf, reply_judgements
from offbook.evaluation.scoring import scores_of

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.protocol import Judgement, Score
    from offbook.evaluation.record import Cell, CellKey, Rating, Run


class ItemsProtocol:
    """Each item of a questionnaire is one open answer, rated alone."""

    def __init__(self) -> None:
        self._places = PlacesOf()

    def ready(self, key: CellKey) -> Hashable:
        """An answer can be rated as soon as it is there."""
        return key

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        """One an item and metric of the run; failed cells, and items of other tests, left out."""
        asked = self._places(dataset).asked(cells)
        return [judgement for each in asked for judgement in reply_judgements(run, each)]

    def scores(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> list[Score]:
        """Means by variant and group, types against labels, and what the replies cost."""
        return scores_of(run, dataset, cells, ratings, [item_scores])
