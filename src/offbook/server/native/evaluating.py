"""``/api/evaluation``: what is begun: runs, ratings, checks of a judge, studies, tables.

Takes: benchmarks by name, questions in the body.  Gives: jobs behind the request, to look at,
listen to and cancel; their reports are what ``offbook eval`` prints.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Path, Request, Response, status
from fastapi.responses import StreamingResponse

from offbook import registry
from offbook.errors import ConfigurationError, UnknownName, UsageError
from offbook.evaluation.variants import methods_named
from offbook.server.book import Book
from offbook.server.evaluations.doing import command_for, wanted_of
from offbook.server.failures import asked_by_owner
from offbook.server.native import evaluation_bodies as bodies
from offbook.server.native import evaluation_shapes as shapes
from offbook.server.native.access import Administrator, failing, streamed
from offbook.server.native.aside import aside
from offbook.server.native.following import EVENTS, TOLD, followed
from offbook.server.native.shapes import Estimated
from offbook.stores import evaluation_jobs, evaluations

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.stores.evaluation_jobs import EvaluationJob, JobKind

RunId = Annotated[str, Path(max_length=300, description="The run's id.", examples=["demo-1"])]
JobId = Annotated[str, Path(max_length=100)]
TableName = Annotated[str, Path(max_length=100, examples=["amadeus-2"])]

_ENDED: Final = ("done", "failed", "cancelled")
_ASK_THE_OWNER: Final = "ask whoever runs this server"


def router() -> APIRouter:
    """The routes."""
    made = APIRouter(prefix="/api/evaluation", tags=["evaluation"])
    one, given = failing(404), failing(404, 409, 413, 415)
    begun: dict[str, Any] = {
        "response_model": shapes.JobSeen,
        "status_code": status.HTTP_202_ACCEPTED,
        "responses": given,
    }
    made.post("/estimate", response_model=Estimated, responses=given)(estimate)
    made.post("/runs", **begun)(run)
    made.post("/runs/{run}/score", **begun)(score)
    made.post("/runs/{run}/check-judge", **begun)(check_judge)
    made.post("/splitters", **begun)(splitters)
    made.get("/tables", response_model=list[shapes.TableListed], responses=failing())(tables)
    made.post("/tables/{table}", **begun)(table)
    made.post("/tables/{table}/plan", response_model=shapes.TablePlanned, responses=given)(plan)
    made.get("/jobs", response_model=list[shapes.JobListed], responses=failing())(list_jobs)
    made.get("/jobs/{job}", response_model=shapes.JobSeen, responses=one)(look_at)
    made.post("/jobs/{job}/cancel", response_model=shapes.JobSeen, responses=one)(cancel)
    stream = streamed(f"`progress` events with the job{TOLD}", EVENTS)
    made.get("/jobs/{job}/events", response_class=StreamingResponse, responses={**one, **stream})(
        listen
    )
    return made


# -- what is begun -----------------------------------------------------------------------------


async def estimate(
    body: bodies.EvaluationAsked, book: Book, caller: Administrator, request: Request
) -> dict[str, Any]:
    """What a run would cost: calls, tokens, money; what is stored of it is not counted."""
    del caller
    _check_settings(book, body.methods)
    asked = body.request()

    async def estimated(inside: Offbook) -> dict[str, Any]:
        command = command_for(inside, asked)
        wanted = wanted_of(asked)
        with _settings_of_the_client(body.methods):
            run = command.evaluation.estimate(asked["benchmark"], build=body.build, **wanted)
            return (await run).as_json()

    return await aside(request, estimated)


async def run(
    body: bodies.RunAsked, book: Book, caller: Administrator, request: Request, response: Response
) -> dict[str, Any]:
    """Run a benchmark, or questions of your own, behind the request.

    The same again goes on with the run: no reply and no rating is asked for twice. It goes on by
    itself when the server is stopped in between.
    """
    del caller
    _check_settings(book, body.methods)
    asked = body.request()
    if body.resume is not None:
        await _require_run(book, body.resume)
    await aside(request, lambda inside: _check(inside, asked))
    return await _begin(request, response, book, "run", asked, body.resume)


async def score(
    body: bodies.ScoreAsked,
    run: RunId,
    book: Book,
    caller: Administrator,
    request: Request,
    response: Response,
) -> dict[str, Any]:
    """Have the configured judge rate stored replies; only ratings that are missing are asked for.

    Another judge rates under its own name: ratings of two judges are never mixed.
    """
    del caller
    await _require_run(book, run)
    asked = {"run": run, **body.model_dump(exclude_none=True)}
    return await _begin(request, response, book, "score", asked, run)


async def check_judge(
    body: bodies.CheckAsked,
    run: RunId,
    book: Book,
    caller: Administrator,
    request: Request,
    response: Response,
) -> dict[str, Any]:
    """Check the configured judge: the same replies in two orders, without names and with its own.

    The run has to be of two or more methods.
    """
    del caller
    await _require_run(book, run)
    asked = {"run": run, **body.model_dump(exclude_none=True)}
    return await _begin(request, response, book, "check_judge", asked, run)


async def splitters(
    body: bodies.StudyAsked,
    book: Book,
    caller: Administrator,
    request: Request,
    response: Response,
) -> dict[str, Any]:
    """Compare splitters and embedders on the documents and questions of a benchmark."""
    del caller
    registry.load("benchmark", body.benchmark)
    _check_settings(book, body.splitters)
    asked = body.model_dump(exclude_none=True)
    return await _begin(request, response, book, "splitters", asked)


async def tables(caller: Administrator) -> list[dict[str, str]]:
    """The published tables that can be filled."""
    from offbook.evaluation.tables.catalogue import TABLES

    del caller
    return [{"name": each.name, "title": each.title} for each in TABLES.values()]


async def table(
    body: bodies.TableAsked,
    table: TableName,
    book: Book,
    caller: Administrator,
    request: Request,
    response: Response,
) -> dict[str, Any]:
    """Run a published table, and put our numbers beside the printed ones.

    It is filled from data that ship with benchmarks or were fetched on the server.
    """
    from offbook.evaluation.tables.catalogue import table_named

    del caller
    table_named(table)
    asked = {"table": table, **body.model_dump(exclude_none=True)}
    return await _begin(request, response, book, "table", asked)


async def plan(
    body: bodies.TableAsked, table: TableName, caller: Administrator, request: Request
) -> dict[str, Any]:
    """What a published table would run, and what that would cost; no model is asked."""
    from offbook.app.evaluation.tables import TableRequest, table_plan

    del caller
    options = body.model_dump(exclude={"preset", "budget_calls", "budget_usd"})

    async def planned(book: Offbook) -> dict[str, Any]:
        command = command_for(book, {"preset": body.preset})
        return (await table_plan(command, table, TableRequest(**options))).as_json()

    return await aside(request, planned)


def _check_settings(book: Offbook, named: Sequence[str]) -> None:
    """Refuse settings of methods or splitters that are none: here they are the client's mistake.

    Raises:
        UsageError: there is no such setting, or it cannot have that value.
    """
    with _settings_of_the_client(named):
        for each in methods_named(named):
            book.settings.overlaid(each.settings)


@contextmanager
def _settings_of_the_client(named: Sequence[str]) -> Iterator[None]:
    """Where a client sets something, what the settings lack is the client's mistake.

    Raises:
        UsageError: instead of the `ConfigurationError` that it would be on the command line.
    """
    try:
        yield
    except ConfigurationError as error:
        if not any(each.settings for each in methods_named(named)):
            raise
        raise UsageError(f"{', '.join(named)}: {error.message}", error.hint) from error


async def _require_run(book: Offbook, run: str) -> None:
    await book.store.read(lambda conn: evaluations.require_run(conn, run))


async def _check(book: Offbook, asked: Mapping[str, Any]) -> None:
    """Refuse at once what would fail at once: names that are none, indexes that are not built.

    Raises:
        OffbookError: as `Evaluation.run` does.
    """
    from offbook.app.evaluation.asked import what_is_asked
    from offbook.app.evaluation.cast import Missing
    from offbook.app.missing_index import require_index

    command = command_for(book, asked)
    with _settings_of_the_client(asked["methods"]):
        found = await what_is_asked(command, asked["benchmark"], wanted_of(asked))
        there = [each for each in found.chosen.values() if not isinstance(each, Missing)]
        for view in () if asked["build"] else found.views:
            for character in there:
                await require_index(view, character)


async def _begin(
    request: Request,
    response: Response,
    book: Offbook,
    kind: JobKind,
    asked: Mapping[str, Any],
    run: str | None = None,
) -> dict[str, Any]:
    id_ = uuid.uuid4().hex[:12]
    await book.store.write(lambda conn: evaluation_jobs.add(conn, id_, kind, asked, run))
    request.app.state.background.wake()
    response.headers["location"] = f"/api/evaluation/jobs/{id_}"
    return await _look(book, id_)


# -- jobs --------------------------------------------------------------------------------------


async def list_jobs(book: Book, caller: Administrator) -> list[dict[str, Any]]:
    """What was begun over the network, newest first; the latest that have ended are kept."""
    del caller
    rows = [_seen(each) for each in await book.store.read(evaluation_jobs.list_all)]
    return [{name: value for name, value in row.items() if name != "report"} for row in rows]


async def look_at(job: JobId, book: Book, caller: Administrator) -> dict[str, Any]:
    """How far a job is, or what became of it."""
    del caller
    return await _look(book, job)


async def cancel(job: JobId, book: Book, caller: Administrator, request: Request) -> dict[str, Any]:
    """Have a job end; what it did is kept, and a run can be gone on with later.

    One that has ended stays as it is.
    """
    del caller
    await _look(book, job)
    await book.store.write(lambda conn: evaluation_jobs.cancel(conn, job))
    request.app.state.background.wake()
    return await _look(book, job)


async def listen(
    job: JobId, book: Book, caller: Administrator, request: Request
) -> StreamingResponse:
    """How far a job is, as server-sent events, until it has ended."""
    del caller
    await _look(book, job)
    return followed(lambda: _look(book, job), _ENDED, request.app.state.stopping)


async def _look(book: Offbook, job: str) -> dict[str, Any]:
    found = await book.store.read(lambda conn: evaluation_jobs.get(conn, job))
    if found is None:
        raise UnknownName(f"no job {job!r}", "GET /api/evaluation/jobs lists those there are")
    return _seen(found)


def _seen(found: EvaluationJob) -> dict[str, Any]:
    """As administrators may read it, and nobody else does: what an endpoint says among it."""
    row = asdict(found)
    error = row["error"]
    if error is not None and error["kind"] == "index_missing" and not asked_by_owner.get():
        # Its hint is a command, with the owner's folders in it.
        row["error"] = {**error, "hint": _ASK_THE_OWNER}
    return row
