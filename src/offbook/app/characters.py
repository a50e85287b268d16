"""Export, import and re-embed a character, build the shipped one, and back up the database.

Takes: a character, or a file.  Gives: the file, or the character, in an exact round trip. Until new
vectors are complete, the old ones answer.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.resources import as_file
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offbook import demo
from offbook.agent.history import principal_of, stored_id
from offbook.app.documents import ingest_readings, told_on_stderr
from offbook.app.files import require_place, whole_file
from offbook.app.memories import Memories
from offbook.documents.readers import ReadDocument
from offbook.errors import UnknownName, UsageError
from offbook.ingestion.embedding import reembed as run_reembedding
from offbook.ingestion.lease import ingestion_lease
from offbook.ingestion.reports import tally
from offbook.stores import (
    characters,
    conversations,
    export,
    jobs,
    memories,
    memory_statements,
)
from offbook.types import MemoryFragment, Usage

if TYPE_CHECKING:
    from offbook.app.home import Home
    from offbook.ingestion.reports import IngestReport, ProgressListener
    from offbook.protocols import Store
    from offbook.stores.connection import Connection
    from offbook.types import Character


async def export_to(
    store: Store, character: Character, file: Path, with_conversations: bool
) -> None:
    """Write a character into ``file``; it appears there whole or not at all.

    Raises:
        UsageError: there is no folder for the file.
        StoreFailed: the file cannot be written.
    """
    with whole_file(require_place(file)) as part:
        part.touch(mode=0o600)  # it may hold conversations
        await store.read(
            lambda conn: export.export_character(
                conn, character.id, part, with_conversations=with_conversations
            )
        )


async def back_up(store: Store, file: Path, *, replace: bool) -> int:
    """Copy the database into ``file``; it appears there whole and checked, or not at all.

    Returns:
        Its size in bytes.

    Raises:
        UsageError: the file exists and ``replace`` was not asked for; it is a database in use;
            there is no folder for it; or the database is PostgreSQL.
        StoreFailed: the file cannot be written.
    """
    file = require_place(file)
    if file.exists() and not replace:
        raise UsageError(f"{str(file)!r} exists", "name another file, or replace it")
    if any(file.with_name(f"{file.name}{end}").exists() for end in ("-wal", "-journal")):
        raise UsageError(f"{str(file)!r} is a database in use", "name another file")
    await store.backup(file)
    return file.stat().st_size


async def import_from(store: Store, file: Path, *, replace: bool) -> Character:
    """Read a character from ``file``.

    Raises:
        UsageError: the file is missing, broken, or from a newer version; or the character exists
            and ``replace`` was not asked for.
    """
    file = file.expanduser()
    if not file.is_file():
        raise UsageError(f"there is no file {str(file)!r}", "check the path")
    return await store.write(export.import_character, file, replace=replace)


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """What re-embedding did.

    ``vectors`` were made in this run, of chunks, mentions, entities and memories; ``quarantined``
    chunks are refused by the embedder.
    """

    character: str
    embedder: str
    vectors: int
    quarantined: int
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``reembed --json``."""
        return {**asdict(self), "usage": self.usage.as_json()}


async def reembed(home: Home, character: Character, progress: ProgressListener) -> ReembedReport:
    """Make the vectors of ``character`` anew.

    Raises:
        ModelError: the endpoint failed for good; the old vectors answer as before, and another
            run goes on where this one stopped.
    """
    runtime, store = home.runtime(), home.store
    async with ingestion_lease(store, character.id, told_on_stderr(character.name)):
        made, refused = await run_reembedding(runtime, character.id, progress)
        await tally(store, character.id, [], ())
    return ReembedReport(
        character.name, runtime.embedder.name, made, len(refused), home.meter.usage()
    )


def _tell(conn: Connection, character: str) -> None:
    """Keep what the visitor of the demo told, each statement in the place of the one before."""
    whose, session = principal_of(demo.DEMO_USER), stored_id("demo", demo.DEMO_USER)
    conversations.begin(conn, character, session, whose)
    before: list[str] = []
    for each in demo.TOLD:
        turn = conversations.add_turn(conn, character, session, each.said, each.answered)
        name = memories.memory_id(each.statement, "", principal=f"{whose}/{turn}")
        statement = MemoryFragment(
            name, each.statement, "", session=session, turn=turn, principal=whose, kind="fact"
        )
        if made := memories.add(conn, character, [statement]):
            memory_statements.add_evidence(conn, character, name, [(session, turn)])
            jobs.enqueue(conn, character, jobs.REMEMBER, made)
            memories.retire(conn, character, before, superseded_by=name)
        before = [name]


async def build_demo(home: Home) -> tuple[Character, IngestReport]:
    """The shipped character, made where it is not there yet, and what its document added."""
    try:
        character = await home.find(demo.CHARACTER_NAME)
    except UnknownName:
        character = await home.store.write(characters.create, demo.CHARACTER_NAME)
    text = ReadDocument(demo.PERSONA_FILE, demo.persona_text(), "markdown")
    report = await ingest_readings(home, character, [text])
    runtime = home.runtime(character.dimension)
    if runtime.needs.memories:
        with as_file(demo.memories_path()) as file:
            await Memories(home).remember(character.id, file)
            await home.store.write(_tell, character.id)
            await Memories(home).remember(character.id, file)  # scores what was told
    return character, report
