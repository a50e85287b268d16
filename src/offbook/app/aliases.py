"""A person's word on who is who, and the graph after it.

Takes: two names, or the id of a decision.  Gives: the word, kept before anything else is done, and
who bears the names now. No text is read anew; what is asked is what the word touches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from offbook.app.known_names import Names
from offbook.app.persons_word import Word, record, undo_by_id
from offbook.app.rebuilding import done_already, rebuild, require_graph
from offbook.app.reports import AliasReport, Known
from offbook.app.waiting import told_on_stderr
from offbook.graph.equal_names import name_key
from offbook.graph.loading import load_graph
from offbook.ingestion.lease import ingestion_lease
from offbook.stores import characters

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.ingestion.reports import ProgressListener
    from offbook.types import Character, Decision


async def say(
    book: Offbook,
    character: Character,
    a: str,
    b: str,
    *,
    same: bool,
    progress: ProgressListener,
) -> AliasReport:
    """Record that two names are one and the same, or are not; raises what `Offbook.alias` says."""

    def keep(conn: Connection) -> Word:
        return record(conn, Names.read(conn, character), a, b, same=same)

    return await _change(book, character, keep, progress)


async def undo(
    book: Offbook, character: Character, decision: str, *, progress: ProgressListener
) -> AliasReport:
    """Take a decision back, or overrule it; raises what `Offbook.undo_decision` says."""

    def keep(conn: Connection) -> Word:
        return undo_by_id(conn, Names.read(conn, character), decision.strip())

    return await _change(book, character, keep, progress)


async def _change(
    book: Offbook,
    character: Character,
    keep: Callable[[Connection], Word],
    progress: ProgressListener,
) -> AliasReport:
    """Keep the word, then let the graph follow, and any word that it could not follow before."""
    store = book.store
    async with ingestion_lease(store, character.id, told_on_stderr(character.name)):
        await require_graph(book, character)
        word = await store.write(keep)
        now = await store.read(lambda conn: characters.require(conn, character.id))
        async with done_already(book, character, word.in_words()):
            aside = await rebuild(book, character, progress, summary=now.profile is not None)
        bearers = await store.read(lambda conn: _bearers(conn, character.id, word.decision))
    made = word.decision
    return AliasReport(
        character.name,
        word.status,
        made.id,
        made.a,
        made.b,
        made.same,
        made.evidence,
        word.undone,
        bearers,
        (*word.messages, *aside),
        book.meter.usage(),
    )


def _bearers(conn: Connection, character: str, decision: Decision) -> tuple[Known, ...]:
    """The entities that bear one of the names of a decision."""
    keys = {name_key(decision.a), name_key(decision.b)}
    return tuple(
        Known(entity.name, entity.aliases)
        for entity in load_graph(conn, character).entities
        if not keys.isdisjoint(map(name_key, entity.names))
    )
