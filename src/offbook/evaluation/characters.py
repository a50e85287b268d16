"""The characters that an evaluation asks: found, made from the dataset's documents, indexed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from offbook import pipeline
from offbook.app.documents import require_index, told_on_stderr
from offbook.app.estimate import estimate_ingestion
from offbook.app.home import find_character, fold
from offbook.documents.readers import ReadDocument
from offbook.errors import UnknownName, UsageError
from offbook.evaluation.benchmark import Introduction, Part
from offbook.evaluation.estimate import added
from offbook.evaluation.reply_metrics import opening
from offbook.ingestion.memories import waiting
from offbook.ingestion.reports import Estimate, ProgressListener
from offbook.stores import characters, documents, jobs, memories
from offbook.types import Character, MemoryFragment

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.evaluation.benchmark import Dataset, Subject
    from offbook.evaluation.variants import VariantView
    from offbook.stores.connection import Connection


@dataclass(frozen=True, slots=True)
class MissingCharacter:
    """A character that is not there yet; the dataset brings what it is made of."""

    subject: Subject
    readings: tuple[ReadDocument, ...]


async def find_characters(
    book: Offbook, parts: Sequence[Part], *, create: bool
) -> dict[str, Character | MissingCharacter]:
    """The character of each subject.

    ``create``: whether characters are to be made of the dataset's documents: one that was made of
    the same documents before is used again, one of other documents is left alone.

    Raises:
        UnknownName: there is no such character.
        UsageError: the dataset brings no documents for a subject.
    """
    chosen: dict[str, Character | MissingCharacter] = {}
    for part in parts:
        subject, name = part.subject, part.character
        if create and name == subject.name:
            chosen[subject.name] = await book.store.read(_made_of, subject)
        else:
            chosen[subject.name] = await book.store.read(_existing, name, subject)
    return chosen


def _existing(conn: Connection, name: str, subject: Subject) -> Character:
    try:
        return find_character(conn, name)
    except UnknownName as error:
        if subject.documents or subject.memories:
            error.hint = f"the dataset brings its texts: add --create, or {error.hint}"
        raise


def _made_of(conn: Connection, subject: Subject) -> Character | MissingCharacter:
    """The character that was made of the subject's documents, or what it is made of."""
    if not subject.documents and not subject.memories:
        raise UsageError(
            f"the dataset brings no texts for {subject.name!r}",
            f"make it: offbook create {subject.name!r}, and name it with --character",
        )
    texts = [each.text.encode("utf-8", "surrogatepass") for each in subject.documents]
    digests = sorted(hashlib.sha256(text).hexdigest() for text in texts)
    remembered = {fragment.id for fragment in _fragments(subject)}
    for character in characters.list_all(conn):
        if fold(character.name) != fold(subject.name):
            continue
        infos = documents.list_all(conn, character.id)
        known = {each.id for each in memories.list_memories(conn, character.id)}
        if sorted(info.digest for info in infos) == digests and remembered <= known:
            return character
    kind = "text/plain"
    return MissingCharacter(
        subject, tuple(ReadDocument(d.name, d.text, kind) for d in subject.documents)
    )


async def make_characters(
    book: Offbook,
    chosen: Mapping[str, Character | MissingCharacter],
    views: Sequence[VariantView],
    *,
    build: bool,
    progress: ProgressListener,
) -> dict[str, Character]:
    """The characters, those that were missing made, and what the methods need indexed.

    Raises:
        IndexMissing: an index is missing; the hint is the command that builds it, and its price.
    """
    ready: dict[str, Character] = {}
    for name, each in chosen.items():
        new = isinstance(each, MissingCharacter)
        character = await _create(book, each) if isinstance(each, MissingCharacter) else each
        readings = each.readings if isinstance(each, MissingCharacter) else ()
        if new or build:
            await _index(book, character, readings, views, progress)
            character = await book.find(character.id)
        for view in views:
            await require_index(view, character)
        ready[name] = character
    return ready


