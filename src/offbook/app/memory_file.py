"""A file of memories: a JSON object a line, ``{"said", "answered", "at": optional}``.

Takes: a path.  Gives: memory fragments, and what was passed over; a line that cannot be used is
named by its number, and then nothing of the file is used.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from offbook.errors import UnreadableDocument, UsageError
from offbook.stores.memories import memory_id
from offbook.stores.statements import storable
from offbook.types import MemoryFragment

_FORM: Final = 'a line is {"said": "...", "answered": "..."}, with "at" where it is known'
_KNOWN: Final = ("said", "answered", "at")


@dataclass(slots=True)
class MemoryFile:
    """The memories of a file in its order, and what is to be said about it."""

    fragments: list[MemoryFragment] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


def read_memories(path: Path) -> MemoryFile:
    """The memories in a file.

    Raises:
        UnreadableDocument: it is missing, a folder, or not in UTF-8.
        UsageError: a line is no memory, or there is none; the message has the line's number.
    """
    return memories_in(_text(path), str(path))


def memories_in(text: str, name: str) -> MemoryFile:
    """The memories in the text of such a file; ``name`` is for messages.

    Raises:
        UsageError: a line is no memory, or there is none; the message has the line's number.
    """
    found, odd = MemoryFile(), Counter[str]()
    # Not splitlines(): it also splits at separators that may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = _row(line)
        except ValueError as error:
            raise UsageError(f"line {number} of {name!r}: {error}", _FORM) from error
        odd.update(key for key in row if key not in _KNOWN)
        said, answered = row["said"].strip(), row["answered"].strip()
        made = memory_id(said, answered)
        found.fragments.append(MemoryFragment(made, said, answered, at=row.get("at")))
    if not found.fragments:
        raise UsageError(f"{name!r} holds no memories", _FORM)
    found.messages += [
        f"{key!r} is not read (in {times} of {len(found.fragments)} lines)"
        for key, times in sorted(odd.items())
    ]
    return found


def _text(path: Path) -> str:
    try:
        return path.expanduser().read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UnreadableDocument(
            f"{str(path)!r} cannot be read: {error.strerror}", "name a file of memories"
        ) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UnreadableDocument(
            f"line {line} of {str(path)!r} is not in UTF-8", "save the file as UTF-8"
        ) from error


def _row(line: str) -> dict[str, Any]:
    """The object of a line, checked.

    Raises:
        ValueError: why it is no memory.
    """
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise ValueError("no memory: brackets within brackets") from error
    if not isinstance(row, dict):
        raise ValueError(f"no object: {line[:40]!r}")
    for key in ("said", "answered"):
        if key not in row:
            raise ValueError(f"it has no {key!r}")
        if not isinstance(row[key], str):
            raise ValueError(f"{key!r} is no text: {row[key]!r:.40}")
        if not row[key].strip():
            raise ValueError(f"{key!r} is empty")
    if not isinstance(row.get("at"), str | None):
        raise ValueError(f"'at' is no text: {row['at']!r:.40}")
    try:
        storable(row["said"], row["answered"], row.get("at"))
    except UsageError as error:
        raise ValueError(error.message) from error
    return row
