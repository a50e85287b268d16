"""What goes wrong, as a response: a status, and an envelope that the client of the path reads."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any, ClassVar, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from offbook.errors import (
    NO_ROOM,
    BudgetReached,
    ConfigurationError,
    IndexMissing,
    InputRefused,
    ModelError,
    OffbookError,
    StoreFailed,
    UnknownName,
    UsageError,
)
from offbook.models.failures import PassingError, is_about_context_length
from offbook.server.masking import Masking, masked

_LOG: Final = logging.getLogger("offbook.server")
_OPENAI_HEADS: Final = (
    "/v1", "/models", "/chat", "/completions", "/embeddings", "/responses",
)  # fmt: skip
_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}
_CODES: Final = {401: "invalid_api_key", 403: "forbidden", 429: "rate_limit_exceeded"}
_KINDS: Final = {400: "usage", 404: "not_found", 405: "not_allowed"}
_STATUSES: Final[tuple[tuple[type[OffbookError], int], ...]] = (
    # The first that fits; subclasses stand before their bases.
    (UnknownName, 404),
    (IndexMissing, 409),
    (UsageError, 400),
    (BudgetReached, 429),
    (StoreFailed, 503),
    (ConfigurationError, 500),
    (InputRefused, 400),
    (ModelError, 502),
    (OffbookError, 500),
)

asked_by_owner: ContextVar[bool] = ContextVar("asked_by_owner", default=True)
"""Whether the request that is being served comes from this machine's owner."""

_INSIDE: Final[tuple[tuple[type[OffbookError], str], ...]] = (
    (InputRefused, "the model refuses this input: it is too long, or filtered"),
    (ModelError, "the model did not answer"),
    (ConfigurationError, "the server is not set up for this"),
    (StoreFailed, "the database cannot be read or written"),
)
_ASK: Final = "ask whoever runs this server"


class RequestRefused(OffbookError):
    """A request that cannot be served as it is.

    Args:
        message: What happened.
        hint: What the client can do about it.
        status: The HTTP status.
        code: OpenAI's code of the failure.
        param: The part of the body that is at fault.
        headers: Further headers of the response, such as ``Retry-After``.
    """

    kind: ClassVar[str] = "refused"

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        status: int = 400,
        code: str | None = None,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.code = code
        self.param = param
        self.headers = dict(headers or {})

    def as_json(self) -> dict[str, dict[str, str]]:
        """Our own envelope; the kind is the code, or what the status says."""
        kind = self.code or _CODES.get(self.status) or _KINDS.get(self.status, self.kind)
        return {"error": {"kind": kind, "message": self.message, "hint": self.hint}}


def forbidden(message: str, hint: str, code: str = "forbidden") -> RequestRefused:
    """A request that this caller, or this place, may not make."""
    return RequestRefused(message, hint, status=403, code=code)


def add_failure_handlers(app: FastAPI) -> None:
    """Have every failure answered in the envelope of its path."""
    app.exception_handler(OffbookError)(_on_ours)
    app.exception_handler(RequestValidationError)(_on_validation)
    app.exception_handler(HTTPException)(on_http)
    app.exception_handler(OSError)(_on_system)


def status_of(error: OffbookError) -> int:
    """The HTTP status that tells of an error."""
    if isinstance(error, RequestRefused):
        return error.status
    if isinstance(error, PassingError):
        return 429 if error.throttled else 503
    return next(status for kind, status in _STATUSES if isinstance(error, kind))


def openai_error(error: OffbookError) -> dict[str, Any]:
    """OpenAI's envelope of an error."""
    message, hint = _told(error)
    text = f"{message.rstrip('.')}; {hint}" if hint else message
    status = status_of(error)
    param = error.param if isinstance(error, RequestRefused) else None
    return _envelope(text, status, _code_of(error, status), param)


def native_error(error: OffbookError) -> dict[str, Any]:
    """Our own envelope of an error, without secrets."""
    message, hint = _told(error)
    return {"error": {**error.as_json()["error"], "message": message, "hint": hint}}


def kept_error(error: OffbookError, masks: Masking) -> dict[str, str]:
    """An error as it is stored, for whoever asks later what became of work behind requests."""
    row = {**error.as_json()["error"], "message": error.told_to_all}
    return {name: masks(text) for name, text in row.items()}


