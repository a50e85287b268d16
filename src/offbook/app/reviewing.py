"""People beside the judge: ratings handed out for review, overrulings taken in; checks of a judge.

Takes: a run.  Gives: a CSV file; how far judge and people agree; what sways a judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offbook.app import evaluation_runs
from offbook.errors import UsageError
from offbook.evaluation import streaming
from offbook.evaluation.judge_checks import JudgeBias, JudgeChecks
from offbook.evaluation.review_file import read_rows, write_rows
from offbook.evaluation.reviewing import JudgeAgreement, agreement, overrulings, review_rows
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
