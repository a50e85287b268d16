"""Offbook, opened: characters, their documents, questions and conversations.

Takes: settings.  Gives: what every face (command line, server, notebook) calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from offbook import registry
from offbook.agent.history import principal_of
from offbook.agent.session import Session
from offbook.app.documents import CharacterInfo
from offbook.app.home import Home, Wiring, priced
from offbook.ingestion.reports import Estimate, IngestReport, ProgressListener, unheard
from offbook.settings import Settings, load_settings
from offbook.settings.loading import by_keyword
from offbook.stores import characters, documents
from offbook.types import as_tuple

if TYPE_CHECKING:
    from offbook.agent.scene import Scene
    from offbook.app.books import BookCharacter, GivenBook
    from offbook.app.cards import Cards
    from offbook.app.casts import CastRow
    from offbook.app.characters import ReembedReport
    from offbook.app.doctor import Check
    from offbook.app.documents import AliasReport, ForgetReport
    from offbook.app.inspection import GraphReport
    from offbook.app.memories import Memories
    from offbook.app.speakers import SpeakersReport
    from offbook.app.story import SceneRow, StoryReport
    from offbook.app.users import Users
    from offbook.documents.readers import ReadDocument
    from offbook.retrieval.witnessing import Judgement
    from offbook.settings.keywords import SettingKeywords
    from offbook.types import Character, Recall, Reply, Source, WitnessHow


class Offbook(Home, AbstractAsyncContextManager["Offbook"]):
    """An open home of characters. Make one with :meth:`open`; it closes as a context manager."""

    @classmethod
    async def open(
        cls, settings: Settings | None = None, **flags: Unpack[SettingKeywords]
    ) -> Offbook:
        """Open the configured database.

        Args:
            settings: Default: from the environment and the settings files.
            flags: Settings by name, with ``__`` for the dot: ``chat__model="..."``. They win.

        Raises:
            ConfigurationError: a setting is wrong, or the database is from a newer version.
            StoreFailed: the database cannot be opened.
        """
        named = by_keyword(flags)
        made = load_settings(named) if settings is None else settings.overlaid(named)
        return cls(await Wiring.open(made))

    async def __aexit__(self, *_: object) -> None:
        """Close connections and the database."""
        await self.close()

    async def close(self) -> None:
        """Close connections and the database.

        What goes on behind conversations has a short grace; a later command goes on with the rest.
        """
        try:
            await self.learning.settle(self.settings.values.memory.grace_seconds)
        finally:
            await self.wiring.close()

    # -- characters ----------------------------------------------------------------------------

    async def create(self, name: str) -> Character:
        """A new character; its id is made from the name and is unique."""
        return await self.store.write(characters.create, name)

    async def cast(self, book: GivenBook) -> list[CastRow]:
        """Who is in a book, the most named first; no model is asked.

        Args:
            book: A file or folder, texts that are in memory, or the name or id of a book or
                character that the home has. What is not in the home is not put there.

        Raises:
            UnknownName: there is no such book.
            UnreadableDocument: a file cannot be read.
        """
        from offbook.app.books import list_cast

        return await list_cast(self, book)

    async def speakers(
        self, book: GivenBook, *, progress: ProgressListener = unheard
    ) -> SpeakersReport:
        """Have a model say who speaks the quotations whose speaker no tag names.

        What it says is kept with the cast; no window of the text is asked about twice.

        Args:
            book: As in `cast`; the home has it.
            progress: Called with every step.

        Raises:
            UsageError: no model is configured, or the home does not have the book.
            ModelError: the endpoint failed for good; the next run goes on from there.
        """
        from offbook.app.speakers import settle_speakers

        return await settle_speakers(self, book, progress)

    async def estimate_speakers(self, book: GivenBook) -> Estimate:
        """What :meth:`speakers` would cost; no call is made."""
        from offbook.app.speakers import estimate_speakers

        return await estimate_speakers(self, book)

    async def story(self, book: GivenBook) -> StoryReport:
        """The scenes of a book of the home: where, when, who knows of each and how.

        Raises:
            UsageError: the home does not have the book.
        """
        from offbook.app.story import list_scenes

        return await list_scenes(self, book)

    async def correct_witness(
        self, book: GivenBook, scene: int, witness: str, how: WitnessHow | None
    ) -> SceneRow:
        """Keep your word on how somebody knows of a scene, above a model's and the rules'.

        Args:
            book: As in `story`.
            scene: Its number, from 1.
            witness: Who, by any name that the book has for them.
            how: `present`, `told`, `read`, `overheard`, `common` or `absent`; None takes your word
                back.

        Raises:
            UsageError: there is no such scene.
            UnknownName: nobody in the book is called that.
        """
        from offbook.app.story import correct_witness

        return await correct_witness(self, book, scene, witness, how)

    async def set_kind(
        self, book: GivenBook, kind: Literal["story", "persona"] | None
    ) -> StoryReport:
        """Say whether documents are a story or about one person; None: as rules find."""
        from offbook.app.story import set_kind

        return await set_kind(self, book, kind)

    async def create_from(
        self,
        book: GivenBook,
        name: str,
        *,
        progress: ProgressListener = unheard,
    ) -> BookCharacter:
        """Make a character of one of a book's people; it can be talked to at once.

        All characters of a book share its texts, index and graph. No chat model is asked.

        Args:
            book: As in `cast`.
            name: Who it is, by any name that the book has for them.
            progress: Called with every step.

        Raises:
            UnknownName: there is no such book, or the name does not stand in it.
            UsageError: several of its people have the name; the hint names them.
        """
        from offbook.app.books import create_from

        return await create_from(self, book, name, progress)

    async def characters(self) -> list[CharacterInfo]:
        """All characters."""
        listed = []
        for each in await self.store.read(characters.list_all):
            infos = await self.store.read(documents.list_all, each.id)
            chars = sum(info.chars for info in infos)
            listed.append(CharacterInfo(each.id, each.name, each.created, len(infos), chars))
        return listed

    async def delete(self, name: str) -> None:
        """Delete a character and all that belongs to it."""
        character = await self.find(name)
        await self.store.write(characters.remove, character.id)
        await self.store.purge()

    # -- documents -----------------------------------------------------------------------------

    async def ingest(
        self,
        name: str,
        paths: Path | str | Sequence[Path | str] = (),
        *,
        document_name: str | None = None,
        order: Sequence[str] | None = None,
        progress: ProgressListener = unheard,
    ) -> IngestReport:
        """Add or update documents, and build what the configured method needs.

        Args:
            name: The character.
            paths: Files and folders, or one; none: only build what the stored documents lack.
            document_name: Name of the one document that is given.
            order: Names of documents in the order of the story.
            progress: Called with every step.

        Raises:
            UnreadableDocument: a file cannot be read; nothing was changed.
            ModelError: the endpoint failed for good; what was done is kept.
        """
        from offbook.app.documents import ingest

        names = () if order is None else as_tuple(order)
        return await ingest(
            self, await self.find(name), as_tuple(paths), document_name, names, progress
        )

    async def ingest_texts(self, name: str, texts: Sequence[ReadDocument]) -> IngestReport:
        """The same for texts that are in memory already."""
        from offbook.app.documents import ingest_readings

        return await ingest_readings(self, await self.find(name), texts)

    async def estimate(
        self,
        name: str,
        paths: Path | str | Sequence[Path | str] = (),
        document_name: str | None = None,
        order: Sequence[str] | None = None,
    ) -> Estimate:
        """What :meth:`ingest` would cost; no call is made."""
        from offbook.app.documents import estimate

        names = () if order is None else as_tuple(order)
        return await estimate(self, await self.find(name), as_tuple(paths), document_name, names)

    async def forget(
        self,
        name: str,
        document: str,
        *,
        with_memories: bool = False,
        for_all: bool = False,
        progress: ProgressListener = unheard,
    ) -> ForgetReport:
        """Delete a document and all that only it supports, from the whole database.

        Args:
            name: The character.
            document: Its name or id.
            with_memories: Also the turns and memories that rest on it.
            for_all: Also where other characters share it: for all of them.
            progress: Called with every step.

        Raises:
            UsageError: others share it, and it is not to be forgotten for all.
            UnknownName: there is no such document.
            ModelError: the document is gone; the graph could not be brought up to date, and the
                hint is the command that goes on.
        """
        from offbook.app.documents import forget

        whose = await self.find(name)
        return await forget(
            self,
            whose,
            document,
            with_memories=with_memories,
            for_all=for_all,
            progress=progress,
        )

    async def reembed(self, name: str, *, progress: ProgressListener = unheard) -> ReembedReport:
        """Make all vectors anew with the configured embedder; the old ones stay until then."""
        from offbook.app.characters import reembed

        return await reembed(self, await self.find(name), progress)

    @property
    def memories(self) -> Memories:
        """What characters remember: to add, search and forget."""
        from offbook.app.memories import Memories

        return Memories(self)

    @property
    def users(self) -> Users:
        """What is kept of each person, over all characters: to see, take away, delete."""
        from offbook.app.users import Users

        return Users(self.store)

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
        from offbook.app.inspection import show

        return await show(self, await self.find(name), part, user)

    async def alias(
        self, name: str, a: str, b: str, *, same: bool, progress: ProgressListener = unheard
    ) -> AliasReport:
        """Record that two names belong to one entity, or to two; later ingestions keep that.

        Args:
            name: The character.
            a: A name.
            b: Another; with ``same`` one of the two may be new.
            same: Whether they are.
            progress: Called with every step.

        Raises:
            UsageError: the names are one name, or it contradicts an earlier correction.
            UnknownName: nobody has such a name.
            IndexMissing: there is no graph; the hint is the command that builds it.
            ModelError: it is recorded; the graph could not be brought up to date, and the hint
                is the command that goes on.
        """
        from offbook.app.aliases import correct, record

        record_it = partial(record, a=a, b=b, same=same)
        return await correct(self, await self.find(name), record_it, progress)

    async def undo_decision(
        self, name: str, decision: str, *, progress: ProgressListener = unheard
    ) -> AliasReport:
        """Take back a user's correction, or overrule what a model or a rule decided.

        Args:
            name: The character.
            decision: Its id, as ``show`` lists it.
            progress: Called with every step.

        Raises:
            UnknownName: there is no such decision; other errors are as in `alias`.
        """
        from offbook.app.aliases import correct, undo_by_id

        record_it = partial(undo_by_id, identity=decision.strip())
        return await correct(self, await self.find(name), record_it, progress)

    async def graph(self, name: str, file: Path | str) -> GraphReport:
        """Write the graph of a character into a file: ``.html``, ``.graphml`` or ``.json``.

        Raises:
            UsageError: another suffix, or there is no folder for the file.
            IndexMissing: the character has no graph; the hint is the command that builds it.
        """
        from offbook.app.inspection import draw

        return await draw(self, await self.find(name), Path(file))

    # -- questions -----------------------------------------------------------------------------

    async def recall(
        self,
        name: str,
        question: str,
        *,
        session: str | None = None,
        user: str | None = None,
        method: str | None = None,
        as_of: str | None = None,
    ) -> Recall:
        """What a reply would rest on, and what it cost to find; no reply is generated.

        Args:
            name: The character.
            question: What is asked.
            session: The conversation in which it is asked, with its mood; nothing of it changes.
            user: Whose memories are recalled beside the authored ones; None: the owner's.
            method: How, for this question; None: as it is configured.
            as_of: The point in the story at which it is asked: a document's name or a chunk's id,
                ``document#heading path`` or ``document@offset``; None: the end.

        Raises:
            UnknownName: there is no such character or method.
            UsageError: the story has no such point, or the conversation is somebody else's.
            IndexMissing: the method needs what was not built.
        """
        book, keep = self._by(method), session is not None
        talk = await book.session(name, session=session, user=user, keep=keep, as_of=as_of)
        async with priced(book, talk.character):
            return await talk.recall(question)

    async def ask(
        self,
        name: str,
        question: str,
        *,
        session: str | None = None,
        user: str | None = None,
        method: str | None = None,
        as_of: str | None = None,
    ) -> Reply:
        """One reply; with ``session`` it belongs to a conversation, the rest is as in `recall`."""
        book, keep = self._by(method), session is not None
        talk = await book.session(name, session=session, user=user, keep=keep, as_of=as_of)
        async with priced(book, talk.character):
            return await talk.ask(question)

    def _by(self, method: str | None) -> Offbook:
        """This home, which replies by a method; what that costs is counted here."""
        if method is None:
            return self
        registry.load("method", method)
        settings = self.settings.overlaid({"method": method})
        made = Offbook(replace(self.wiring, settings=settings))
        made.meter, made.learning = self.meter, self.learning
        return made

    async def knows(self, name: str, fact: str, *, as_of: str | None = None) -> Judgement:
        """Whether a character of a story knows a fact, at a point as in `recall`.

        Free without a paid model; else one small call.

        Raises:
            UsageError: its documents are about the character alone, or have no such point.
        """
        from offbook.methods.knowing import judge
        from offbook.retrieval.point import Point, parse_point

        character, point = await self.find(name), None
        if as_of is not None:
            position = await self.store.read(parse_point, character.id, as_of)
            point = Point(as_of, position)
        async with priced(self, character):
            runtime, _ = self.turn(character)
            return await judge(runtime, character, fact, point)

    async def places(self, recall: Recall) -> dict[Source, str]:
        """Name the pages, EPUB items and other parts of their files that a recall's sources are on.

        What stands in its file where it stands in the text is left out.
        """
        from offbook.app.conversations import places_of

        return await self.store.read(places_of, recall)

    async def require_index(self, name: str) -> None:
        """Find out before the first question whether the configured method can answer.

        Raises:
            IndexMissing: the hint is the command that builds what is missing, and its estimate.
        """
        from offbook.app.documents import require_index

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
        """Open a conversation, the one that ``session`` names if any; ``as_of`` as in `recall`."""
        character = await self.find(name)
        talk = Session(
            self.store,
            character,
            self.turn,
            session,
            user,
            keep=keep,
            as_of=as_of,
            learning=self.learning if keep else None,
        )
        return await talk.open()

    async def scene(
        self,
        book_or_names: GivenBook | Sequence[str],
        *names: str,
        at: str | None = None,
        about: str = "",
        session: str | None = None,
        user: str | None = None,
        progress: ProgressListener = unheard,
    ) -> Scene:
        """Bring several characters into one conversation; each answers from what they alone know.

        Args:
            book_or_names: A book, as in `cast`; or, where no names follow, those of characters.
            names: Who of the book is present, made characters where they are none yet; or a
                character of another source.
            at: The point in the story, as in `recall`; or a heading that one text has.
            about: The occasion.
            session: The scene's name; it is gone on with where it exists.
            user: Whose it is; None: the owner's.
            progress: Called with every step.

        Raises:
            UnknownName: there is no such book, or nobody has a name.
            UsageError: several have it, a story has no such point, or fewer than two are named.
        """
        from offbook.app.scenes import people_of, scene_of

        source: Any = book_or_names if names else None
        wanted: Any = names or as_tuple(book_or_names)
        people = await people_of(self, source, wanted, progress)
        return await scene_of(self, people, principal_of(user), session, at=at, about=about)

    # -- the whole character -------------------------------------------------------------------

    async def export(
        self, name: str, file: Path | str, *, with_conversations: bool = False
    ) -> Character:
        """Write a character into one file."""
        from offbook.app.characters import export_to

        character = await self.find(name)
        await export_to(self.store, character, Path(file), with_conversations)
        return character

    async def import_(self, file: Path | str, *, replace: bool = False) -> Character:
        """Read a character from such a file."""
        from offbook.app.characters import import_from

        return await import_from(self.store, Path(file), replace=replace)

    async def backup(self, file: Path | str, *, replace: bool = False) -> int:
        """Copy the whole database into one file, while it is in use; its size in bytes."""
        from offbook.app.characters import back_up

        return await back_up(self.store, Path(file), replace=replace)

    async def demo_character(self) -> tuple[Character, IngestReport]:
        """The shipped character, built where it is not there yet."""
        from offbook.app.characters import build_demo

        return await build_demo(self)

    async def demo_people(self) -> list[Character]:
        """Two people of the shipped novella, made where they are not there yet."""
        from offbook.app.books import demo_people

        return await demo_people(self)

    async def doctor(self) -> list[Check]:
        """Whether the database and the endpoints do what they should."""
        from offbook.app.doctor import examine

        return await examine(self)

    @property
    def evaluation(self) -> Any:
        """Benchmarks: to run, score and compare them (``offbook.evaluation.facade``)."""
        return registry.load("facade", "evaluation")(self)
