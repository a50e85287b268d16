"""One cell: a question put to a character in a fresh context, by the pipeline that `ask` uses.

Takes: the key of a cell.  Gives: the cell, with what its reply rested on.  Nothing is remembered,
and of memories only authored ones are recalled: what was said in conversations changes no score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook import pipeline
from offbook.errors import AnswerError, InputRefused
from offbook.evaluation.record import Cell, CellKey
from offbook.models.side_by_side import failed_around
from offbook.stores.statements import timestamp

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Question
    from offbook.evaluation.record import Variant
    from offbook.models.metering import Meter
    from offbook.pipeline import Stage
    from offbook.types import Character, Recall

MakeStage = Callable[["Variant", "Character", "Meter"], "Stage"]
"""Models and settings of a variant, for a character, counting on a meter."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is asked what, and how.

    Args:
        characters: By subject.
        questions: By subject and id.
        variants: By label.
        make_stage: See `MakeStage`.
        meter: Of the whole run; each cell counts on it and for itself.
    """

    characters: Mapping[str, Character]
    questions: Mapping[tuple[str, str], Question]
    variants: Mapping[str, Variant]
    make_stage: MakeStage
    meter: Meter

    async def ask(self, key: CellKey) -> Cell | None:
        """The finished cell; None: a cell beside it has failed for good, and no reply is asked for.

        Raises:
            BudgetReached: the next call would go over the budget.
            IndexMissing: the method needs what was not built.
            ModelError: the endpoint failed for good, not only on this question.
        """
        character, meter = self.characters[key.subject], self.meter.part()
        question = self.questions[key.subject, key.question]
        stage = self.make_stage(self.variants[key.variant], character, meter)
        found: Recall | None = None
        reply: str | None = None
        error: str | None = None
        try:
            found = await pipeline.recall(stage, character, question.text)
            if failed_around():
                return None
            reply = await pipeline.reply(stage, character, found, sample=key.repeat)
        except (AnswerError, InputRefused) as failure:
            error = f"{failure.kind}: {failure.message}"
        boundary = None if found is None else found.boundary
        return Cell(
            key=key,
            character=character.id,
            reply=reply,
            error=error,
            context=() if found is None else found.context,
            verdict=None if boundary is None else boundary.verdict,
            fallback=None if found is None else found.fallback,
            usage=meter.usage(),
            finished=timestamp(),
        )
