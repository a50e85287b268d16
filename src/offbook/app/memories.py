"""Memories that a person writes: read from a file, stored, scored, searched, forgotten.

Takes: a file of ``{"said", "answered", "at": optional}``, one a line, or a chat log; a text; ids.
Gives: reports, and rows in the shape of the contract. A line of a file that cannot be used is named
by its number, and then nothing of the file is stored; of a chat log it is left out and named.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook import registry
from offbook.agent.history import names_of, principal_of
from offbook.agent.session import require_words
from offbook.app.documents import told_on_stderr
from offbook.errors import OffbookError, UnknownName, UnreadableDocument, UsageError
from offbook.ingestion.lease import ingestion_lease
from offbook.ingestion.memories import Remembering, waiting
from offbook.ingestion.reports import unheard
from offbook.memory.turns import list_kept_out
from offbook.retrieval.point import known_points
from offbook.stores import forgetting, jobs, memories, memory_statements
from offbook.stores.memories import memory_id
from offbook.stores.statements import batches, storable
from offbook.types import MemoryFragment, Usage, as_tuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.app.home import Home
    from offbook.ingestion.reports import ProgressListener
    from offbook.protocols import ChatReader
    from offbook.stores.connection import Connection


_FORM: Final = 'a line is {"said": "...", "answered": "..."}, with "at" where it is known'
_KNOWN: Final = ("said", "answered", "at")


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
    chat = _chat(path.expanduser(), str(path), character)
    return _memories(_text(path), str(path)) if chat is None else chat


def memories_in(text: str, name: str, character: str | None = None) -> MemoryFile:
    """The memories in the text of such a file; ``name`` is for messages.

    Raises:
        UsageError: a line is no memory, or there is none; the message has the line's number.
    """
    chat = _chat(text.encode("utf-8", "surrogatepass"), name, character)
    return _memories(text, name) if chat is None else chat


def _memories(text: str, name: str) -> MemoryFile:
    memory_file, odd = MemoryFile(), Counter[str]()
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
        memory_file.fragments.append(MemoryFragment(made, said, answered, at=row.get("at")))
    if not memory_file.fragments:
        raise UsageError(f"{name!r} holds no memories", _FORM)
    memory_file.messages += [
        f"{key!r} is not read (in {times} of {len(memory_file.fragments)} lines)"
        for key, times in sorted(odd.items())
    ]
    return memory_file


def _chat(source: Path | bytes, name: str, character: str | None) -> MemoryFile | None:
    """Return the exchanges of a chat log as memories; None where it is none."""
    reader: ChatReader = registry.load("foreign_file", "chat")()
    read = reader.read(source, name, character)
    if read is None:
        return None
    made = MemoryFile(messages=list(read.notes))
    for turn in read.turns:
        storable(turn.said, turn.answered, turn.at)
        identity = memory_id(turn.said, turn.answered)
        made.fragments.append(MemoryFragment(identity, turn.said, turn.answered, at=turn.at))
    return made


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


_STORED_AT_ONCE: Final = 5_000
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class RememberReport:
    """What became of a file of memories.

    ``added`` are new, ``known`` were there before or stand twice in the file, ``scored`` and
    ``embedded`` count what was done now, ``waiting`` what could not be, of all the memories of the
    character: it is tried again at the next chance.
    """

    character: str
    added: int
    known: int
    scored: int
    embedded: int
    waiting: int
    messages: tuple[str, ...]
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``remember --json``."""
        return {**asdict(self), "usage": self.usage.as_json()}


