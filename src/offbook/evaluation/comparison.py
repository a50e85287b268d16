"""Reports of runs: scores, lines of a list, and one variant less another on the same questions.

Ratings of items are keyed, and a difference of two of them means nothing: there letters and scores
of dimensions are held against people's labels first. Scores of the offline judge carry their mark.
Paper: none; the paired differences, of scores and of letters, are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from offbook.errors import UsageError
from offbook.evaluation import storage
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.statistics import Estimate, paired_difference
from offbook.evaluation.metrics.typology import TYPOLOGIES, error_of, right_type
from offbook.evaluation.personality import LETTERS, label_scores, of_variant, typology_labels
from offbook.evaluation.runner import plan
from offbook.evaluation.scores import COSTS, Measured, paired
from offbook.evaluation.storage import run_of, usage_of, usage_row
from offbook.stores import evaluations

if TYPE_CHECKING:
    from offbook.evaluation.metrics.scales import Direction
    from offbook.evaluation.record import Run, Score
    from offbook.evaluation.runner import Done
    from offbook.evaluation.runs import OpenRun
    from offbook.protocols import Store
    from offbook.stores.connection import Connection
    from offbook.types import Usage


Values = Mapping[tuple[str, str, int], float | None]
"""By subject, dimension and repeat."""
_ValuesOf = Callable[["Measured", str, str], Values]


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of ``first`` less that of ``second``, on the same questions."""

    metric: str
    first: str
    second: str
    estimate: Estimate
    better: Direction | None
    unit: str = ""

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        row = asdict(self)
        return {**row, **row.pop("estimate")}


def differences(one: Measured, first: str, other: Measured, second: str) -> Iterator[Difference]:
    """``first`` of one run less ``second`` of another (or the same), metric by metric.

    The runs have the same judge: that is looked at before.
    """
    for metric in dict.fromkeys((*one.run.metrics, *other.run.metrics)):
        if metric in TYPOLOGIES:
            yield from _of_labels(one, metric, first, other, second)
            continue
        scale = SCALES.get(metric)
        values = one.values(first, metric) or other.values(second, metric)
        if scale is not None and scale.better is not None and values:
            estimate = paired(one, metric, first, second, other=other)
            yield Difference(metric, first, second, estimate, scale.better, scale.unit)


def cost_differences(
    one: Measured, first: str, other: Measured, second: str
) -> Iterator[Difference]:
    """The same of what replies cost, and of how many failed."""
    for metric in ("failed", *COSTS):
        estimate = paired(one, metric, first, second, other=other)
        if estimate.n:
            unit = COSTS.get(metric, "share")
            yield Difference(metric, first, second, estimate, "lower", unit)


def why_no_differences(measured: Measured) -> list[str]:
    """Which tests have nothing to be compared by, and why."""
    return [
        f"{metric}: no differences, because people have given its characters no labels"
        for metric in measured.run.metrics
        if metric in TYPOLOGIES and not _labelled(measured, metric)
    ]


def comparable(one: Run, other: Run) -> list[tuple[str, str]]:
    """Variants of one label, or the only ones that two runs have."""
    mine = [variant.label for variant in one.variants]
    theirs = [variant.label for variant in other.variants]
    shared = [(label, label) for label in mine if label in theirs]
    if not shared and len(mine) == len(theirs) == 1:
        return [(mine[0], theirs[0])]
    return shared


def _of_labels(
    one: Measured, metric: str, first: str, other: Measured, second: str
) -> Iterator[Difference]:
    kinds: tuple[tuple[str, _ValuesOf, Direction, str], ...]
    if metric in LETTERS:
        kinds = (("accuracy", _right_letters, "higher", "share"),)
    else:
        kinds = (
            (
                "acc_dim",
                partial(_by_label, partial(right_type, tie=one.run.tie)),
                "higher",
                "share",
            ),
            ("mae", partial(_by_label, error_of), "lower", "span"),
        )
    for name, values_of, better, unit in kinds:
        mine, yours = values_of(one, metric, first), values_of(other, metric, second)
        if any(value is not None for value in (*mine.values(), *yours.values())):
            estimate = paired_difference(mine, yours, lambda place: place[0])
            yield Difference(f"{metric}.{name}", first, second, estimate, better, unit)


def _right_letters(measured: Measured, metric: str, variant: str) -> Values:
    """1 where a letter is that of the label, 0 where it is not, None where there is none."""
    dimensions = [each.name for each in TYPOLOGIES[metric].dimensions]
    return {
        (one.subject, name, 0): None if letter is None else float(letter == label)
        for one in of_variant(measured, metric, variant, by_repeat=False)
        for name, letter, label in zip(dimensions, one.letters, one.labels, strict=True)
        if label is not None
    }


