"""Commands on documents: ingest, estimate and forget them, and bring their indexes up to date.

Takes: paths, texts, or the name of a document.  Gives: reports in the JSON shapes of ``--json``.
After a deletion or a correction the graph and the tree of summaries are brought up to date without
extracting any text again; where the endpoint fails, what was asked for is done, and the error says
how to continue. A question whose index is missing gets the command that builds it, with its cost.
"""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from offbook import pipeline
from offbook.app.home import answering, build_command, priced
from offbook.documents.readers import ReadDocument, endings, read_document
from offbook.documents.sources import collect
from offbook.errors import (
    IndexMissing,
    OffbookError,
    UnknownName,
    UnreadableDocument,
    UsageError,
)
from offbook.ingestion.documents import document_id, refresh_voice
from offbook.ingestion.lease import ingestion_lease
from offbook.ingestion.reports import (
    DocumentReport,
    Estimate,
    IngestReport,
    ProgressListener,
    tally,
    unheard,
)
from offbook.ingestion.story import follow_texts
from offbook.methods.knowledge import Knowledge
from offbook.methods.raptor import check_tree
from offbook.retrieval.graph_index import check_graph
from offbook.retrieval.passages import check_split
from offbook.settings import SettingsModel
from offbook.stores import characters, chunks, documents, forgetting, graph, jobs
from offbook.types import Usage, traits_of

if TYPE_CHECKING:
    from offbook.app.home import Home, Opened
    from offbook.settings.methods import RaptorSettings
    from offbook.stores.connection import Connection
    from offbook.stores.documents import Removal
    from offbook.types import Character, Document


def told_on_stderr(name: str) -> Callable[[], None]:
    """A function for ``ingestion_lease`` to call once."""

    def tell() -> None:
        sys.stderr.write(f"another process is changing {name!r}; waiting for it\n")

    return tell


AliasStatus = Literal["recorded", "unchanged", "withdrawn", "overruled"]


@dataclass(frozen=True, slots=True)
class CharacterInfo:
    """A character in a list."""

    id: str
    name: str
    created: str
    documents: int
    chars: int

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What forgetting a document took along, what rests on it still, and what it cost.

    ``messages`` say what was put aside when the graph was brought up to date.
    """

    character: str
    document: str
    chunks: int
    cached_calls: int
    turns: int
    memories: int
    messages: tuple[str, ...]
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``forget --json``."""
        return {**asdict(self), "usage": self.usage.as_json()}


