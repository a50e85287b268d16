"""The types of ``offbook.sync``; written by ``src/generate.py``."""

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack

from offbook.agent.next_speaker import Line
from offbook.agent.scene import ScenePiece
from offbook.agent.swipes import Exchange
from offbook.app.books import BookCharacter, GivenBook
from offbook.app.cards import CardReport
from offbook.app.casts import CastRow
from offbook.app.characters import ReembedReport
from offbook.app.conversations import ConversationRow
from offbook.app.doctor import Check
from offbook.app.documents import AliasReport, CharacterInfo, ForgetReport
from offbook.app.inspection import GraphReport
from offbook.app.memories import MemoryFile, RememberReport
from offbook.app.speakers import SpeakersReport
from offbook.app.story import SceneRow, StoryReport
from offbook.app.users import UserData
from offbook.documents.readers import ReadDocument
from offbook.foreign_files import CardSource, WrittenFile
from offbook.ingestion.reports import Estimate, IngestReport, ProgressListener
from offbook.models.metering import Meter
from offbook.retrieval.witnessing import Judgement
from offbook.settings import Settings
from offbook.settings.keywords import SettingKeywords
from offbook.stores.conversations import StoredTurn
from offbook.sync.faces import ClosingFace, Face
from offbook.types import Character, Message, Recall, Reply, Source, WitnessHow

class Cards(Face):
    """The cards of the characters of an open offbook, as ``Offbook.cards`` gives it."""
    def create(self, file: CardSource, name: str | None = ...) -> CardReport:
        """A new character from a card; no model is asked.

        Args:
            file: The card.
            name: Of the character; None: the card's own.

        Raises:
            UnreadableCard: there is no card in the file; no character was made.
        """
    def attach(self, name: str, file: CardSource) -> CardReport:
        """Give a character a lorebook, or a card if it has none.

        Raises:
            UnreadableCard: there is neither in the file.
            UsageError: the character has another card.
        """
    def files(self, name: str) -> list[dict[str, Any]]:
        """The cards and lorebooks of a character, and the documents that they became."""
    def show(self, name: str) -> dict[str, Any]:
        """What is in the card of a character: ``card show NAME --json``.

        Raises:
            UnknownName: there is no such character, or it has no card.
        """
    def export(
        self,
        name: str,
        file: Path | str,
        *,
        spec: int | None = ...,
        picture: CardSource | None = ...,
    ) -> WrittenFile:
        """Write a character as a card: the one that it came from, or one made of what it is.

        Args:
            name: The character.
            file: Where to: ``.json``, ``.png`` or ``.charx``.
            spec: Version of the specification, for JSON.
            picture: A PNG picture; None: the card's own.

        Raises:
            UsageError: the suffix is no format, or there is nothing to write yet.
        """
    def written(
        self, name: str, file: str, *, spec: int | None = ..., picture: CardSource | None = ...
    ) -> WrittenFile:
        """Return what ``export`` would write; only the ending of ``file`` counts.

        Raises:
            UsageError: the ending is no format, or there is nothing to write yet.
        """

class Conversations(Face):
    """The kept conversations of an open offbook, as ``Offbook.conversations`` gives it."""
    def list_all(self, name: str, *, user: str | None = ...) -> list[ConversationRow]:
        """A person's conversations with a character, the last one first."""
    def turns(self, name: str, session: str, *, user: str | None = ...) -> list[StoredTurn]:
        """What was said, oldest first, without what the replies rested on.

        Raises:
            UnknownName: there is no such conversation.
        """
    def rename(self, name: str, session: str, new: str, *, user: str | None = ...) -> None:
        """Give a conversation another name.

        Raises:
            UnknownName: there is no such conversation.
            UsageError: the name is taken or empty, or it is a scene, which several share.
        """
    def delete(self, name: str, session: str, *, user: str | None = ...) -> None:
        """Delete a conversation, and what it taught the character, from the whole database.

        Raises:
            UnknownName: there is no such conversation.
        """
    def export(self, name: str, session: str, file: Path | str, *, user: str | None = ...) -> int:
        """Write a conversation into a file, as a chat log; how many messages it has.

        Raises:
            UnknownName: there is no such conversation.
            UsageError: there is no folder for the file.
            StoreFailed: it cannot be written.
        """

