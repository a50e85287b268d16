"""Recorded replies, and ratings of others, as a run: a file of rows becomes cells and ratings.

Takes: a file of rows, a benchmark and its dataset.  Gives: what is to be stored, or every row that
cannot be used with its place. A row is a reply with or without ratings, or ratings of a batch of an
interview (``unit``). Source: ours; docs/evaluation.md, "Replies and ratings of others".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from offbook.errors import OffbookError, UsageError
from offbook.evaluation.benchmark import parts_named
from offbook.evaluation.datasets.reading import problems_listed, read_rows
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.protocols import batched
from offbook.evaluation.record import (
    RECORDED,
    Cell,
    CellKey,
    ModelNamed,
    Rating,
    RatingKey,
    Variant,
)
from offbook.evaluation.reply_metrics import Places
from offbook.evaluation.storage import cell_row, rating_row, run_row
from offbook.stores import evaluations
from offbook.stores.statements import timestamp

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Benchmark, Dataset
    from offbook.evaluation.datasets.reading import Row
    from offbook.evaluation.record import Run
    from offbook.stores.connection import Connection

_ADDRESS: Final = "recorded:"
"""In the place of an endpoint: nobody was asked."""
_BATCH: Final = "_batch"


class RecordedRow(BaseModel):
    """One row: a reply to a ``question`` (id, text or item), or ratings of a ``unit``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    character: str = Field(min_length=1)
    method: str = Field(min_length=1)
    question: str = ""
    reply: str = ""
    unit: str = ""
    repeat: int = Field(0, ge=0)
    ratings: dict[str, float] = {}
    rated_by: str = ""


