"""What is said of runs: scores with their n and interval, comparisons, lines of a list.

Takes: runs in the store.  Gives: reports and the JSON shapes of ``docs/evaluation.md``.  Scores of
the offline judge carry their mark wherever they go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from offbook.errors import UsageError
from offbook.evaluation import streaming
from offbook.evaluation.comparing import (
    Difference,
    comparable,
    cost_differences,
    differences,
    why_no_differences,
)
from offbook.evaluation.keeping import run_of, usage_of, usage_row
from offbook.evaluation.measured import Measured
from offbook.evaluation.plan import plan
from offbook.stores import evaluations

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.evaluation.runs import OpenRun
    from offbook.evaluation.protocol import Score
    from offbook.evaluation.record import Run
    from offbook.evaluation.runner import Done
    from offbook.protocols import Store
    from offbook.types import Usage


@dataclass(frozen=True, slots=True)
class RatingCounts:
    """Ratings of one judge: all, those that are missing, those that a person overruled."""

    ratings: int = 0
    missing: int = 0
    overruled: int = 0


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run with its scores by one judge; ``done`` is what this command did of it."""

    run: Run
    planned: int
    cells: int
    failed: int
    judges: Mapping[str, RatingCounts]
    usage: Usage
    scores: tuple[Score, ...]
    notes: tuple[str, ...]
    done: Done | None = None

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval run --json`` and ``eval show --json``."""
        now = None
        if self.done is not None:
            now = {name: getattr(self.done, name) for name in ("asked", "rated", "missing")}
        return {
            "run": self.run.as_json(),
            "mark": self.run.mark,
            "cells": {"planned": self.planned, "stored": self.cells, "failed": self.failed},
            "judges": {name: asdict(counts) for name, counts in self.judges.items()},
            "now": now,
            "usage": usage_row(self.usage),
            "scores": [score_row(score) for score in self.scores],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a list; ``problem`` says why its record cannot be read."""

    id: str
    benchmark: str
    created: str
    status: str
    cells: int
    failed: int
    methods: tuple[str, ...] = ()
    judge: str = ""
    mark: str | None = None
    problem: str | None = None

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, or the variants of one, side by side; ``notes`` say what cannot be compared."""

    first: Run
    second: Run
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def mark(self) -> str | None:
        """What must stand with the differences."""
        return self.first.mark or self.second.mark

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval compare --json``."""
        return {
            "first": self.first.id,
            "second": self.second.id,
            "judge": self.first.models["judge"].model,
            "mark": self.mark,
            "differences": [each.as_json() for each in self.differences],
            "notes": list(self.notes),
        }


def score_row(score: Score) -> dict[str, Any]:
    """A score as a plain dictionary."""
    head = {"metric": score.metric, "variant": score.variant, "group": score.group}
    return {**head, **score.estimate.as_json(), "better": score.better, "unit": score.unit}


async def scored(store: Store, found: OpenRun, done: Done | None) -> RunReport:
    """The report of a run, scored by the judge that it names."""
    run = found.run

    def read(conn: Connection) -> tuple[evaluations.StoredRun, tuple[int, int], dict[str, Any]]:
        stored = evaluations.require_run(conn, run.id)
        rated = evaluations.count_ratings(conn, run.id)
        return stored, evaluations.count_cells(conn, run.id), rated

    stored, (cells, failed), rated = await store.read(read)
    scores = await streaming.scores(store, found.protocol, run, found.dataset)
    named = dict.fromkeys((*stored.judges, *rated))
    return RunReport(
        run=replace(run, status=stored.status),
        planned=plan(run, found.dataset, found.protocol).cells,
        cells=cells,
        failed=failed,
        judges={name: RatingCounts(*rated.get(name, ())) for name in named},
        usage=usage_of(stored.usage),
        scores=tuple(scores),
        notes=found.notes,
        done=done,
    )


