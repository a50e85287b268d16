"""``/api/evaluation``: benchmarks, and runs to list, show, compare, report and delete.

Takes: ids of runs.  Gives: what ``offbook eval`` prints. Runs are begun on the command line, where
a dataset's files are; a request names none.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi import Path as InPath

from offbook.app.evaluation.report_files import write_report
from offbook.server.book import Book
from offbook.server.native.access import Administrator, Responses, failing
from offbook.server.native.evaluation_shapes import (
    BenchmarkListed,
    RunDeleted,
    RunListed,
    RunsCompared,
    RunShown,
)

RunId = Annotated[str, InPath(max_length=300, description="The run's id.", examples=["demo-1"])]
Judge = Annotated[
    str | None, Query(max_length=300, description="Whose ratings; none: those of the run's judge.")
]


def router() -> APIRouter:
    """The routes."""
    made = APIRouter(prefix="/api/evaluation", tags=["evaluation"])
    one = failing(404)
    page: Responses = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}}
    made.get("/benchmarks", response_model=list[BenchmarkListed], responses=failing())(benchmarks)
    made.get("/runs", response_model=list[RunListed], responses=failing())(runs)
    made.get("/runs/{run}", response_model=RunShown, responses=one)(show)
    made.delete("/runs/{run}", response_model=RunDeleted, responses=one)(delete)
    made.get("/runs/{run}/report", response_class=Response, responses={**one, **page})(report)
    made.get("/runs/{run}/compare/{other}", response_model=RunsCompared, responses=one)(compare)
    return made


async def benchmarks(book: Book, caller: Administrator) -> list[dict[str, Any]]:
    """The benchmarks that there are."""
    del caller
    return [each.as_json() for each in book.evaluation.benchmarks()]


async def runs(book: Book, caller: Administrator) -> list[dict[str, Any]]:
    """The stored runs, newest first."""
    del caller
    return [each.as_json() for each in await book.evaluation.runs()]


async def show(
    run: RunId, book: Book, caller: Administrator, judge: Judge = None
) -> dict[str, Any]:
    """A run with its scores, each with its n and its interval; no model is asked."""
    del caller
    return (await book.evaluation.show(run, judge=judge)).as_json()


async def compare(
    run: RunId,
    other: Annotated[str, InPath(max_length=300)],
    book: Book,
    caller: Administrator,
    judge: Judge = None,
) -> dict[str, Any]:
    """Differences of two runs on the same questions, each with its interval."""
    del caller
    return (await book.evaluation.compare(run, other, judge=judge)).as_json()


async def report(run: RunId, book: Book, caller: Administrator, judge: Judge = None) -> Response:
    """The report of a run as one page, without pictures."""
    del caller
    with tempfile.TemporaryDirectory(prefix="offbook-") as folder:
        await write_report(book, [run], folder, judge=judge, with_pictures=False)
        data = await asyncio.to_thread(Path(folder, "report.html").read_bytes)
    return Response(data, media_type="text/html")


async def delete(run: RunId, book: Book, caller: Administrator) -> dict[str, str]:
    """Delete a run with its cells and ratings, from the whole database."""
    del caller
    await book.evaluation.delete(run)
    return {"id": run}
