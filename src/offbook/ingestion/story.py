"""The story of a source: its scenes and who witnessed them, kept with its cast.

Takes: a source whose cast is read.  Gives: its story, by rules where no model has answered; what
persons say counts above both. Source: ours; docs/stories.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from offbook import registry
from offbook.ingestion.cast import basis_of, kept_cast, stored_texts, who_bears
from offbook.ingestion.documents import text_digest
from offbook.names.story import Scene, SceneWitness, Story
from offbook.stores import characters, documents, stories

if TYPE_CHECKING:
    from offbook.names.cast import Cast
    from offbook.protocols import Store, StoryReader
    from offbook.settings import SettingsModel
    from offbook.stores.connection import Connection
    from offbook.stores.stories import Correction
    from offbook.types import Character


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

    None where the documents are about the character alone, or nobody of the cast is the character:
    everything in them is theirs then.
    """
    if characters.NAMES not in character.settings:
        return None
    if not await store.read(documents.list_all, character.id):
        return None
    story, cast = await kept_story(store, character.id)
    bearing = who_bears(cast, character.name)
    if len(bearing) != 1:
        return None
    return Viewpoint(story, cast, next(n for n, m in enumerate(cast.members) if m is bearing[0]))


async def kept_story(store: Store, character: str) -> tuple[Story, Cast]:
    """Return the story of a character's source and its cast, made anew where something changed."""
    cast = await kept_cast(store, character)
    basis = await store.read(basis_of, character)
    story = await store.read(stories.get, character, basis.built_from)
    if story is None:
        read, _ = await store.read(stored_texts, character)
        texts = [text.text for text in read]
        words = await store.read(stories.said, character)
        reader: StoryReader = registry.load("story", "rules")
        story = await asyncio.to_thread(reader, texts, cast)
        story = corrected(story, cast, texts, words.corrections)
        await store.write(_keep, character, basis.built_from, story, words)
    return story, cast


def _keep(
    conn: Connection, character: str, built_from: str, story: Story, words: stories.Said
) -> None:
    """Store a story, unless the texts have changed since."""
    if basis_of(conn, character).built_from == built_from:
        stories.put(conn, character, built_from, story, words)


def corrected(
    story: Story, cast: Cast, texts: Sequence[str], corrections: Iterable[Correction]
) -> Story:
    """Let persons' words on who witnessed a scene count above all others."""
    by_digest: dict[str, list[Correction]] = {}
    for each in corrections:
        by_digest.setdefault(each.digest, []).append(each)
    if not by_digest:
        return story
    numbers = {id(member): number for number, member in enumerate(cast.members)}

    def with_words(scene: Scene) -> Scene:
        witnesses = {each.member: each for each in scene.witnesses}
        for word in by_digest.get(text_digest(texts[scene.text][scene.start : scene.end]), ()):
            for member in map(id, who_bears(cast, word.name)):
                number = numbers[member]
                witnesses.pop(number, None)
                if word.how != "absent":
                    place = scene.start, scene.start
                    witnesses[number] = SceneWitness(number, word.how, *place, by_person=True)
        return replace(scene, witnesses=tuple(witnesses.values()))

    return replace(story, scenes=tuple(map(with_words, story.scenes)))
