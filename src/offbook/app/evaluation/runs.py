"""Runs of an evaluation, begun or gone on with, and opened again.

Takes: a benchmark and whom to ask how, or the id of a run.  Gives: all that the runner, the scores
and the faces need of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from offbook import __version__, registry
from offbook.app.evaluation import cast as evaluation_cast
from offbook.errors import UsageError
from offbook.evaluation.answering import Cast
from offbook.evaluation.catalogue import benchmark
from offbook.evaluation.datasets.loading import load_benchmark
from offbook.evaluation.keeping import judged_by, run_of, run_row
from offbook.evaluation.matching import differences, same_request
from offbook.evaluation.plan import questions_of
from offbook.evaluation.record import ModelNamed, Run
from offbook.evaluation.subjects import narrowed, subject_named
from offbook.stores import chunks, evaluations
from offbook.stores.statements import timestamp

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.app.evaluation.variants import AsVariant
    from offbook.evaluation.benchmark import Benchmark, Dataset
    from offbook.evaluation.protocol import EvaluationProtocol
    from offbook.types import Character

_UNUSED_STAGES = ("probes",)


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run with its dataset, as far as that concerns its subjects, and how it is judged."""

    run: Run
    dataset: Dataset
    protocol: EvaluationProtocol
    usage: Mapping[str, Any]
    judges: Mapping[str, str]
    notes: tuple[str, ...] = ()


def of_metrics(measured: Benchmark, metrics: Sequence[str]) -> Benchmark:
    """The benchmark with some of its metrics only; none named: all of them.

    Raises:
        UsageError: it has no such metric.
    """
    for name in metrics:
        if name not in measured.metrics:
            raise UsageError(
                f"the benchmark {measured.name!r} has no metric {name!r}",
                f"it has {', '.join(measured.metrics)}",
            )
    chosen = tuple(name for name in measured.metrics if name in metrics)
    return replace(measured, metrics=chosen or measured.metrics)


def dataset_of(
    book: Offbook, measured: Benchmark, path: str | None, options: Mapping[str, str]
) -> Dataset:
    """The dataset of a benchmark: from a path, from where it was fetched to, or the shipped one.

    Raises:
        UsageError: a path is needed; or what lies there cannot be read as such a dataset.
    """
    where = None if not path else Path(path)
    home = book.settings.values.home.expanduser()
    return load_benchmark(measured, where, options, home=home)


def protocol_named(name: str) -> EvaluationProtocol:
    """How benchmarks of a kind are run."""
    found = registry.load("protocol", name)
    made: EvaluationProtocol = found() if isinstance(found, type) else found
    return made


async def described(
    book: Offbook,
    measured: Benchmark,
    dataset: Dataset,
    part: Dataset,
    ready: Mapping[str, Character],
    views: Sequence[AsVariant],
    **told: Any,
) -> Run:
    """The record of a run that would begin now; it has no id yet.

    Args:
        book: Offbook.
        measured: The benchmark.
        dataset: Its dataset.
        part: The dataset as far as it concerns the subjects that are asked, introduced.
        ready: Their characters.
        views: The methods.
        **told: Fields of the record that a person chose.
    """
    from offbook.prompts.catalogue import ALL

    stage = book.stage()
    roles = {"actor": stage.actor, "extractor": stage.extractor, "judge": stage.judge}
    return Run(
        id="",
        benchmark=measured.name,
        benchmark_version=measured.version,
        dataset=dataset.name,
        dataset_version=dataset.version,
        dataset_checksum=dataset.checksum,
        licence=dataset.licence,
        protocol=measured.protocol,
        metrics=measured.metrics,
        variants=tuple(view.variant for view in views),
        subjects={subject: character.id for subject, character in ready.items()},
        models={role: ModelNamed(m.name, plain_url(m.base_url)) for role, m in roles.items()},
        embedder=stage.embedder.name,
        prompts={p.name: p.version for p in ALL if p.stage not in _UNUSED_STAGES},
        created=timestamp(),
        offbook=__version__,
        characters=await _knowledge(book, ready),
        chunks=await _chunks(book, ready, views),
        introductions=introductions_of(part),
        **told,
    )


