"""Benchmarks, for the command line and for programs: run, score, compare, show, hand on.

Takes: a benchmark, whom to ask, by which methods.  Gives: runs in the store, and reports of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from offbook.app.evaluation import cast as evaluation_cast
from offbook.app.evaluation import runs as evaluation_runs
from offbook.app.evaluation.asked import Asked, Wanted, what_is_asked
from offbook.app.evaluation.reviewing import CheckReport, Reviews, check_judge
from offbook.app.evaluation.run_reports import (
    Comparison,
    RunLine,
    RunReport,
    compared,
    lines_of,
    scored,
)
from offbook.evaluation import catalogue
from offbook.evaluation.estimating import RunEstimating
from offbook.evaluation.keeping import run_of
from offbook.evaluation.runner import Done, Runner
from offbook.ingestion.reports import Estimate, ProgressListener, unheard
from offbook.models.offline.model import OfflineModel
from offbook.models.prices import Price
from offbook.stores import evaluations

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.app.evaluation.runs import OpenRun
    from offbook.evaluation.benchmark import Benchmark
    from offbook.evaluation.datasets.fetching import Fetched
    from offbook.evaluation.record import Run
    from offbook.types import Character

Told = Callable[[str], None]


def unsaid(line: str) -> None:
    """A listener for when nobody listens."""
    del line


class Evaluation:
    """The evaluations of an open offbook, as ``Offbook.evaluation`` gives it.

    Args:
        book: Offbook.
    """

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
        told: Told = unsaid,
        named: Told = unsaid,
        **wanted: Unpack[Wanted],
    ) -> RunReport:
        """Ask and judge what is not stored, and score the run.

        The same parameters again go on with the stored run; nothing of it is asked twice.

        Args:
            benchmark: Its name.
            resume: Go on with this run, or say why it would be another now.
            new: Begin another run, whatever is stored.
            build: Build indexes that a method needs and that are missing.
            retry_failed: Ask those questions again that no reply could be got for.
            progress: Told how far it is.
            told: Told what a person should know before it begins.
            named: Told the run's id, as soon as it is stored.
            wanted: Whom to ask what, and how; see ``Wanted``.

        Raises:
            IndexMissing: a method needs what was not built; the hint says what builds it.
            BudgetReached: the budget is spent; what was done is kept.
            ModelError: the endpoint failed for good; what was done is kept.
        """
        asked = await what_is_asked(self._book, benchmark, wanted)
        book = self._book
        ready = await evaluation_cast.made(
            book, asked.chosen, asked.views, build=build, progress=progress
        )
        for line in await evaluation_cast.waiting_memories(book, ready, asked.views):
            told(line)
        asked, begun = await self._described(asked, ready)
        run, how = await evaluation_runs.begun(book, begun, resume=resume, new=new)
        told(how)
        named(run.id)
        if retry_failed:
            await book.store.write(lambda conn: evaluations.remove_failed(conn, run.id))
        left = await self._estimating(run, asked, ready).count()
        told(f"left to do, about: {left.in_words()}")
        return await self._go_on(run, asked, ready, progress)

    async def estimate(
        self,
        benchmark: str,
        *,
        build: bool = False,
        **wanted: Unpack[Wanted],
    ) -> Estimate:
        """What `run` would cost now, without a call; what is stored of such a run is not counted.

        Raises:
            IndexMissing: an index is missing, and is not to be built.
        """
        asked = await what_is_asked(self._book, benchmark, wanted)
        found = Estimate()
        if wanted.get("create") or build:
            found = await evaluation_cast.estimated(asked.chosen, asked.views)
        ready = {
            n: c for n, c in asked.chosen.items() if not isinstance(c, evaluation_cast.Missing)
        }
        if len(ready) < len(asked.chosen):
            message = "replies and ratings cannot be estimated before the characters are made"
            return replace(found, messages=(*found.messages, message))
        if found.calls == 0:
            await evaluation_cast.made(
                self._book, ready, asked.views, build=False, progress=unheard
            )
        else:
            message = "replies and ratings cannot be estimated before the indexes are built"
            return replace(found, messages=(*found.messages, message))
        asked, described = await self._described(asked, ready)
        run = await evaluation_runs.stored_like(self._book, described)
        left = await self._estimating(run, asked, ready).count()
        return evaluation_cast.added(found, [left])

    async def _go_on(
        self, run: Run, asked: Asked, ready: Mapping[str, Character], progress: ProgressListener
    ) -> RunReport:
        """Ask and judge what is left of a run."""
        book = self._book
        found = await evaluation_runs.opened(book, run.id, path=run.path or None)
        cast = evaluation_runs.cast_of(book, run, asked.part, ready, asked.views)
        runner = Runner(run, asked.part, asked.protocol, cast, book.stage(), progress)
        return await self._report(found, await runner.go_on())

    async def _described(self, asked: Asked, ready: Mapping[str, Character]) -> tuple[Asked, Run]:
        """What is asked, its subjects introduced, and the record of a run of it."""
        ids = {subject: character.id for subject, character in ready.items()}
        part = await evaluation_cast.introduced(self._book, asked.part, ids)
        told = asked.benchmark, asked.dataset, part, ready, asked.views
        run = await evaluation_runs.described(self._book, *told, **asked.told)
        return replace(asked, part=part), run

    def _estimating(self, run: Run, asked: Asked, ready: Mapping[str, Character]) -> RunEstimating:
        book = self._book
        cast = evaluation_runs.cast_of(book, run, asked.part, ready, asked.views)
        prices = {
            name: Price(price.prompt, price.completion)
            for name, price in book.settings.values.prices.items()
        }
        stand_in = OfflineModel()
        return RunEstimating(run, asked.part, asked.protocol, cast, book.stage(), stand_in, prices)

    # -- to score ------------------------------------------------------------------------------

    async def score(
        self,
        run: str,
        *,
        path: Path | str | None = None,
        retry_missing: bool = False,
        progress: ProgressListener = unheard,
    ) -> RunReport:
        """Ask the configured judge for ratings that are not stored, and score; no reply is asked.

        Another judge than the run's rates under its own name, beside the others.

        Args:
            run: Its id.
            path: Where the dataset lies now, if it was moved.
            retry_missing: Ask again for ratings that are missing.
            progress: Told how far it is.
        """
        book = self._book
        found = await evaluation_runs.opened(book, run, path=path)
        judged, judges = await evaluation_runs.judged_now(book, found)
        judge = judged.models["judge"].model
        if retry_missing:
            await book.store.write(lambda conn: evaluations.remove_missing(conn, run, judge))
        cast = evaluation_runs.cast_of(book, judged, found.dataset, {}, ())
        stage = book.stage()
        runner = Runner(judged, found.dataset, found.protocol, cast, stage, progress, asks=False)
        done = await runner.go_on()
        return await self._report(replace(found, run=judged, judges=judges), done)

    async def show(
        self, run: str, *, judge: str | None = None, path: Path | str | None = None
    ) -> RunReport:
        """The scores of a run by the judge that it names, or by another that rated it."""
        found = await evaluation_runs.opened(self._book, run, judge=judge, path=path)
        return await self._report(found, None)

    async def compare(
        self,
        one: str,
        other: str,
        *,
        judge: str | None = None,
        path: Path | str | None = None,
    ) -> Comparison:
        """Differences of two runs on the same questions, each with its interval.

        Raises:
            UsageError: they have different judges, datasets or protocols: nothing is comparable.
        """
        first = await evaluation_runs.opened(self._book, one, judge=judge, path=path)
        second = await evaluation_runs.opened(self._book, other, judge=judge, path=path)
        return await compared(self._book.store, first, second)

    async def open(self, run: str, *, path: Path | str | None = None) -> OpenRun:
        """A run with its dataset and protocol, for whoever reads its cells and ratings."""
        return await evaluation_runs.opened(self._book, run, path=path)

    # -- to look at and to hand on -------------------------------------------------------------

    def benchmarks(self) -> list[Benchmark]:
        """All benchmarks, ours first."""
        return catalogue.benchmarks()

    async def runs(self) -> list[RunLine]:
        """All stored runs, newest first."""
        return await lines_of(self._book.store)

    async def export(self, run: str, file: Path | str, *, path: Path | str | None = None) -> Path:
        """Write a run into a file: ``.jsonl``, or ``.eval.json``, which inspect_ai reads.

        Raises:
            UsageError: another suffix, or there is no folder for the file.
        """
        from offbook.evaluation.exporting import check_file, export_run

        check_file(Path(file))
        found = await evaluation_runs.opened(self._book, run, path=path)
        report = await self._report(found, None)
        told = report.run, found.dataset, report.scores, Path(file)
        return await export_run(self._book.store, *told)

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
        return await frames_of(self._book.store, run_of(stored), judge)

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
        """Whether order and names sway the configured judge; see ``app.reviewing``."""
        return await check_judge(
            self._book, run, limit=limit, replies=replies, path=path, progress=progress
        )

    async def fetch(self, dataset: str, *, told: Told = unsaid) -> Fetched:
        """Fetch a dataset from upstream into the home folder; nothing else ever does.

        Raises:
            UnknownName: it is not known where that dataset comes from.
            FetchFailed: no network, or a file is not what it should be.
        """
        from offbook.evaluation.datasets.fetching import fetch, folder_of
        from offbook.evaluation.datasets.sources import source

        folder = folder_of(self._book.settings.values.home.expanduser(), dataset)
        return await fetch(source(dataset), folder, told=told)

    async def _report(self, found: OpenRun, done: Done | None) -> RunReport:
        return await scored(self._book.store, found, done)