class Memories:
    """The memories of the characters of an open offbook, as ``Offbook.memories`` gives it."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def remember(
        self,
        name: str,
        file: Path | str | MemoryFile | None = None,
        *,
        progress: ProgressListener = unheard,
    ) -> RememberReport:
        """Store the memories of a file, then score and embed all that wait.

        Args:
            name: The character.
            file: None: only what waits. What was read already is taken as it is.
            progress: Told after every batch.

        Raises:
            UsageError: a line of the file is no memory; nothing was stored.
            ModelError: the endpoint failed for good; memories and scores so far are stored.
        """
        home, character = self._home, await self._home.find(name)
        read = await _read(file, character.name)
        store, runtime = home.store, home.runtime(character.dimension)
        run = Remembering(runtime, character, progress)
        async with ingestion_lease(store, character.id, told_on_stderr(character.name)):
            added = 0
            for piece in batches(read.fragments, _STORED_AT_ONCE):
                added += await store.write(_add, character.id, piece)
            odd = await store.read(_unplaced, character.id, read.fragments)
            ids = await store.read(waiting, character.id, every=True)
            try:
                await run.run(ids)
            except OffbookError as error:
                done = f"{_counted(added)} stored; " if added else ""
                error.hint = f"{done}continue with: offbook remember {character.id}" + (
                    f" ({error.hint})" if error.hint else ""
                )
                raise
        messages = [*read.messages, *odd, *_put_aside(list(run.failed.values()))]
        return RememberReport(
            character=character.name,
            added=added,
            known=len(read.fragments) - added,
            scored=run.made,
            embedded=run.embedded,
            waiting=len(run.failed),
            messages=tuple(messages),
            usage=home.meter.usage(),
        )

    async def search(
        self,
        name: str,
        text: str,
        *,
        k: int = 10,
        user: str | None = None,
        principal: str | None = None,
    ) -> list[dict[str, Any]]:
        """Memories by their words, then by their meaning, best first; no chat model is asked.

        Of ``user`` or ``principal`` and the authored ones only, where one of them is named.

        Raises:
            EmbedderMismatch: the vectors are from another embedder.
        """
        from offbook.retrieval.emotional import recall
        from offbook.retrieval.memories import View, memory_index
        from offbook.retrieval.passages import check_embedder

        require_words(text)
        home, character = self._home, await self._home.find(name)
        visible_to = _whose(user, principal)
        runtime = home.runtime(character.dimension)
        check_embedder(character, runtime.embedder)
        index = await memory_index(home.store, View(character.id, visible_to or memories.EVERYONE))
        stored = await home.store.read(memories.list_memories, character.id, principal=visible_to)
        fragments, folded = {each.id: each for each in stored}, text.casefold()
        scores = {
            each.id: 1.0
            for each in stored
            if folded in each.said.casefold() or folded in each.answered.casefold()
        }
        if index.ids:
            vector = (await runtime.embedder.embed([text], "query"))[0]
            for hit in recall(
                index.matrix[: len(index.ids)], index.emotions, vector, None, "ordinary", k=k
            ):
                scores.setdefault(index.ids[hit.index], 1 / (1 + max(0.0, hit.score)))
        best = sorted((name for name in scores if name in fragments), key=lambda n: -scores[n])[:k]
        rows = await home.store.read(as_rows, character.id, [fragments[name] for name in best])
        return [{**row, "score": scores[row["id"]]} for row in rows]

    async def forget(
        self,
        name: str,
        ids: Sequence[str],
        *,
        user: str | None = None,
        principal: str | None = None,
        authored: bool = False,
    ) -> list[str]:
        """Delete memories from the whole database; the words of conversations stay in these.

        What later turns recalled of them goes as well; what was replied to these turns stays.

        Args:
            name: The character.
            ids: Of the memories.
            user: Only theirs.
            principal: Only theirs.
            authored: Where somebody is named: authored ones, too.

        Raises:
            UnknownName: there is no such memory, or it is another's; nothing was deleted.
        """
        home, character = self._home, await self._home.find(name)
        principal, ids = _whose(user, principal), as_tuple(ids)

        def remove(conn: Connection) -> list[str]:
            allowed = {
                fragment.id
                for fragment in memories.list_memories(conn, character.id, principal=principal)
                if principal in (None, fragment.principal)
                or (authored and fragment.principal is None)
            }
            for memory in ids:
                if memory not in allowed:
                    raise UnknownName(
                        f"{character.name!r} has no memory {memory!r}",
                        f"see: offbook show {character.id} memories",
                    )
            return forgetting.forget_memories(conn, character.id, ids)

        gone: list[str] = await home.store.write(remove)
        await home.store.purge()
        return gone

    async def kept_out(
        self, name: str, *, user: str | None = None, principal: str | None = None
    ) -> list[dict[str, Any]]:
        """The turns that the write gate kept out, oldest first."""
        home, character = self._home, await self._home.find(name)
        principal = _whose(user, principal)
        turns = await home.store.read(list_kept_out, character, principal=principal)
        rows = []
        for out in turns:
            session, whose = names_of(out.session)
            said = {"said": out.turn.said, "answered": out.turn.answered, "why": out.why}
            rows.append({**said, "at": out.turn.at, "session": session, "user": whose})
        return rows


def _whose(user: str | None, principal: str | None) -> str | None:
    """Whose memories are meant beside the authored ones; None: everybody's."""
    return principal_of(user) if principal is None and user is not None else principal


