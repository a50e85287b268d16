"""The story of a source: its scenes, who witnessed them, and what each of them lived through.

Takes: a source whose cast is read.  Gives: its story, kept with the cast: by a model where it was
asked, else by rules; what persons say counts above both. Which documents are a story, and which are
about one person, is told by rules, or said. Source: ours; docs/stories.md.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from offbook import registry
from offbook.ingestion.cast import basis_of, kept_cast, stored_texts, who_bears
from offbook.ingestion.cast import follow_texts as follow_cast
from offbook.ingestion.documents import are_stored, stored_documents, text_digest
from offbook.ingestion.reports import Steps, put_aside
from offbook.ingestion.story_windows import ask_story, inputs_of, stretches_of, with_answers
from offbook.models.beside import calls_first, worked_out
from offbook.names.cast import CastMember, CastMention
from offbook.names.story import Scene, SceneWitness, Story
from offbook.stores import characters, documents, jobs, stories
from offbook.types import traits_of

if TYPE_CHECKING:
    from offbook.ingestion.reports import ProgressListener
    from offbook.ingestion.story_windows import Shown
    from offbook.models.batching import PutAside
    from offbook.names.cast import Cast
    from offbook.protocols import Store, StoryReader
    from offbook.runtime import Runtime
    from offbook.settings import SettingsModel
    from offbook.stores.connection import Connection
    from offbook.stores.stories import Correction, StoryAnswer
    from offbook.types import Character, Document, DocumentKind

# -- which kind documents are ------------------------------------------------------------------


async def kind_of(store: Store, character: Character, settings: SettingsModel) -> DocumentKind:
    """Return which kind the documents of a character's source are.

    See ``stores.characters.kind_of``.
    """
    return await store.read(characters.kind_of, character.id, settings.story.kind)


async def settle_kind(store: Store, character: str) -> None:
    """Find out by rules of which kind the documents are, and note it."""
    texts, _ = await store.read(stored_texts, character)
    who = await store.read(characters.require, character)
    recognize = registry.load("story", "kind")
    of_cast = characters.NAMES in who.settings
    kind = await worked_out(recognize, [each.text for each in texts], who.name, of_cast=of_cast)
    if who.settings.get(characters.KIND) != kind:
        await store.write(_note_kind, [character], characters.KIND, kind)


async def say_kind(store: Store, character: str, kind: DocumentKind | None) -> None:
    """Keep a person's word on which kind the documents are; None takes it back."""
    sharing = await store.read(characters.sharing, character)
    await store.write(_note_kind, sharing, characters.KIND_SAID, kind)


def _note_kind(conn: Connection, whose: Sequence[str], name: str, kind: str | None) -> None:
    for each in whose:
        characters.set_setting(conn, each, name, kind)
        characters.touch(conn, each)


async def follow_texts(
    store: Store, character: Character, settings: SettingsModel
) -> tuple[DocumentKind, Story]:
    """Read cast and story anew, where the texts of a character have changed.

    Returns:
        Of which kind they are, and the story; an empty one where they are none.
    """
    await follow_cast(store, character)
    if not await store.read(documents.list_all, character.id):
        return "persona", Story()
    await settle_kind(store, character.id)
    kind = await kind_of(store, character, settings)
    story = (await kept_story(store, character.id))[0] if kind == "story" else Story()
    return kind, story


# -- the story ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A story as one of its people may know it: the story, its cast, and which member they are."""

    story: Story
    cast: Cast
    member: int


async def viewpoint_of(
    store: Store, character: Character, settings: SettingsModel
) -> Viewpoint | None:
    """Return from where a character sees the story of its source.

    None where the documents are about the character alone: everything in them is theirs then.
    Whoever was made of a book and is nobody of its cast is looked for in it by their names.
    """
    if await kind_of(store, character, settings) != "story":
        return None
    if not await store.read(documents.list_all, character.id):
        return None
    story, cast = await kept_story(store, character.id)
    member = _member(cast, character.name)
    if member is None and (names := character.settings.get(characters.NAMES)):
        texts = [each.text for each in await store.read(stored_documents, character.id)]
        cast = await worked_out(_with_stranger, cast, character.name, names, texts)
        story, member = (await _read_story(store, character.id, cast)).story, len(cast.members) - 1
    return None if member is None else Viewpoint(story, cast, member)


def _with_stranger(cast: Cast, name: str, names: Sequence[str], texts: Sequence[str]) -> Cast:
    """The cast with one more, last, who is named wherever a text has one of these names."""
    longest_first = sorted({name, *names}, key=lambda each: (-len(each), each))
    named = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")
    mentions = (
        CastMention(number, *match.span(), len(cast.members))
        for number, text in enumerate(texts)
        for match in named.finditer(text)
    )
    in_order = sorted((*cast.mentions, *mentions), key=lambda each: (each.text, each.start))
    members = *cast.members, CastMember(name, tuple(longest_first))
    return replace(cast, members=members, mentions=tuple(in_order))


def _member(cast: Cast, name: str) -> int | None:
    """Which member of a cast bears a name alone."""
    bearing = who_bears(cast, name)
    if len(bearing) != 1:
        return None
    return next(number for number, each in enumerate(cast.members) if each is bearing[0])