async def _knowledge(book: Offbook, ready: Mapping[str, Character]) -> dict[str, str]:
    return {
        subject: await book.store.read(
            lambda conn, c=character.id: evaluations.knowledge_digest(conn, c)
        )
        for subject, character in ready.items()
    }


async def _chunks(
    book: Offbook, ready: Mapping[str, Character], views: Sequence[AsVariant]
) -> dict[str, dict[str, int]]:
    """How many chunks each variant can search of each character; nothing where it searches none."""
    found: dict[str, dict[str, int]] = {}
    for view in views:
        stage = view.stage()
        names = dict.fromkeys(stage.method.needs(stage.settings).chunkings)
        if names:
            found[view.variant.label] = {
                subject: await book.store.read(
                    lambda conn, c=character.id, n=tuple(names): sum(
                        chunks.count(conn, c, name) for name in n
                    )
                )
                for subject, character in ready.items()
            }
    return found


def plain_url(url: str) -> str:
    """An address as a record may hold it: without credentials, query and fragment."""
    parts = urlsplit(url)
    if not parts.netloc:
        return url
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


async def begun(book: Offbook, wanted: Run, *, resume: str | None, new: bool) -> tuple[Run, str]:
    """The stored run that is wanted, gone on with or new, and what to tell the person of it.

    Raises:
        UsageError: the run that is to be gone on with would not be the same run now.
        UnknownName: there is no such run.
    """
    begun_now: tuple[Run, str] = await book.store.write(
        lambda conn: _begin(conn, wanted, resume, new)
    )
    return begun_now


def _begin(conn: Connection, wanted: Run, resume: str | None, new: bool) -> tuple[Run, str]:
    told = ""
    if resume is not None:
        old = run_of(evaluations.require_run(conn, resume))
        if found := differences(old, wanted):
            raise UsageError(
                f"the run {resume!r} cannot be gone on with, it would be another: "
                + "; ".join(found),
                "begin another: the same command without --resume",
            )
        return _grown(conn, old, wanted), f"going on with {old.id}"
    for old in [] if new else _readable(evaluations.list_runs(conn, wanted.benchmark)):
        if not (found := differences(old, wanted)):
            return _grown(conn, old, wanted), f"going on with {old.id}"
        if not told and old.status != "finished" and same_request(old, wanted):
            told = f"{old.id} is another run: {'; '.join(found)}"
    run = replace(wanted, id=evaluations.free_id(conn, wanted.benchmark))
    evaluations.add_run(conn, run_row(run))
    return run, "; ".join(filter(None, (told, f"began {run.id}")))


async def stored_like(book: Offbook, wanted: Run) -> Run:
    """The stored run that would be gone on with; where there is none, the wanted one itself."""

    def find(conn: Connection) -> Run:
        for old in _readable(evaluations.list_runs(conn, wanted.benchmark)):
            if not differences(old, wanted):
                return replace(old, limit=wanted.limit, repeats=wanted.repeats)
        return wanted

    found: Run = await book.store.read(find)
    return found


def _readable(stored: Sequence[evaluations.StoredRun]) -> Iterator[Run]:
    """The runs whose records this version reads; others are left alone."""
    for row in stored:
        with suppress(UsageError):
            yield run_of(row)


def _grown(conn: Connection, old: Run, wanted: Run) -> Run:
    """The stored run, with as many questions and repeats as are wanted now."""
    run = replace(old, limit=wanted.limit, repeats=wanted.repeats, path=wanted.path)
    # An older version did not note them; the characters know what they knew then.
    run = replace(run, chunks=old.chunks or wanted.chunks)
    evaluations.change_run(conn, run.id, record=run_row(run).record, status="running")
    return replace(run, status="running")


