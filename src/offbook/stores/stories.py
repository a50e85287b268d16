"""The story of a source, as it was read last, with what a model and persons have said of it.

A story is of one cast: ``built_from`` is that of the cast. What a model has answered, by what it
was shown, and persons' corrections hold whatever the story is read from now; each goes with its
document, and with the last text in which a name stands that it mentions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any, Final, get_args, get_type_hints

from sqlalchemy import Connection, delete, select

from offbook.names.story import Episode, Scene, SceneKind, SceneWitness, Story
from offbook.stores.schema import documents, stories, story_answers, story_corrections
from offbook.stores.statements import among, columns_of, of, put_rows, read_as, row_of
from offbook.types import WitnessHow


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's word on how somebody knows of a scene.

    ``digest`` is that of the scene's text, ``name`` one that the person bears in the story,
    ``document`` the id of the document that the scene is in.
    """

    digest: str
    name: str
    document: str
    how: WitnessHow


@dataclass(frozen=True, slots=True)
class SaidPerson:
    """What an answer says of somebody in a scene: how they know of it, and what they lived through.

    ``start`` and ``end`` are offsets of the evidence in the scene, equal where there is none.
    """

    name: str
    how: WitnessHow
    start: int
    end: int
    text: str
    gist: str
    feeling: str
    strength: int


@dataclass(frozen=True, slots=True)
class SaidScene:
    """A scene of an answer; ``start`` and ``end`` are offsets from where the stretch begins."""

    start: int
    end: int
    kind: SceneKind
    where: str
    when: str
    continues: bool
    people: tuple[SaidPerson, ...]


@dataclass(frozen=True, slots=True)
class StoryAnswer:
    """What a model has said of a stretch of a document.

    Args:
        key: Names the text that it was shown.
        document: The id of the document.
        start: Where what was shown begins in it, and
        end: where it ends.
        names: Who was listed, by their fullest names: of the others it says nothing.
        scenes: Without gaps, from the first paragraph of which something usable is said.
    """

    key: str
    document: str
    start: int
    end: int
    names: tuple[str, ...]
    scenes: tuple[SaidScene, ...]


def get(conn: Connection, character: str, built_from: str) -> Story | None:
    """Return the story of a character's source; None where it was read from anything else."""
    chosen = select(stories.c.story).where(of(stories, character, built_from=built_from))
    row: dict[str, Any] | None = conn.scalar(chosen)
    return None if row is None else story_of(row)


def story_of(row: dict[str, Any]) -> Story:
    """Read a story from plain values."""
    return Story(
        tuple(
            Scene(**{**scene, "witnesses": tuple(SceneWitness(**w) for w in scene["witnesses"])})
            for scene in row["scenes"]
        ),
        tuple(Episode(**episode) for episode in row["episodes"]),
    )


def put(conn: Connection, character: str, built_from: str, story: Story) -> None:
    """Store the story of a character's source in the place of an older one."""
    put_rows(conn, stories, character, [{"built_from": built_from, "story": asdict(story)}])


def remove(conn: Connection, character: str) -> None:
    """Delete the story of a character's source, which is to be read anew; what was said stays."""
    conn.execute(delete(stories).where(of(stories, character)))


# -- what was said -----------------------------------------------------------------------------


def answers(conn: Connection, character: str) -> dict[str, StoryAnswer]:
    """Return what a model has said of the texts of a character's source, by the keys."""
    rows = conn.execute(select(story_answers).where(of(story_answers, character))).mappings()
    return {row["key"]: _answer_of(row) for row in rows}


def _answer_of(row: Mapping[Any, Any]) -> StoryAnswer:
    scenes = (
        SaidScene(**{**scene, "people": tuple(SaidPerson(**each) for each in scene["people"])})
        for scene in row["answer"]["scenes"]
    )
    return StoryAnswer(
        key=row["key"],
        document=row["document_id"],
        start=row["start"],
        end=row["end"],
        names=tuple(row["answer"]["names"]),
        scenes=tuple(scenes),
    )


