"""``/api/evaluation``: benchmarks, and runs to list, show, compare, report, hand on and delete.

Takes: ids of runs.  Gives: what ``offbook eval`` prints; files come as they are. What computes long
does so in the thread behind requests: streams of replies go on meanwhile.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as InPath

from offbook.app.evaluation.report_files import write_report
from offbook.server.book import Book
from offbook.server.native.access import Administrator, Responses, failing
from offbook.server.native.aside import aside
from offbook.server.native.evaluation_shapes import (
    BenchmarkListed,
    RunDeleted,
    RunListed,
    RunsCompared,
    RunShown,
)

if TYPE_CHECKING:
    from offbook.app.book import Offbook

RunId = Annotated[str, InPath(max_length=300, description="The run's id.", examples=["demo-1"])]
Judge = Annotated[
    str | None, Query(max_length=300, description="Whose ratings; none: those of the run's judge.")
]
Examples = Annotated[
    int, Query(ge=0, le=50, description="Worst and best replies shown, by metric and method.")
]
RunFormat = Literal["jsonl", "eval.json"]

_MEDIA: Final = {"jsonl": "application/jsonl", "eval.json": "application/json"}
_ARCHIVE: Final = "application/zip"


def router() -> APIRouter:
    """The routes."""
    made = APIRouter(prefix="/api/evaluation", tags=["evaluation"])
    one = failing(404)
    page = _file("text/html", "the report")
    lines: Responses = {
        200: {"content": {"application/jsonl": {"schema": _TEXT}, "application/json": {}}}
    }
    made.get("/benchmarks", response_model=list[BenchmarkListed], responses=failing())(benchmarks)
    made.get("/runs", response_model=list[RunListed], responses=failing())(runs)
    made.get("/runs/{run}", response_model=RunShown, responses=one)(show)
    made.delete("/runs/{run}", response_model=RunDeleted, responses=one)(delete)
    made.get("/runs/{run}/report", response_class=Response, responses={**one, **page})(report)
    made.get("/runs/{run}/export", response_class=Response, responses={**one, **lines})(export)
    made.get("/runs/{run}/compare", response_model=RunsCompared, responses=one)(compare_methods)
    made.get("/runs/{run}/compare/{other}", response_model=RunsCompared, responses=one)(compare)
    archive = _file(_ARCHIVE, "the report's files", binary=True)
    made.get("/report", response_class=Response, responses={**one, **archive})(report_of_several)
    return made


_TEXT: Final = {"type": "string"}


def _file(media: str, told: str, *, binary: bool = False) -> Responses:
    schema = {**_TEXT, "format": "binary"} if binary else _TEXT
    return {200: {"content": {media: {"schema": schema}}, "description": told}}


async def benchmarks(book: Book, caller: Administrator) -> list[dict[str, Any]]:
    """The benchmarks that there are."""
    del caller
    return [each.as_json() for each in book.evaluation.benchmarks()]


async def runs(book: Book, caller: Administrator) -> list[dict[str, Any]]:
    """The stored runs, newest first."""
    del caller
    return [each.as_json() for each in await book.evaluation.runs()]


async def show(
    run: RunId, caller: Administrator, request: Request, judge: Judge = None
) -> dict[str, Any]:
    """A run with its scores, each with its n and its interval; no model is asked."""
    del caller
    found = await aside(request, lambda book: book.evaluation.show(run, judge=judge))
    return found.as_json()


async def compare(
    run: RunId,
    other: Annotated[str, InPath(max_length=300)],
    caller: Administrator,
    request: Request,
    judge: Judge = None,
) -> dict[str, Any]:
    """Differences of two runs on the same questions, each with its interval."""
    del caller
    found = await aside(request, lambda book: book.evaluation.compare(run, other, judge=judge))
    return found.as_json()


async def compare_methods(
    run: RunId, caller: Administrator, request: Request, judge: Judge = None
) -> dict[str, Any]:
    """Differences of the methods of one run, each from the first."""
    return await compare(run, run, caller, request, judge)


async def report(
    run: RunId,
    caller: Administrator,
    request: Request,
    judge: Judge = None,
    examples: Examples = 2,
) -> Response:
    """The report of a run as one page, without pictures."""
    del caller
    files = await aside(request, lambda book: _reported(book, [run], judge, examples))
    return Response(files["report.html"], media_type="text/html")


async def report_of_several(
    run: Annotated[list[str], Query(min_length=1, max_length=100, description="Ids of runs.")],
    caller: Administrator,
    request: Request,
    judge: Judge = None,
    examples: Examples = 2,
    pictures: Annotated[
        bool, Query(description="With pictures, where the server has the extra `eval`.")
    ] = False,
) -> Response:
    """The report of runs with all its files: tables, texts, pictures where they are wanted."""
    del caller
    files = await aside(
        request, lambda book: _reported(book, run, judge, examples, pictures=pictures)
    )
    data = await asyncio.to_thread(_zipped, files.items())
    return Response(data, media_type=_ARCHIVE, headers=saved_as("report.zip"))


async def export(
    run: RunId,
    caller: Administrator,
    request: Request,
    kind: Annotated[
        RunFormat,
        Query(alias="format", description="A cell a line, or a log that inspect_ai reads."),
    ] = "jsonl",
) -> Response:
    """A run in one file: its record, its cells, the ratings of all judges."""
    del caller

    async def exported(book: Offbook) -> bytes:
        with tempfile.TemporaryDirectory(prefix="offbook-") as folder:
            file = await book.evaluation.export(run, Path(folder, f"run.{kind}"))
            return await asyncio.to_thread(file.read_bytes)

    data = await aside(request, exported)
    return Response(data, media_type=_MEDIA[kind], headers=saved_as(f"{run}.{kind}"))


async def delete(run: RunId, book: Book, caller: Administrator) -> dict[str, str]:
    """Delete a run with its cells, ratings and jobs, from the whole database."""
    del caller
    await book.evaluation.delete(run)
    return {"id": run}


async def _reported(
    book: Offbook, runs: list[str], judge: str | None, examples: int, *, pictures: bool = False
) -> dict[str, bytes]:
    """The files of a report, by their paths below its folder."""
    with tempfile.TemporaryDirectory(prefix="offbook-") as folder:
        written = await write_report(
            book, runs, folder, judge=judge, with_pictures=pictures, examples=examples
        )
        return {name: Path(folder, name).read_bytes() for name in written.files}


def _zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return made.getvalue()


def saved_as(name: str) -> dict[str, str]:
    """The header of a file that a browser is to keep and not to open."""
    return {"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
