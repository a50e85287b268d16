"""People beside the judge: ratings handed out for review, overrulings taken in; checks of a judge.

Takes: a run.  Gives: a CSV file; how far judge and people agree; what sways a judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offbook.app.evaluation import runs as evaluation_runs
from offbook.errors import UnknownName, UsageError
from offbook.evaluation import streaming
from offbook.evaluation.judge_checks import JudgeBias, JudgeChecks
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.review_file import read_rows, write_rows
from offbook.evaluation.reviewing import (
    JudgeAgreement,
    agreement,
    overrulings,
    review_id,
    review_rows,
)
from offbook.evaluation.runner import Runner
from offbook.ingestion.reports import ProgressListener, unheard
from offbook.stores import evaluations

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.evaluation.record import Cell, Rating
    from offbook.types import Usage


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """What a review that came back changed, and how far judge and people agree since."""

    run: str
    overruled: int
    blank: int
    agreement: tuple[JudgeAgreement, ...]
    mark: str | None

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval review import --json``."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What the order of replies, and its own name on one, do to a judge."""

    run: str
    bias: JudgeBias
    missing: int
    mark: str | None
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval check-judge --json``."""
        return {**asdict(self), "usage": self.usage.as_json()}


class Reviews:
    """Reviews by people of the runs of an open offbook.

    Args:
        book: Offbook.
    """

    def __init__(self, book: Offbook) -> None:
        self._book = book

    async def export(
        self,
        run: str,
        file: Path | str,
        *,
        judge: str | None = None,
        metrics: Sequence[str] = (),
        separator: str = ",",
        path: Path | str | None = None,
    ) -> int:
        """Write ratings into a CSV file for people to look over.

        Args:
            run: Its id.
            file: Where to.
            judge: Whose ratings; None: those of the run's judge.
            metrics: Only of these; none: all.
            separator: ``,``, or ``;`` for spreadsheets with a decimal comma.
            path: Where the dataset lies now, if it was moved.

        Returns:
            How many ratings there are.

        Raises:
            UsageError: the file cannot be written, or that judge was never asked.
        """
        found = await evaluation_runs.opened(self._book, run, judge=judge, path=path)

        def write(cells: Iterator[Cell], ratings: Iterator[Rating]) -> int:
            some = (r for r in ratings if not metrics or r.key.metric in metrics)
            rows = review_rows(found.run, found.dataset, cells, some)
            return write_rows(Path(file), rows, separator)

        asked = found.run.models["judge"].model
        return await streaming.with_stream(self._book.store, run, asked, write)

    async def import_(
        self, run: str, file: Path | str, *, judge: str | None = None, name: str = ""
    ) -> ReviewReport:
        """Take over what people wrote into such a file; all of it, or nothing.

        Args:
            run: Its id.
            file: The file.
            judge: Whose ratings were reviewed; None: those of the run's judge.
            name: Who reviewed, where a row names nobody.

        Raises:
            UsageError: rows are not of this run, or values are off their scale.
        """
        store = self._book.store
        run_now = await evaluation_runs.recorded(self._book, run, judge=judge)
        rows = read_rows(Path(file))
        asked = run_now.models["judge"].model
        review = await streaming.with_stream(
            store, run, asked, lambda _, ratings: overrulings(rows, ratings)
        )

        def write(conn: Connection) -> None:
            for rating in review.overruled:
                evaluations.overrule(
                    conn,
                    run,
                    tuple(getattr(rating.key, part) for part in evaluations.RATING_KEY),
                    value=rating.person,
                    name=rating.person_name or name,
                    note=rating.person_note,
                )

        await store.write(write)
        agreed = await self.agreement(run, judge=judge)
        return ReviewReport(run, len(review.overruled), review.blank, agreed, run_now.mark)

    async def rows(
        self,
        run: str,
        *,
        judge: str | None = None,
        metric: str | None = None,
        skip: int = 0,
        most: int = 20,
        path: Path | str | None = None,
    ) -> list[dict[str, str]]:
        """Ratings with all that a person needs to rate them, as in the file of `export`.

        Args:
            run: Its id.
            judge: Whose ratings; None: those of the run's judge.
            metric: Only of this; None: of all.
            skip: How many from the first on are left out.
            most: How many there are at most.
            path: Where the dataset lies now, if it was moved.
        """
        found = await evaluation_runs.opened(self._book, run, judge=judge, path=path)

        def read(cells: Iterator[Cell], ratings: Iterator[Rating]) -> list[dict[str, str]]:
            some = (r for r in ratings if metric is None or r.key.metric == metric)
            return list(
                islice(review_rows(found.run, found.dataset, cells, some), skip, skip + most)
            )

        asked = found.run.models["judge"].model
        return await streaming.with_stream(self._book.store, run, asked, read)

    async def overrule(
        self,
        run: str,
        rating: str,
        value: float | None,
        *,
        judge: str | None = None,
        name: str = "",
        note: str = "",
    ) -> None:
        """Put a person's value beside the judge's; None takes it back.

        Args:
            run: Its id.
            rating: The id of a row of `rows`.
            value: On the scale of the rating's metric.
            judge: Whose rating it is; None: that of the run's judge.
            name: Who reviewed.
            note: Why.

        Raises:
            UnknownName: the run has no such rating.
            UsageError: the value is off the scale.
        """
        run_now = await evaluation_runs.recorded(self._book, run, judge=judge)
        key = await streaming.with_stream(
            self._book.store,
            run,
            run_now.models["judge"].model,
            lambda _, rated: next((r.key for r in rated if review_id(r.key) == rating), None),
        )
        if key is None:
            raise UnknownName(f"the run {run!r} has no rating {rating!r}", "look at its rows anew")
        scale = SCALES[key.metric]
        if value is not None and not scale.accepts(value):
            whole = "a whole number " if scale.is_whole else ""
            raise UsageError(
                f"{value:g} is not {whole}from {scale.low:g} to {scale.high:g}",
                f"that is the scale of {scale.title}",
            )
        place = tuple(getattr(key, part) for part in evaluations.RATING_KEY)
        await self._book.store.write(
            lambda conn: evaluations.overrule(conn, run, place, value=value, name=name, note=note)
        )

    async def agreement(self, run: str, *, judge: str | None = None) -> tuple[JudgeAgreement, ...]:
        """How far a judge agrees with people, metric by metric."""
        run_now = await evaluation_runs.recorded(self._book, run, judge=judge)
        asked = run_now.models["judge"].model
        return tuple(
            await streaming.with_stream(
                self._book.store, run, asked, lambda _, ratings: agreement(ratings)
            )
        )


async def check_judge(
    book: Offbook,
    run: str,
    *,
    limit: int | None = 100,
    replies: int = 3,
    path: Path | str | None = None,
    progress: ProgressListener = unheard,
) -> CheckReport:
    """Ask the configured judge to compare the stored replies of a run under shuffled labels.

    Args:
        book: Offbook.
        run: A run of two or more methods.
        limit: On how many questions; each costs four calls.
        replies: How many replies are compared at once, at most.
        path: Where the dataset lies now, if it was moved.
        progress: Told how far it is.

    Raises:
        UsageError: the run has one method only.
    """
    found = await evaluation_runs.opened(book, run, path=path)
    if len(found.run.variants) < 2:
        raise UsageError(
            f"the run {run!r} has one method only, and its judge nothing to compare",
            "check the judge on a run of two or more methods",
        )
    judged, _ = await evaluation_runs.judged_now(book, found)
    checks = JudgeChecks(limit, replies)
    cast = evaluation_runs.cast_of(book, judged, found.dataset, {}, ())
    made = Runner(judged, found.dataset, checks, cast, book.stage(), progress, asks=False)
    done = await made.go_on()
    bias = await streaming.with_stream(
        book.store,
        run,
        judged.models["judge"].model,
        lambda cells, ratings: checks.bias(judged, found.dataset, cells, ratings),
    )
    return CheckReport(run, bias, done.missing, judged.mark, book.meter.usage())