def _by_label(
    compared: Callable[..., float | None], measured: Measured, metric: str, variant: str
) -> Values:
    """Scores of dimensions whose label is not X, each held against it."""
    typology = TYPOLOGIES[metric]
    values: dict[tuple[str, str, int], float | None] = {}
    for one in of_variant(measured, metric, variant, by_repeat=True):
        labels = label_scores(measured.places.of(one.subject).subject, typology)
        for score in one.scores:
            label = labels.get(score.dimension)
            if label is not None and label.type != "X":
                value = compared(score.score, label, typology.scale)
                values[one.subject, score.dimension, one.repeat or 0] = value
    return values


def _labelled(measured: Measured, metric: str) -> bool:
    subjects = (measured.places.of(name).subject for name in measured.subjects)
    return any(any(typology_labels(each, TYPOLOGIES[metric])) for each in subjects)


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


async def scored(store: Store, opened: OpenRun, done: Done | None) -> RunReport:
    """The report of a run, scored by the judge that it names."""
    run = opened.run

    def read(conn: Connection) -> tuple[evaluations.StoredRun, tuple[int, int], dict[str, Any]]:
        stored = evaluations.require_run(conn, run.id)
        rated = evaluations.count_ratings(conn, run.id)
        return stored, evaluations.count_cells(conn, run.id), rated

    stored, (cells, failed), rated = await store.read(read)
    scores = await storage.scores(store, opened.protocol, run, opened.dataset)
    named = dict.fromkeys((*stored.judges, *rated))
    return RunReport(
        run=replace(run, status=stored.status),
        planned=sum(map(len, plan(run, opened.dataset, opened.protocol))),
        cells=cells,
        failed=failed,
        judges={name: RatingCounts(*rated.get(name, ())) for name in named},
        usage=usage_of(stored.usage),
        scores=tuple(scores),
        notes=opened.notes,
        done=done,
    )


async def lines_of(store: Store) -> list[RunLine]:
    """All runs, newest first; one whose record cannot be read is listed with the reason."""

    def read(conn: Connection) -> list[tuple[evaluations.StoredRun, tuple[int, int]]]:
        stored_runs = evaluations.list_runs(conn)
        return [(stored, evaluations.count_cells(conn, stored.id)) for stored in stored_runs]

    return [_line(stored, cells, failed) for stored, (cells, failed) in await store.read(read)]


def _line(stored: evaluations.StoredRun, cells: int, failed: int) -> RunLine:
    line = RunLine(stored.id, stored.benchmark, stored.created, stored.status, cells, failed)
    try:
        run = run_of(stored)
    except UsageError as error:
        return replace(line, problem=error.message)
    labels = tuple(variant.label for variant in run.variants)
    return replace(line, methods=labels, judge=run.models["judge"].model, mark=run.mark)


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
    all_differences: list[Difference] = []
    for a, b in pairs:
        names = _label(first.run, a, second.run), _label(second.run, b, first.run)
        each_of = (*differences(one, a, other, b), *cost_differences(one, a, other, b))
        all_differences += [replace(each, first=names[0], second=names[1]) for each in each_of]
    return Comparison(first.run, second.run, tuple(all_differences), tuple(why_no_differences(one)))


async def _measured(store: Store, opened: OpenRun) -> Measured:
    return await storage.with_stream(
        store, opened.run, lambda *streams: Measured(opened.run, opened.dataset, *streams)
    )


def check_judge(one: Run, other: Run) -> None:
    """Refuse runs that were rated by different judges: their scores say nothing of one another.

    Raises:
        UsageError: they were.
    """
    judges = one.models.get("judge"), other.models.get("judge")
    if judges[0] != judges[1]:
        listed = " and ".join(
            f"{judge.model!r} at {judge.base_url}" if judge else "none" for judge in judges
        )
        name = judges[0].model if judges[0] else ""
        raise UsageError(
            f"{one.id!r} and {other.id!r} have different judges, {listed}: they are not compared"
            " and do not belong into one report",
            f"have one judge rate both: offbook eval score {other.id} --judge {name}",
        )


def _check_comparable(one: Run, other: Run) -> None:
    check_judge(one, other)
    for what in ("benchmark", "benchmark_version", "dataset_checksum", "protocol"):
        before, after = getattr(one, what), getattr(other, what)
        if before != after:
            raise UsageError(
                f"{one.id!r} and {other.id!r} are not of the same {what.replace('_', ' ')}: "
                f"{before} and {after}",
                "compare runs of the same questions",
            )
    if judging_prompts(one) != judging_prompts(other):
        raise UsageError(
            f"the judge was asked in other words for {one.id!r} than for {other.id!r}",
            "run one of them again with this version",
        )


def judging_prompts(run: Run) -> dict[str, int]:
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
