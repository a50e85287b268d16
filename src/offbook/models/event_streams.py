"""Server-sent events as model endpoints send them: the data of each, as it comes.

Takes: bytes in whatever pieces they arrive.  Gives: texts. By hand, because an event is a token:
building the SDK's typed objects of each takes longer than all else that is done for it.
"""

from __future__ import annotations

import re
from typing import Final

_LINE_END: Final = re.compile(rb"\r\n|\n|\r(?!\Z)")
_DATA: Final = b"data"
END: Final = "[DONE]"
"""The data of the event behind the last one."""


class EventData:
    """Takes the data of events out of a stream of bytes."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[str]:
        """The data of the events that ``chunk`` completes."""
        *lines, self._rest = _LINE_END.split(self._rest + chunk)
        found = (self._take(line) for line in lines)
        return [data for data in found if data is not None]

    def finish(self) -> list[str]:
        """The data of an event whose end is the end of the stream."""
        found = (self._take(line) for line in (self._rest.rstrip(b"\r"), b""))
        self._rest = b""
        return [data for data in found if data is not None]

    def _take(self, line: bytes) -> str | None:
        if not line:
            data, self._data = self._data, []
            return "\n".join(data) if data else None
        name, _, value = line.partition(b":")
        if name == _DATA:  # comments have no name; ids and names of events are not used
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        return None