async def recorded(book: Offbook, name: str, *, judge: str | None = None) -> Run:
    """The record of a run, as one of its judges rated it; its dataset is not read.

    Raises:
        UnknownName: there is no such run.
        UsageError: that judge was never asked, or the record cannot be read.
    """
    stored = await book.store.read(lambda conn: evaluations.require_run(conn, name))
    return judged_by(run_of(stored), stored.judges, judge)


async def judged_now(book: Offbook, found: OpenRun) -> tuple[Run, Mapping[str, str]]:
    """The run as the configured judge is to rate it; that judge is noted beside the others.

    Raises:
        UsageError: a judge of this name rated it, at another address.
    """
    model, run = book.stage().judge, found.run
    judge = ModelNamed(model.name, plain_url(model.base_url))
    known = found.judges.get(judge.model)
    if known is not None and known != judge.base_url:
        raise UsageError(
            f"the judge {judge.model!r} of the run {run.id!r} answered at {known}, not at "
            f"{judge.base_url}",
            "two models of one name would be mixed: name the same address",
        )
    judges = {**found.judges, judge.model: judge.base_url}
    await book.store.write(lambda conn: evaluations.change_run(conn, run.id, judges=judges))
    return replace(run, models={**run.models, "judge": judge}), judges


async def opened(
    book: Offbook, name: str, *, judge: str | None = None, path: Path | str | None = None
) -> OpenRun:
    """A stored run with its dataset read again.

    Args:
        book: Offbook.
        name: The run's id.
        judge: Whose ratings are meant; None: those of the judge that the run names.
        path: Where the dataset lies now, if it was moved.

    Raises:
        UnknownName: there is no such run.
        UsageError: the dataset has changed since, or that judge was never asked.
    """
    stored = await book.store.read(lambda conn: evaluations.require_run(conn, name))
    run = judged_by(run_of(stored), stored.judges, judge)
    where = str(Path(path).expanduser().resolve()) if path else run.path
    dataset = dataset_of(book, benchmark(run.benchmark), where, run.options)
    if dataset.checksum != run.dataset_checksum:
        raise UsageError(
            f"the dataset {dataset.name!r} is not what it was when {run.id!r} began "
            f"({dataset.checksum[:12]} now, {run.dataset_checksum[:12]} then)",
            "name the unchanged file or folder with --path PATH",
        )
    subjects = [subject_named(dataset, subject) for subject in run.subjects]
    part = await evaluation_cast.introduced(book, narrowed(dataset, subjects), run.subjects)
    notes = [
        f"the judge is told of {subject!r} otherwise now than when the run began"
        for subject, digest in introductions_of(part).items()
        if run.introductions.get(subject, digest) != digest
    ]
    protocol = protocol_named(run.protocol)
    return OpenRun(run, part, protocol, stored.usage, stored.judges, (*dataset.notes, *notes))


def introductions_of(dataset: Dataset) -> dict[str, str]:
    """SHA-256 of who the judge is told that subjects are, where their characters say it."""
    return {
        subject: hashlib.sha256(told.text.encode("utf-8", "surrogatepass")).hexdigest()
        for subject, told in dataset.introductions.items()
    }


def cast_of(
    book: Offbook,
    run: Run,
    dataset: Dataset,
    ready: Mapping[str, Character],
    views: Sequence[AsVariant],
) -> Cast:
    """Who is asked what, and how."""
    by_label = {view.variant.label: view for view in views}
    questions = {
        (subject, question.id): question
        for subject in run.subjects
        for question in questions_of(run, dataset, subject)
    }
    return Cast(
        characters=ready,
        questions=questions,
        variants={label: view.variant for label, view in by_label.items()},
        make_stage=lambda variant, who, meter: by_label[variant.label].stage_of(who, meter),
        meter=book.meter,
    )
