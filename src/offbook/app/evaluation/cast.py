"""The characters that an evaluation asks: found, made from the dataset's documents, indexed.

Takes: subjects of a dataset, and the methods that are compared.  Gives: characters that every one
of these methods can answer for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from offbook import pipeline
from offbook.app.finding import find_character, fold
from offbook.app.missing_index import require_index
from offbook.app.waiting import told_on_stderr
from offbook.documents.readers import ReadDocument
from offbook.errors import UnknownName, UsageError
from offbook.evaluation.benchmark import Introduction
from offbook.evaluation.judging import opening
from offbook.evaluation.subjects import Part
from offbook.ingestion.estimating import estimate_ingestion
from offbook.ingestion.remembering import waiting
from offbook.ingestion.reports import Estimate, ProgressListener
from offbook.stores import characters, documents, jobs, memories
from offbook.types import Character, MemoryFragment

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.app.evaluation.variants import AsVariant
    from offbook.evaluation.benchmark import Dataset, Subject

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Missing:
    """A character that is not there yet; the dataset brings what it is made of."""

    subject: Subject
    readings: tuple[ReadDocument, ...]


async def found(
    book: Offbook, parts: Sequence[Part], *, create: bool
) -> dict[str, Character | Missing]:
    """The character of each subject.

    Args:
        book: Offbook.
        parts: The subjects.
        create: Whether characters are to be made of the dataset's documents: one that was made of
            the same documents before is used again, one of other documents is left alone.

    Raises:
        UnknownName: there is no such character.
        UsageError: the dataset brings no documents for a subject.
    """
    chosen: dict[str, Character | Missing] = {}
    for part in parts:
        subject, name = part.subject, part.character
        if create and name == subject.name:
            chosen[subject.name] = await book.store.read(lambda conn, s=subject: _made_of(conn, s))
        else:
            chosen[subject.name] = await book.store.read(
                lambda conn, n=name, s=subject: _existing(conn, n, s)
            )
    return chosen


def _existing(conn: Connection, name: str, subject: Subject) -> Character:
    try:
        return find_character(conn, name)
    except UnknownName as error:
        if subject.documents or subject.memories:
            error.hint = f"the dataset brings its texts: add --create, or {error.hint}"
        raise


def _made_of(conn: Connection, subject: Subject) -> Character | Missing:
    """The character that was made of the subject's documents, or what it is made of."""
    if not subject.documents and not subject.memories:
        raise UsageError(
            f"the dataset brings no texts for {subject.name!r}",
            f"make it: offbook create {subject.name!r}, and name it with --character",
        )
    wanted = sorted(_digest(document.text) for document in subject.documents)
    remembered = {fragment.id for fragment in _fragments(subject)}
    for character in characters.list_all(conn):
        if fold(character.name) != fold(subject.name):
            continue
        infos = documents.list_all(conn, character.id)
        known = {each.id for each in memories.list_memories(conn, character.id)}
        if sorted(info.digest for info in infos) == wanted and remembered <= known:
            return character
    kind = "text/plain"
    return Missing(subject, tuple(ReadDocument(d.name, d.text, kind) for d in subject.documents))


async def made(
    book: Offbook,
    chosen: Mapping[str, Character | Missing],
    views: Sequence[AsVariant],
    *,
    build: bool,
    progress: ProgressListener,
) -> dict[str, Character]:
    """The characters, those that were missing made, and what the methods need indexed.

    Args:
        book: Offbook.
        chosen: As `found` gives it.
        views: The methods.
        build: Whether indexes that are missing are built; they are for characters made here.
        progress: Told how far that is.

    Raises:
        IndexMissing: an index is missing; the hint is the command that builds it, and its price.
    """
    ready: dict[str, Character] = {}
    for name, each in chosen.items():
        new = isinstance(each, Missing)
        character = await _create(book, each) if isinstance(each, Missing) else each
        readings = each.readings if isinstance(each, Missing) else ()
        if new or build:
            await _index(book, character, readings, views, progress)
            character = await book.find(character.id)
        for view in views:
            await require_index(view, character)
        ready[name] = character
    return ready


