"""``/api/evaluation``: benchmarks and runs, listed, begun, watched, cancelled, reported."""

from __future__ import annotations

import json
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Request, Response, status
from fastapi.responses import StreamingResponse
from pydantic import AfterValidator, Field, model_validator
from pydantic.config import JsonDict

from offbook.app.book import Offbook
from offbook.errors import ConfigurationError, UnknownName, UsageError
from offbook.evaluation.benchmark import Benchmark
from offbook.evaluation.comparison import RunLine
from offbook.evaluation.report.writing import write_report
from offbook.evaluation.variants import methods_named
from offbook.server.dependencies import Book
from offbook.server.events import EVENTS, TOLD, followed
from offbook.server.failures import asked_by_owner
from offbook.server.job_handlers import command_for, run_options
from offbook.server.native.access import ADMINISTRATOR, Body, Listed, aside, streamed
from offbook.server.native.talk import Preset
from offbook.stores import evaluations, queue
from offbook.stores.queue import EvaluationJob

JobId = Annotated[str, Path(max_length=100)]
RunId = Annotated[str, Path(max_length=300, description="The run's id.", examples=["demo-1"])]

_FILE_BENCHMARK: Final = "file"
"""The benchmark of questions of one's own: on the command line it reads a file."""
_MOST_QUESTIONS: Final = 5_000
_MOST_CHARACTERS: Final = 2_000_000
"""Characters of all questions together: the record of the run keeps them."""
_NUMBER: Final = 10**9
_EXAMPLE: Final[JsonDict] = {"benchmark": "demo", "methods": ["vanilla", "naive"], "limit": 5}


def _registered(name: str) -> str:
    if name == _FILE_BENCHMARK:
        raise ValueError("a file of the server is not read: send `questions`")
    return name


BenchmarkName = Annotated[
    str,
    Field(min_length=1, max_length=100, description="Its name."),
    AfterValidator(_registered),
]
Name = Annotated[str, Field(min_length=1, max_length=300)]
Option = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")]
"""A value of a loader's option; none of them is, or could be, a path."""
Text = Annotated[str, Field(max_length=20_000)]


class SentQuestion(Body, json_schema_extra={"examples": [_EXAMPLE]}):
    """A question of one's own, with what is known of it."""

    question: str = Field(min_length=1, max_length=20_000)
    answers: Listed[Text] = Field(
        default_factory=list, max_length=100, description="Right answers; any of them is right."
    )
    scope: Literal["in", "out"] | None = Field(
        None, description="Whether it lies within what the character can know."
    )
    character: str | None = Field(
        None, min_length=1, max_length=300, description="To whom it is put; none: to all."
    )
    kind: str | None = Field(None, max_length=300, description="A group of your own.")
    id: str | None = Field(None, min_length=1, max_length=300)
    language: str | None = Field(None, max_length=20)


class RunRequest(Body):
    """Whom to ask what, and how; sent again, the run goes on where it stopped."""

    benchmark: BenchmarkName | None = None
    questions: Listed[SentQuestion] | None = Field(
        None,
        min_length=1,
        max_length=_MOST_QUESTIONS,
        description="Questions of your own, in the place of a benchmark.",
    )
    characters: Listed[Name] = Field(
        default_factory=list,
        max_length=1_000,
        description="Subjects of the dataset, or SUBJECT=CHARACTER; none: every subject.",
    )
    methods: Listed[Name] = Field(
        default_factory=list,
        max_length=100,
        description="Each perhaps with settings: `amadeus[gs=off]`; none: the configured one.",
    )
    options: dict[Name, Option] = Field(
        default_factory=dict, max_length=20, description="Of the dataset's loader."
    )
    metrics: Listed[Name] = Field(default_factory=list, max_length=100, description="None: all.")
    limit: Annotated[int, Field(ge=1, le=_NUMBER)] | None = Field(
        None, description="The most questions a character."
    )
    repeats: int = Field(1, ge=1, le=1_000, description="How often each question is asked.")
    seed: int = Field(
        0, ge=-_NUMBER, le=_NUMBER, description="Draws the questions and their order."
    )
    create: bool = Field(False, description="Make characters of the texts of the dataset.")
    build: bool = Field(False, description="Build indexes that are missing.")
    preset: Preset | None = Field(None, description="`faithful` repeats the papers' settings.")
    budget_calls: int | None = Field(
        None, ge=0, le=_NUMBER, description="Calls of models; the server's own limits hold as well."
    )
    budget_usd: float | None = Field(None, ge=0, le=_NUMBER, description="Money.")
    resume: str | None = Field(
        None, min_length=1, max_length=300, description="Go on with this run, or say why not."
    )
    new: bool = Field(False, description="Begin another run, whatever is stored.")
    retry_failed: bool = Field(False, description="Ask again where no reply could be got.")

    @model_validator(mode="after")
    def _of_one_dataset(self) -> RunRequest:
        if (self.benchmark is None) == (self.questions is None):
            raise ValueError("give either a `benchmark` or `questions`")
        if self.questions is not None:
            if self.options or self.create:
                raise ValueError("`options` and `create` are of benchmarks, not of `questions`")
            if len(self._rows()) > _MOST_CHARACTERS:
                raise ValueError(f"the questions have more than {_MOST_CHARACTERS} characters")
        return self

    def stored(self) -> dict[str, Any]:
        """Return the request as its job keeps it."""
        request = self.model_dump(exclude={"questions"}, exclude_none=True)
        if self.questions is None:
            return request
        return {**request, "benchmark": _FILE_BENCHMARK, "options": {"rows": self._rows()}}

    def _rows(self) -> str:
        rows = (each.model_dump(exclude_none=True) for each in self.questions or ())
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