class Memories(Face):
    """The memories of the characters of an open offbook, as ``Offbook.memories`` gives it."""
    def remember(
        self,
        name: str,
        file: Path | str | MemoryFile | None = ...,
        *,
        progress: ProgressListener = ...,
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
    def search(
        self,
        name: str,
        text: str,
        *,
        k: int = ...,
        user: str | None = ...,
        principal: str | None = ...,
    ) -> list[dict[str, Any]]:
        """Memories by their words, then by their meaning, best first; no chat model is asked.

        Of ``user`` or ``principal`` and the authored ones only, where one of them is named.

        Raises:
            EmbedderMismatch: the vectors are from another embedder.
        """
    def forget(
        self,
        name: str,
        ids: Sequence[str],
        *,
        user: str | None = ...,
        principal: str | None = ...,
        authored: bool = ...,
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
    def kept_out(
        self, name: str, *, user: str | None = ..., principal: str | None = ...
    ) -> list[dict[str, Any]]:
        """The turns that the write gate kept out, oldest first."""

class Offbook(ClosingFace):
    """An open home of characters. Make one with :meth:`open`; it closes as a context manager."""

    settings: Settings
    meter: Meter
    def find(self, name: str, *, only: bool = ...) -> Character:
        """Find the character of this name or id; accents and case may be left out.

        Args:
            name: The name or id. Of several that have the name, the first is meant.
            only: Refuse a name that several have, rather than take the first.

        Raises:
            UnknownName: there is none; the nearest is in the hint.
        """
    @classmethod
    def open(cls, settings: Settings | None = ..., **flags: Unpack[SettingKeywords]) -> Offbook:
        """Open the configured database.

        Args:
            settings: Default: from the environment and the settings files.
            flags: Settings by name, with ``__`` for the dot: ``chat__model="..."``. They win.

        Raises:
            ConfigurationError: a setting is wrong, or the database is from a newer version.
            StoreFailed: the database cannot be opened.
        """
    def close(self) -> None:
        """Close connections and the database.

        What goes on behind conversations has a short grace; a later command goes on with the rest.
        """
    def create(self, name: str) -> Character:
        """A new character; its id is made from the name and is unique."""
    def cast(self, book: GivenBook) -> list[CastRow]:
        """Who is in a book, the most named first; no model is asked.

        Args:
            book: A file or folder, texts that are in memory, or the name or id of a book or
                character that the home has. What is not in the home is not put there.

        Raises:
            UnknownName: there is no such book.
            UnreadableDocument: a file cannot be read.
        """
    def speakers(self, book: GivenBook, *, progress: ProgressListener = ...) -> SpeakersReport:
        """Have a model say who speaks the quotations whose speaker no tag names.

        What it says is kept with the cast; no window of the text is asked about twice.

        Args:
            book: As in `cast`; the home has it.
            progress: Called with every step.

        Raises:
            UsageError: no model is configured, or the home does not have the book.
            ModelError: the endpoint failed for good; the next run goes on from there.
        """
    def estimate_speakers(self, book: GivenBook) -> Estimate:
        """What :meth:`speakers` would cost; no call is made."""
    def story(self, book: GivenBook) -> StoryReport:
        """The scenes of a book of the home: where, when, who knows of each and how.

        Raises:
            UsageError: the home does not have the book.
        """
    def correct_witness(
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
    def set_kind(self, book: GivenBook, kind: Literal["story", "persona"] | None) -> StoryReport:
        """Say whether documents are a story or about one person; None: as rules find."""
    def create_from(
        self, book: GivenBook, name: str, *, progress: ProgressListener = ...
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
    def characters(self) -> list[CharacterInfo]:
        """All characters."""
    def delete(self, name: str) -> None:
        """Delete a character and all that belongs to it."""
    def ingest(
        self,
        name: str,
        paths: Path | str | Sequence[Path | str] = ...,
        *,
        document_name: str | None = ...,
        order: Sequence[str] | None = ...,
        progress: ProgressListener = ...,
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
    def ingest_texts(self, name: str, texts: Sequence[ReadDocument]) -> IngestReport:
        """The same for texts that are in memory already."""
    def estimate(
        self,
        name: str,
        paths: Path | str | Sequence[Path | str] = ...,
        document_name: str | None = ...,
        order: Sequence[str] | None = ...,
    ) -> Estimate:
        """What :meth:`ingest` would cost; no call is made."""
    def forget(
        self,
        name: str,
        document: str,
        *,
        with_memories: bool = ...,
        for_all: bool = ...,
        progress: ProgressListener = ...,
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
    def reembed(self, name: str, *, progress: ProgressListener = ...) -> ReembedReport:
        """Make all vectors anew with the configured embedder; the old ones stay until then."""
    @property
    def memories(self) -> Memories:
        """What characters remember: to add, search and forget."""
    @property
    def users(self) -> Users:
        """What is kept of each person, over all characters: to see, take away, delete."""
    @property
    def conversations(self) -> Conversations:
        """What was said with characters and is kept: to list, read, rename, delete and export."""
    @property
    def cards(self) -> Cards:
        """Character cards and lorebooks: to make characters from, to attach, to export."""
    def show(self, name: str, part: str | None, *, user: str | None = ...) -> Any:
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
    def alias(
        self, name: str, a: str, b: str, *, same: bool, progress: ProgressListener = ...
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
    def undo_decision(
        self, name: str, decision: str, *, progress: ProgressListener = ...
    ) -> AliasReport:
        """Take back a user's correction, or overrule what a model or a rule decided.

        Args:
            name: The character.
            decision: Its id, as ``show`` lists it.
            progress: Called with every step.

        Raises:
            UnknownName: there is no such decision; other errors are as in `alias`.
        """
    def graph(self, name: str, file: Path | str) -> GraphReport:
        """Write the graph of a character into a file: ``.html``, ``.graphml`` or ``.json``.

        Raises:
            UsageError: another suffix, or there is no folder for the file.
            IndexMissing: the character has no graph; the hint is the command that builds it.
        """
    def recall(
        self,
        name: str,
        question: str,
        *,
        session: str | None = ...,
        user: str | None = ...,
        method: str | None = ...,
        as_of: str | None = ...,
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
    def ask(
        self,
        name: str,
        question: str,
        *,
        session: str | None = ...,
        user: str | None = ...,
        method: str | None = ...,
        as_of: str | None = ...,
    ) -> Reply:
        """One reply; with ``session`` it belongs to a conversation, the rest is as in `recall`."""
    def knows(self, name: str, fact: str, *, as_of: str | None = ...) -> Judgement:
        """Whether a character of a story knows a fact, at a point as in `recall`.

        Free without a paid model; else one small call.

        Raises:
            UsageError: its documents are about the character alone, or have no such point.
        """
    def places(self, recall: Recall) -> dict[Source, str]:
        """Name the pages, EPUB items and other parts of their files that a recall's sources are on.

        What stands in its file where it stands in the text is left out.
        """
    def require_index(self, name: str) -> None:
        """Find out before the first question whether the configured method can answer.

        Raises:
            IndexMissing: the hint is the command that builds what is missing, and its estimate.
        """
    def session(
        self,
        name: str,
        *,
        session: str | None = ...,
        user: str | None = ...,
        keep: bool = ...,
        as_of: str | None = ...,
    ) -> Session:
        """Open a conversation, the one that ``session`` names if any; ``as_of`` as in `recall`."""
    def scene(
        self,
        book_or_names: GivenBook | Sequence[str],
        *names: str,
        at: str | None = ...,
        about: str = ...,
        session: str | None = ...,
        user: str | None = ...,
        progress: ProgressListener = ...,
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
    def export(self, name: str, file: Path | str, *, with_conversations: bool = ...) -> Character:
        """Write a character into one file."""
    def import_(self, file: Path | str, *, replace: bool = ...) -> Character:
        """Read a character from such a file."""
    def backup(self, file: Path | str, *, replace: bool = ...) -> int:
        """Copy the whole database into one file, while it is in use; its size in bytes."""
    def demo_character(self) -> tuple[Character, IngestReport]:
        """The shipped character, built where it is not there yet."""
    def demo_people(self) -> list[Character]:
        """Two people of the shipped novella, made where they are not there yet."""
    def doctor(self) -> list[Check]:
        """Whether the database and the endpoints do what they should."""
    @property
    def evaluation(self) -> Any:
        """Benchmarks: to run, score and compare them (``offbook.evaluation.facade``)."""
    def __enter__(self) -> Offbook: ...

class Scene(Face):
    """Several characters and a person."""

    about: str
    replies: list[Reply]
    @property
    def id(self) -> str:
        """The scene's name; in each conversation it stands behind a mark."""
    @property
    def history(self) -> tuple[Line, ...]:
        """What was said, oldest first; whose name is empty is the person."""
    def open(self) -> Scene:
        """Read what was said before, and who the characters are now.

        Raises:
            UsageError: the scene belongs to somebody else, or a story has no such point.
        """
    def say(self, said: str, by: str | None = ...) -> Generator[ScenePiece]:
        """Say something to all; the replies in pieces, of whoever is addressed, or one.

        Args:
            said: What the person says.
            by: Who is to answer.

        Raises:
            ModelError: the endpoint failed; a reply that was not whole is not stored, and with the
                first of them what was said is not, either.
        """
    def go_on(self, by: str | None = ...) -> Generator[ScenePiece]:
        """Let one of them speak, without a word of the person.

        Raises:
            ModelError: the endpoint failed; nothing is stored.
        """
    def talk(self, turns: int) -> Generator[ScenePiece]:
        """Let them speak so many times among themselves."""
    def as_json(self) -> dict[str, Any]:
        """The shape of ``scene --json``."""

class Session(Face):
    """One conversation of one person with one character."""

    character: Character
    id: str
    last: Reply | None
    def open(self) -> Session:
        """Load what was said before.

        Raises:
            UsageError: the conversation belongs to somebody else, or the story has no such point.
        """
    @property
    def history(self) -> tuple[Message, ...]:
        """The conversation so far, oldest first; at a point, what was said by then."""
    @property
    def as_of(self) -> str | None:
        """The point in the story at which the character is asked; None: its end."""
    @property
    def known(self) -> frozenset[str]:
        """The ids of the stored turns that are known at the point."""
    @property
    def greetings(self) -> tuple[str, ...]:
        """What the character's card has it say before anything else: one is to be chosen."""
    def greet(self, number: int = ...) -> str:
        """Begin a new conversation with a greeting; it is kept with the first turn.

        Raises:
            UsageError: something was said already, or there is no such greeting.
        """
    def say(self, said: str) -> Generator[str]:
        """The reply in pieces; ``last`` holds it whole afterwards.

        Raises:
            ModelError: the endpoint failed; the turn is not stored.
        """
    def again(self, said: str | None = ...) -> Generator[str]:
        """Another reply to what was said last, which takes the place of the last one, if any.

        Args:
            said: Other words, which take the place of what was said last as well.

        Raises:
            UsageError: nothing was said yet, or the conversation is not kept.
            ModelError: the endpoint failed; the conversation is as it was.
        """
    def choose(self, turn: str) -> None:
        """Go on from another reply to what was said last: the id of one of its swipes.

        Raises:
            UnknownName: it is no reply to these words.
        """
    def exchanges(self) -> list[Exchange]:
        """What was said and answered, each with the replies that stand in its place."""
    def mood(self) -> dict[str, float] | None:
        """How the character feels now; None where the conversation is not kept."""
    def ask(self, said: str) -> Reply:
        """The reply, whole.

        Raises:
            ModelError: the endpoint failed, or gave nothing that can be used.
        """
    def recall(self, said: str) -> Recall:
        """What the reply would rest on; none is generated, and nothing is kept.

        Raises:
            ModelError: the endpoint failed.
        """

class Users(Face):
    """The people who talked with the characters of a store."""
    def list(self) -> list[UserData]:
        """List who has said anything, by name."""
    def export(self, user: str, *, exactly: bool = ...) -> dict[str, Any]:
        """Collect all that is kept of one person.

        Args:
            user: Their principal; or its last part, where only one has it.
            exactly: The principal alone.

        Returns:
            ``user``, and of each character ``id``, ``name``, ``conversations`` (each with its
            turns, oldest first) and ``memories``, in the shapes of the contract.

        Raises:
            UnknownName: nothing is kept of such a person.
        """
    def delete(self, user: str, *, exactly: bool = ...) -> UserData:
        """Delete a person's conversations and what they taught, over all characters.

        What another character heard of them in a scene goes as well. Their key, if they have one,
        stays; ``offbook key revoke`` ends it.

        Args:
            user: Their principal; or its last part, where only one has it.
            exactly: The principal alone.

        Returns:
            What was deleted.

        Raises:
            UnknownName: nothing is kept of such a person.
        """
