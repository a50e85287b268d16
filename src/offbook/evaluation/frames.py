"""A run as pandas frames: a row a cell, a row a rating.

Takes: a run in the store.  Gives: two frames that can be joined on subject, variant and repeat, and
on question and unit. It needs the extra ``eval``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from offbook.errors import ConfigurationError
from offbook.evaluation import streaming

if TYPE_CHECKING:
    import pandas as pd

    from offbook.evaluation.record import Cell, Rating, Run
    from offbook.protocols import Store


@dataclass(frozen=True, slots=True)
class Frames:
    """The cells and the ratings of a run.

    ``mark`` is what must stand with every score that is made of them, or None.
    """

    cells: pd.DataFrame
    ratings: pd.DataFrame
    mark: str | None


async def frames_of(store: Store, run: Run, judge: str | None = None) -> Frames:
    """The frames of a run.

    Args:
        store: Where it is.
        run: The run.
        judge: Whose ratings; None: those of all judges.

    Raises:
        ConfigurationError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ConfigurationError(
            "frames need pandas, which is not installed", "pip install 'offbook[eval]'"
        ) from error
    cells = [_cell(cell) async for cell in streaming.cells(store, run.id)]
    rated = [_rating(rating) async for rating in streaming.ratings(store, run.id, judge)]
    return Frames(
        pd.DataFrame(cells, columns=list(CELL_COLUMNS)),
        pd.DataFrame(rated, columns=list(RATING_COLUMNS)),
        run.mark,
    )


CELL_COLUMNS = (
    "subject",
    "question",
    "variant",
    "repeat",
    "character",
    "reply",
    "error",
    "verdict",
    "fallback",
    "pieces",
    "chunks",
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "cost_usd",
    "seconds",
    "finished",
)
"""Columns of the frame of cells; ``chunks`` is how many different chunks a reply rested on."""

RATING_COLUMNS = (
    "subject",
    "variant",
    "repeat",
    "metric",
    "unit",
    "judge",
    "sample",
    "value",
    "person",
    "final",
    "missing",
    "analysis",
    "person_name",
    "person_note",
)
"""Columns of the frame of ratings; ``final`` is the person's value where there is one."""


def _cell(cell: Cell) -> dict[str, Any]:
    used = cell.usage
    return {
        **asdict(cell.key),
        "character": cell.character,
        "reply": cell.reply,
        "error": cell.error,
        "verdict": cell.verdict,
        "fallback": cell.fallback,
        "pieces": len(cell.context),
        "chunks": len({s.chunk for item in cell.context for s in item.sources if s.chunk}),
        "calls": used.calls,
        "prompt_tokens": used.prompt_tokens,
        "completion_tokens": used.completion_tokens,
        "cost_usd": used.cost_usd,
        "seconds": used.seconds,
        "finished": cell.finished,
    }


def _rating(rating: Rating) -> dict[str, Any]:
    row = {name: value for name, value in asdict(rating).items() if name != "key"}
    return {**asdict(rating.key), **row, "final": rating.final}