@dataclass(frozen=True, slots=True)
class Known:
    """An entity that bears one of two names now."""

    name: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AliasReport:
    """A person's word on two names, and who bears them now.

    ``status`` is ``recorded`` (also where it replaces the contrary), ``unchanged`` (it stood
    already), ``withdrawn`` (a person's word was taken back) or ``overruled`` (a decision of a
    model or a rule, by the word ``id``). ``undone`` is the id of the decision that was undone.
    """

    character: str
    status: AliasStatus
    id: str
    a: str
    b: str
    same: bool
    evidence: tuple[str, ...]
    undone: str | None
    entities: tuple[Known, ...]
    messages: tuple[str, ...]
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``alias --json``."""
        return {**asdict(self), "usage": self.usage.as_json()}


_MAKERS: Final = {"graph": "rolerag", "summaries": "raptor"}
"""The method that is named to whoever needs an index and has configured one that makes none."""


def _passes(check: Callable[[], object]) -> bool:
    """Whether an index is there and whole."""
    try:
        check()
    except IndexMissing:
        return False
    return True


@asynccontextmanager
async def naming_the_build(home: Home, character: Character, command: str) -> AsyncIterator[None]:
    """Let what happens inside say by which command the index that it misses is built.

    Raises:
        IndexMissing: with the command as the hint.
    """
    try:
        yield
    except IndexMissing as error:
        stored = await home.store.read(documents.list_all, character.id)
        error.hint = f"build it: {command}{'' if stored else ' FILE...'}"
        raise


async def require_graph(home: Home, character: Character) -> None:
    """Go on only where there is a graph of all chunks.

    Raises:
        IndexMissing: the hint is the command that builds it.
    """
    async with naming_the_build(home, character, command_for(home, character)):
        await home.store.read(check_graph, character)


def command_for(
    home: Home, character: Character, index: Literal["graph", "summaries"] = "graph"
) -> str:
    """The command that builds an index, or brings it up to date."""
    runtime = home.runtime(character.dimension)
    makes_one = getattr(runtime.needs, index)
    return build_command(home.settings, character.id, None if makes_one else _MAKERS[index])


async def rebuild(
    home: Home, character: Character, progress: ProgressListener, *, summary: bool
) -> list[str]:
    """Bring the graph up to date, and the summary that was made from it.

    A summary that there is, or was, costs a call only if its sources changed. The caller holds the
    character's lease.

    Returns:
        What is put aside, in words.
    """
    from offbook.ingestion.graph_index import GraphBuilding
    from offbook.ingestion.profile import write_profile
    from offbook.models.batching import Job, run_all

    runtime, store = home.runtime(character.dimension), home.store
    building = GraphBuilding(runtime, character.id, progress)
    work: list[Job] = [partial(building.run, extract=False)]
    if summary:
        write = partial(write_profile, store, runtime.extractor, character.id, runtime.settings)
        work.append(partial(write, building.described))
    await run_all(work)
    return await _put_aside(home, character)


async def rebuild_tree(home: Home, character: Character, progress: ProgressListener) -> list[str]:
    """Bring the tree of summaries up to date; what is put aside, in words.

    A call is made for each cluster that is another now; the caller holds the character's lease.
    """
    from offbook.ingestion.summary_tree import TreeBuilding

    await TreeBuilding(home.runtime(character.dimension), character.id, progress).run()
    return await _put_aside(home, character)


async def _put_aside(home: Home, character: Character) -> list[str]:
    """What is put aside, in words."""
    rows = await tally(home.store, character.id, [], ())
    return [f"{row.name}: {message}" for row in rows for message in row.messages]


@asynccontextmanager
async def done_already(
    home: Home, character: Character, what: str, *, tree: bool = False
) -> AsyncIterator[None]:
    """Let an error inside say that ``what`` was done before, and how to go on."""
    try:
        yield
    except OffbookError as error:
        behind = "the tree of summaries" if tree else "the graph"
        error.message = f"{what}; {behind} is not up to date yet: {error.message}"
        go_on = f"continue with: {command_for(home, character, 'summaries' if tree else 'graph')}"
        error.hint = f"{error.hint}; then {go_on}" if error.hint else go_on
        raise


async def ingest(
    home: Home,
    character: Character,
    paths: Sequence[Path | str],
    document_name: str | None,
    order: Sequence[str],
    progress: ProgressListener,
) -> IngestReport:
    """Make the character know files; without any, build what its stored documents lack.

    A file that was named and cannot be read stops everything before anything is done; one that
    was in a folder is reported as failed, and the others go on.
    """
    readings, failed, unknown = await _read(home, character, paths, document_name, order)
    report = await ingest_readings(home, character, readings, order=order, progress=progress)
    # Where all that was given has failed, what was stored before was not asked about.
    rows = report.documents if readings or not failed else ()
    return replace(report, documents=(*rows, *failed), unknown_files=tuple(unknown))


async def _read(
    home: Home,
    character: Character,
    paths: Sequence[Path | str],
    document_name: str | None,
    order: Sequence[str],
) -> tuple[list[ReadDocument], list[DocumentReport], list[str]]:
    """Read files: texts, reports of those that failed, and the paths of what is of no known type.

    Raises:
        UnreadableDocument: a file that was named cannot be read.
        UsageError: there is nothing to read, or was not before.
        UnknownName: the order names what is neither stored nor given; the hint names the nearest.
    """
    readings, failed, unknown = await asyncio.to_thread(read_files, paths, document_name)
    if paths and not readings and not failed:
        raise UsageError(
            f"nothing to read in {', '.join(repr(str(p)) for p in paths)}",
            f"offbook reads {', '.join(endings())}",
        )
    known = await home.store.read(documents.list_all, character.id)
    if not paths and not known:
        raise UsageError(
            f"{character.name!r} has no documents yet",
            f"name some: offbook ingest {character.id} FILE...",
        )
    there = [*(info.name for info in known), *(reading.name for reading in readings)]
    for name in order:
        if name not in there:
            raise UnknownName(
                f"the order names {name!r}, which is no document of {character.name!r}",
                characters.nearest(name, there, "name documents that are stored or given"),
            )
    return readings, failed, unknown


async def ingest_readings(
    home: Home,
    character: Character,
    readings: Sequence[ReadDocument],
    *,
    order: Sequence[str] = (),
    progress: ProgressListener = unheard,
) -> IngestReport:
    """Make the character know texts that are in memory."""
    runtime = home.runtime(character.dimension)
    waiting = told_on_stderr(character.name)
    default = SettingsModel.model_fields["method"].default
    is_default = runtime.settings.method == default
    reads = is_default and not traits_of(runtime.extractor).free
    if reads and not await home.store.read(documents.list_all, character.id):
        name, value = characters.BY_PASSAGES, characters.FIRST_READING
        await home.store.write(characters.set_setting, character.id, name, value)
    rows, size = await pipeline.ingest(runtime, character.id, readings, progress, waiting, order)
    now = await home.store.read(characters.require, character.id)
    if reads or (is_default and characters.is_being_read(now)):  # begun by a model, or ended
        await home.store.write(characters.set_setting, character.id, characters.BY_PASSAGES, None)
    kind, story = await follow_texts(home.store, character, home.settings.values)
    return IngestReport(
        character=character.name,
        character_id=character.id,
        method=runtime.settings.method,
        documents=tuple(rows),
        unknown_files=(),
        entities=size.entities,
        relations=size.relations,
        aliases=size.aliases,
        kind=kind,
        scenes=len(story.scenes),
        episodes=len(story.episodes),
        usage=home.meter.usage(),
    )


async def estimate(
    home: Home,
    character: Character,
    paths: Sequence[Path | str],
    document_name: str | None,
    order: Sequence[str],
) -> Estimate:
    """What :func:`ingest` would cost; no call is made."""
    # Here and not above: an ingestion needs none of it, and should not wait for it.
    from offbook.app.estimate import estimate_ingestion

    readings, failed, unknown = await _read(home, character, paths, document_name, order)
    runtime = home.runtime(character.dimension)
    counted = await estimate_ingestion(runtime, character, readings, order)
    messages = [f"{row.name}: {message}" for row in failed for message in row.messages]
    messages += [f"not read (unknown type, or hidden): {path}" for path in unknown]
    return replace(counted, messages=tuple(messages))


def read_files(
    named_paths: Sequence[Path | str], document_name: str | None
) -> tuple[list[ReadDocument], list[DocumentReport], list[str]]:
    """Read files and folders: texts, reports of those that failed, paths of no known type.

    Raises:
        UnreadableDocument: a file that was named cannot be read.
        UsageError: a path or the name is empty.
    """
    if any(not str(path).strip() for path in named_paths):
        raise UsageError("a path is empty", "name a file or a folder")
    if document_name is not None and not document_name.strip():
        raise UsageError(f"the name {document_name!r} is empty", "give the document a name")
    paths = [Path(path) for path in named_paths]
    collected = collect(paths, document_name)
    named = {path for path in paths if not path.is_dir()}
    readings: list[ReadDocument] = []
    failed: list[DocumentReport] = []
    for document in collected.documents:
        try:
            readings.append(read_document(document.path, document.name))
        except UnreadableDocument as error:
            if document.path in named:
                raise
            message = f"{error.message}; {error.hint}"
            failed.append(DocumentReport("", document.name, "failed", messages=[message]))
    return readings, failed, [str(path) for path in (*collected.unknown, *collected.hidden)]


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
    home: Home,
    character: Character,
    document: str,
    *,
    with_memories: bool,
    for_all: bool,
    progress: ProgressListener,
) -> ForgetReport:
    """Delete a document; afterwards no file of the home holds a sentence of it.

    One that is gone is known `with_memories`, as long as turns rest on it. Raises what
    `Offbook.forget` says.
    """
    store = home.store
    left = await store.read(_left_of, character, document)
    if left is not None:
        if not with_memories:
            raise UnknownName(
                f"{document!r} is forgotten already",
                "the turns and memories that rested on it keep their own words; take them along: "
                f"offbook forget {character.id} {shlex.quote(document)} --with-memories",
            )
        removal = await store.write(documents.remove_turns, character.id, left)
        await store.purge()
        return ForgetReport(
            character=character.name,
            document=document,
            chunks=0,
            **asdict(removal),
            messages=(),
            usage=home.meter.usage(),
        )
    async with ingestion_lease(store, character.id, told_on_stderr(character.name)):
        raptor = home.settings.values.raptor
        gone = await store.write(
            _remove, character, document, raptor, with_memories=with_memories, for_all=for_all
        )
        await refresh_voice(store, character.id)
        # Before any call: whatever becomes of the graph, what was to be forgotten is gone.
        await store.purge()
        await follow_texts(home.store, character, home.settings.values)
        messages = await _follow(home, character, gone, progress)
    return ForgetReport(
        character=character.name,
        document=gone.document.name,
        chunks=gone.chunks,
        **asdict(gone.removal),
        messages=tuple(messages),
        usage=home.meter.usage(),
    )


async def _follow(
    home: Home, character: Character, gone: _Gone, progress: ProgressListener
) -> list[str]:
    """Bring graph and tree up to date, where there are any; what is put aside, in words."""
    messages: list[str] = []
    done = f"{gone.document.name!r} is forgotten"
    if gone.graph:
        async with done_already(home, character, done):
            messages = await rebuild(home, character, progress, summary=gone.summary)
    if gone.tree:
        async with done_already(home, character, done, tree=True):
            messages = await rebuild_tree(home, character, progress)
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
            if any(forgetting.resting_on(conn, character.id, gone)):
                return gone
        raise
    return None


def _remove(
    conn: Connection,
    character: Character,
    name: str,
    raptor: RaptorSettings,
    *,
    with_memories: bool,
    for_all: bool,
) -> _Gone:
    document = documents.require(conn, character.id, name)
    count = len(chunks.list_chunks(conn, character.id, document=document.id))
    # One that could not be written yet is tried again: what is forgotten may be what was refused.
    summary = characters.require(conn, character.id).profile is not None or bool(
        jobs.list_jobs(conn, character.id, kind=jobs.PROFILE)
    )
    has_graph = _passes(lambda: check_graph(conn, character))
    has_graph = has_graph and bool(graph.list_groups(conn, character.id))
    has_tree = _passes(lambda: check_tree(conn, character, raptor))
    removal = documents.remove(
        conn, character.id, document.id, with_memories=with_memories, for_all=for_all
    )
    return _Gone(document, removal, count, has_graph, summary, has_tree)


async def require_index(home: Opened, character: Character, *, with_cost: bool = True) -> None:
    """Find out before the first question whether the configured method can answer.

    Raises:
        IndexMissing: with the command and its estimate as the hint.
    """
    runtime = home.runtime(character.dimension)
    runtime = replace(runtime, settings=answering(home.settings, character))
    needs = runtime.needs
    async with priced(home, character, with_cost=with_cost):
        for name in needs.chunkings:
            await home.store.read(check_split, character, name)
        if needs.graph:
            await home.store.read(check_graph, character)
        if needs.mentions:
            from offbook.methods.lightrag import check_mentions

            await home.store.read(check_mentions, character)
        if needs.summaries:
            await home.store.read(check_tree, character, runtime.settings.raptor)
        if needs.traits:
            from offbook.retrieval.guided_selection import check_traits

            splitter = runtime.settings.amadeus.splitter
            await home.store.read(check_traits, character, splitter)
        if needs.profile:
            knowledge = Knowledge(character, runtime.settings, runtime.store, runtime.embedder)
            await knowledge.profile()
