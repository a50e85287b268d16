"""Memories that a person writes: stored, scored, searched, forgotten.

Takes: a file, a text, ids.  Gives: reports, rows in the shape of the contract.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook.agent.session import names_of, require_words
from offbook.app.memory_file import MemoryFile, read_memories
from offbook.app.waiting import told_on_stderr
from offbook.errors import OffbookError, UnknownName
from offbook.ingestion.lease import ingestion_lease
from offbook.ingestion.remembering import Remembering, waiting
from offbook.ingestion.reports import unheard
from offbook.memory.conversation import list_kept_out
from offbook.retrieval.point import known_points
from offbook.stores import jobs, memories, principals, recalled_text
from offbook.stores.statements import batches, mark_unpurged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.ingestion.reports import ProgressListener
    from offbook.types import MemoryFragment, Usage

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
    """The memories of the characters of an open offbook, as ``Offbook.memories`` gives it.

    Args:
        book: Offbook.
    """

    def __init__(self, book: Offbook) -> None:
        self._book = book

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
        book, character = self._book, await self._book.find(name)
        read = await _read(file, character.name)
        store, stage = book.store, book.stage(character.dimension)
        run = Remembering(stage, character, progress)
        async with ingestion_lease(store, character.id, told_on_stderr(character.name)):
            added = 0
            for piece in batches(read.fragments, _STORED_AT_ONCE):
                added += await store.write(lambda conn, p=piece: _add(conn, character.id, p))
            odd = await store.read(lambda conn: _unplaced(conn, character.id, read.fragments))
            ids = await store.read(lambda conn: waiting(conn, character.id, every=True))
            try:
                await run.run(ids)
            except OffbookError as error:
                done = f"{_counted(added)} stored; " if added else ""
                error.hint = f"{done}go on with: offbook remember {character.id}" + (
                    f" ({error.hint})" if error.hint else ""
                )
                raise
        messages = [*read.messages, *odd, *_put_aside(list(run.failed.values()))]
        return RememberReport(
            character.name,
            added,
            len(read.fragments) - added,
            run.made,
            run.embedded,
            len(run.failed),
            tuple(messages),
            book.meter.usage(),
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
        from offbook.retrieval.memory_index import View, memory_index
        from offbook.retrieval.passages import check_embedder

        require_words(text)
        book, character = self._book, await self._book.find(name)
        seen = _whose(user, principal)
        stage = book.stage(character.dimension)
        check_embedder(character, stage.embedder)
        index = await memory_index(book.store, View(character.id, seen or memories.EVERYONE))
        fragments = {
            fragment.id: fragment
            for fragment in await book.store.read(
                lambda conn: memories.list_memories(conn, character.id, principal=seen)
            )
        }
        wanted = text.casefold()
        scores = {
            fragment.id: 1.0
            for fragment in fragments.values()
            if wanted in fragment.said.casefold() or wanted in fragment.answered.casefold()
        }
        if index.searched is not None:
            vector = (await stage.embedder.embed([text], "query"))[0]
            for hit in index.searched.recall(vector, None, "ordinary", k=k):
                scores.setdefault(index.ids[hit.index], 1 / (1 + max(0.0, hit.score)))
        best = sorted((name for name in scores if name in fragments), key=lambda n: -scores[n])[:k]
        return [{**memory_row(fragments[name]), "score": scores[name]} for name in best]

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
        book, character = self._book, await self._book.find(name)
        principal = _whose(user, principal)

        def remove(conn: Connection) -> list[str]:
            found = {
                fragment.id
                for fragment in memories.list_memories(conn, character.id, principal=principal)
                if principal in (None, fragment.principal)
                or (authored and fragment.principal is None)
            }
            for memory in ids:
                if memory not in found:
                    raise UnknownName(
                        f"{character.name!r} has no memory {memory!r}",
                        f"see: offbook show {character.id} memories",
                    )
            mark_unpurged(conn)
            recalled_text.drop_memories(conn, character.id, ids)
            return memories.remove(conn, character.id, ids)

        gone: list[str] = await book.store.write(remove)
        await book.store.purge()
        return gone

    async def kept_out(
        self, name: str, *, user: str | None = None, principal: str | None = None
    ) -> list[dict[str, Any]]:
        """The turns that the write gate kept out, oldest first."""
        book, character = self._book, await self._book.find(name)
        principal = _whose(user, principal)
        found = await book.store.read(
            lambda conn: list_kept_out(conn, character, principal=principal)
        )
        rows = []
        for out in found:
            session, whose = names_of(out.session)
            said = {"said": out.turn.said, "answered": out.turn.answered, "why": out.why}
            rows.append({**said, "at": out.turn.at, "session": session, "user": whose})
        return rows


def _whose(user: str | None, principal: str | None) -> str | None:
    """Whose memories are meant beside the authored ones; None: everybody's."""
    return principals.of_user(user) if principal is None and user is not None else principal


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
    found = memories.list_memories(conn, character, principal=principal)
    return [memory_row(fragment) for fragment in found]


def memory_row(fragment: MemoryFragment) -> dict[str, Any]:
    """A memory in the shape of the contract."""
    session, user = (None, None) if fragment.session is None else names_of(fragment.session)
    return {
        "id": fragment.id,
        "said": fragment.said,
        "answered": fragment.answered,
        "emotion": None if fragment.emotion is None else dict(fragment.emotion),
        "at": fragment.at,
        "session": session,
        "user": user,
    }


def _counted(number: int) -> str:
    return "1 memory is" if number == 1 else f"{number} memories are"


def _put_aside(reasons: Sequence[str]) -> list[str]:
    """What is told of memories that could not be scored or embedded."""
    if not reasons:
        return []
    told = [f"put aside: {reason}" for reason in dict.fromkeys(reasons[:_SHOWN])]
    return [*told, f"{_counted(len(reasons))} put aside; tried again next time"]