async def estimated(
    chosen: Mapping[str, Character | Missing], views: Sequence[AsVariant]
) -> Estimate:
    """What `made` would cost; what several methods need is counted for each of them."""
    total = Estimate(cost_usd=None)
    parts: list[Estimate] = []
    for name, each in chosen.items():
        missing = isinstance(each, Missing)
        character = Character(f"new {name}", name, "") if isinstance(each, Missing) else each
        readings = each.readings if isinstance(each, Missing) else ()
        for view in views:
            if missing or character.dimension is not None:
                stage = view.stage(character.dimension)
                parts.append(await estimate_ingestion(stage, character, readings))
    return added(total, parts)


def added(first: Estimate, others: Sequence[Estimate]) -> Estimate:
    """Estimates together; without a price of one that costs, there is none of the whole."""
    from offbook.types import TaskUsage

    tasks: dict[str, TaskUsage] = {}
    every = [first, *others]
    for each in every:
        for name, task in each.by_task.items():
            old = tasks.get(name, TaskUsage())
            tasks[name] = TaskUsage(
                old.calls + task.calls,
                old.prompt_tokens + task.prompt_tokens,
                old.completion_tokens + task.completion_tokens,
            )
    spending = [each for each in every if each.calls or each.embed_calls]
    costs = [each.cost_usd for each in spending if each.cost_usd is not None]
    return Estimate(
        calls=sum(each.calls for each in every),
        prompt_tokens=sum(each.prompt_tokens for each in every),
        completion_tokens=sum(each.completion_tokens for each in every),
        cost_usd=sum(costs) if spending and len(costs) == len(spending) else None,
        embed_calls=sum(each.embed_calls for each in every),
        by_task=tasks,
        messages=tuple(dict.fromkeys(m for each in every for m in each.messages)),
    )


async def waiting_memories(
    book: Offbook, ready: Mapping[str, Character], views: Sequence[AsVariant]
) -> list[str]:
    """Of which characters memories wait to be scored, where a method recalls them."""
    if not any(_needs_memories(view) for view in views):
        return []
    told = []
    for character in ready.values():
        ids = await book.store.read(lambda conn, c=character.id: waiting(conn, c, every=True))
        if ids:
            told.append(
                f"{len(ids)} memories of {character.name!r} are not scored yet and are recalled by"
                f" nothing: add --build, or: offbook remember {character.id}"
            )
    return told


async def introduced(book: Offbook, dataset: Dataset, characters_of: Mapping[str, str]) -> Dataset:
    """The dataset, with who its subjects are where it does not say so itself.

    It is told by the character's summary, or by how its first document begins.

    Args:
        book: Offbook.
        dataset: As far as it concerns the subjects of a run.
        characters_of: Id of the character of each subject; one that is gone is passed over.
    """
    unknown = {
        subject.name: characters_of[subject.name]
        for subject in dataset.subjects
        if subject.name in characters_of and not (subject.description or subject.documents)
    }
    told = {
        name: await book.store.read(lambda conn, c=character: _introduction(conn, c))
        for name, character in unknown.items()
    }
    return replace(dataset, introductions={name: one for name, one in told.items() if one.text})


def _introduction(conn: Connection, name: str) -> Introduction:
    character = characters.find(conn, name)
    if character is None:
        return Introduction()
    if character.profile:
        return Introduction(character.profile, character.profile_documents)
    first = next(iter(documents.list_all(conn, name)), None)
    found = None if first is None else documents.get(conn, name, first.id)
    return Introduction() if found is None else Introduction(opening(found.text), (found.id,))


async def _create(book: Offbook, missing: Missing) -> Character:
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
    views: Sequence[AsVariant],
    progress: ProgressListener,
) -> None:
    """Store texts, and build what each method needs; what is there already costs nothing."""
    told = told_on_stderr(character.name)
    left = readings
    for view in views:
        now = await book.find(character.id)
        if left or await book.store.read(lambda conn: documents.list_all(conn, character.id)):
            stage = view.stage(now.dimension)
            await pipeline.ingest(stage, character.id, left, progress, told)
        left = ()
    if any(_needs_memories(view) for view in views):
        await book.memories.remember(character.id, progress=progress)


def _needs_memories(view: AsVariant) -> bool:
    stage = view.stage()
    return stage.method.needs(stage.settings).memories


def _fragments(subject: Subject) -> list[MemoryFragment]:
    made_of = {}
    for memory in subject.memories:
        name = memories.memory_id(memory.said, memory.answered)
        made_of[name] = MemoryFragment(name, memory.said, memory.answered)
    return list(made_of.values())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
