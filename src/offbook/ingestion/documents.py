"""The first steps of an ingestion: texts are stored and split, and the voice is read from them."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from offbook.documents.chunking import make_splitter
from offbook.documents.sections import speech_samples
from offbook.ingestion.reports import DocumentReport
from offbook.names.character import learn_names
from offbook.stores import characters, chunks, documents, jobs
from offbook.stores.text_versions import versions
from offbook.types import Character, Chunk, Document, DocumentStatus

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.documents.readers import ReadDocument
    from offbook.protocols import Embedder, Splitter, Store
    from offbook.runtime import Runtime
    from offbook.settings import SettingsModel
    from offbook.stores.connection import Connection
    from offbook.text.grammar import Gender

VOICE_SAMPLES = 24
"""Speech samples kept for a character; a reply shows fewer (``context.voice_samples``)."""

GENDER_CHARS = 60_000
"""Characters of the documents together that are read for the character's pronouns."""


@dataclass(frozen=True, slots=True)
class Split:
    """The chunks of a document under one chunking, ready to be stored."""

    chunking: str
    parameters: dict[str, Any]
    chunks: Sequence[Chunk]


async def take_in(
    runtime: Runtime, character: str, readings: Sequence[ReadDocument], order: Sequence[str] = ()
) -> list[DocumentReport]:
    """Store texts, and split all documents as the method needs it.

    Args:
        runtime: The store, the settings and the method.
        character: Id of the character.
        readings: The texts; none: only what the stored documents lack is made.
        order: Names of documents in the order of the story; those not named follow.
    """
    store, settings = runtime.store, runtime.settings
    chunkings, embedder = runtime.needs.chunkings, runtime.embedder
    reports = await store_documents(store, character, readings, chunkings, settings, embedder)
    if order:
        # What was given under another name is the document that had its text before.
        known = {one.name: report.id for one, report in zip(readings, reports, strict=True)}
        await store.write(lambda conn: _put_in_order(conn, character, order, known))
    fresh = {report.id for report in reports if report.status != "unchanged"}
    await complete_chunkings(store, character, chunkings, settings, embedder, fresh)
    return reports


def _put_in_order(
    conn: Connection, character: str, order: Sequence[str], known: Mapping[str, str]
) -> None:
    ids = [known.get(name) or documents.require(conn, character, name).id for name in order]
    documents.set_order(conn, character, ids)


def put_texts(
    conn: Connection, character: str, readings: Sequence[ReadDocument]
) -> list[DocumentReport]:
    """Store the texts that a new character begins with; the next ingestion splits them."""
    reports = []
    for reading in readings:
        document, status, message = _place(conn, character, reading, text_digest(reading.text))
        if status != "unchanged":
            documents.put(conn, character, document)
        messages = [message] if message else reading.messages
        reports.append(DocumentReport(document.id, document.name, status, messages=[*messages]))
    return reports


async def store_documents(
    store: Store,
    character: str,
    readings: Sequence[ReadDocument],
    chunkings: Sequence[str],
    settings: SettingsModel,
    embedder: Embedder,
) -> list[DocumentReport]:
    """Store texts with their chunks, each document in one transaction.

    A document of the same name and text, or of the same text under another name, is left as it
    is. A changed one keeps its id, and every chunk that the change did not touch.
    """
    splitters = make_splitters(chunkings, settings, embedder)
    reports = []
    for reading in readings:
        digest = text_digest(reading.text)
        document, status, message, known = await store.read(_placed, character, reading, digest)
        report = DocumentReport(document.id, document.name, status)
        if message:
            report.messages.append(message)
        if status != "unchanged":
            report.messages += reading.messages
            others = [
                _splitter(name, settings, embedder)
                for name, ids in known.items()
                if document.id in ids and name not in chunkings
            ]
            splits = await _split(document, [*splitters, *others])
            await store.write(_put, character, document, splits)
        reports.append(report)
    return reports


async def complete_chunkings(
    store: Store,
    character: str,
    chunkings: Sequence[str],
    settings: SettingsModel,
    embedder: Embedder,
    fresh: Collection[str] = (),
) -> None:
    """Split the stored documents that lack a chunking, or have it with other parameters.

    Those in ``fresh`` (by id) were split just now, and are not looked at.
    """
    infos = await store.read(lambda conn: documents.list_all(conn, character))
    older = [info.id for info in infos if info.id not in fresh]
    for name in chunkings if older else ():
        splitter = _splitter(name, settings, embedder)
        stored = await store.read(chunks.get_parameters, character, name)
        for identity in older:
            document = await store.read(documents.get, character, identity)
            if document is None:
                continue
            parameters = await asyncio.to_thread(splitter.parameters, document)
            if stored.get(identity) == parameters:
                continue
            splits = await _split(document, [splitter])
            await store.write(_put_chunks, character, document.id, splits)


async def refresh_voice(store: Store, character: str) -> None:
    """Store how the character speaks, and whether as he or she it is spoken of.

    From all documents, where these have changed since.
    """
    who, texts = await store.read(_spoken_of, character)
    if texts is None:
        return
    voice, gender = await asyncio.to_thread(_manner, who.name, texts)
    ids = [document.id for document in texts]

    def write(conn: Connection) -> None:
        characters.require(conn, character)  # it may have been deleted meanwhile
        if are_stored(conn, character, texts):
            characters.set_gender(conn, character, gender)
            characters.set_profile(conn, character, None, voice=voice, documents=ids)

    await store.write(write)


