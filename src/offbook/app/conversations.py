"""Conversations of clients that send the history along, chat logs, and passages behind replies.

Takes: a character, and a history, a conversation, or a source.  Gives: the open conversation; its
log in the shape that ``remember`` reads, with further replies as swipes; the text around a source.
What is shown of a document is cut from the stored text; a source that no longer fits says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from offbook import registry
from offbook.agent import swipes
from offbook.agent.history import names_of, principal_of, stored_id
from offbook.agent.replay import ReplayedSession, Transcript
from offbook.agent.session import person_named
from offbook.app.files import require_place, write_whole
from offbook.documents.places import named
from offbook.errors import UnknownName, UsageError
from offbook.foreign_files import ChatTurn
from offbook.stores import chunks, conversations, documents
from offbook.text.sentences import sentences
from offbook.text.words import search_terms
from offbook.types import DEFAULT_USER

if TYPE_CHECKING:
    from offbook.app.home import Home
    from offbook.prompts.reply import Company
    from offbook.protocols import ChatReader
    from offbook.stores.connection import Connection
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
        home.turn,
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


async def export_chat(
    home: Home, character: Character, file: Path, *, session: str, user: str | None
) -> int:
    """Write a conversation into a file; how many messages it has.

    Raises:
        UnknownName: there is no such conversation.
        UsageError: there is no folder for the file.
        StoreFailed: it cannot be written.
    """
    target = require_place(file)
    whose, stored = principal_of(user), stored_id(session, user)

    def require(conn: Connection) -> None:
        conversation = conversations.get(conn, character.id, stored)
        if conversation is None or conversation.principal != whose:
            with_ = f" with {user!r}" if user else ""
            raise UnknownName(
                f"{character.name!r} has no conversation {session!r}{with_}",
                _known(conn, character, whose),
            )

    await home.store.read(require)
    data = await chat_of(home, character, stored, user)
    write_whole(target, data)
    return data.count(b"\n") - 1


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


def _known(conn: Connection, character: Character, principal: str) -> str:
    """The conversations that there are, the last ones first."""
    stored = conversations.list_all(conn, character.id, principal=principal)
    stored.sort(key=lambda each: each.updated, reverse=True)
    names = ", ".join(repr(names_of(each.id)[0]) for each in stored[:_NAMED])
    more = ", ..." if len(stored) > _NAMED else ""
    return f"those there are: {names}{more}" if stored else "there is none; --user says whose it is"


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