async def lines_of(store: Store) -> list[RunLine]:
    """All runs, newest first; one whose record cannot be read is listed with the reason."""

    def read(conn: Connection) -> list[tuple[evaluations.StoredRun, tuple[int, int]]]:
        found = evaluations.list_runs(conn)
        return [(stored, evaluations.count_cells(conn, stored.id)) for stored in found]

    return [_line(stored, *counts) for stored, counts in await store.read(read)]


def _line(stored: evaluations.StoredRun, cells: int, failed: int) -> RunLine:
    head = (stored.id, stored.benchmark, stored.created, stored.status, cells, failed)
    try:
        run = run_of(stored)
    except UsageError as error:
        return RunLine(*head, problem=error.message)
    labels = tuple(variant.label for variant in run.variants)
    return RunLine(*head, labels, run.models["judge"].model, run.mark)


# -- comparing ---------------------------------------------------------------------------------


async def compared(store: Store, first: OpenRun, second: OpenRun) -> Comparison:
    """Differences on the same questions, by metric: of what was rated, and of what it cost.

    Of two runs, variants of one label are compared, or the only ones that they have; of one run,
    every other variant with its first.

    Raises:
        UsageError: their judges, datasets or protocols differ.
    """
    _check_comparable(first.run, second.run)
    pairs = _pairs(first.run, second.run)
    one = await _measured(store, first)
    other = one if first.run.id == second.run.id else await _measured(store, second)
    found: list[Difference] = []
    for a, b in pairs:
        names = _label(first.run, a, second.run), _label(second.run, b, first.run)
        both = one, a, other, b
        each_of = (*differences(*both), *cost_differences(*both))
        found += [replace(each, first=names[0], second=names[1]) for each in each_of]
    return Comparison(first.run, second.run, tuple(found), tuple(why_no_differences(one)))


async def _measured(store: Store, found: OpenRun) -> Measured:
    judge = found.run.models["judge"].model
    return await streaming.with_stream(
        store,
        found.run.id,
        judge,
        lambda cells, ratings: Measured(found.run, found.dataset, cells, ratings),
    )


def _check_comparable(one: Run, other: Run) -> None:
    judges = one.models["judge"], other.models["judge"]
    if judges[0] != judges[1]:
        told = " and ".join(f"{judge.model!r} at {judge.base_url}" for judge in judges)
        raise UsageError(
            f"runs with different judges are not compared: {told}",
            f"have one judge rate both: offbook eval score RUN --judge {judges[0].model}",
        )
    for what in ("benchmark", "benchmark_version", "dataset_checksum", "protocol"):
        before, after = getattr(one, what), getattr(other, what)
        if before != after:
            raise UsageError(
                f"{one.id!r} and {other.id!r} are not of the same {what.replace('_', ' ')}: "
                f"{before} and {after}",
                "compare runs of the same questions",
            )
    asked = _judging(one), _judging(other)
    if asked[0] != asked[1]:
        raise UsageError(
            f"the judge was asked in other words for {one.id!r} than for {other.id!r}",
            "run one of them again with this version",
        )


def _judging(run: Run) -> dict[str, int]:
    """The versions of the prompts that a judge is asked."""
    from offbook.prompts.catalogue import ALL

    mine = {prompt.name for prompt in ALL if prompt.role == "judge"}
    return {name: version for name, version in run.prompts.items() if name in mine}


def _pairs(one: Run, other: Run) -> list[tuple[str, str]]:
    labels = [variant.label for variant in one.variants]
    if one.id == other.id:
        if len(labels) < 2:
            raise UsageError(
                f"the run {one.id!r} has one method only", "name another run to compare it with"
            )
        return [(label, labels[0]) for label in labels[1:]]
    others = [variant.label for variant in other.variants]
    shared = comparable(one, other)
    if not shared:
        raise UsageError(
            f"{one.id!r} and {other.id!r} have no method in common: {', '.join(labels)} and "
            f"{', '.join(others)}",
            "compare runs of one method each, or the methods of one run: offbook eval compare RUN",
        )
    return shared


def _label(run: Run, label: str, other: Run) -> str:
    return label if run.id == other.id else f"{run.id}:{label}"
