"""What the native API answers about evaluations; see `shapes`.

Takes: nothing.  Gives: models for responses.
"""

from __future__ import annotations

from offbook.server.native.shapes import Shape


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


class RunShown(Shape):
    """A run with its scores; ``mark`` has to stand wherever they go."""

    run: dict[str, object]
    mark: str | None
    scores: list[ScoreShown]
    notes: list[str]


class RunsCompared(Shape):
    """Differences of two runs."""

    first: str
    second: str
    judge: str
    mark: str | None
    differences: list[dict[str, object]]


class RunDeleted(Shape):
    """A run that was deleted."""

    id: str
