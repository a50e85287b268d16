"""Ask the question of a cell by the pipeline that ``ask`` uses, in a fresh context.

Takes: the key of a cell.  Gives: the cell with its reply, what that rests on, and what it cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from offbook import pipeline
from offbook.errors import AnswerError, InputRefused
from offbook.evaluation.acting import act
from offbook.evaluation.record import Cell, CellKey, answered
from offbook.evaluation.reply_metrics import Places
from offbook.models.batching import failed_around

if TYPE_CHECKING:
    from offbook.evaluation.record import Variant
    from offbook.models.metering import Meter
    from offbook.retrieval.point import Point
    from offbook.runtime import Runtime
    from offbook.types import Character, Recall

MakeRuntime = Callable[["Variant", "Character", "Meter"], "Runtime"]
"""Models and settings of a variant, for a character, counting on a meter."""


@dataclass(frozen=True, slots=True)
class Solver:
    """Who is asked what, and how."""

    characters: Mapping[str, Character]
    places: Places
    variants: Mapping[str, Variant]
    make_runtime: MakeRuntime
    meter: Meter
    telling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ask(self, key: CellKey) -> Cell | None:
        """The finished cell; None: a cell beside it has failed for good, and no reply is asked for.

        Raises:
            BudgetReached: the next call would go over the budget.
            IndexMissing: the method needs what was not built.
            ModelError: the endpoint failed for good, not only on this question.
        """
        character, meter = self.characters[key.subject], self.meter.part()
        question = self.places.of(key.subject).questions[key.question]
        runtime = self.make_runtime(self.variants[key.variant], character, meter)
        if question.scene is not None:
            return await act(runtime, character, key, question.scene, meter)
        recalled: Recall | None = None
        reply: str | None = None
        failed: AnswerError | InputRefused | None = None
        try:
            point: Point | None = None
            if question.as_of:
                from offbook.ingestion.profile import at_point

                character, point = await runtime.store.read(at_point, character, question.as_of)
            recalled = await pipeline.recall(runtime, character, question.text, point=point)
            if failed_around():
                return None
            reply = await pipeline.reply(runtime, character, recalled, sample=key.repeat)
        except (AnswerError, InputRefused) as failure:
            failed = failure
        return answered(key, character.id, meter.usage(), reply, recalled, failed)
