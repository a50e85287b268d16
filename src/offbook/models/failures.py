"""What goes wrong at an endpoint: which failures pass, which last, and what to do about them.

Takes: exceptions of the SDK, or a status and a body.  Gives: errors of ours, without keys in them.
"""

from __future__ import annotations

import json
import logging
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Final

from offbook.errors import AnswerError, InputRefused, ModelError

_LOG: Final = logging.getLogger(__name__)

PASSING: Final = frozenset({408, 409, 425, 429})
"""Statuses below 500 that are worth another try."""

_SHOWN_CHARS: Final = 240
_CONTEXT_MARKS: Final = (
    "context_length_exceeded",
    "context length",
    "context window",
    "maximum context",
    "too many tokens",
    "prompt is too long",
    "exceeds the available context",
    "input is too large",
)
_REFUSED: Final = "the model refuses what it was asked with: it is too long, or filtered"
_QUOTED: Final = re.compile(r"\S+ answered \d{3} for model .*", re.DOTALL)
"""What ``from_status`` says, wherever it stands in a message."""
_FILTER_MARKS: Final = ("content_filter", "content management policy", "content_policy")


class PassingError(ModelError):
    """A failure that may be gone at the next try; ``limits.Limiter`` tries again.

    ``throttled`` is a 429, ``unreachable`` where no connection came about.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        retry_after: float | None = None,
        throttled: bool = False,
        unreachable: bool = False,
    ) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after
        self.throttled = throttled
        self.unreachable = unreachable


@dataclass(frozen=True, slots=True)
class Place:
    """Who is asked, and fails: what the messages name, but for the key.

    ``section`` are the settings to mend: ``chat``, ``extract``, ``judge`` or ``embed``.
    """

    base_url: str
    model: str
    section: str = "chat"
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 120.0

    def quote(self, text: str) -> str:
        """What the endpoint said, on one short line without the key."""
        if self.api_key and len(self.api_key) > 3:  # "x" stands for none, and in any word
            text = text.replace(self.api_key, "***")
        line = " ".join(text.split())
        return line if len(line) <= _SHOWN_CHARS else line[:_SHOWN_CHARS] + "..."


def from_status(place: Place, status: int, body: Any, headers: Mapping[str, str]) -> ModelError:
    """The error for a response with ``status``; passing or lasting."""
    said = said_by(body)
    shown = place.quote(said) or "(no text)"
    message = f"{place.base_url} answered {status} for model {place.model!r}: {shown}"
    passes = status in PASSING or status >= 500
    if passes and not (status == 500 and is_about_context_length(said)):
        return PassingError(
            message,
            _hint_when_passing(status),
            retry_after=retry_after(headers),
            throttled=status == 429 and "insufficient_quota" not in said,
        )
    if status == 413 or is_about_context_length(said):
        # Whoever reads it sees that, also where the endpoint says so late, or not in words.
        if not is_about_context_length(message):
            message = f"{message}: the input is too large"
        return InputRefused(message, _hint_when_too_long(place))
    if status in (400, 422) and any(mark in said.casefold() for mark in _FILTER_MARKS):
        return InputRefused(message, "the endpoint's content filter refuses it: use another model")
    if status in (400, 422) and place.section == "embed":
        # It may be one text of many, or the whole request: whoever sent it finds out.
        return InputRefused(message, _hint_when_lasting(place, status))
    return ModelError(message, _hint_when_lasting(place, status))


def _hint_when_passing(status: int) -> str:
    if status == 429:
        return "lower limits.concurrency or set limits.rpm, or wait; what was done is kept"
    return "the endpoint has trouble; run the command again, what was done is kept"


def _hint_when_too_long(place: Place) -> str:
    if place.section == "embed":
        return (
            "the text is longer than the embedder takes: use one with a longer context, or lower "
            "acts.limit"
        )
    return (
        "the input is longer than the model takes: set chat.context_tokens to its window, or let "
        "`offbook doctor` find it, and turns fit; or use a model with a longer context"
    )


def _hint_when_lasting(place: Place, status: int) -> str:
    section = place.section
    if status == 401:
        return (
            f"the key is missing or wrong: set {section}.api_key "
            f"(OFFBOOK_{section.upper()}_API_KEY) to one of this endpoint"
        )
    if status == 403:
        return f"this {section}.api_key may not use {place.model!r}: check its rights, or the model"
    if status in (404, 405):
        return (
            f"check {section}.model ({place.model!r}) and {section}.base_url; "
            "an address mostly ends in /v1"
        )
    return f"the endpoint refuses the request: check {section}.model and {section}.base_url"


def why_without(error: AnswerError | InputRefused | PassingError) -> str:
    """Why a reply goes without what a model was asked for, in words for whoever reads the reply.

    What the endpoint says may quote the prompt, and names the endpoint: it goes to the log, which
    this machine's owner reads.
    """
    _LOG.warning("a reply goes without what a model was asked for: %s", error.message)
    if isinstance(error, InputRefused):
        return _REFUSED
    if isinstance(error, PassingError):
        return "its endpoint did not answer"
    return "the model gave no answer that could be used"


def unquoted(message: str) -> str:
    """A message of what was put aside, without the endpoint that refused it and what that said."""
    return _QUOTED.sub(_REFUSED, message)


def is_about_context_length(said: str) -> bool:
    """Whether the endpoint says that the prompt is too long."""
    folded = said.casefold()
    return any(mark in folded for mark in _CONTEXT_MARKS)


def said_by(body: Any) -> str:
    """The endpoint's own words in the body of an error, whatever its shape."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            words = [inner.get(key) for key in ("code", "message", "param", "detail")]
            if said := " ".join(str(word) for word in words if word):
                return said
        elif inner:
            return str(inner)
        return json.dumps(body, ensure_ascii=False, default=str)
    return "" if body is None else str(body)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After`` asks for, given as seconds or as an HTTP date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def from_exception(place: Place, error: Exception) -> ModelError:
    """The error for an exception of the SDK or of its transport."""
    import openai

    if isinstance(error, ModelError):
        return error
    if isinstance(error, openai.APIStatusError):
        return from_status(place, error.status_code, body_in(error), error.response.headers)
    if isinstance(error, openai.APITimeoutError) or is_timeout(error):
        return PassingError(
            f"{place.base_url} did not answer within {place.timeout_seconds:g} s "
            f"(model {place.model!r})",
            "raise limits.timeout_seconds, or check that the endpoint is not stuck",
        )
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error
        unreachable = type(cause).__name__ in ("ConnectError", "UnsupportedProtocol")
        what = "cannot reach" if unreachable else "lost the connection to"
        return PassingError(
            f"{what} {place.base_url} (model {place.model!r}): {place.quote(str(cause))}",
            f"is the endpoint running? check {place.section}.base_url",
            unreachable=unreachable,
        )
    if _is_of_transport(error, "TransportError"):
        return PassingError(
            f"{place.base_url} closed the connection in the midst of an answer "
            f"(model {place.model!r}): {place.quote(str(error))}",
            "the endpoint may have stopped: is it running?",
        )
    return broken(place, str(error) or type(error).__name__)


def is_timeout(error: Exception) -> bool:
    """Say whether an exception of the transport is that something took too long."""
    return isinstance(error, TimeoutError) or _is_of_transport(error, "TimeoutException")


def _is_of_transport(error: Exception, kind: str) -> bool:
    """Look for a class by name: the SDK's transport is httpx or, in its later versions, httpx2."""
    classes = type(error).__mro__
    return any(c.__name__ == kind and c.__module__.startswith("httpx") for c in classes)


def body_in(error: Any) -> Any:
    """What stands in the response behind an error of the SDK with a status."""
    return error.body if error.body is not None else error.response.text


def broken(place: Place, what: str, tokens: tuple[int, int] = (0, 0)) -> PassingError:
    """Make the error for what is no answer of the protocol; ``tokens`` of prompt and answer."""
    error = PassingError(
        f"{place.base_url} gave a broken response for model {place.model!r}: {place.quote(what)}",
        f"check that {place.section}.base_url is an OpenAI-compatible address "
        "(it mostly ends in /v1)",
    )
    error.tokens = tokens
    return error