def _told(error: OffbookError) -> tuple[str, str]:
    """Message and hint as the caller may read them.

    To others than this machine's owner, failures of what the server itself uses tell no more than
    that: an endpoint may quote the prompt in its error, and commands name the server's folders.
    """
    message, hint = error.told_to_all, error.hint
    if not asked_by_owner.get():
        inside = next((words for kind, words in _INSIDE if isinstance(error, kind)), None)
        message = inside or message
        hint = _ASK if inside or isinstance(error, IndexMissing) else hint
    return masked(message), masked(hint)


def failure_response(error: OffbookError, path: str) -> Response:
    """The response that tells of an error to the client of a path."""
    status = status_of(error)
    if status >= 500:
        # Not the path: characters and documents are named in it. The request's line has its route.
        _LOG.warning("%s", error.message)
    body = openai_error(error) if is_openai_path(path) else native_error(error)
    return JSONResponse(body, status, _headers_of(error))


def is_openai_path(path: str) -> bool:
    """Whether clients of OpenAI's API ask there."""
    plain = f"/{path.lstrip('/')}"
    return any(plain == head or plain.startswith(f"{head}/") for head in _OPENAI_HEADS)


def _headers_of(error: OffbookError) -> dict[str, str]:
    headers = dict(error.headers) if isinstance(error, RequestRefused) else {}
    if isinstance(error, PassingError) and error.retry_after is not None:
        headers["retry-after"] = str(math.ceil(error.retry_after))
    # Clients try 409, 429 and 5xx again by themselves. The model was asked again here already, as
    # often as the settings say; what else may pass is a busy database, or too many requests.
    passes = isinstance(error, StoreFailed) or "retry-after" in {name.lower() for name in headers}
    if not passes:
        headers["x-should-retry"] = "false"
    return headers


def _code_of(error: OffbookError, status: int) -> str | None:
    if isinstance(error, RequestRefused):
        return error.code or _CODES.get(status)
    if isinstance(error, UnknownName):
        return "model_not_found"
    if isinstance(error, InputRefused):
        long = is_about_context_length(error.message)
        return "context_length_exceeded" if long else "content_filter"
    if isinstance(error, PassingError) and error.throttled:
        return "rate_limit_exceeded"
    return error.kind


def _envelope(message: str, status: int, code: str | None, param: str | None) -> dict[str, Any]:
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _let_go(error: BaseException) -> None:
    """Free what it was raised in, the body of a request among it.

    Errors and the frames that they went through hold one another: a client whose bodies are
    refused would fill the memory until the collector looks through all that there is.
    """
    current: BaseException | None = error
    while current is not None and current.__traceback__ is not None:
        current.__traceback__ = None
        current = current.__cause__ or current.__context__


async def _on_ours(request: Request, error: OffbookError) -> Response:
    _let_go(error)
    return failure_response(error, request.url.path)


async def _on_validation(request: Request, error: RequestValidationError) -> Response:
    _let_go(error)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return failure_response(_no_json(first["ctx"]["error"]), request.url.path)
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    message = f"{where}: {first['msg']}" if where else str(first["msg"])
    refused = RequestRefused(message, "see /docs for what it takes", param=where or None)
    return failure_response(refused, request.url.path)


def _no_json(why: str) -> RequestRefused:
    return RequestRefused(f"the body is not JSON: {why}", "send one JSON object, in UTF-8")


async def on_http(request: Request, error: HTTPException) -> Response:
    """What the framework refuses, in the envelope of the path."""
    _let_go(error)
    method, path = request.method, request.url.path
    if isinstance(error.__cause__, ValueError | RecursionError):  # met while the body was read
        return failure_response(_no_json(str(error.__cause__)), path)
    message = error.detail or HTTPStatus(error.status_code).phrase
    if error.status_code == HTTPStatus.NOT_FOUND:
        message = f"there is nothing at {path!r}"
    elif error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        message = f"{path!r} is not asked with {method}"
    hint = "see /docs for what there is" if error.status_code in (404, 405) else ""
    headers = dict(error.headers or {})
    refused = RequestRefused(message, hint, status=error.status_code, headers=headers)
    return failure_response(refused, path)


def mistake(error: Exception, number: str | None) -> OffbookError:
    """What a client is told of a mistake of ours: under which request the log has the rest."""
    where = f" under request {number}" if number else ""
    return OffbookError(
        f"{type(error).__name__} while answering",
        f"this is a mistake in offbook; its log has the details{where}",
    )


async def _on_system(request: Request, error: OSError) -> Response:
    """A full disk is no mistake of ours: files pass through folders that are removed again."""
    if error.errno not in NO_ROOM:
        raise error
    full = StoreFailed(
        f"there is no room for a file: {error.strerror}",
        "make some where the server has its temporary files",
    )
    return failure_response(full, request.url.path)