async def estimate_characters(
    chosen: Mapping[str, Character | MissingCharacter], views: Sequence[VariantView]
) -> Estimate:
    """What `made` would cost; what several methods need is counted for each of them."""
    total = Estimate(cost_usd=None)
    parts: list[Estimate] = []
    for name, each in chosen.items():
        missing = isinstance(each, MissingCharacter)
        character = (
            Character(f"new {name}", name, "") if isinstance(each, MissingCharacter) else each
        )
        readings = each.readings if isinstance(each, MissingCharacter) else ()
        for view in views:
            if missing or character.dimension is not None:
                runtime = view.runtime(character.dimension)
                parts.append(await estimate_ingestion(runtime, character, readings))
    return added(total, parts)


async def waiting_memories(
    book: Offbook, ready: Mapping[str, Character], views: Sequence[VariantView]
) -> list[str]:
    """Of which characters memories wait to be scored, where a method recalls them."""
    if not any(_needs_memories(view) for view in views):
        return []
    lines = []
    for character in ready.values():
        ids = await book.store.read(waiting, character.id, every=True)
        if ids:
            lines.append(
                f"{len(ids)} memories of {character.name!r} are not scored yet and are recalled by"
                f" nothing: add --build, or: offbook remember {character.id}"
            )
    return lines


async def introduced(book: Offbook, dataset: Dataset, characters_of: Mapping[str, str]) -> Dataset:
    """The dataset, with who its subjects are where it does not say so itself.

    It is told by the character's summary, or by how its first document begins.

    ``characters_of``: id of the character of each subject; one that is gone is passed over.
    """
    unknown = {
        subject.name: characters_of[subject.name]
        for subject in dataset.subjects
        if subject.name in characters_of and not (subject.description or subject.documents)
    }
    introductions = {
        name: await book.store.read(_introduction, character) for name, character in unknown.items()
    }
    return replace(
        dataset, introductions={name: one for name, one in introductions.items() if one.text}
    )


def _introduction(conn: Connection, name: str) -> Introduction:
    character = characters.find(conn, name)
    if character is None:
        return Introduction()
    if character.profile:
        return Introduction(character.profile, character.profile_documents)
    first = next(iter(documents.list_all(conn, name)), None)
    find_characters = None if first is None else documents.get(conn, name, first.id)
    return (
        Introduction()
        if find_characters is None
        else Introduction(opening(find_characters.text), (find_characters.id,))
    )


async def _create(book: Offbook, missing: MissingCharacter) -> Character:
    def write(conn: Connection) -> Character:
        character = characters.create(conn, missing.subject.name)
        new = memories.add(conn, character.id, _fragments(missing.subject))
        jobs.enqueue(conn, character.id, jobs.REMEMBER, new)
        return character

    made_now: Character = await book.store.write(write)
    return made_now


async def _index(
    book: Offbook,
    character: Character,
    readings: Sequence[ReadDocument],
    views: Sequence[VariantView],
    progress: ProgressListener,
) -> None:
    """Store texts, and build what each method needs; what is there already costs nothing."""
    announce = told_on_stderr(character.name)
    left = readings
    for view in views:
        now = await book.find(character.id)
        stored = await book.store.read(documents.list_all, character.id)
        if left or stored:
            runtime = view.runtime(now.dimension)
            await pipeline.ingest(runtime, character.id, left, progress, announce)
        left = ()
    if any(_needs_memories(view) for view in views):
        await book.memories.remember(character.id, progress=progress)


def _needs_memories(view: VariantView) -> bool:
    runtime = view.runtime()
    return runtime.needs.memories


def _fragments(subject: Subject) -> list[MemoryFragment]:
    made_of = {}
    for memory in subject.memories:
        name = memories.memory_id(memory.said, memory.answered)
        made_of[name] = MemoryFragment(name, memory.said, memory.answered)
    return list(made_of.values())