async def _read(file: Path | str | MemoryFile | None, character: str) -> MemoryFile:
    if isinstance(file, MemoryFile):
        return file
    if file is None:
        return MemoryFile()
    return await asyncio.to_thread(read_memories, Path(file), character)


def _add(conn: Connection, character: str, fragments: Sequence[MemoryFragment]) -> int:
    new = memories.add(conn, character, fragments)
    jobs.enqueue(conn, character, jobs.REMEMBER, new)
    return len(new)


def _unplaced(conn: Connection, character: str, fragments: Sequence[MemoryFragment]) -> list[str]:
    """Whether some ``at`` name no point of the story, so that no view of one will show them."""
    places = {fragment.at for fragment in fragments if fragment.at is not None}
    odd = sorted(places.difference(known_points(conn, character, places)))
    if not odd:
        return []
    shown = ", ".join(map(repr, odd[:_SHOWN])) + (", ..." if odd[_SHOWN:] else "")
    return [f"`at` names no point of the story: {shown}; --as-of leaves such memories out"]


def memory_rows(
    conn: Connection, character: str, principal: str | None = None
) -> list[dict[str, Any]]:
    """``show NAME memories``: of one principal with the authored ones, or all; oldest first."""
    fragments = memories.list_memories(conn, character, principal=principal)
    return as_rows(conn, character, fragments)


def as_rows(
    conn: Connection, character: str, fragments: Sequence[MemoryFragment]
) -> list[dict[str, Any]]:
    """Memories in the shape of the contract; statements with the turns that they rest on."""
    ids = [fragment.id for fragment in fragments if fragment.kind is not None]
    turns = memory_statements.evidence(conn, character, ids) if ids else {}
    return [_memory_row(fragment, turns.get(fragment.id, ())) for fragment in fragments]


def _memory_row(
    fragment: MemoryFragment, turns: Sequence[memory_statements.Place]
) -> dict[str, Any]:
    session, user = (None, None) if fragment.session is None else names_of(fragment.session)
    return {
        "id": fragment.id,
        "said": fragment.said,
        "speaker": fragment.speaker,
        "answered": fragment.answered,
        "emotion": None if fragment.emotion is None else dict(fragment.emotion),
        "at": fragment.at,
        "session": session,
        "user": user,
        "kind": fragment.kind,
        "evidence": [{"session": names_of(place)[0], "turn": turn} for place, turn in turns],
        "superseded_by": fragment.superseded_by,
    }


def _counted(number: int) -> str:
    return "1 memory is" if number == 1 else f"{number} memories are"


def _put_aside(reasons: Sequence[str]) -> list[str]:
    """What is told of memories that could not be scored or embedded."""
    if not reasons:
        return []
    messages = [f"put aside: {reason}" for reason in dict.fromkeys(reasons[:_SHOWN])]
    return [*messages, f"{_counted(len(reasons))} put aside; tried again next time"]
