"""Offbook, opened: characters, their documents, questions and conversations.

Takes: settings.  Gives: what every face (command line, server, notebook) calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from offbook.agent.learning import Learning
from offbook.agent.session import Session
from offbook.app.finding import find_character
from offbook.app.reports import CharacterInfo
from offbook.app.wiring import Wiring
from offbook.ingestion.reports import Estimate, IngestReport, ProgressListener, unheard
from offbook.settings import Settings, load_settings
from offbook.stores import characters, documents

if TYPE_CHECKING:
    from offbook.app.cards import Cards
    from offbook.app.doctor import Check
    from offbook.app.drawing import GraphReport
    from offbook.app.evaluation.evaluating import Evaluation
    from offbook.app.reembedding import ReembedReport
    from offbook.app.remembering import Memories
    from offbook.app.reports import AliasReport, ForgetReport
    from offbook.documents.readers import ReadDocument
    from offbook.models.metering import Meter
    from offbook.pipeline import Stage
    from offbook.types import Character, Recall, Reply, Usage


class Offbook(AbstractAsyncContextManager["Offbook"]):
    """An open home of characters. Make one with :meth:`open`; it closes as a context manager."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._store = wiring.store
        self.settings = wiring.settings
        self.meter = wiring.meter()
        """What this command cost so far, its conversations included, and the rest of its budget."""
        self.learning = Learning(lambda character: self.stage(character.dimension))
        """What goes on behind conversations; it counts on this command's meter."""

    @classmethod
    async def open(cls, settings: Settings | None = None, **flags: Any) -> Offbook:
        """Open the configured database.

        Args:
            settings: Default: from the environment and the settings files.
            flags: Settings by name, with ``__`` for the dot: ``chat__model="..."``.

        Raises:
            ConfigurationError: a setting is wrong, or the database is from a newer version.
            StoreFailed: the database cannot be opened.
        """
        named = {name.replace("__", "."): value for name, value in flags.items()}
        return cls(await Wiring.open(settings or load_settings(named)))

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close connections and the database."""
        await self.close()

    async def close(self) -> None:
        """Close connections and the database.

        What goes on behind conversations has a short grace; a later command goes on with the rest.
        """
        try:
            await self.learning.settle(self.settings.values.memory.grace_seconds)
        finally:
            await self._wiring.close()

    # -- characters ----------------------------------------------------------------------------

    async def create(self, name: str) -> Character:
        """A new character; its id is made from the name and is unique."""
        return await self._store.write(lambda conn: characters.create(conn, name))

    async def characters(self) -> list[CharacterInfo]:
        """All characters."""
        found = []
        for character in await self._store.read(characters.list_all):
            infos = await self._store.read(
                lambda conn, c=character.id: documents.list_all(conn, c)  # type: ignore[misc]
            )
            found.append(
                CharacterInfo(
                    character.id,
                    character.name,
                    character.created,
                    len(infos),
                    sum(info.chars for info in infos),
                )
            )
        return found

    async def find(self, name: str, *, only: bool = False) -> Character:
        """The character of this name or id; accents and case may be left out.

        Args:
            name: The name or id. Of several that have the name, the first is meant.
            only: Refuse a name that several have, rather than take the first.

        Raises:
            UnknownName: there is none; the nearest is in the hint.
        """
        return await self._store.read(lambda conn: find_character(conn, name, only=only))

    async def delete(self, name: str) -> None:
        """Delete a character and all that belongs to it."""
        character = await self.find(name)
        await self._store.write(lambda conn: characters.remove(conn, character.id))
        await self._store.purge()

    # -- documents -----------------------------------------------------------------------------

    async def ingest(
        self,
        name: str,
        paths: Sequence[Path | str] = (),
        *,
        document_name: str | None = None,
        order: Sequence[str] | None = None,
        progress: ProgressListener = unheard,
    ) -> IngestReport:
        """Add or update documents, and build what the configured method needs.

        Args:
            name: The character.
            paths: Files and folders; none: only build what the stored documents lack.
            document_name: Name of the one document that is given.
            order: Names of documents in the order of the story.
            progress: Called with every step.

        Raises:
            UnreadableDocument: a file cannot be read; nothing was changed.
            ModelError: the endpoint failed for good; what was done is kept.
        """
        from offbook.app.ingesting import ingest

        return await ingest(self, name, paths, document_name, order, progress)

    async def ingest_texts(self, name: str, texts: Sequence[ReadDocument]) -> IngestReport:
        """The same for texts that are in memory already."""
        from offbook.app.ingesting import ingest_readings

        return await ingest_readings(self, await self.find(name), texts)

    async def estimate(
        self, name: str, paths: Sequence[Path | str] = (), document_name: str | None = None
    ) -> Estimate:
        """What :meth:`ingest` would cost; no call is made."""
        from offbook.app.ingesting import estimate

        return await estimate(self, name, paths, document_name)

    async def forget(
        self,
        name: str,
        document: str,
        *,
        with_memories: bool = False,
        progress: ProgressListener = unheard,
    ) -> ForgetReport:
        """Delete a document and all that only it supports, from the whole database.

        Raises:
            UnknownName: there is no such document.
            ModelError: the document is gone; the graph could not be brought up to date, and the
                hint is the command that goes on.
        """
        from offbook.app.forgetting import forget

        found = await self.find(name)
        return await forget(self, found, document, with_memories=with_memories, progress=progress)

    async def reembed(self, name: str, *, progress: ProgressListener = unheard) -> ReembedReport:
        """Make all vectors anew with the configured embedder; the old ones stay until then."""
        from offbook.app.reembedding import reembed

        return await reembed(self, await self.find(name), progress)

    @property
    def memories(self) -> Memories:
        """What characters remember: to add, search and forget."""
        from offbook.app.remembering import Memories

        return Memories(self)

    @property
    def cards(self) -> Cards:
        """Character cards and lorebooks: to make characters from, to attach, to export."""
        from offbook.app.cards import Cards

        return Cards(self)

    async def show(self, name: str, part: str | None, *, user: str | None = None) -> Any:
        """An overview of a character, or the rows of a part of it.

        Args:
            name: The character.
            part: ``documents``, ``chunks``, ``entities``, ``relations``, ``aliases``,
                ``decisions``, ``attributes`` or ``memories``; None: the overview.
            user: Of the memories, only the authored ones and theirs.

        Raises:
            UnknownName: there is no such part.
            IndexMissing: the part is of the graph, or of what chunks reveal, and there is none.
        """
        from offbook.app.showing import show

        return await show(self, await self.find(name), part, user)

    async def alias(
        self, name: str, a: str, b: str, *, same: bool, progress: ProgressListener = unheard
    ) -> AliasReport:
        """Record a person's word that two names are one and the same, or are not.

        Args:
            name: The character.
            a: A name.
            b: Another; with ``same`` one of the two may be new.
            same: Whether they are.
            progress: Called with every step.

        Raises:
            UsageError: the names are one name, or the word contradicts another of the person's.
            UnknownName: nobody has such a name.
            IndexMissing: there is no graph; the hint is the command that builds it.
            ModelError: the word is kept; the graph could not be brought up to date, and the hint
                is the command that goes on.
        """
        from offbook.app.aliases import say

        return await say(self, await self.find(name), a, b, same=same, progress=progress)

    async def undo_decision(
        self, name: str, decision: str, *, progress: ProgressListener = unheard
    ) -> AliasReport:
        """Take a person's word back, or overrule what a model or a rule decided.

        Args:
            name: The character.
            decision: Its id, as ``show`` lists it.
            progress: Called with every step.

        Raises:
            UnknownName: there is no such decision; other errors are as in `alias`.
        """
        from offbook.app.aliases import undo

        return await undo(self, await self.find(name), decision, progress=progress)

    async def graph(self, name: str, file: Path | str) -> GraphReport:
        """Write the graph of a character into a file: ``.html``, ``.graphml`` or ``.json``.

        Raises:
            UsageError: another suffix, or there is no folder for the file.
            IndexMissing: the character has no graph; the hint is the command that builds it.
        """
        from offbook.app.drawing import draw

        return await draw(self, await self.find(name), Path(file))

    # -- questions -----------------------------------------------------------------------------

    async def recall(
        self,
        name: str,
        question: str,
        *,
        session: str | None = None,
        user: str | None = None,
        as_of: str | None = None,
    ) -> tuple[Recall, Usage]:
        """What a reply would rest on; none is generated.

        Args:
            name: The character.
            question: What is asked.
            session: The conversation in which it is asked, with its mood; nothing of it changes.
            user: Whose memories are recalled beside the authored ones; None: the owner's.
            as_of: The point in the story at which it is asked: a document's name or a chunk's id,
                ``document#heading path`` or ``document@offset``; None: the end.

        Raises:
            UsageError: the story has no such point, or the conversation is somebody else's.
            IndexMissing: the method needs what was not built.
        """
        from offbook.app.missing_index import priced

        keep = session is not None
        talk = await self.session(name, session=session, user=user, keep=keep, as_of=as_of)
        async with priced(self, talk.character):
            return await talk.recall(question)

    async def ask(
        self,
        name: str,
        question: str,
        *,
        session: str | None = None,
        user: str | None = None,
        as_of: str | None = None,
    ) -> Reply:
        """One reply; with ``session`` it belongs to a conversation, ``as_of`` as in `recall`."""
        from offbook.app.missing_index import priced

        keep = session is not None
        talk = await self.session(name, session=session, user=user, keep=keep, as_of=as_of)
        async with priced(self, talk.character):
            return await talk.ask(question)

    async def require_index(self, name: str) -> None:
        """Find out before the first question whether the configured method can answer.

        Raises:
            IndexMissing: the hint is the command that builds what is missing, and its estimate.
        """
        from offbook.app.missing_index import require_index

        await require_index(self, await self.find(name))

    async def session(
        self,
        name: str,
        *,
        session: str | None = None,
        user: str | None = None,
        keep: bool = True,
        as_of: str | None = None,
    ) -> Session:
        """A conversation, gone on with where ``session`` names one, ``as_of`` as in `recall`."""
        character = await self.find(name)
        own = None if not keep else self.learning
        asked = self._store, character, lambda: self.turn(character), session, user
        talk = Session(*asked, keep=keep, as_of=as_of, learning=own)
        return await talk.open()

    # -- the whole character -------------------------------------------------------------------

    async def export(
        self, name: str, file: Path | str, *, with_conversations: bool = False
    ) -> Character:
        """Write a character into one file."""
        from offbook.app.porting import export_to

        character = await self.find(name)
        await export_to(self._store, character, Path(file), with_conversations)
        return character

    async def import_(self, file: Path | str, *, replace: bool = False) -> Character:
        """Read a character from such a file."""
        from offbook.app.porting import import_from

        return await import_from(self._store, Path(file), replace=replace)

    async def demo_character(self) -> tuple[Character, IngestReport]:
        """The shipped character, built where it is not there yet."""
        from offbook.app.demonstrating import build

        return await build(self)

    async def doctor(self) -> list[Check]:
        """Whether the database and the endpoints do what they should."""
        from offbook.app.doctor import examine

        return await examine(self)

    def stage(self, dimension: int | None = None, meter: Meter | None = None) -> Stage:
        """Store and models, counting on this command's meter, or on another."""
        return self._wiring.stage(meter or self.meter, dimension)

    def turn(self, character: Character) -> tuple[Stage, Meter]:
        """Store and models for a turn, counted for itself as well; the budget is the command's."""
        meter = self.meter.part()
        return self.stage(character.dimension, meter), meter

    @property
    def evaluation(self) -> Evaluation:
        """Benchmarks: to run, score and compare them."""
        from offbook.app.evaluation.evaluating import Evaluation

        return Evaluation(self)

    @property
    def store(self) -> Any:
        """The open store."""
        return self._store
