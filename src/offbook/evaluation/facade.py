"""Benchmarks, for the command line and for programs: run, score, compare, show, hand on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from offbook.errors import UsageError
from offbook.evaluation import comparison, storage
from offbook.evaluation import runs as evaluation_runs
from offbook.evaluation.benchmark import benchmark as benchmark_named
from offbook.evaluation.benchmark import benchmarks, parts_named
from offbook.evaluation.characters import (
    MissingCharacter,
    estimate_characters,
    introduced,
    make_characters,
    waiting_memories,
)
from offbook.evaluation.estimate import RunEstimator, added
from offbook.evaluation.judge_checks import JudgeChecks
from offbook.evaluation.pairwise import Pairwise, Preferences
from offbook.evaluation.reviews import CheckReport, Reviews
from offbook.evaluation.runner import Runner, require_free
from offbook.ingestion.reports import Estimate, ProgressListener, unheard
from offbook.models.metering import Price
from offbook.stores import evaluations

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.evaluation.benchmark import Benchmark
    from offbook.evaluation.datasets.fetching import Fetched
    from offbook.evaluation.record import Judging, Run
    from offbook.stores.connection import Connection
    from offbook.types import Character


class Evaluation:
    """The evaluations of an open offbook, as ``Offbook.evaluation`` gives it."""

    def __init__(self, book: Offbook) -> None:
        self._book = book

    # -- to run --------------------------------------------------------------------------------

    async def run(
        self,
        benchmark: str,
        *,
        resume: str | None = None,
        new: bool = False,
        build: bool = False,
        retry_failed: bool = False,
        progress: ProgressListener = unheard,
        notify: evaluation_runs.Notify = evaluation_runs.silent,
        on_run: evaluation_runs.Notify = evaluation_runs.silent,
        **wanted: Unpack[evaluation_runs.RunOptions],
    ) -> comparison.RunReport:
        """Ask and judge what is not stored, and score the run.

        The same parameters again go on with the stored run; nothing of it is asked twice.

        ``resume``: go on with this run, or say why it would be another now. ``on_run``: told the
        run's id, as soon as it is stored. ``wanted``: whom to ask what, and how; see
        ``RunOptions``.

        Raises:
            IndexMissing: a method needs what was not built; the hint says what builds it.
            BudgetReached: the budget is spent; what was done is kept.
            ModelError: the endpoint failed for good; what was done is kept.
        """
        book = self._book
        request = await evaluation_runs.requested(book, benchmark, wanted)
        characters = await make_characters(
            book, request.chosen, request.views, build=build, progress=progress
        )
        for line in await waiting_memories(book, characters, request.views):
            notify(line)
        request, described = await self._described(request, characters)
        run, how = await evaluation_runs.begin_run(book, described, resume=resume, new=new)
        notify(how)
        on_run(run.id)
        if retry_failed:
            await book.store.write(partial(_removed, evaluations.remove_failed, run.id))
        left = await self._left(run, request, characters)
        notify(f"left to do, about: {left.in_words()}")
        opened = await evaluation_runs.open_run(book, run.id, path=run.path or None)
        runner = Runner(
            run,
            request.part,
            request.protocol,
            evaluation_runs.make_solver(book, request.part, characters, request.views),
            book.runtime(),
            progress,
        )
        return await comparison.scored(book.store, opened, await runner.go_on())

    async def estimate(
        self,
        benchmark: str,
        *,
        build: bool = False,
        **wanted: Unpack[evaluation_runs.RunOptions],
    ) -> Estimate:
        """Estimate what `run` would cost now, without a call and without what is stored already.

        Raises:
            IndexMissing: an index is missing, and is not to be built.
        """
        book = self._book
        request = await evaluation_runs.requested(book, benchmark, wanted)
        before = Estimate()
        if wanted.get("create") or build:
            before = await estimate_characters(request.chosen, request.views)
        characters = {
            name: each
            for name, each in request.chosen.items()
            if not isinstance(each, MissingCharacter)
        }
        lacking = "characters are made" if len(characters) < len(request.chosen) else ""
        lacking = lacking or ("indexes are built" if before.calls else "")
        if lacking:
            message = f"replies and ratings cannot be estimated before the {lacking}"
            return replace(before, messages=(*before.messages, message))
        await make_characters(book, characters, request.views, build=False, progress=unheard)
        request, described = await self._described(request, characters)
        run = await evaluation_runs.stored_like(book, described)
        return added(before, [await self._left(run, request, characters)])

    async def _described(
        self, request: evaluation_runs.RunRequest, characters: Mapping[str, Character]
    ) -> tuple[evaluation_runs.RunRequest, Run]:
        """Introduce the subjects of a request, and describe the run of it."""
        ids = {subject: character.id for subject, character in characters.items()}
        part = await introduced(self._book, request.part, ids)
        run = await evaluation_runs.describe_run(self._book, request, part, characters)
        return replace(request, part=part), run

    async def _left(
        self, run: Run, request: evaluation_runs.RunRequest, characters: Mapping[str, Character]
    ) -> Estimate:
        """Estimate what is left of a run."""
        book = self._book
        prices = {
            name: Price(price.prompt, price.completion)
            for name, price in book.settings.values.prices.items()
        }
        solver = evaluation_runs.make_solver(book, request.part, characters, request.views)
        return await RunEstimator(
            run, request.part, request.protocol, solver, book.runtime(), prices
        ).count()

    async def import_(
        self,
        benchmark: str,
        file: Path | str,
        *,
        path: Path | str | None = None,
        options: Mapping[str, str] | None = None,
        characters: Sequence[str] = (),
        create: bool = False,
    ) -> comparison.RunReport:
        """Make a run of recorded replies to a benchmark, and of ratings that come along.

        No model is asked. Ratings count as those of a judge of the name of whoever gave them.
        ``path``, ``options``, ``create``: as of `run`; ``characters``: SUBJECT=CHARACTER, where the
        character of a subject has another name.

        Raises:
            UsageError: rows cannot be used; the message says which. Nothing is taken over.
            UnknownName: there is no character for a subject.
        """
        from offbook.evaluation.importing import read_recorded

        book, measured = self._book, benchmark_named(benchmark)
        where = evaluation_runs.resolved(path)
        dataset = evaluation_runs.dataset_of(book, measured, where, dict(options or {}))
        recorded = read_recorded(Path(file), measured, dataset)
        known = await evaluation_runs.signed_names(book)
        parts = parts_named(dataset, characters, known) if characters else ()
        named = zip(parts, characters, strict=True) if parts else ()
        played = {part.subject.name: text for part, text in named}
        request = await evaluation_runs.requested(
            book,
            benchmark,
            {
                "characters": [played.get(name, name) for name in recorded.subjects],
                "path": path,
                "options": options,
                "create": create,
            },
        )
        request = replace(request, views=())
        ready = await make_characters(
            book, request.chosen, request.views, build=False, progress=unheard
        )
        _, described = await self._described(request, ready)
        run = recorded.described(described)
        return await self.show(await book.store.write(lambda conn: recorded.store(conn, run)))

    # -- to score ------------------------------------------------------------------------------

    async def score(
        self,
        run: str,
        *,
        path: Path | str | None = None,
        retry_missing: bool = False,
        progress: ProgressListener = unheard,
    ) -> comparison.RunReport:
        """Ask the configured judge for ratings that are not stored, and score; no reply is asked.

        Another judge than the run's rates under its own name, beside the others.
        """
        book = self._book
        opened = await evaluation_runs.open_run(book, run, path=path)
        judged, judges = await evaluation_runs.judged_now(book, opened)
        judge = judged.models["judge"].model
        if retry_missing:
            remove = partial(evaluations.remove_missing, judge=judge)
            await book.store.write(partial(_removed, remove, run))
        done = await self._judging(judged, opened, opened.protocol, progress).go_on()
        return await comparison.scored(book.store, replace(opened, run=judged, judges=judges), done)

    def _judging(
        self,
        run: Run,
        opened: evaluation_runs.OpenRun,
        protocol: Judging,
        progress: ProgressListener,
    ) -> Runner:
        """Make a runner that asks the judge alone."""
        book, dataset = self._book, opened.dataset
        solver = evaluation_runs.make_solver(book, dataset, {}, ())
        return Runner(run, dataset, protocol, solver, book.runtime(), progress, asks=False)

    async def show(
        self, run: str, *, judge: str | None = None, path: Path | str | None = None
    ) -> comparison.RunReport:
        """The scores of a run by the judge that it names, or by another that rated it."""
        opened = await evaluation_runs.open_run(self._book, run, judge=judge, path=path)
        return await comparison.scored(self._book.store, opened, None)

    async def compare(
        self,
        one: str,
        other: str,
        *,
        judge: str | None = None,
        path: Path | str | None = None,
    ) -> comparison.Comparison:
        """Differences of two runs on the same questions, each with its interval.

        Raises:
            UsageError: they have different judges, datasets or protocols: nothing is comparable.
        """
        first = await evaluation_runs.open_run(self._book, one, judge=judge, path=path)
        second = await evaluation_runs.open_run(self._book, other, judge=judge, path=path)
        return await comparison.compared(self._book.store, first, second)

    async def open(self, run: str, *, path: Path | str | None = None) -> evaluation_runs.OpenRun:
        """A run with its dataset and protocol, for whoever reads its cells and ratings."""
        return await evaluation_runs.open_run(self._book, run, path=path)

    # -- to look at and to hand on -------------------------------------------------------------

    def benchmarks(self) -> list[Benchmark]:
        """All benchmarks, ours first."""
        return benchmarks()

    async def runs(self) -> list[comparison.RunLine]:
        """All stored runs, newest first."""
        return await comparison.lines_of(self._book.store)

    async def export(self, run: str, file: Path | str, *, path: Path | str | None = None) -> Path:
        """Write a run into a file: ``.jsonl``, or ``.eval.json``, which inspect_ai reads.

        Raises:
            UsageError: another suffix, or there is no folder for the file.
        """
        from offbook.evaluation.export import check_file, export_run

        check_file(Path(file))
        opened = await evaluation_runs.open_run(self._book, run, path=path)
        report = await comparison.scored(self._book.store, opened, None)
        return await export_run(
            self._book.store, report.run, opened.dataset, report.scores, Path(file)
        )

    async def delete(self, run: str) -> None:
        """Delete a run with its cells and ratings from the whole database.

        Raises:
            UnknownName: there is no such run.
        """
        store = self._book.store
        await store.read(lambda conn: evaluations.require_run(conn, run))
        await store.write(lambda conn: evaluations.remove_run(conn, run))
        await store.purge()

    async def frames(self, run: str, *, judge: str | None = None) -> Any:
        """The cells and ratings of a run as pandas frames; see ``evaluation.frames``."""
        from offbook.evaluation.frames import frames_of

        stored = await self._book.store.read(lambda conn: evaluations.require_run(conn, run))
        return await frames_of(self._book.store, storage.run_of(stored), judge)

    @property
    def reviews(self) -> Reviews:
        """Ratings for people to look over, and what they overruled."""
        return Reviews(self._book)

    async def check_judge(
        self,
        run: str,
        *,
        limit: int | None = 100,
        replies: int = 3,
        path: Path | str | None = None,
        progress: ProgressListener = unheard,
    ) -> CheckReport:
        """Ask the configured judge to compare the stored replies of a run under shuffled labels.

        Raises:
            UsageError: the run has one method only.
        """
        book = self._book
        opened = await evaluation_runs.open_run(book, run, path=path)
        if len(opened.run.variants) < 2:
            raise UsageError(
                f"the run {run!r} has one method only, and its judge nothing to compare",
                "check the judge on a run of two or more methods",
            )
        judged, _ = await evaluation_runs.judged_now(book, opened)
        checks = JudgeChecks(limit, replies)
        done = await self._judging(judged, opened, checks, progress).go_on()
        bias = await storage.with_stream(
            book.store,
            judged,
            lambda cells, ratings: checks.bias(judged, opened.dataset, cells, ratings),
        )
        return CheckReport(run, bias, done.missing, judged.mark, book.meter.usage())

    async def pairwise(
        self,
        run: str,
        first: str = "",
        second: str = "",
        *,
        path: Path | str | None = None,
        progress: ProgressListener = unheard,
    ) -> Preferences:
        """Ask the configured judge which of two methods' stored replies it prefers, in both orders.

        ``first``, ``second``: labels of methods of the run; none: its first two. What is rated
        already is not asked again.

        Raises:
            UsageError: the run has no two such methods.
        """
        book = self._book
        opened = await evaluation_runs.open_run(book, run, path=path)
        labels = [variant.label for variant in opened.run.variants]
        wanted = [name for name in (first, second) if name]
        wanted += [name for name in labels if name not in wanted][: 2 - len(wanted)]
        if len(set(wanted)) < 2 or not set(wanted) <= set(labels):
            raise UsageError(
                f"the run {run!r} has no two methods {', '.join(filter(None, wanted))}",
                f"it has {', '.join(labels)}: name two of them",
            )
        judged, _ = await evaluation_runs.judged_now(book, opened)
        compared = Pairwise(*wanted)
        await self._judging(judged, opened, compared, progress).go_on()
        return await storage.with_stream(
            book.store, judged, lambda *streams: compared.preferences(judged, *streams)
        )

    async def fetch(
        self, dataset: str, *, notify: evaluation_runs.Notify = evaluation_runs.silent
    ) -> Fetched:
        """Fetch a dataset from upstream into the home folder; nothing else ever does.

        Raises:
            UnknownName: it is not known where that dataset comes from.
            FetchFailed: no network, or a file is not what it should be.
        """
        from offbook.evaluation.datasets.fetching import fetch, folder_of
        from offbook.evaluation.datasets.sources import source

        folder = folder_of(self._book.settings.values.home, dataset)
        return await fetch(source(dataset), folder, notify=notify)


def _removed(remove: Callable[[Connection, str], int], run: str, conn: Connection) -> int:
    """Remove what is to be asked for again, unless another process is at work on it."""
    require_free(conn, run)
    return remove(conn, run)
