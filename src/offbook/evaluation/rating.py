"""The judge is asked, and what it answers is kept as ratings, missing ones with the reason.

Takes: finished cells that are judged together.  Gives: nothing; ratings are stored as they come.
A rating that is stored is not asked for again, and no other judge ever stands in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from offbook.errors import AnswerError, InputRefused
from offbook.evaluation.keeping import rating_row, rests_on
from offbook.evaluation.record import Rating
from offbook.models.side_by_side import failed_around, run_all
from offbook.prompts.ask import ask
from offbook.stores import evaluated_text
from offbook.stores.grouped_writes import to_the_end

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.protocol import EvaluationProtocol, Judgement
    from offbook.evaluation.record import Cell, RatingKey, Run
    from offbook.protocols import ChatModel
    from offbook.stores.grouped_writes import GroupedWrites

FORGOTTEN = "a document that the reply rested on is forgotten"


@dataclass(slots=True)
class Rater:
    """Asks one judge about the cells of one run.

    Args:
        run: The run; its ``models`` name the judge.
        dataset: What was asked.
        protocol: What to ask the judge.
        judge: Who is asked.
        retries: How often an unusable answer is asked for again.
        writes: Where ratings go.
        rated: The ratings that are stored already.
        elsewhere: Names ``character/document`` of what the dataset tells of subjects, where the
            character was not made from it.
    """

    run: Run
    dataset: Dataset
    protocol: EvaluationProtocol
    judge: ChatModel
    retries: int
    writes: GroupedWrites
    rated: set[RatingKey] = field(default_factory=set)
    elsewhere: frozenset[str] = frozenset()
    given: int = 0
    missing: int = 0

    async def rate(self, cells: Sequence[Cell]) -> None:
        """Ask for the ratings of cells that go together, all calls side by side.

        Raises:
            BudgetReached: the next call would go over the budget.
            ModelError: the endpoint failed for good, not only on one judgement.
        """
        wanted = self.wanted(cells)
        if wanted:
            await run_all([partial(self._ask, judgement, cells) for judgement in wanted])

    def wanted(self, cells: Sequence[Cell]) -> list[Judgement]:
        """The judgements of which a rating is not stored."""
        found = self.protocol.judgements(self.run, self.dataset, cells)
        return [one for one in found if any(key not in self.rated for key in one.keys)]

    async def _ask(self, judgement: Judgement, cells: Sequence[Cell]) -> None:
        if failed_around():
            return
        mine = _subjects_of(judgement, cells)
        names = frozenset(name for cell in mine for name in rests_on(cell.context))
        whose = mine[0].character
        introducing = judgement.documents - self.elsewhere
        noted = introducing | {f"{whose}/{name}" for name in names}
        ratings: Sequence[Rating]
        if any(cell.forgotten for cell in mine):
            ratings = _missing(judgement, FORGOTTEN)
        else:
            ratings = await self._answered(judgement, noted)
        new = [rating for rating in ratings if rating.key not in self.rated]
        read = names | {name.partition("/")[2] for name in introducing}
        rows = [rating_row(self.run.id, whose, rating, read) for rating in new]
        await to_the_end(self.writes.write(lambda conn: evaluated_text.add_ratings(conn, rows)))
        self.rated.update(rating.key for rating in new)
        self.given += len(new)
        self.missing += sum(rating.value is None for rating in new)

    async def _answered(self, judgement: Judgement, documents: frozenset[str]) -> Sequence[Rating]:
        """The judge's ratings; where its answers cannot be used, they are missing."""
        try:
            answer = await ask(
                self.judge,
                judgement.prompt,
                judgement.inputs,
                sample=judgement.keys[0].sample,
                documents=documents,
                retries=self.retries,
            )
            return judgement.read(answer)
        except (AnswerError, InputRefused) as error:
            return _missing(judgement, f"{error.kind}: {error.message}")


def _subjects_of(judgement: Judgement, cells: Sequence[Cell]) -> list[Cell]:
    """The cells that a judgement is about: of its subject, variant and repeat."""
    first = judgement.keys[0]
    whose = (first.subject, first.variant, first.repeat)
    about = [c for c in cells if (c.key.subject, c.key.variant, c.key.repeat) == whose]
    alone = [cell for cell in about if cell.key.question == first.unit]
    return alone or about or list(cells)


def _missing(judgement: Judgement, why: str) -> list[Rating]:
    return [Rating(key, None, missing=why) for key in judgement.keys]