def put_answers(conn: Connection, character: str, said: Sequence[StoryAnswer]) -> None:
    """Keep answers; the story is to be read anew then."""
    rows = [
        {
            "key": each.key,
            "document_id": each.document,
            "start": each.start,
            "end": each.end,
            "answer": {"names": each.names, "scenes": [asdict(scene) for scene in each.scenes]},
        }
        for each in said
    ]
    put_rows(conn, story_answers, character, rows)
    remove(conn, character)


_SHAPES: Final = {str: str, int: int, bool: bool, SceneKind: get_args(SceneKind)} | {
    WitnessHow: get_args(WitnessHow)
}


def is_answer(value: Any) -> bool:
    """Whether a value is what an answer is kept as."""
    return (
        isinstance(value, dict)
        and value.keys() == {"names", "scenes"}
        and _are_texts(value["names"])
        and isinstance(value["scenes"], list)
        and all(
            _fits(SaidScene, scene, "people")
            and isinstance(scene["people"], list)
            and all(_fits(SaidPerson, each) for each in scene["people"])
            for scene in value["scenes"]
        )
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _fits(kind: type[Any], value: Any, apart: str = "") -> bool:
    """Whether a value has the fields of a dataclass, but for one that is looked at apart."""
    names = [each.name for each in fields(kind)]
    if not isinstance(value, dict) or value.keys() != set(names):
        return False
    types = get_type_hints(kind)
    shapes = ((_SHAPES[types[name]], value[name]) for name in names if name != apart)
    return all(
        each in shape if isinstance(shape, tuple) else type(each) is shape for shape, each in shapes
    )


def corrections(conn: Connection, character: str) -> list[Correction]:
    """Return the persons' words on the story of a character's source."""
    columns = columns_of(Correction, story_corrections, document="document_id")
    chosen = select(*columns).where(of(story_corrections, character))
    c = story_corrections.c
    return read_as(conn, Correction, chosen.order_by(c.digest, c.name))


def correct(conn: Connection, character: str, word: Correction) -> None:
    """Keep a person's word, in the place of an older one; the story is to be read anew then."""
    put_rows(conn, story_corrections, character, [row_of(word, document="document_id")])
    remove(conn, character)


def withdraw(conn: Connection, character: str, word: Correction) -> bool:
    """Take a person's word back; whether there was one."""
    same = of(story_corrections, character, digest=word.digest, name=word.name)
    remove(conn, character)
    return bool(conn.execute(delete(story_corrections).where(same)).rowcount)


def _as_words(text: str) -> str:
    """Put what is a name however a text writes it, in capitals or over two lines, in one way."""
    return " ".join(text.casefold().split())


def follow_texts(conn: Connection, character: str, document: str, older: str | None = None) -> None:
    """Take out what rested on words that stand in no text any more.

    Args:
        conn: The connection; the texts are as they are to be.
        character: On the source.
        document: The one that has changed, or is gone.
        older: Its text before that, where it has changed.
    """
    remove(conn, character)
    rows = conn.execute(select(documents.c.id, documents.c.text).where(of(documents, character)))
    texts = {row.id: row.text for row in rows}
    words = [_as_words(text) for text in texts.values()]

    @cache
    def stands(name: str) -> bool:
        return any(_as_words(name) in text for text in words)

    gone = [
        each.key
        for each in answers(conn, character).values()
        if not all(map(stands, each.names))
        or (
            older is not None
            and each.document == document
            and older[each.start : each.end] not in texts[document]
        )
    ]
    c = story_answers.c
    conn.execute(delete(story_answers).where(of(story_answers, character), among(c.key, gone)))
    strangers = [each.name for each in corrections(conn, character) if not stands(each.name)]
    word = among(story_corrections.c.name, strangers)
    conn.execute(delete(story_corrections).where(of(story_corrections, character), word))
