"""The seam between the runner and what is measured: which ratings a run needs, and what they say.

Takes: finished cells.  Gives: judgements to ask a judge for, and scores of what it answered.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.record import Cell, CellKey, Rating, RatingKey, Run
    from offbook.prompts.prompt import Prompt

Better = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """One call to the judge, and the ratings that come of it.

    ``read`` turns the prompt's answer into one rating a key, in the order of ``keys``; an answer
    that stays unusable makes each of them missing, with the reason. ``documents`` are those whose
    text the prompt holds (``character/document``), so that forgetting one finds the cached call.
    """

    keys: tuple[RatingKey, ...]
    prompt: Prompt[Any, Any]
    inputs: Any
    read: Callable[[Any], Sequence[Rating]]
    documents: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Score:
    """One number of a run with its n and interval.

    ``group`` says over what: ``all``, ``scope=in``, ``kind=...``, ``subject=...``,
    ``dimension=...``. ``better`` is None for what is neither good nor bad (a usage rate).
    """

    metric: str
    variant: str
    group: str
    estimate: Estimate
    better: Better | None = None
    unit: str = ""


class EvaluationProtocol(Protocol):
    """How a benchmark is run; one a `ProtocolName`."""

    def ready(self, key: CellKey) -> Hashable:
        """What must be complete before it can be judged: cells of equal value go together."""
        ...

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        """What to ask the judge about cells that go together; failed cells are left out."""
        ...

    def scores(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> list[Score]:
        """The scores of a run, missing ratings excluded and counted."""
        ...
