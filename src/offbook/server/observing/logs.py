"""The server's log: one JSON document a line, with the number of the request, without secrets.

Takes: records of the standard library's loggers.  Gives: lines on standard error.

What people say to characters, and what documents hold, is not logged: of a request stand there
method, route, status, time and whose key it was, never its address's query, headers or body.
"""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import IO, Any, Final

from offbook.server.observing.secrets import Masking

request_number: ContextVar[str | None] = ContextVar("request_number", default=None)
"""The number of the request that is being served."""

LOGGER: Final = "offbook"
_OF_THE_PAGE: Final = "nicegui"
_OWN: Final = "told"


class JsonLines(logging.Formatter):
    """A record as one line of JSON.

    Args:
        masking: Puts stars in the place of secrets.
    """

    def __init__(self, masking: Masking) -> None:
        super().__init__()
        self._masking = masking

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "at": at,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        number = getattr(record, "request", None) or request_number.get()
        if number is not None:
            line["request"] = number
        line.update(getattr(record, _OWN, {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return self._masking(json.dumps(line, ensure_ascii=False, default=str))


def start_logging(
    masking: Masking, stream: IO[str] | None = None, level: int = logging.INFO
) -> logging.Handler:
    """Write the logs of offbook and of what it runs on as JSON lines; replaces their handlers.

    Of libraries, warnings are written: by themselves they would stand there as plain text, and
    with the secrets that are in them.

    Args:
        masking: Puts stars in the place of secrets.
        stream: Where to; None: standard error.
        level: The least that is written.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines(masking))
    for name in (LOGGER, "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level)
    # Requests are logged here, with more in a line and less of what is private.
    access = logging.getLogger("uvicorn.access")
    access.handlers, access.propagate = [], False
    # It warns of addresses that are none, with all that a client has put into them.
    logging.getLogger(_OF_THE_PAGE).setLevel(logging.ERROR)
    root = logging.getLogger()
    for former in [each for each in root.handlers if isinstance(each.formatter, JsonLines)]:
        root.removeHandler(former)
    root.addHandler(handler)
    root.setLevel(max(level, logging.WARNING))
    logging.captureWarnings(True)
    return handler


def told(**values: Any) -> dict[str, Any]:
    """Values of a record's own, as ``extra`` of a call to a logger."""
    return {_OWN: values}
