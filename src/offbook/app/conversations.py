"""Conversations of clients that send the history along, chat logs, and passages behind replies.

Takes: a character, and a history, a conversation, or a source.  Gives: the open conversation; its
log in the shape that ``remember`` reads, with further replies as swipes; the text around a source.
What is shown of a document is cut from the stored text; a source that no longer fits says so.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook import registry
from offbook.agent import swipes
from offbook.agent.history import names_of, principal_of, stored_id
from offbook.agent.replay import ReplayedSession, Transcript
from offbook.agent.session import person_named
from offbook.app.files import require_place, write_whole
from offbook.documents.places import named
from offbook.errors import UnknownName, UsageError
from offbook.foreign_files import ChatTurn
from offbook.stores import chunks, conversations, documents, forgetting
from offbook.text.sentences import sentences
from offbook.text.words import search_terms
from offbook.types import DEFAULT_USER

if TYPE_CHECKING:
    from offbook.app.home import Home
    from offbook.prompts.reply import Company
    from offbook.protocols import ChatReader
    from offbook.stores.connection import Connection
    from offbook.stores.conversations import Conversation, StoredTurn
    from offbook.types import Character, Chunk, Document, Recall, Source


async def replayed(
    home: Home,
    character: Character,
    transcript: Transcript,
    principal: str,
    *,
    session: str | None = None,
    resends: bool = True,
    fleeting: bool = False,
    after: str | None = None,
    gave: bool = False,
    company: Company | None = None,
) -> ReplayedSession:
    """The conversation that a history belongs to; its arguments are those of ReplayedSession.

    A client that ``resends`` sends the whole history each time; else a named conversation goes on
    where it stands when no history came along. Without a name the history alone tells which it is.

    Raises:
        UsageError: the conversation belongs to somebody else.
    """
    talk = ReplayedSession(
        home.store,
        character,
        partial(home.turn, fleeting=fleeting),
        transcript,
        principal,
        named=session,
        resends=resends,
        fleeting=fleeting,
        after=after,
        gave=gave,
        learning=home.learning,
        company=company,
    )
    await talk.open()
    return talk


_NAMED: Final = 8
"""Conversations that an error names."""


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation in a list; ``said`` is what the person said first."""

    session: str
    user: str | None
    turns: int
    said: str
    created: str
    updated: str

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary, as ``--json`` prints it."""
        return asdict(self)


class Conversations:
    """The kept conversations of an open offbook, as ``Offbook.conversations`` gives it.

    Each is named by its session and the user whose it is; None: the owner.
    """

    def __init__(self, home: Home) -> None:
        self._home = home

    async def list_all(self, name: str, *, user: str | None = None) -> list[ConversationRow]:
        """A person's conversations with a character, the last one first."""
        character = await self._home.find(name)

        def read(conn: Connection) -> list[ConversationRow]:
            stored = conversations.list_all(conn, character.id, principal=principal_of(user))
            return _rows(conn, character, stored)

        return await self._home.store.read(read)

    async def turns(self, name: str, session: str, *, user: str | None = None) -> list[StoredTurn]:
        """What was said, oldest first, without what the replies rested on.

        Raises:
            UnknownName: there is no such conversation.
        """
        character = await self._home.find(name)

        def read(conn: Connection) -> list[StoredTurn]:
            stored = _require(conn, character, session, user)
            return conversations.history(conn, character.id, stored, with_recall=False)

        return await self._home.store.read(read)

    async def rename(self, name: str, session: str, new: str, *, user: str | None = None) -> None:
        """Give a conversation another name.

        Raises:
            UnknownName: there is no such conversation.
            UsageError: the name is taken or empty, or it is a scene, which several share.
        """
        character = await self._home.find(name)
        if not new.strip():
            raise UsageError(f"the session {new!r} has no name", "name the session")

        def change(conn: Connection) -> None:
            stored = _require(conn, character, session, user)
            if conversations.is_scene(stored) or conversations.is_scene(new):
                raise UsageError(
                    f"{session!r} cannot be {new!r}: several share a scene, which keeps its name",
                    "choose a name without `scene:`",
                )
            conversations.rename(conn, character.id, stored, stored_id(new, user))

        await self._home.store.write(change)

    async def delete(self, name: str, session: str, *, user: str | None = None) -> None:
        """Delete a conversation, and what it taught the character, from the whole database.

        Raises:
            UnknownName: there is no such conversation.
        """
        character = await self._home.find(name)

        def remove(conn: Connection) -> None:
            stored = _require(conn, character, session, user)
            forgetting.remove_conversation(conn, character.id, stored)

        await self._home.store.write(remove)
        await self._home.store.purge()

    async def export(
        self, name: str, session: str, file: Path | str, *, user: str | None = None
    ) -> int:
        """Write a conversation into a file, as a chat log; how many messages it has.

        Raises:
            UnknownName: there is no such conversation.
            UsageError: there is no folder for the file.
            StoreFailed: it cannot be written.
        """
        home, character = self._home, await self._home.find(name)
        target = require_place(Path(file))
        stored = await home.store.read(_require, character, session, user)
        data = await chat_of(home, character, stored, user)
        write_whole(target, data)
        return data.count(b"\n") - 1


def _rows(
    conn: Connection, character: Character, stored: list[Conversation]
) -> list[ConversationRow]:
    """Them as a list shows them, the last one first."""
    first = conversations.first_said(conn, character.id, [each.id for each in stored])
    rows = []
    for each in sorted(stored, key=lambda each: each.updated, reverse=True):
        session, user = names_of(each.id)
        turns = len(conversations.history(conn, character.id, each.id, with_recall=False))
        said = first.get(each.id, "")
        rows.append(ConversationRow(session, user, turns, said, each.created, each.updated))
    return rows


