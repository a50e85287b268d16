"""What the native API answers about evaluations; see `shapes`.

Takes: nothing.  Gives: models for responses.
"""

from __future__ import annotations

from pydantic import Field

from offbook.server.native.shapes import Estimated, Failure, Shape, Spent, StageProgress
from offbook.stores.evaluation_jobs import JobKind, JobStatus


class BenchmarkListed(Shape):
    """A benchmark."""

    name: str
    title: str


class RunListed(Shape):
    """A run in a list."""

    id: str
    benchmark: str
    created: str
    status: str
    cells: int
    failed: int
    methods: list[str]
    judge: str
    mark: str | None
    problem: str | None


class ScoreShown(Shape):
    """A score, with what it rests on."""

    metric: str
    variant: str
    mean: float | None
    n: int


class Cells(Shape):
    """How many replies there are to be, are stored, and failed."""

    planned: int
    stored: int
    failed: int


class RunShown(Shape):
    """A run with its scores; ``mark`` has to stand wherever they go."""

    run: dict[str, object]
    mark: str | None
    cells: Cells
    judges: dict[str, dict[str, int]]
    now: dict[str, int] | None
    usage: Spent
    scores: list[ScoreShown]
    notes: list[str]


class RunsCompared(Shape):
    """Differences of two runs."""

    first: str
    second: str
    judge: str
    mark: str | None
    differences: list[dict[str, object]]
    notes: list[str]


class RunDeleted(Shape):
    """A run that was deleted."""

    id: str


class TableListed(Shape):
    """A published table."""

    name: str
    title: str


class TablePlanned(Shape):
    """What a table would run."""

    table: str
    title: str
    runs: list[dict[str, object]]
    total: Estimated
    differs: list[str]
    notes: list[str]


class JobProgress(Shape):
    """How far a job is, and what a person should know of it."""

    stages: list[StageProgress] = Field(default_factory=list)
    messages: list[str] = Field(default_factory=list)


class JobListed(Shape):
    """A job behind requests; ``run`` once a run was begun, ``error`` where it has failed."""

    id: str
    kind: JobKind
    status: JobStatus
    run: str | None
    progress: JobProgress
    error: Failure | None
    created: str
    updated: str


class JobSeen(JobListed):
    """A job; ``report`` when it is done: what the command line prints."""

    report: dict[str, object] | None


class RatingShown(Shape):
    """A rating, with all that a person needs to look it over."""

    id: str
    subject: str
    variant: str
    metric: str
    question: str
    reply: str
    judge: str
    judge_value: str
    person_value: str


class Overruled(Shape):
    """A person's value beside the judge's; null: there is none any more."""

    run: str
    rating: str
    value: float | None


class Agreement(Shape):
    """How far a judge agrees with people on a metric."""

    metric: str
    n: int
    kappa: dict[str, object]
    quadratic_kappa: dict[str, object]
    alpha: dict[str, object]
    changed: dict[str, object]


class ReviewTaken(Shape):
    """What a review that came back changed."""

    run: str
    overruled: int
    blank: int
    agreement: list[Agreement]
    mark: str | None