@dataclass(slots=True)
class Recorded:
    """What a file holds: replies and ratings, in its order, and what is wrong with its rows."""

    benchmark: Benchmark
    dataset: Dataset
    replies: dict[CellKey, str] = field(default_factory=dict)
    ratings: dict[RatingKey, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    _subjects: dict[str, str] = field(default_factory=dict)

    @property
    def subjects(self) -> tuple[str, ...]:
        """The subjects of the dataset that have rows."""
        return tuple(dict.fromkeys(self._subjects.values()))

    @property
    def judges(self) -> Mapping[str, str]:
        """Who gave the ratings, as a run notes its judges."""
        # What the offline rules gave is no measurement, wherever it comes from.
        names = dict.fromkeys(key.judge for key in self.ratings)
        return {name: "offline:" if name == "offline" else _ADDRESS for name in names}

    def take(self, row: Row) -> None:
        """Take over a row; ValueError says what is wrong with it."""
        each = _validated(row)
        if bool(each.unit) == bool(each.question):
            raise ValueError("a row has either a question or a unit")
        if bool(each.reply.strip()) != bool(each.question):
            raise ValueError("a question needs a reply, and a unit has none")
        if each.ratings and not each.rated_by.strip():
            raise ValueError("ratings need rated_by: who gave them")
        if each.unit and not each.ratings:
            raise ValueError("a unit needs ratings")
        subject, unit = self._subject(each.character), each.unit
        if each.question:
            unit = self._question(subject, each.question)
            place = CellKey(subject, unit, each.method, each.repeat)
            if place in self.replies:
                raise ValueError(f"a second reply of {each.method!r} to {unit!r}: number `repeat`")
            self.replies[place] = each.reply
        for metric, value in each.ratings.items():
            self._check(metric, value, of_batch=bool(each.unit))
            key = RatingKey(subject, each.method, each.repeat, metric, unit, each.rated_by.strip())
            if key in self.ratings:
                raise ValueError(f"a second {metric} of {unit!r} by {key.judge!r}")
            self.ratings[key] = value

    def _subject(self, name: str) -> str:
        if name not in self._subjects:
            try:
                self._subjects[name] = parts_named(self.dataset, [name])[0].subject.name
            except OffbookError as error:
                raise ValueError(f"{error.message}; {error.hint}") from error
        return self._subjects[name]

    def _question(self, subject: str, named: str) -> str:
        """The id of the question of this id or, alone, of this text or number of its item."""
        questions = list(self.dataset.asked(subject))
        ids = [q.id for q in questions if q.id == named] or [
            q.id for q in questions if named == q.text or (q.item and named == q.item.number)
        ]
        if len(ids) != 1:
            which = "no question" if not ids else f"{len(ids)} questions (name the id)"
            raise ValueError(f"the dataset has {which} {named!r} for {subject!r}")
        return ids[0]

    def _check(self, metric: str, value: float, *, of_batch: bool) -> None:
        if metric not in self.benchmark.metrics:
            known = ", ".join(self.benchmark.metrics)
            raise ValueError(f"{self.benchmark.name!r} has no metric {metric!r}; it has {known}")
        if metric.endswith(_BATCH) != of_batch:
            raise ValueError(f"{metric} rates {'a unit' if not of_batch else 'single replies'}")
        scale = SCALES[metric]
        if not scale.accepts(value):
            raise ValueError(f"{metric} {value:g} is not {scale.allowed}")

    def cells(self, characters: Mapping[str, str]) -> list[Cell]:
        """The replies as finished cells; ``characters``: the character's id by subject."""
        now = timestamp()
        return [
            Cell(key, characters[key.subject], reply, None, finished=now)
            for key, reply in self.replies.items()
        ]

    def check_units(self) -> None:
        """Note batches that are rated and cannot be made of the replies."""
        places = Places(self.dataset)
        interviews: dict[tuple[str, str, int], list[Cell]] = {}
        for cell in self.cells(dict.fromkeys(self.subjects, "")):
            key = cell.key
            interviews.setdefault((key.subject, key.variant, key.repeat), []).append(cell)
        units = {whose: batched(places.exchanges(some)) for whose, some in interviews.items()}
        for rated in self.ratings:
            whose = rated.subject, rated.variant, rated.repeat
            if rated.metric.endswith(_BATCH) and rated.unit not in units.get(whose, ()):
                self.problems.append(f"the replies of {whose[:2]} make no batch {rated.unit!r}")

    def described(self, run: Run) -> Run:
        """The record of a run of these replies; ``run``: as one that asks would be described."""
        actor = ModelNamed(RECORDED, _ADDRESS)
        judge = next((ModelNamed(*one) for one in self.judges.items()), run.models["judge"])
        names = dict.fromkeys(key.variant for key in self.replies)
        return replace(
            run,
            variants=tuple(Variant(name, RECORDED) for name in names),
            models={"actor": actor, "extractor": actor, "judge": judge},
            repeats=1 + max(key.repeat for key in self.replies),
            status="finished",
        )

    def store(self, conn: Connection, run: Run) -> str:
        """Store a new run with all that is in it; its id."""
        run = replace(run, id=evaluations.free_id(conn, run.benchmark))
        evaluations.add_run(conn, run_row(run))
        if self.judges:
            evaluations.change_run(conn, run.id, judges=dict(self.judges))
        evaluations.add_cells(conn, [cell_row(run.id, cell) for cell in self.cells(run.subjects)])
        evaluations.add_ratings(
            conn,
            [
                rating_row(run.id, run.subjects[key.subject], Rating(key, value))
                for key, value in self.ratings.items()
            ],
        )
        return run.id


def read_recorded(file: Path, benchmark: Benchmark, dataset: Dataset) -> Recorded:
    """What a file of rows holds; nothing where a row cannot be used.

    Raises:
        UsageError: rows cannot be used; the message says which, and why.
        UnreadableDocument: the file cannot be read.
    """
    recorded = Recorded(benchmark, dataset)
    rows = read_rows(file)
    for row in rows:
        try:
            recorded.take(row)
        except ValueError as error:
            recorded.problems.append(f"line {row.number}: {error}")
    if not recorded.problems:
        recorded.check_units()
    problems: Sequence[str] = recorded.problems
    if not recorded.replies and not problems:
        problems = ["there is no reply in it"]
    if problems:
        raise UsageError(
            f"{str(file)!r} cannot be used, nothing was taken over: {problems_listed(problems)}",
            'a line is {"character": "...", "question": "...", "method": "...", "reply": "..."}',
        )
    return recorded


def _validated(row: Row) -> RecordedRow:
    try:
        return RecordedRow.model_validate(row.values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place}: {first['msg']}") from error
