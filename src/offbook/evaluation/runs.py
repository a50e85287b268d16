"""Runs of an evaluation: described, begun or gone on with, and opened again.

A run that asks for more questions or repeats of the same goes on where the smaller one stopped;
anything else that decides a reply or a rating makes another run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import urlsplit, urlunsplit

from offbook import __version__, registry
from offbook.errors import UsageError
from offbook.evaluation.benchmark import benchmark, narrowed, parts_named, subject_named
from offbook.evaluation.characters import MissingCharacter, find_characters, introduced
from offbook.evaluation.datasets.loading import load_benchmark
from offbook.evaluation.record import ModelNamed, Run
from offbook.evaluation.reply_metrics import Places
from offbook.evaluation.runner import require_free
from offbook.evaluation.solver import Solver
from offbook.evaluation.storage import judged_by, run_of, run_row
from offbook.evaluation.variants import VariantView, variants_of
from offbook.stores import characters, chunks, evaluations
from offbook.stores.statements import timestamp
from offbook.types import as_tuple

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.evaluation.benchmark import Benchmark, Dataset
    from offbook.evaluation.record import EvaluationProtocol
    from offbook.stores.connection import Connection
    from offbook.types import Character


_SHOWN = 12


def same_request(one: Run, other: Run) -> bool:
    """Whether a person who asked for one would take the other for it."""
    return (
        one.benchmark == other.benchmark
        and [variant.label for variant in one.variants] == [v.label for v in other.variants]
        and list(one.subjects) == list(other.subjects)
        and one.seed == other.seed
    )


def run_differences(old: Run, new: Run) -> list[str]:
    """What of an old run would be otherwise now; none: it can go on."""
    changes = [
        *_plain(old, new),
        *_mapping("model", _models(old), _models(new)),
        *_mapping("prompt", old.prompts, new.prompts),
        *_mapping("character", old.subjects, new.subjects),
        *_known(old, new),
        *_variants(old, new),
    ]
    if _fewer(old.limit, new.limit):
        changes.append(f"--limit {old.limit} -> {new.limit} (a run only grows)")
    if new.repeats < old.repeats:
        changes.append(f"--repeats {old.repeats} -> {new.repeats} (a run only grows)")
    return changes


def _plain(old: Run, new: Run) -> list[str]:
    names = {
        "benchmark": "the benchmark",
        "benchmark_version": "the benchmark's version",
        "dataset": "the dataset",
        "dataset_checksum": "the dataset's checksum",
        "protocol": "the protocol",
        "metrics": "the metrics",
        "embedder": "the embedder",
        "seed": "--seed",
    }
    return [
        _changed(title, getattr(old, name), getattr(new, name))
        for name, title in names.items()
        if getattr(old, name) != getattr(new, name)
    ]


def _models(run: Run) -> dict[str, str]:
    return {role: f"{named.model} at {named.base_url}" for role, named in run.models.items()}


def _variants(old: Run, new: Run) -> list[str]:
    before = {variant.label: variant for variant in old.variants}
    after = {variant.label: variant for variant in new.variants}
    if list(before) != list(after):
        return [_changed("the methods", ", ".join(before), ", ".join(after))]
    changes: list[str] = []
    for label, variant in before.items():
        now = after[label]
        if variant.preset != now.preset:
            changes.append(_changed(f"the preset of {label}", variant.preset, now.preset))
        changes += _mapping(f"{label}: setting", variant.settings, now.settings)
    return changes


def _known(old: Run, new: Run) -> list[str]:
    """Characters that know other documents or memories than when the run began."""
    changes = [f"what {subject!r} knows" for subject in _otherwise(old.characters, new.characters)]
    introduced_otherwise = _otherwise(old.introductions, new.introductions)
    return [
        *changes,
        *(f"who the judge is told that {subject!r} is" for subject in introduced_otherwise),
    ]


def _otherwise(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Whose digests differ; one that was not noted does, too."""
    return [name for name, digest in new.items() if old.get(name) != digest]