def _spoken_of(conn: Connection, character: str) -> tuple[Character, list[Document] | None]:
    """The character, and its documents if they are others than those that were looked at last."""
    who = characters.require(conn, character)
    texts = stored_documents(conn, character)
    is_known = sorted(document.id for document in texts) == sorted(who.profile_documents)
    return who, None if is_known else texts


def voice_of(texts: Sequence[Document]) -> list[str]:
    """The speech samples of documents, in their order, none twice."""
    samples = [each for text in texts for each in speech_samples(text.text, VOICE_SAMPLES)]
    return list(dict.fromkeys(samples))[:VOICE_SAMPLES]


def _manner(name: str, texts: Sequence[Document]) -> tuple[list[str], Gender]:
    """Samples of speech, and the gender that is told by."""
    return voice_of(texts), _gender(name, texts)


def _gender(name: str, texts: Sequence[Document]) -> Gender:
    """Of the pronouns, by how the documents begin: one passage alone is often of somebody else."""
    share = GENDER_CHARS // max(len(texts), 1)
    return learn_names(name, (), [document.text[:share] for document in texts]).gender


def stored_documents(conn: Connection, character: str) -> list[Document]:
    """All documents of a character with their texts, in the order of the story."""
    texts = (documents.get(conn, character, i.id) for i in documents.list_all(conn, character))
    return [document for document in texts if document is not None]


def are_stored(conn: Connection, character: str, texts: Sequence[Document]) -> bool:
    """Whether these texts are still there: who stands still for long loses its lease."""
    digests = {f"{character}/{document.id}": document.digest for document in texts}
    return versions(conn, digests) == digests


def _placed(
    conn: Connection, character: str, reading: ReadDocument, digest: str
) -> tuple[Document, DocumentStatus, str, dict[str, tuple[str, ...]]]:
    """See :func:`_place`; and which documents have which chunkings, where that matters."""
    document, status, message = _place(conn, character, reading, digest)
    known = {} if status == "unchanged" else chunks.list_chunkings(conn, character)
    return document, status, message, known


def _place(
    conn: Connection, character: str, reading: ReadDocument, digest: str
) -> tuple[Document, DocumentStatus, str]:
    """The document that a text becomes, and what that means for what is stored."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    same_name = documents.find_by_name(conn, character, reading.name)
    if same_name is not None:
        if same_name.digest == digest:
            return same_name, "unchanged", ""
        newer = replace(
            same_name,
            text=reading.text,
            places=reading.places,
            digest=digest,
            version=same_name.version + 1,
            status="complete",
            added=now,
        )
        return newer, "updated", ""
    same_text = documents.find_by_digest(conn, character, digest)
    if same_text is not None:
        known = documents.require(conn, character, same_text.id)
        message = f"{reading.name!r} has the same content as {same_text.name!r}; nothing was added"
        return known, "unchanged", message
    taken = {info.id for info in documents.list_all(conn, character)}
    identity = document_id(reading.name, taken)
    text, places = reading.text, reading.places
    return Document(identity, reading.name, text, digest, added=now, places=places), "added", ""


def text_digest(text: str) -> str:
    """The digest of a text, as its document has it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def document_id(name: str, taken: Collection[str] = ()) -> str:
    """The id of a document by its name, made unique by ``-2``."""
    base = "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split()) or "document"
    chosen, number = base, 1
    while chosen in taken:
        number += 1
        chosen = f"{base}-{number}"
    return chosen


def make_splitters(
    names: Sequence[str], settings: SettingsModel, embedder: Embedder
) -> list[Splitter]:
    """The splitters of these names, with their sections of the settings."""
    return [_splitter(name, settings, embedder) for name in names]


def _splitter(name: str, settings: SettingsModel, embedder: Embedder) -> Splitter:
    loop = asyncio.get_running_loop()

    def embed(texts: Sequence[str]) -> NDArray[Any]:
        """Splitters run in a thread; what they want embedded is embedded in the loop."""
        return asyncio.run_coroutine_threadsafe(embedder.embed(texts, "document"), loop).result()

    return make_splitter(name, splitter_arguments(name, settings), embed)


def splitter_arguments(name: str, settings: SettingsModel) -> dict[str, Any]:
    """The sections of the settings that a splitter takes."""
    encoding = settings.tokens.encoding
    if name in ("acts", "ats"):
        return {**settings.acts.model_dump(), "encoding": encoding}
    if name in ("fixed", "recursive"):
        return {**settings.fixed.model_dump(), "encoding": encoding}
    if name == "graph":
        if settings.graph.boundaries == "content":
            return {"encoding": encoding}
        window = settings.graph.model_dump(include={"size", "overlap"})
        return {**window, "encoding": encoding, "preset": "faithful"}
    return {}


async def _split(document: Document, splitters: Sequence[Splitter]) -> list[Split]:
    return [await asyncio.to_thread(_split_with, splitter, document) for splitter in splitters]


def _split_with(splitter: Splitter, document: Document) -> Split:
    return Split(splitter.name, splitter.parameters(document), splitter.split(document))


def _put(conn: Connection, character: str, document: Document, splits: Sequence[Split]) -> None:
    documents.put(conn, character, document)
    # What was made from the documents is not true any more; ``refresh_voice`` sees the gap.
    characters.set_profile(conn, character, None)
    jobs.remove_kind(conn, character, jobs.PROFILE)
    _put_chunks(conn, character, document.id, splits)


def _put_chunks(conn: Connection, character: str, document: str, splits: Sequence[Split]) -> None:
    for split in splits:
        chunks.replace_chunks(
            conn, character, document, split.chunking, split.parameters, split.chunks
        )
