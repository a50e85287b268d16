"""A file of memories: ``{"said", "answered", "at": optional}``, one a line; or a chat log.

Takes: a path.  Gives: memory fragments, and what was passed over; a line that cannot be used is
named by its number, and then nothing of the file is used. A log of SillyTavern or of another
program that is known is told by its shape; a line of it that cannot be read is left out and named.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook.cards.findings import Findings
from offbook.cards.lenient_json import decode_text
from offbook.errors import UnreadableCard, UnreadableDocument, UsageError
from offbook.stores.memories import memory_id
from offbook.stores.statements import storable
from offbook.types import MemoryFragment

if TYPE_CHECKING:
    from offbook.cards.chatlog import ChatLog

_FORM: Final = 'a line is {"said": "...", "answered": "..."}, with "at" where it is known'
_KNOWN: Final = ("said", "answered", "at")
_BEGINNING: Final = 100_000
_MOST_WARNINGS: Final = 10


@dataclass(slots=True)
class MemoryFile:
    """The memories of a file in its order, and what is to be said about it."""

    fragments: list[MemoryFragment] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


def read_memories(path: Path, character: str | None = None) -> MemoryFile:
    """The memories in a file.

    Args:
        path: The file.
        character: Whose memories they are: of a chat of several characters, who of them it is.

    Raises:
        UnreadableDocument: it is missing, a folder, or not in UTF-8.
        UsageError: a line is no memory, or there is none; the message has the line's number.
    """
    if (chat := _chat_file(path.expanduser(), character)) is not None:
        return chat
    return _memories(_text(path), str(path))


def _chat_file(path: Path, character: str | None) -> MemoryFile | None:
    """The memories in a chat log, which is read line by line; None where the file is none."""
    try:
        with path.open("rb") as file:
            begun = file.read(_BEGINNING)
    except OSError:
        return None  # whoever reads it as memories says why
    text = decode_text(begun, Findings())
    if not _may_be_chat(text):
        return None
    return _chat(path, str(path), character, sure='"mes"' in text)


def memories_in(text: str, name: str, character: str | None = None) -> MemoryFile:
    """The memories in the text of such a file; ``name`` is for messages.

    Raises:
        UsageError: a line is no memory, or there is none; the message has the line's number.
    """
    if _may_be_chat(text):
        chat = _chat(text.encode("utf-8", "surrogatepass"), name, character)
        if chat is not None:
            return chat
    return _memories(text, name)


def _memories(text: str, name: str) -> MemoryFile:
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


def _may_be_chat(text: str) -> bool:
    """Whether the beginning of a file is no memory, but JSON all the same."""
    begun = text.lstrip()[:_BEGINNING]
    if begun[:1] not in ("{", "["):
        return False
    first = begun.split("\n", 1)[0]
    return not any(f'"{key}"' in first for key in ("said", "answered"))


def _chat(
    source: Path | bytes, name: str, character: str | None, *, sure: bool = False
) -> MemoryFile | None:
    """The exchanges of a chat log as memories; None where the text is none.

    Raises:
        UnreadableCard: it is ``sure`` to be a chat log, and is damaged or too large.
        UsageError: it is a chat log, and the character says nothing in it that answers anything,
            or it is of several, and which of them is meant is not clear.
    """
    from offbook.cards.chat_exchanges import exchanges
    from offbook.cards.chatlog import read_chatlog

    try:
        log = read_chatlog(source)
    except UnreadableCard:
        if sure:
            raise
        return None
    speaker = _speaker(log, name, character)
    found = exchanges(log, speaker)
    if not found:
        raise UsageError(
            f"{name!r} is a chat log in which nothing is answered",
            "memories are what was said to the character and what it answered",
        )
    made = MemoryFile()
    for each in found:
        storable(each.said, each.answered, each.at)
        identity = memory_id(each.said, each.answered)
        made.fragments.append(MemoryFragment(identity, each.said, each.answered, at=each.at))
    speaker = speaker or log.character_name or "a character"
    made.messages.append(
        f"a chat log of {speaker!r} ({log.source_format}): {len(log.messages)} messages, "
        f"{len(found)} exchanges"
    )
    made.messages += [
        f"{each.path}: {each.message}" if each.path else each.message
        for each in log.warnings[:_MOST_WARNINGS]
    ]
    if len(log.warnings) > _MOST_WARNINGS:
        made.messages.append(f"{len(log.warnings) - _MOST_WARNINGS} more lines like these")
    return made


def _speaker(log: ChatLog, name: str, character: str | None) -> str | None:
    """Who in a log is the character: nobody else's words become its memories.

    Raises:
        UsageError: there are several, and none is called as the character.
    """
    from offbook.cards.chat_exchanges import speaker_of, speakers

    there = speakers(log)
    if character is None or len(there) <= 1:
        return there[0] if len(there) == 1 else None
    speaker = speaker_of(log, [character])
    if speaker is None:
        told = ", ".join(repr(one[:60]) for one in there[:8])
        raise UsageError(
            f"{name!r} is a chat of several characters, and it is not clear who is {character!r}",
            f"they are called {told}; change the name in the log to {character!r}",
        )
    return speaker


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