def _require(conn: Connection, character: Character, session: str, user: str | None) -> str:
    """The id of a conversation in the store.

    Raises:
        UnknownName: there is none of this name.
    """
    whose, stored = principal_of(user), stored_id(session, user)
    conversation = conversations.get(conn, character.id, stored)
    if conversation is None or conversation.principal != whose:
        with_ = f" with {user!r}" if user else ""
        raise UnknownName(
            f"{character.name!r} has no conversation {session!r}{with_}",
            _known(conn, character, whose),
        )
    return stored


def _known(conn: Connection, character: Character, principal: str) -> str:
    """The conversations that there are, the last ones first."""
    stored = conversations.list_all(conn, character.id, principal=principal)
    stored.sort(key=lambda each: each.updated, reverse=True)
    names = ", ".join(repr(names_of(each.id)[0]) for each in stored[:_NAMED])
    more = ", ..." if len(stored) > _NAMED else ""
    return f"those there are: {names}{more}" if stored else "there is none; --user says whose it is"


async def chat_of(home: Home, character: Character, stored: str, user: str | None) -> bytes:
    """The chat log of a conversation that there is, by its id in the store."""
    exchanges = await home.store.read(swipes.exchanges, character.id, stored)
    called = person_named(user) or home.settings.values.user.name or DEFAULT_USER
    turns = [
        ChatTurn(
            each.turn.said,
            each.turn.answered,
            each.turn.at,
            tuple(swipe.answered for swipe in each.swipes),
            each.place if len(each.swipes) > 1 else 0,
            each.turn.speaker,
        )
        for each in exchanges
    ]
    writer: ChatReader = registry.load("foreign_file", "chat")()
    return writer.write(turns, user=called, character=character.name)


_AROUND: Final = 600
_WHOLE: Final = 4_000
"""A source that is longer than this is a document rather than a passage; its head is shown."""


def places_of(conn: Connection, recall: Recall) -> dict[Source, str]:
    """Name what of their files the sources of a recall are on, as ``documents.places`` does."""
    sources = {source for item in recall.context for source in item.sources}
    ids = {source.document for source in sources}
    maps = {each: documents.places_of(conn, recall.character_id, each) for each in ids}
    names = ((each, named(maps[each.document], each.start)) for each in sources)
    return {source: name for source, name in names if name}


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a document, in reading order: before, source, marked part of it, source, after.

    ``before + opening + marked + closing + after`` is ``document.text[start:end]``. ``opening``,
    ``marked`` and ``closing`` are the source; ``cut`` says that the source goes on. ``place`` names
    what of the file it is on, such as "page 12".
    """

    document: str
    headings: tuple[str, ...]
    start: int
    before: str
    opening: str
    marked: str
    closing: str
    after: str
    cut: bool = False
    place: str = ""


async def read_passage(
    home: Home, character: Character, source: Source, about: str = ""
) -> Passage:
    """The passage of a source.

    Marked is the sentence that has most words of ``about``, such as the question and the reply; a
    source that is one sentence, or a part of one, is all marked.

    Raises:
        UnknownName: the document is there no more.
        UsageError: the document has changed since, and has no such place.
    """

    def read(conn: Connection) -> tuple[Document | None, Chunk | None]:
        document = documents.get(conn, character.id, source.document)
        held = chunks.list_chunks(conn, character.id, document=source.document)
        return document, next((chunk for chunk in held if chunk.id == source.chunk), None)

    document, chunk = await home.store.read(read)
    if document is None:
        raise UnknownName(
            f"the document {source.document!r} is there no more", "it was forgotten since"
        )
    low, high = (0, len(document.text)) if not source.chunk else (0, 0)
    if chunk is not None:  # which keeps its id where the text before it has grown
        low, high = chunk.start, chunk.end
    if not low <= source.start < source.end <= high:
        raise UsageError(
            f"{document.name!r} has no place {source.start} to {source.end}",
            "it has changed since; ask again",
        )
    headings = () if chunk is None else chunk.headings
    return _passage(document, headings, source.start, source.end, about)


def _passage(
    document: Document, headings: tuple[str, ...], start: int, end: int, about: str
) -> Passage:
    text = document.text
    stop = min(end, start + _WHOLE)
    low, high = _marked(text, start, stop, about)
    first = _at_a_line(text, max(0, start - _AROUND), start)
    last = min(len(text), stop + _AROUND)
    return Passage(
        document.name,
        headings,
        first,
        text[first:start],
        text[start:low],
        text[low:high],
        text[high:stop],
        text[stop:last],
        cut=stop < end,
        place=named(document.places, start),
    )


def _marked(text: str, start: int, stop: int, about: str) -> tuple[int, int]:
    """The sentence of the source that has most words of ``about``; the first of equal ones."""
    terms = set(search_terms(about))
    spans = [(start + low, start + high) for low, high in sentences(text[start:stop])]
    if len(spans) < 2 or not terms:
        return start, stop
    shared = [len(terms.intersection(search_terms(text[low:high]))) for low, high in spans]
    return spans[shared.index(max(shared))] if any(shared) else (start, stop)


def _at_a_line(text: str, low: int, high: int) -> int:
    """The first beginning of a line between the two, or ``low``."""
    if low == 0:
        return 0
    newline = text.find("\n", low, high)
    return low if newline < 0 else newline + 1
