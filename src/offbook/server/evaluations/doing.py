"""What a queued job asks for, done: a run, ratings, a check of a judge, a study, a table.

Takes: the request as it was queued, and an offbook.  Gives: what the command line prints of it. No
part of a request is a path: data are those of registered benchmarks, or questions that were sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from offbook import registry
from offbook.app.commands import command_of
from offbook.server.background import Stages
from offbook.stores.evaluation_jobs import JobKind

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.app.evaluation.asked import Wanted
    from offbook.stores.evaluation_jobs import TakenJob

_MOST_MESSAGES: Final = 20


class Told(Stages):
    """How far a job is, what a person should know of it, and the run once it is begun."""

    def __init__(self, run: str | None = None) -> None:
        super().__init__()
        self.run = run
        self._messages: list[str] = []

    def say(self, message: str) -> None:
        """Keep what a person should know."""
        if message not in self._messages and len(self._messages) < _MOST_MESSAGES:
            self._messages.append(message)

    def named(self, run: str) -> None:
        """Keep the id of the run."""
        self.run = run

    def as_json(self) -> dict[str, Any]:
        """The shape of ``progress``."""
        return {**super().as_json(), "messages": list(self._messages)}


class Report(Protocol):
    """What a command prints."""

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        ...


async def do(command: Offbook, taken: TakenJob, told: Told) -> dict[str, Any]:
    """Do a job; ``command`` is offbook as `command_for` gives it.

    Raises:
        OffbookError: it failed; what was done is kept.
    """
    return (await _DONE[taken.kind](command, taken, told)).as_json()


def command_for(book: Offbook, request: Mapping[str, Any]) -> Offbook:
    """Offbook for one job; it spends no more than it may, nor than the server's settings let it."""
    limits = book.settings.values.limits
    return command_of(
        book,
        preset=request.get("preset"),
        limits__budget_calls=_least(limits.budget_calls, request.get("budget_calls")),
        limits__budget_usd=_least(limits.budget_usd, request.get("budget_usd")),
    )


def wanted_of(request: Mapping[str, Any]) -> Wanted:
    """Whom a run asks what, and how."""
    names = ("characters", "methods", "options", "metrics", "limit", "repeats", "seed", "create")
    found: Wanted = {name: request[name] for name in names if name in request}  # type: ignore[assignment]
    return found


async def _run(command: Offbook, taken: TakenJob, told: Told) -> Report:
    asked = taken.request
    begun = taken.run is not None  # by a server that was stopped since: it goes on with it
    return await command.evaluation.run(
        asked["benchmark"],
        resume=taken.run or asked.get("resume"),
        new=asked.get("new", False) and not begun,
        build=asked.get("build", False),
        retry_failed=asked.get("retry_failed", False) and not begun,
        progress=told,
        told=told.say,
        named=told.named,
        **wanted_of(asked),
    )


async def _score(command: Offbook, taken: TakenJob, told: Told) -> Report:
    asked = taken.request
    retry = asked.get("retry_missing", False)
    return await command.evaluation.score(asked["run"], retry_missing=retry, progress=told)


async def _check_judge(command: Offbook, taken: TakenJob, told: Told) -> Report:
    asked = taken.request
    return await command.evaluation.check_judge(
        asked["run"], limit=asked["limit"], replies=asked["replies"], progress=told
    )


async def _splitters(command: Offbook, taken: TakenJob, told: Told) -> Report:
    from offbook.app.evaluation.splitter_studies import StudyRequest, splitter_study

    asked = taken.request
    registry.load("benchmark", asked["benchmark"])  # another name would be taken for a file's
    names = ("characters", "splitters", "embedders", "top", "budget_tokens", "limit", "seed")
    options = {name: asked[name] for name in (*names, "options") if name in asked}
    return await splitter_study(command, StudyRequest(asked["benchmark"], **options), told)


async def _table(command: Offbook, taken: TakenJob, told: Told) -> Report:
    from offbook.app.evaluation.tables import TableRequest, filled_table

    asked = taken.request
    names = ("characters", "limit", "repeats", "seed", "create", "build", "stored")
    request = TableRequest(**{name: asked[name] for name in names if name in asked})
    return await filled_table(command, asked["table"], request, progress=told, told=told.say)


_DONE: Final[Mapping[JobKind, Callable[[Offbook, TakenJob, Told], Awaitable[Report]]]] = {
    "run": _run,
    "score": _score,
    "check_judge": _check_judge,
    "splitters": _splitters,
    "table": _table,
}


def _least(one: float | None, other: float | None) -> float | None:
    known = [value for value in (one, other) if value is not None]
    return min(known) if known else None
