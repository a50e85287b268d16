"""What a run is to ask, of whom and how: a person's words looked up, before anything is done.

Takes: names of a benchmark, characters, methods.  Gives: the dataset, the characters, the variants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from offbook.app.evaluation import cast as evaluation_cast
from offbook.app.evaluation import runs as evaluation_runs
from offbook.app.evaluation.variants import AsVariant, variants_of
from offbook.errors import UsageError
from offbook.evaluation import catalogue
from offbook.evaluation.subjects import narrowed, parts_named

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.app.evaluation.cast import Missing
    from offbook.evaluation.benchmark import Benchmark, Dataset
    from offbook.evaluation.protocol import EvaluationProtocol
    from offbook.types import Character


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of whom and how, before anything is made or stored."""

    benchmark: Benchmark
    dataset: Dataset
    protocol: EvaluationProtocol
    chosen: Mapping[str, Character | Missing]
    views: tuple[AsVariant, ...]
    part: Dataset
    told: Mapping[str, Any]


class Wanted(TypedDict, total=False):
    """Whom a run asks what, and how: keyword arguments of ``Evaluation.run`` and ``estimate``.

    Attributes:
        characters: ``SUBJECT``, ``SUBJECT=CHARACTER``, or a character; none: every subject.
        methods: ``a,b[name=value]``; none: the configured one.
        path: File or folder of the dataset, where the benchmark ships none.
        options: Of the dataset's loader.
        metrics: Only these of the benchmark's; none: all.
        limit: The most questions of each subject; None: all.
        repeats: How often each question is asked; 1.
        seed: Draws the questions, and decides their order; 0.
        create: Make characters of the documents that the dataset brings.
    """

    characters: Sequence[str]
    methods: Sequence[str]
    path: Path | str | None
    options: Mapping[str, str] | None
    metrics: Sequence[str]
    limit: int | None
    repeats: int
    seed: int
    create: bool


async def what_is_asked(book: Offbook, benchmark: str, wanted: Wanted) -> Asked:
    """What a run asks of whom and how.

    Raises:
        UsageError: a parameter makes no sense, or the dataset cannot be read.
        UnknownName: no such benchmark, method, subject or character.
    """
    limit, repeats = wanted.get("limit"), wanted.get("repeats", 1)
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} leaves no question", "give 1 or more")
    if repeats < 1:
        raise UsageError(f"{repeats} repeats ask nothing", "give 1 or more")
    measured = catalogue.benchmark(benchmark)
    found = evaluation_runs.of_metrics(measured, wanted.get("metrics", ()))
    views = variants_of(book, wanted.get("methods", ()))
    where, options = resolved(wanted.get("path")), dict(wanted.get("options") or {})
    dataset = evaluation_runs.dataset_of(book, found, where, options)
    parts = parts_named(dataset, wanted.get("characters", ()))
    told = {
        "seed": wanted.get("seed", 0),
        "repeats": repeats,
        "limit": limit,
        "path": where or "",
        "options": options,
    }
    create = wanted.get("create", False)
    return Asked(
        found,
        dataset,
        evaluation_runs.protocol_named(found.protocol),
        await evaluation_cast.found(book, parts, create=create),
        views,
        narrowed(dataset, [part.subject for part in parts]),
        told,
    )


def resolved(path: Path | str | None) -> str | None:
    """A path as a record keeps it, so that the run can be opened from anywhere."""
    return None if path is None else str(Path(path).expanduser().resolve())
