"""A document is forgotten, with all that only it supports.

Takes: a character and a document.  Gives: a report. The graph, where one was built, follows: at
most a merge a group that lost a mention, pairs that became neighbours, and the summary
(methods.md 1). So does a tree of summaries: the clusters that lost a passage.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.app.rebuilding import done_already, has_tree, is_built, rebuild, rebuild_tree
from offbook.app.reports import ForgetReport
from offbook.app.waiting import told_on_stderr
from offbook.errors import UnknownName
from offbook.ingestion.lease import ingestion_lease
from offbook.ingestion.storing import document_id, refresh_voice
from offbook.stores import characters, chunks, documents, forgotten_turns, jobs

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.ingestion.reports import ProgressListener
    from offbook.settings.compared import RaptorSettings
    from offbook.stores.documents import Removal
    from offbook.types import Character, Document


@dataclass(frozen=True, slots=True)
class _Gone:
    """What was deleted, and what there was before."""

    document: Document
    removal: Removal
    chunks: int
    graph: bool
    summary: bool
    tree: bool


async def forget(
    book: Offbook,
    character: Character,
    document: str,
    *,
    with_memories: bool,
    progress: ProgressListener,
) -> ForgetReport:
    """Delete a document; afterwards no file of the home holds a sentence of it.

    Raises:
        UnknownName: there is no such document; the nearest is in the hint. One that is gone is
            known `with_memories`, as long as turns rest on it.
        ModelError: the document is gone, and the endpoint failed for good when the graph was
            brought up to date; the hint is the command that goes on.
    """
    store = book.store
    left = await store.read(lambda conn: _left_of(conn, character, document))
    if left is not None:
        if not with_memories:
            raise UnknownName(
                f"{document!r} is forgotten already",
                "the turns and memories that rested on it keep their own words; take them along: "
                f"offbook forget {character.id} {shlex.quote(document)} --with-memories",
            )
        return await _take_along(book, character, document, left)
    async with ingestion_lease(store, character.id, told_on_stderr(character.name)):
        raptor = book.settings.values.raptor
        gone = await store.write(
            lambda conn: _remove(conn, character, document, raptor, with_memories=with_memories)
        )
        await refresh_voice(store, character.id)
        # Before any call: whatever becomes of the graph, what was to be forgotten is gone.
        await store.purge()
        messages = await _follow(book, character, gone, progress)
    return ForgetReport(
        character.name,
        gone.document.name,
        gone.chunks,
        gone.removal.cached_calls,
        gone.removal.turns,
        gone.removal.memories,
        tuple(messages),
        book.meter.usage(),
    )


async def _follow(
    book: Offbook, character: Character, gone: _Gone, progress: ProgressListener
) -> list[str]:
    """Bring graph and tree up to date, where there are any; what is put aside, in words."""
    messages: list[str] = []
    done = f"{gone.document.name!r} is forgotten"
    if gone.graph:
        async with done_already(book, character, done):
            messages = await rebuild(book, character, progress, summary=gone.summary)
    if gone.tree:
        async with done_already(book, character, done, tree=True):
            messages = await rebuild_tree(book, character, progress)
    return messages


def _left_of(conn: Connection, character: Character, name: str) -> str | None:
    """The id of a document that is gone and on which turns rest still; None: the document is there.

    Raises:
        UnknownName: there is no such document, and nothing rests on one.
    """
    try:
        documents.require(conn, character.id, name)
    except UnknownName:
        for gone in (name, document_id(name)):
            if any(forgotten_turns.resting_on(conn, character.id, gone)):
                return gone
        raise
    return None


async def _take_along(
    book: Offbook, character: Character, name: str, document: str
) -> ForgetReport:
    """Delete the turns and memories that rest on a document which was forgotten before."""
    store = book.store
    gone = await store.write(lambda conn: documents.remove_turns(conn, character.id, document))
    await store.purge()
    told = gone.cached_calls, gone.turns, gone.memories, ()
    return ForgetReport(character.name, name, 0, *told, book.meter.usage())


def _remove(
    conn: Connection,
    character: Character,
    name: str,
    raptor: RaptorSettings,
    *,
    with_memories: bool,
) -> _Gone:
    found = documents.require(conn, character.id, name)
    count = len(chunks.list_chunks(conn, character.id, document=found.id))
    graph = is_built(conn, character)
    # One that could not be written yet is tried again: what is forgotten may be what was refused.
    summary = characters.require(conn, character.id).profile is not None or bool(
        jobs.list_jobs(conn, character.id, kind=jobs.PROFILE)
    )
    tree = has_tree(conn, character, raptor)
    removal = documents.remove(conn, character.id, found.id, with_memories=with_memories)
    return _Gone(found, removal, count, graph, summary, tree)