def _mapping(kind: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    names = [*old, *(name for name in new if name not in old)]
    return [
        _changed(f"{kind} {name}", old.get(name), new.get(name))
        for name in names
        if old.get(name) != new.get(name)
    ]


def _changed(what: str, old: Any, new: Any) -> str:
    return f"{what} {_short(old)} -> {_short(new)}"


def _short(value: Any) -> str:
    if value is None:
        return "unset"
    text = str(value)
    is_digest = len(text) == 64 and set(text) <= set("0123456789abcdef")
    return text[:_SHOWN] if is_digest else text


def _fewer(old: int | None, new: int | None) -> bool:
    return new is not None and (old is None or new < old)


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
    """The benchmark with some of its metrics, or registered ones; none named: all of its own.

    Raises:
        UsageError: it has no such metric.
    """
    known = [*measured.metrics, *registry.names("metric")]
    chosen = as_tuple(metrics)
    for name in chosen:
        if name not in known:
            raise UsageError(
                f"the benchmark {measured.name!r} has no metric {name!r}",
                f"it has {', '.join(known)}",
            )
    ordered = tuple(name for name in known if name in chosen)
    return replace(measured, metrics=ordered or measured.metrics)


def dataset_of(
    book: Offbook, measured: Benchmark, path: Path | str | None, options: Mapping[str, str]
) -> Dataset:
    """The dataset of a benchmark: from a path, from where it was fetched to, or the shipped one.

    Raises:
        UsageError: a path is needed; or what lies there cannot be read as such a dataset.
    """
    home = book.settings.values.home
    return load_benchmark(measured, Path(path) if path else None, options, home=home)


def protocol_named(name: str) -> EvaluationProtocol:
    """How benchmarks of a kind are run."""
    registered = registry.load("protocol", name)
    made: EvaluationProtocol = registered() if isinstance(registered, type) else registered
    return made


async def describe_run(
    book: Offbook, request: RunRequest, part: Dataset, ready: Mapping[str, Character]
) -> Run:
    """The record of a run that would begin now; it has no id yet."""
    from offbook.prompts.catalogue import ALL

    runtime = book.runtime()
    roles = {"actor": runtime.actor, "extractor": runtime.extractor, "judge": runtime.judge}
    return Run(
        id="",
        benchmark=request.benchmark.name,
        benchmark_version=request.benchmark.version,
        dataset=request.dataset.name,
        dataset_version=request.dataset.version,
        dataset_checksum=request.dataset.checksum,
        licence=request.dataset.licence,
        protocol=request.benchmark.protocol,
        metrics=request.benchmark.metrics,
        variants=tuple(view.variant for view in request.views),
        subjects={subject: character.id for subject, character in ready.items()},
        models={role: ModelNamed(m.name, plain_url(m.base_url)) for role, m in roles.items()},
        embedder=runtime.embedder.name,
        prompts={p.name: p.version for p in ALL if p.stage not in _UNUSED_STAGES},
        created=timestamp(),
        offbook=__version__,
        characters=await _knowledge(book, ready),
        chunks=await _chunks(book, ready, request.views),
        introductions=introductions_of(part),
        **request.fields,
    )


async def _knowledge(book: Offbook, ready: Mapping[str, Character]) -> dict[str, str]:
    return {
        subject: await book.store.read(evaluations.knowledge_digest, character.id)
        for subject, character in ready.items()
    }


def _counted(conn: Connection, character: str, chunkings: Sequence[str]) -> int:
    return sum(chunks.count(conn, character, name) for name in chunkings)


async def _chunks(
    book: Offbook, ready: Mapping[str, Character], views: Sequence[VariantView]
) -> dict[str, dict[str, int]]:
    """How many chunks each variant can search of each character; nothing where it searches none."""
    counts: dict[str, dict[str, int]] = {}
    for view in views:
        runtime = view.runtime()
        names = dict.fromkeys(runtime.needs.chunkings)
        if names:
            counts[view.variant.label] = {
                subject: await book.store.read(_counted, character.id, tuple(names))
                for subject, character in ready.items()
            }
    return counts


def plain_url(url: str) -> str:
    """An address as a record may hold it: without credentials, query and fragment."""
    parts = urlsplit(url)
    if not parts.netloc:
        return url
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


async def begin_run(
    book: Offbook, described: Run, *, resume: str | None, new: bool
) -> tuple[Run, str]:
    """The stored run that is wanted, gone on with or new, and what to tell the person of it.

    Raises:
        UsageError: the run that is to be gone on with would not be the same run now.
        UnknownName: there is no such run.
    """
    begun_now: tuple[Run, str] = await book.store.write(
        lambda conn: _begin(conn, described, resume, new)
    )
    return begun_now


def _begin(conn: Connection, described: Run, resume: str | None, new: bool) -> tuple[Run, str]:
    reason = ""
    if resume is not None:
        old = run_of(evaluations.require_run(conn, resume))
        if changes := run_differences(old, described):
            raise UsageError(
                f"the run {resume!r} cannot be gone on with, it would be another: "
                + "; ".join(changes),
                "begin another: the same command without --resume",
            )
        return _grown(conn, old, described), f"going on with {old.id}"
    for old in [] if new else _readable(evaluations.list_runs(conn, described.benchmark)):
        if not (changes := run_differences(old, described)):
            return _grown(conn, old, described), f"going on with {old.id}"
        if not reason and old.status != "finished" and same_request(old, described):
            reason = f"{old.id} is another run: {'; '.join(changes)}"
    run = replace(described, id=evaluations.free_id(conn, described.benchmark))
    evaluations.add_run(conn, run_row(run))
    return run, "; ".join(filter(None, (reason, f"began {run.id}")))


async def stored_like(book: Offbook, described: Run) -> Run:
    """The stored run that would be gone on with; where there is none, the wanted one itself."""

    def find(conn: Connection) -> Run:
        for old in _readable(evaluations.list_runs(conn, described.benchmark)):
            if not run_differences(old, described):
                return replace(old, limit=described.limit, repeats=described.repeats)
        return described

    stored: Run = await book.store.read(find)
    return stored


def _readable(stored: Sequence[evaluations.StoredRun]) -> Iterator[Run]:
    """The runs whose records this version reads; others are left alone."""
    for row in stored:
        with suppress(UsageError):
            yield run_of(row)


def _grown(conn: Connection, old: Run, described: Run) -> Run:
    """The stored run, with as many questions and repeats as are wanted now.

    Raises:
        InUse: another process works on it, and would call it finished too early.
    """
    require_free(conn, old.id)
    run = replace(old, limit=described.limit, repeats=described.repeats, path=described.path)
    evaluations.change_run(conn, run.id, record=run_row(run).record, status="running")
    return replace(run, status="running")


async def recorded_run(book: Offbook, name: str, *, judge: str | None = None) -> Run:
    """The record of a run, as one of its judges rated it; its dataset is not read.

    Raises:
        UnknownName: there is no such run.
        UsageError: that judge was never asked, or the record cannot be read.
    """
    stored = await book.store.read(lambda conn: evaluations.require_run(conn, name))
    return judged_by(run_of(stored), stored.judges, judge)


async def judged_now(book: Offbook, opened: OpenRun) -> tuple[Run, Mapping[str, str]]:
    """The run as the configured judge is to rate it; that judge is noted beside the others.

    Raises:
        UsageError: a judge of this name rated it, at another address.
    """
    model, run = book.runtime().judge, opened.run
    judge = ModelNamed(model.name, plain_url(model.base_url))
    known = opened.judges.get(judge.model)
    if known is not None and known != judge.base_url:
        raise UsageError(
            f"the judge {judge.model!r} of the run {run.id!r} answered at {known}, not at "
            f"{judge.base_url}",
            "two models of one name would be mixed: name the same address",
        )

    def note(conn: Connection) -> dict[str, str]:
        # Another command may have noted its judge since the run was opened.
        judges = {**evaluations.require_run(conn, run.id).judges, judge.model: judge.base_url}
        evaluations.change_run(conn, run.id, judges=judges)
        return judges

    judges: dict[str, str] = await book.store.write(note)
    return replace(run, models={**run.models, "judge": judge}), judges


async def open_run(
    book: Offbook, name: str, *, judge: str | None = None, path: Path | str | None = None
) -> OpenRun:
    """A stored run with its dataset read again.

    Raises:
        UnknownName: there is no such run.
        UsageError: the dataset has changed since, or that judge was never asked.
    """
    stored = await book.store.read(lambda conn: evaluations.require_run(conn, name))
    judged = judged_by(run_of(stored), stored.judges, judge)
    run = replace(judged, tie=book.settings.values.evaluation.tie)
    where = str(Path(path).expanduser().resolve()) if path else run.path
    dataset = dataset_of(book, benchmark(run.benchmark), where, run.options)
    if dataset.checksum != run.dataset_checksum:
        raise UsageError(
            f"the dataset {dataset.name!r} is not what it was when {run.id!r} began "
            f"({dataset.checksum[:12]} now, {run.dataset_checksum[:12]} then)",
            "name the unchanged file or folder with --path PATH",
        )
    subjects = [subject_named(dataset, subject) for subject in run.subjects]
    part = await introduced(book, narrowed(dataset, subjects), run.subjects)
    notes = [
        f"the judge is told of {subject!r} otherwise now than when the run began"
        for subject, digest in introductions_of(part).items()
        if run.introductions.get(subject) != digest
    ]
    protocol = protocol_named(run.protocol)
    return OpenRun(run, part, protocol, stored.usage, stored.judges, (*dataset.notes, *notes))


def introductions_of(dataset: Dataset) -> dict[str, str]:
    """SHA-256 of who the judge is told that subjects are, where their characters say it."""
    return {
        subject: hashlib.sha256(introduction.text.encode("utf-8", "surrogatepass")).hexdigest()
        for subject, introduction in dataset.introductions.items()
    }


def make_solver(
    book: Offbook, dataset: Dataset, ready: Mapping[str, Character], views: Sequence[VariantView]
) -> Solver:
    """Who is asked what, and how."""
    by_label = {view.variant.label: view for view in views}
    return Solver(
        characters=ready,
        places=Places(dataset),
        variants={label: view.variant for label, view in by_label.items()},
        make_runtime=lambda variant, who, meter: by_label[variant.label].runtime_for(who, meter),
        meter=book.meter,
    )


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is asked of whom and how, before anything is made or stored."""

    benchmark: Benchmark
    dataset: Dataset
    protocol: EvaluationProtocol
    chosen: Mapping[str, Character | MissingCharacter]
    views: tuple[VariantView, ...]
    part: Dataset
    fields: Mapping[str, Any]


Notify = Callable[[str], None]
"""Takes a line for a person."""


def silent(line: str) -> None:
    """Listen to nothing."""
    del line


class RunOptions(TypedDict, total=False):
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


async def requested(book: Offbook, name: str, options: RunOptions) -> RunRequest:
    """What a run asks of whom and how.

    Raises:
        UsageError: a parameter makes no sense, or the dataset cannot be read.
        UnknownName: no such benchmark, method, subject or character.
    """
    limit, repeats = options.get("limit"), options.get("repeats", 1)
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} leaves no question", "give 1 or more")
    if repeats < 1:
        raise UsageError(f"{repeats} repeats ask nothing", "give 1 or more")
    measured = benchmark(name)
    chosen_benchmark = of_metrics(measured, options.get("metrics", ()))
    views = variants_of(book, options.get("methods", ()))
    where = resolved(options.get("path"))
    loader_options = dict(options.get("options") or {})
    dataset = dataset_of(book, chosen_benchmark, where, loader_options)
    parts = parts_named(dataset, options.get("characters", ()), await signed_names(book))
    fields = {
        "seed": options.get("seed", 0),
        "repeats": repeats,
        "limit": limit,
        "path": where or "",
        "options": loader_options,
    }
    create = options.get("create", False)
    return RunRequest(
        chosen_benchmark,
        dataset,
        protocol_named(chosen_benchmark.protocol),
        await find_characters(book, parts, create=create),
        views,
        narrowed(dataset, [part.subject for part in parts]),
        fields,
    )


async def signed_names(book: Offbook) -> frozenset[str]:
    """The names of characters that hold the sign which stands between subject and character."""
    every = await book.store.read(characters.list_all)
    return frozenset(each.name for each in every if "=" in each.name)


def resolved(path: Path | str | None) -> str | None:
    """A path as a record keeps it, so that the run can be opened from anywhere."""
    return None if path is None else str(Path(path).expanduser().resolve())
