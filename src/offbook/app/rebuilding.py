"""A built graph follows a deletion or a person's word, a tree of summaries a deletion.

Takes: a character whose graph or tree is built.  Gives: it brought up to date, and what was put
aside on the way; no text is extracted anew. Where the endpoint fails, what was asked for stands,
and the error says how to go on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.app.missing_index import build_command
from offbook.errors import IndexMissing, OffbookError
from offbook.retrieval.collapsed_tree import check_tree
from offbook.retrieval.graph_index import check_graph
from offbook.stores import documents, graph

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.ingestion.reports import ProgressListener
    from offbook.settings.compared import RaptorSettings
    from offbook.types import Character

GRAPH_METHOD: Final = "rolerag"
"""The method that is named to whoever needs a graph and has configured one that makes none."""
TREE_METHOD: Final = "raptor"
"""The same for a tree of summaries."""


def is_built(conn: Connection, character: Character) -> bool:
    """Whether there is a graph of all chunks."""
    try:
        check_graph(conn, character)
    except IndexMissing:
        return False
    return bool(graph.list_groups(conn, character.id))


async def require_graph(book: Offbook, character: Character) -> None:
    """Go on only where there is a graph of all chunks.

    Raises:
        IndexMissing: the hint is the command that builds it.
    """
    try:
        await book.store.read(lambda conn: check_graph(conn, character))
    except IndexMissing as error:
        stored = await book.store.read(lambda conn: documents.list_all(conn, character.id))
        error.hint = f"build it: {graph_command(book, character)}{'' if stored else ' FILE...'}"
        raise


def graph_command(book: Offbook, character: Character) -> str:
    """The command that builds the graph, or brings it up to date."""
    stage = book.stage(character.dimension)
    makes_one = stage.method.needs(stage.settings).graph
    return build_command(book.settings, character.id, None if makes_one else GRAPH_METHOD)


async def rebuild(
    book: Offbook, character: Character, progress: ProgressListener, *, summary: bool
) -> list[str]:
    """Bring the graph up to date, and the summary that was made from it.

    Args:
        book: The open home; the caller holds the character's lease.
        character: Whose graph.
        progress: Told of every step.
        summary: Whether there is, or was, a summary; it costs a call only if its sources changed.

    Returns:
        What is put aside, in words.

    Raises:
        ModelError: the endpoint failed for good; what was done is kept.
        BudgetReached: likewise.
    """
    from offbook.ingestion.graph_building import GraphBuilding
    from offbook.ingestion.summarizing import write_profile
    from offbook.ingestion.tally import tally

    stage, store = book.stage(character.dimension), book.store
    write = partial(write_profile, store, stage.extractor, character.id, stage.settings)
    building = GraphBuilding(stage, character.id, progress)
    await building.run(write if summary else None, extract=False)
    rows = await tally(store, character.id, [], ())
    return [f"{row.name}: {message}" for row in rows for message in row.messages]


def has_tree(conn: Connection, character: Character, settings: RaptorSettings) -> bool:
    """Whether there is a tree of summaries over all chunks, by these settings."""
    try:
        check_tree(conn, character, settings)
    except IndexMissing:
        return False
    return True


async def rebuild_tree(
    book: Offbook, character: Character, progress: ProgressListener
) -> list[str]:
    """Bring the tree of summaries up to date; a call for each cluster that is another now.

    Args:
        book: The open home; the caller holds the character's lease.
        character: Whose tree.
        progress: Told of every step.

    Returns:
        What is put aside, in words.

    Raises:
        ModelError: the endpoint failed for good; what was done is kept.
        BudgetReached: likewise.
    """
    from offbook.ingestion.tally import tally
    from offbook.ingestion.tree_building import TreeBuilding

    await TreeBuilding(book.stage(character.dimension), character.id, progress).run()
    rows = await tally(book.store, character.id, [], ())
    return [f"{row.name}: {message}" for row in rows for message in row.messages]


def tree_command(book: Offbook, character: Character) -> str:
    """The command that builds the tree of summaries, or brings it up to date."""
    stage = book.stage(character.dimension)
    makes_one = stage.method.needs(stage.settings).summaries
    return build_command(book.settings, character.id, None if makes_one else TREE_METHOD)


@asynccontextmanager
async def done_already(
    book: Offbook, character: Character, what: str, *, tree: bool = False
) -> AsyncIterator[None]:
    """Let an error inside say that ``what`` was done before, and how to go on.

    Args:
        book: The open home.
        character: Whose.
        what: What was done, in words.
        tree: Whether the tree of summaries is brought up to date inside, not the graph.
    """
    try:
        yield
    except OffbookError as error:
        behind = "the tree of summaries" if tree else "the graph"
        error.message = f"{what}; {behind} is not up to date yet: {error.message}"
        command = tree_command(book, character) if tree else graph_command(book, character)
        go_on = f"go on with: {command}"
        error.hint = f"{error.hint}; then {go_on}" if error.hint else go_on
        raise
