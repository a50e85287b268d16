"""An index that a question needs and that was not built: the command for it, and what it costs.

Takes: a question's ``IndexMissing``.  Gives: the same, its hint the command that builds the index,
with the flags of this command, and the estimate. Nothing is built, and no call is made.
"""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

from offbook.errors import IndexMissing
from offbook.methods.knowledge import Knowledge
from offbook.retrieval.passages import check_split
from offbook.stores import documents

if TYPE_CHECKING:
    from offbook.pipeline import Stage
    from offbook.settings import Settings
    from offbook.types import Character

_OPTIONS = {
    "method": "--method",
    "preset": "--preset",
    "home": "--home",
    "chat.model": "--model",
    "chat.base_url": "--base-url",
}
_SECRET = ("api_key", "database.url")
_NOT_BUILT_BY = ("limits.", "reply.", "judge.")


class Opened(Protocol):
    """An open offbook, or one as a variant of an evaluation sees it."""

    @property
    def settings(self) -> Settings:
        """Those in force."""
        ...

    @property
    def store(self) -> Any:
        """The open store."""
        ...

    def stage(self, dimension: int | None = None) -> Stage:
        """Store and models."""
        ...


@asynccontextmanager
async def priced(book: Opened, character: Character) -> AsyncIterator[None]:
    """Let what happens inside say how to build the index that it misses.

    Raises:
        IndexMissing: with the command and its estimate as the hint.
    """
    try:
        yield
    except IndexMissing as error:
        stored = await book.store.read(lambda conn: documents.list_all(conn, character.id))
        command = build_command(book.settings, character.id)
        if stored:
            from offbook.ingestion.estimating import estimate_ingestion

            found = await estimate_ingestion(book.stage(character.dimension), character, ())
            error.hint = f"build it: {command} ({found.in_words()})"
        else:
            error.hint = f"build it: {command} FILE... (what it costs: add --estimate)"
        raise


async def require_index(book: Opened, character: Character) -> None:
    """Find out before the first question whether the configured method can answer.

    Raises:
        IndexMissing: with the command and its estimate as the hint.
    """
    stage = book.stage(character.dimension)
    needs = stage.method.needs(stage.settings)
    async with priced(book, character):
        for name in needs.chunkings:
            await book.store.read(lambda conn, n=name: check_split(conn, character, n))
        # Loaded where they are needed: a question by passages alone should not wait for them.
        if needs.graph:
            from offbook.retrieval.graph_index import check_graph

            await book.store.read(lambda conn: check_graph(conn, character))
        if needs.mentions:
            from offbook.retrieval.mention_index import check_mentions

            await book.store.read(lambda conn: check_mentions(conn, character))
        if needs.summaries:
            from offbook.retrieval.collapsed_tree import check_tree

            raptor = stage.settings.raptor
            await book.store.read(lambda conn: check_tree(conn, character, raptor))
        if needs.traits:
            from offbook.retrieval.trait_index import check_traits

            splitter = stage.settings.amadeus.splitter
            await book.store.read(lambda conn: check_traits(conn, character, splitter))
        if needs.profile:
            knowledge = Knowledge(character, stage.settings, stage.store, stage.embedder)
            await knowledge.profile()


def build_command(settings: Settings, character: str, method: str | None = None) -> str:
    """``offbook ingest`` with the flags that decide what is built, and by which model.

    Args:
        settings: Those in force.
        character: Id of the character.
        method: Another method than the configured one.
    """
    words = ["offbook", "ingest", character]
    if method is not None:
        words += ["--method", method]
    for name, value, origin in settings.rows():
        if name == "method" and method is not None:
            continue
        if origin != "flag" or name.endswith(_SECRET) or name.startswith(_NOT_BUILT_BY):
            continue
        option = _OPTIONS.get(name)
        words += [option, value] if option else ["--set", f"{name}={value}"]
    return shlex.join(words)
