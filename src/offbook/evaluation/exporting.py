"""A run in a file: JSON Lines, a cell a line, or a log that inspect_ai reads.

Takes: a run in the store, its dataset, a file.  Gives: the file, written a cell at a time, and put
in its place when it is whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from offbook.errors import StoreFailed, UsageError
from offbook.evaluation import streaming
from offbook.evaluation.keeping import cell_row, rating_row

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.protocol import Score
    from offbook.evaluation.record import Cell, Rating, Run
    from offbook.protocols import Store

LINES: Final = ".jsonl"
INSPECT: Final = ".eval.json"

RatingsOf = Callable[["Cell"], "list[Rating]"]


def check_file(file: Path) -> None:
    """Refuse a file that cannot be written, before anything is read.

    Raises:
        UsageError: another suffix, or there is no folder for the file.
    """
    if not file.name.endswith((LINES, INSPECT)):
        raise UsageError(
            f"{file.name!r} says no format that a run can be exported to",
            f"end it with {LINES} (a cell a line) or {INSPECT} (inspect_ai)",
        )
    if not file.parent.is_dir():
        raise UsageError(f"there is no folder {str(file.parent)!r}", "make it first")


async def export_run(
    store: Store, run: Run, dataset: Dataset, scores: Iterable[Score], file: Path
) -> Path:
    """Write a run; ratings are those of all judges.

    Raises:
        UsageError: as `check_file`.
        StoreFailed: the file cannot be written.
    """
    check_file(file)
    if file.name.endswith(INSPECT):
        from offbook.evaluation.inspect_log import write_log

        write: Callable[..., None] = partial(write_log, run, dataset, list(scores))
    else:
        write = partial(_write_lines, run, dataset)
    part = file.with_name(f"{file.name}.part")

    def whole(cells: Iterator[Cell], ratings: Iterator[Rating]) -> None:
        # Of a run of 20,000 cells the ratings are some 10 MB: they are held, the cells are not.
        with _replacing(part, file) as out:
            write(cells, by_cell(dataset, ratings), out)

    await streaming.with_stream(store, run.id, None, whole)
    return file


def by_cell(dataset: Dataset, ratings: Iterable[Rating]) -> RatingsOf:
    """A function that gives the ratings of a cell: those of its own, and of batches it is in."""
    dimensions = {q.id: q.item.dimension for q in dataset.questions if q.item is not None}
    found: dict[tuple[str, str, int], dict[str, list[Rating]]] = {}
    for rating in ratings:
        key = rating.key
        units = found.setdefault((key.subject, key.variant, key.repeat), {})
        # The unit of a batch is ``dimension/number``.
        own = key.unit if "/" not in key.unit or key.unit in dimensions else _dimension(key.unit)
        units.setdefault(own, []).append(rating)

    def of(cell: Cell) -> list[Rating]:
        key = cell.key
        units = found.get((key.subject, key.variant, key.repeat), {})
        dimension = dimensions.get(key.question)
        batch = [] if dimension is None else units.get(dimension, [])
        return [*units.get(key.question, []), *batch]

    return of


def _dimension(unit: str) -> str:
    return unit.rpartition("/")[0]


def _write_lines(
    run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: RatingsOf, out: IO[str]
) -> None:
    """The run on the first line, then a cell on each, with its question and ratings."""
    questions = {
        (subject, question.id): question
        for subject in run.subjects
        for question in dataset.asked(subject)
    }
    out.write(line({"type": "run", **run.as_json()}))
    for cell in cells:
        row = cell_row(run.id, cell)
        asked = questions.get((cell.key.subject, cell.key.question))
        row |= {
            "type": "cell",
            "mark": run.mark,
            "text": None if asked is None else asked.text,
            "answers": [] if asked is None else list(asked.answers),
            "scope": None if asked is None else asked.scope,
            "ratings": [_rating(rating) for rating in ratings(cell)],
        }
        out.write(line(row))


def _rating(rating: Rating) -> dict[str, Any]:
    row = rating_row("", "", rating)
    apart = ("run_id", "character_id", "documents", "subject", "variant", "repeat")
    return {name: value for name, value in row.items() if name not in apart}


def line(row: Mapping[str, Any]) -> str:
    """One JSON document on one line."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


@contextmanager
def _replacing(part: Path, file: Path) -> Iterator[IO[str]]:
    try:
        with part.open("w", encoding="utf-8") as out:
            yield out
        part.replace(file)
    except OSError as error:
        raise StoreFailed(
            f"{str(file)!r} cannot be written: {error.strerror or error}",
            "name a file in a folder that exists and has room",
        ) from error
    finally:
        part.unlink(missing_ok=True)
