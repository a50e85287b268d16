"""The story of a book of the home: its scenes as a person sees them, and their word on them.

Takes: a book.  Gives: scenes with where, when, who knows of them and how; what a person says of a
witness counts above a model and the rules, and holds as long as the scene's text is the same.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, get_args

from offbook.app.books import book_of, choose, find_book
from offbook.app.casts import Places
from offbook.app.documents import told_on_stderr
from offbook.errors import UsageError
from offbook.ingestion.cast import stored_texts, who_bears
from offbook.ingestion.documents import stored_documents
from offbook.ingestion.lease import ingestion_lease
from offbook.ingestion.story import kept_story, kind_of, say_kind, scene_digest, settle_kind
from offbook.names.story import SceneKind
from offbook.stores import characters, stories
from offbook.stores.stories import Correction
from offbook.types import DocumentKind, WitnessHow

if TYPE_CHECKING:
    from offbook.app.books import GivenBook
    from offbook.app.home import Home
    from offbook.names.story import Episode
    from offbook.stores.connection import Connection

_OPENING = 80
"""Characters of a scene's beginning that are shown."""


@dataclass(frozen=True, slots=True)
class WitnessRow:
    """How somebody knows of a scene, and what they lived through in it, where a model has read it.

    ``evidence`` are the words that say so; ``by_person``: a person has said it.
    """

    name: str
    how: WitnessHow
    evidence: str
    by_person: bool
    lived: str
    gist: str
    feeling: str
    strength: int


@dataclass(frozen=True, slots=True)
class SceneRow:
    """A scene as ``story`` shows it.

    ``number`` counts from 1; ``place`` is where it begins, as ``--as-of`` takes it; ``opening`` are
    its first words.
    """

    number: int
    place: str
    start: int
    end: int
    kind: SceneKind
    where: str
    when: str
    continues: bool
    opening: str
    witnesses: tuple[WitnessRow, ...]


@dataclass(frozen=True, slots=True)
class StoryReport:
    """A story: of which kind the documents are, and their scenes."""

    book: str
    kind: DocumentKind
    scenes: tuple[SceneRow, ...]

    def scene(self, number: int) -> SceneRow:
        """Return the scene of a number, from 1.

        Raises:
            UsageError: there is none.
        """
        if not 1 <= number <= len(self.scenes):
            raise UsageError(
                f"{self.book!r} has {len(self.scenes)} scenes, and none with the number {number}",
                f"list them: offbook story {shlex.quote(self.book)}",
            )
        return self.scenes[number - 1]

    def as_json(self) -> dict[str, Any]:
        """The shape of ``story --json``."""
        return asdict(self)


async def list_scenes(home: Home, book: GivenBook) -> StoryReport:
    """List the scenes of a book; of documents about one person there are none.

    Raises:
        UsageError: the home does not have the book.
    """
    return await _report(home, await _in_home(home, book))


async def _report(home: Home, on: str) -> StoryReport:
    _, called = await home.store.read(stored_texts, on)
    if await home.store.read(_lacks_kind, on):
        await settle_kind(home.store, on)
    kind = await kind_of(home.store, await home.find(on), home.settings.values)
    scenes = await _rows(home, on) if kind == "story" else ()
    return StoryReport(called, kind, scenes)


def _lacks_kind(conn: Connection, on: str) -> bool:
    return characters.KIND not in characters.require(conn, on).settings


async def _rows(home: Home, on: str) -> tuple[SceneRow, ...]:
    story, cast = await kept_story(home.store, on)
    texts, _ = await home.store.read(stored_texts, on)
    places = Places(texts)
    lived: dict[tuple[int, int], Episode] = {(one.scene, one.member): one for one in story.episodes}
    rows = []
    for number, scene in enumerate(story.scenes):
        text = texts[scene.text].text
        witnesses = []
        for each in sorted(scene.witnesses, key=lambda one: (one.start, one.member)):
            episode = lived.get((number, each.member))
            witnesses.append(
                WitnessRow(
                    name=cast.members[each.member].name,
                    how=each.how,
                    evidence=text[each.start : each.end],
                    by_person=each.by_person,
                    lived="" if episode is None else episode.text,
                    gist="" if episode is None else episode.gist,
                    feeling="" if episode is None else episode.feeling,
                    strength=0 if episode is None else episode.strength,
                )
            )
        words = text[scene.start : scene.end]
        opens = re.search(r"\w", words)  # behind the signs of a heading
        row = SceneRow(
            number=number + 1,
            place=places.told(scene.text, scene.start + (opens.start() if opens else 0)),
            start=scene.start,
            end=scene.end,
            kind=scene.kind,
            where=scene.where,
            when=scene.when,
            continues=scene.continues,
            opening=" ".join(words.strip("#* \n").split())[:_OPENING],
            witnesses=tuple(witnesses),
        )
        rows.append(row)
    return tuple(rows)


async def correct_witness(
    home: Home, book: GivenBook, scene: int, witness: str, how: WitnessHow | None
) -> SceneRow:
    """Keep a person's word on how somebody knows of a scene; None takes it back.

    Returns:
        The scene as it is then.

    Raises:
        UsageError: there is no scene of this number, the documents are no story, or ``how`` is no
            way to know of one.
        UnknownName: nobody in the book is called that.
    """
    on = await _in_home(home, book)
    if how is not None and how not in get_args(WitnessHow):
        ways = ", ".join(get_args(WitnessHow))
        raise UsageError(f"{how!r} is no way to know of a scene", f"name one of: {ways}")
    async with ingestion_lease(home.store, on, told_on_stderr(on)):
        (await _report(home, on)).scene(scene)
        story, cast = await kept_story(home.store, on)
        stored = await home.store.read(stored_documents, on)
        member, notes = choose(cast, await book_of(home, on), witness)
        if member not in cast.members:
            raise UsageError(notes[0], "name somebody of the cast: only they witness scenes")
        meant = story.scenes[scene - 1]
        digest = scene_digest(meant, [each.text for each in stored])
        word = Correction(digest, member.name, stored[meant.text].id, how or "absent")
        older = [
            each
            for each in await home.store.read(stories.corrections, on)
            if each.digest == digest and who_bears(cast, each.name) == [member]
        ]  # also by a name that they had before
        await home.store.write(_keep, on, older, None if how is None else word)
    return (await _report(home, on)).scene(scene)


def _keep(conn: Connection, on: str, older: list[Correction], word: Correction | None) -> None:
    for each in older:
        stories.withdraw(conn, on, each)
    if word is not None:
        stories.correct(conn, on, word)
    characters.touch(conn, on)


async def set_kind(home: Home, book: GivenBook, kind: DocumentKind | None) -> StoryReport:
    """Keep a person's word on which kind the documents of a book are; None takes it back."""
    on = await _in_home(home, book)
    await say_kind(home.store, on, kind)
    return await _report(home, on)


async def _in_home(home: Home, book: GivenBook) -> str:
    """A character on the source of a book.

    Raises:
        UsageError: the book is not in the home.
    """
    source = await find_book(home, book)
    if source.on is None:
        raise UsageError(
            f"{source.called!r} is not in the home, where its story is kept",
            f"make a character of it first: offbook create --from {source.typed} NAME",
        )
    return source.on
