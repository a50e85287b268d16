"""The story of a source, as it was read last, with what a model and persons have said of it.

A story is of one cast: ``built_from`` is that of the cast. What a model has answered, by what it
was shown, and persons' corrections hold whatever the story is read from now.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, delete, select

from offbook.names.story import Episode, Scene, SceneWitness, Story
from offbook.stores.schema import stories
from offbook.stores.statements import of, put_rows
from offbook.types import WitnessHow


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's word on how somebody knows of a scene.

    ``digest`` is that of the scene's text, ``name`` one that the person bears in the story.
    """

    digest: str
    name: str
    how: WitnessHow


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of a story: ``answers`` of a model, by the keys of windows, as JSON values."""

    answers: dict[str, Any]
    corrections: tuple[Correction, ...] = ()


def get(conn: Connection, character: str, built_from: str) -> Story | None:
    """Return the story of a character's source; None where it was read from anything else."""
    chosen = select(stories.c.story).where(of(stories, character, built_from=built_from))
    row: dict[str, Any] | None = conn.scalar(chosen)
    return None if row is None else story_of(row)


def latest(conn: Connection, character: str) -> tuple[str, Story] | None:
    """Return what the story of a character's source was built from, and the story itself."""
    chosen = select(stories.c.built_from, stories.c.story).where(of(stories, character))
    row = conn.execute(chosen).one_or_none()
    return None if row is None else (row.built_from, story_of(row.story))


def story_of(row: dict[str, Any]) -> Story:
    """Read a story from plain values."""
    return Story(
        tuple(
            Scene(**{**scene, "witnesses": tuple(SceneWitness(**w) for w in scene["witnesses"])})
            for scene in row["scenes"]
        ),
        tuple(Episode(**episode) for episode in row["episodes"]),
    )


def said(conn: Connection, character: str) -> Said:
    """Return what a model and persons have said of the story of a character's source."""
    chosen = select(stories.c.answers, stories.c.corrections).where(of(stories, character))
    row = conn.execute(chosen).one_or_none()
    if row is None:
        return Said({})
    return Said(row.answers, tuple(Correction(**each) for each in row.corrections))


def put(conn: Connection, character: str, built_from: str, story: Story, words: Said) -> None:
    """Store the story of a character's source in the place of an older one."""
    row = {
        "built_from": built_from,
        "story": asdict(story),
        "answers": words.answers,
        "corrections": [asdict(each) for each in words.corrections],
    }
    put_rows(conn, stories, character, [row])


def remove(conn: Connection, character: str) -> None:
    """Delete the story of a character's source: it holds words of texts."""
    conn.execute(delete(stories).where(of(stories, character)))
