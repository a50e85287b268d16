"""A run as pandas frames: a row a cell, a row a rating.

It needs the extra ``eval``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

from offbook.errors import ConfigurationError
from offbook.evaluation import storage
from offbook.evaluation.scores import COSTS
from offbook.extras import install_command

if TYPE_CHECKING:
    import pandas as pd

    from offbook.evaluation.record import Cell, Rating, Run
    from offbook.protocols import Store


def require_pandas() -> ModuleType:
    """Import pandas.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ConfigurationError(
            "frames and tables need pandas, which is not installed", install_command("eval")
        ) from error
    return cast("ModuleType", pd)


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

    ``judge``: whose ratings; None: those of all judges.

    Raises:
        ConfigurationError: pandas is not installed.
    """
    pd = require_pandas()
    cells, rated = await storage.with_stream(
        store,
        run,
        lambda cells, ratings: (
            [_cell(cell) for cell in cells],
            [_rating(each) for each in ratings if judge in (None, each.key.judge)],
        ),
        of_all=True,
    )
    return Frames(
        pd.DataFrame(cells, columns=list(CELL_COLUMNS)),
        pd.DataFrame(rated, columns=list(RATING_COLUMNS)),
        run.mark,
    )


CELL_COLUMNS: Final = (
    *("subject", "question", "variant", "repeat", "character", "reply", "error", "verdict"),
    *("fallback", "pieces", "chunks", *COSTS, "finished"),
)
"""Columns of the frame of cells; ``chunks`` is how many different chunks a reply rested on."""

RATING_COLUMNS: Final = (
    *("subject", "variant", "repeat", "metric", "unit", "judge", "sample", "value", "person"),
    *("final", "missing", "analysis", "person_name", "person_note"),
)
"""Columns of the frame of ratings; ``final`` is the person's value where there is one."""


def _cell(cell: Cell) -> dict[str, Any]:
    plain = ("character", "reply", "error", "verdict", "fallback", "finished")
    return {
        **asdict(cell.key),
        **{name: getattr(cell, name) for name in plain},
        **{name: getattr(cell.usage, name) for name in COSTS},
        "pieces": len(cell.context),
        "chunks": len({s.chunk for item in cell.context for s in item.sources if s.chunk}),
    }


def _rating(rating: Rating) -> dict[str, Any]:
    row = {name: value for name, value in asdict(rating).items() if name != "key"}
    return {**asdict(rating.key), **row, "final": rating.final}