routes: Final = APIRouter(
    prefix="/api/evaluation", tags=["evaluation"], dependencies=[ADMINISTRATOR]
)


@routes.get("/benchmarks")
async def benchmarks(book: Book) -> list[Benchmark]:
    """List the benchmarks that there are."""
    return list(book.evaluation.benchmarks())


@routes.get("/runs")
async def runs(book: Book) -> list[RunLine]:
    """List the stored runs, newest first."""
    return list(await book.evaluation.runs())


@routes.post("/runs", status_code=status.HTTP_202_ACCEPTED)
async def run(body: RunRequest, book: Book, request: Request, response: Response) -> EvaluationJob:
    """Run a benchmark, or questions of your own, behind the request.

    The same again goes on with the run: no reply and no rating is asked for twice. It goes on by
    itself when the server is stopped in between.
    """
    stored = body.stored()
    if body.resume is not None:
        run = body.resume
        await book.store.read(evaluations.require_run, run)
    await aside(request, lambda worker_book: _check(worker_book, stored))
    id_ = uuid.uuid4().hex[:12]
    await book.store.write(queue.add, id_, "run", stored, run=body.resume)
    request.app.state.background.wake()
    response.headers["location"] = f"/api/evaluation/jobs/{id_}"
    return await _require_job(book, id_)


async def _check(book: Offbook, request: Mapping[str, Any]) -> None:
    """Refuse at once what would fail at once: names that are none, indexes that are not built."""
    from offbook.app.documents import require_index
    from offbook.evaluation.characters import MissingCharacter
    from offbook.evaluation.runs import requested

    methods = request["methods"]
    with _settings_of_the_client(methods):
        for method in methods_named(methods):
            book.settings.overlaid(method.settings)
        command = command_for(book, request)
        plan = await requested(command, request["benchmark"], run_options(request))
        present = [each for each in plan.chosen.values() if not isinstance(each, MissingCharacter)]
        for view in () if request["build"] else plan.views:
            for character in present:
                await require_index(view, character, with_cost=False)


@contextmanager
def _settings_of_the_client(methods: Sequence[str]) -> Iterator[None]:
    """Where a client sets something, what the settings lack is the client's mistake."""
    try:
        yield
    except ConfigurationError as error:
        if not any(method.settings for method in methods_named(methods)):
            raise
        raise UsageError(f"{', '.join(methods)}: {error.message}", error.hint) from error


@routes.get(
    "/runs/{run}/report",
    response_class=Response,
    responses={200: {"content": {"text/html": {"schema": {"type": "string"}}}}},
)
async def report(
    run: RunId,
    request: Request,
    judge: Annotated[
        str | None,
        Query(max_length=300, description="Whose ratings; none: those of the run's judge."),
    ] = None,
    examples: Annotated[
        int, Query(ge=0, le=50, description="Worst and best replies shown, by metric and method.")
    ] = 2,
) -> Response:
    """Write the report of a run as one page, without pictures."""

    async def page(book: Offbook) -> bytes:
        with tempfile.TemporaryDirectory(prefix="offbook-") as folder:
            await write_report(
                book, [run], folder, judge=judge, with_pictures=False, examples=examples
            )
            return FilePath(folder, "report.html").read_bytes()

    return Response(await aside(request, page), media_type="text/html")


_LISTED: Final = ("id", "kind", "status", "run", "progress", "error", "created", "updated")


@routes.get("/jobs")
async def list_jobs(book: Book) -> list[dict[str, Any]]:
    """List what was begun over the network, newest first; the latest that have ended are kept."""
    jobs = await book.store.read(queue.list_jobs)
    return [{name: getattr(_shown(job), name) for name in _LISTED} for job in jobs]


@routes.get("/jobs/{job}")
async def look_at(job: JobId, book: Book) -> EvaluationJob:
    """Tell how far a job is, or what became of it."""
    return await _require_job(book, job)


@routes.post("/jobs/{job}/cancel")
async def cancel(job: JobId, book: Book, request: Request) -> EvaluationJob:
    """Have a job end; what it did is kept, and a run can be gone on with later.

    One that has ended stays as it is.
    """
    await _require_job(book, job)
    await book.store.write(queue.cancel, job)
    request.app.state.background.wake()
    return await _require_job(book, job)


@routes.get(
    "/jobs/{job}/events",
    response_class=StreamingResponse,
    responses=streamed(f"`progress` events with the job{TOLD}", EVENTS),
)
async def listen(job: JobId, book: Book, request: Request) -> StreamingResponse:
    """Tell how far a job is, as server-sent events, until it has ended."""
    await _require_job(book, job)
    return followed(lambda: _require_job(book, job), request.app.state.stopping.begins)


async def _require_job(book: Offbook, id_: str) -> EvaluationJob:
    job = await book.store.read(queue.get_job, id_)
    if job is None:
        raise UnknownName(f"no job {id_!r}", "GET /api/evaluation/jobs lists those there are")
    return _shown(job)


def _shown(job: EvaluationJob) -> EvaluationJob:
    """As administrators may read it, and nobody else does: what an endpoint says among it."""
    error = job.error
    if error is not None and error["kind"] == "index_missing" and not asked_by_owner.get():
        # Its hint is a command, with the owner's folders in it.
        error = {**error, "hint": "ask whoever runs this server"}
    return replace(job, error=error, progress={"stages": [], "messages": [], **job.progress})