async def kept_story(store: Store, character: str) -> tuple[Story, Cast]:
    """Return the story of a character's source and its cast, made anew where something changed."""
    cast = await kept_cast(store, character)
    basis = await store.read(basis_of, character)
    story = await store.read(stories.get, character, basis.built_from)
    if story is None:
        read = await _read_story(store, character, cast)
        story = read.story
        await store.write(_keep, character, basis.built_from, read)
    return story, cast


@dataclass(frozen=True, slots=True)
class _Read:
    """A story, the keys of the answers that it is made of, and persons' words."""

    story: Story
    answers: frozenset[str]
    words: list[Correction]


async def _read_story(store: Store, character: str, cast: Cast) -> _Read:
    """Read the story of a character's source, with a cast, from all that is said of it."""
    texts = [each.text for each in await store.read(stored_documents, character)]
    answers = await store.read(stories.answers, character)
    words = await store.read(stories.corrections, character)
    reader: StoryReader = registry.load("story", "rules")
    story = await asyncio.to_thread(reader, texts, cast)
    who = cache(lambda name: _member(cast, name))
    story = await asyncio.to_thread(with_answers, story, cast, texts, answers, who)
    return _Read(corrected(story, cast, texts, words), frozenset(answers), words)


def _keep(conn: Connection, character: str, built_from: str, read: _Read) -> None:
    """Store a story, unless what it is made of has changed since."""
    now = frozenset(stories.answers(conn, character)), stories.corrections(conn, character)
    if basis_of(conn, character).built_from == built_from and now == (read.answers, read.words):
        stories.put(conn, character, built_from, read.story)


def corrected(
    story: Story, cast: Cast, texts: Sequence[str], corrections: Iterable[Correction]
) -> Story:
    """Let persons' words on who witnessed a scene count above all others.

    Who was absent by such a word lived through nothing there.
    """
    by_digest: dict[str, list[Correction]] = {}
    for each in corrections:
        by_digest.setdefault(each.digest, []).append(each)
    if not by_digest:
        return story
    absent: set[tuple[int, int]] = set()

    def with_words(place: int, scene: Scene) -> Scene:
        witnesses = {each.member: each for each in scene.witnesses}
        for word in by_digest.get(scene_digest(scene, texts), ()):
            number = _member(cast, word.name)
            if number is None:
                continue
            before = witnesses.pop(number, None)
            if word.how == "absent":
                absent.add((place, number))
            if word.how != "absent" or scene.kind == "common":  # else everyone knows of it
                start, end = (before.start, before.end) if before else (scene.start, scene.start)
                witnesses[number] = SceneWitness(number, word.how, start, end, by_person=True)
        return replace(scene, witnesses=tuple(witnesses.values()))

    scenes = tuple(with_words(place, scene) for place, scene in enumerate(story.scenes))
    lived = (each for each in story.episodes if (each.scene, each.member) not in absent)
    return Story(scenes, tuple(lived))


def scene_digest(scene: Scene, texts: Sequence[str]) -> str:
    """Return the digest of a scene's text, by which a person's word on it is kept."""
    return text_digest(texts[scene.text][scene.start : scene.end])


# -- asking a model ----------------------------------------------------------------------------

_STAGE: Final = "reading scenes"


async def index_story(runtime: Runtime, character: str, progress: ProgressListener) -> None:
    """Ask a model about the windows of a story that were not answered yet.

    Those without a usable answer are put aside: the rules' word stands for them.

    Raises:
        ModelError: the endpoint failed for good; what arrived is kept.
        BudgetReached: likewise.
    """
    store, settings = runtime.store, runtime.settings
    if not settings.story.model or traits_of(runtime.extractor).free:
        return
    await calls_first()
    if not await store.read(documents.list_all, character):
        return
    await settle_kind(store, character)
    who = await store.read(characters.require, character)
    if await kind_of(store, who, settings) != "story":
        await store.write(jobs.remove_kind, character, jobs.STORY)  # none of it is open any more
        return
    cast = await kept_cast(store, character)
    stored = await store.read(stored_documents, character)
    texts = [each.text for each in stored]
    known = await store.read(stories.answers, character)
    stretches = await worked_out(stretches_of, texts)
    open_ = [each for each in stretches if each.opens and each.key not in known]
    windows = await worked_out(inputs_of, open_, cast, texts)
    steps = Steps(_STAGE, progress)
    steps.begin(len(windows))
    by_id = {each.id: each for each in stored}

    async def keep(answer: StoryAnswer) -> None:
        await store.write(_keep_answer, character, by_id[answer.document], answer)
        steps.add(1)

    retries = settings.answers.retries
    aside = await ask_story(windows, stored, character, runtime.extractor, retries, keep)
    steps.end()
    await store.write(_note_aside, character, aside, stored)


def _keep_answer(conn: Connection, character: str, document: Document, answer: StoryAnswer) -> None:
    """Store an answer, unless its text has changed or gone meanwhile."""
    if are_stored(conn, character, [document]):
        stories.put_answers(conn, character, [answer])


def _note_aside(
    conn: Connection, character: str, aside: Sequence[PutAside[Shown]], stored: Sequence[Document]
) -> None:
    jobs.remove_kind(conn, character, jobs.STORY)
    rows = []
    for each in aside:
        stretch = each.item.stretch
        where = f"characters {stretch.start} to {stretch.end}"
        why = f"the rules' word stands for the scenes of {where}: {each.reason}"
        rows.append((stretch.key, stored[stretch.text].id, why))
    put_aside(conn, character, jobs.STORY, rows)
