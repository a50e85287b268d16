"""A story: its scenes, who witnessed each, and what each of them lived through; plain values.

Source: ours; docs/stories.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from offbook.types import Position, WitnessHow

SceneKind = Literal["scene", "common", "narration"]
"""What people in the story witness; what everyone in it knows; what the narrator tells nobody but
the reader."""


@dataclass(frozen=True, slots=True)
class SceneWitness:
    """How somebody of the cast comes to know of a scene: present, read or overheard.

    ``member`` counts the members of the cast, from 0; ``start`` and ``end`` are offsets of the
    words that say so in the text that the scene is in, as the scene's own are; equal where none do
    by themselves. ``by_person`` is set where a person has said it.
    """

    member: int
    how: WitnessHow
    start: int
    end: int
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """A stretch of a text in which place, time and company stay much the same.

    ``text`` counts the texts, from 0; ``start`` and ``end`` are offsets in it. ``where`` and
    ``when`` are in words, or empty. ``continues`` is set where it goes on with the one before.
    """

    text: int
    start: int
    end: int
    kind: SceneKind = "scene"
    witnesses: tuple[SceneWitness, ...] = ()
    where: str = ""
    when: str = ""
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Episode:
    """What somebody lived through in a scene: an entry in the record of their life so far.

    ``scene`` counts the scenes and ``member`` the members of the cast, from 0. ``text`` tells it in
    the third person, ``gist`` in a few words. ``start`` and ``end`` are offsets of the evidence in
    the text that the scene is in. ``feeling`` is one of the eight emotions, or empty, ``strength``
    1 to 10.
    """

    member: int
    scene: int
    how: WitnessHow
    text: str
    gist: str
    start: int
    end: int
    feeling: str = ""
    strength: int = 0


@dataclass(frozen=True, slots=True)
class Story:
    """Scenes without gaps, in reading order, and what a model has written of who was in them."""

    scenes: tuple[Scene, ...] = ()
    episodes: tuple[Episode, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a document that somebody knows of: from which scene, how, which words say so.

    ``scene`` counts the scenes, from 0.
    """

    document: str
    start: int
    end: int
    scene: int = 0
    how: WitnessHow = "present"
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Reach:
    """What of the texts is known: what lies before a point, and of a story what was witnessed.

    ``until`` is None at the end of the story; ``stretches`` are those of one person, in reading
    order, and None where all that the texts tell is theirs.
    """

    until: Position | None = None
    stretches: tuple[Stretch, ...] | None = None

    def parts(self, document: str, ordinal: int, start: int, end: int) -> list[tuple[int, int]]:
        """List what is known of a stretch of the document that stands at this place in the order.

        Parts that touch are one: what lies within scenes that were all witnessed is whole.
        """
        if self.until is not None:
            if ordinal > self.until.document_ordinal:
                return []
            if ordinal == self.until.document_ordinal:
                end = min(end, self.until.offset)
        if self.stretches is None:
            return [(start, end)] if start < end else []
        known: list[tuple[int, int]] = []
        for each in self.stretches:
            first, last = max(start, each.start), min(end, each.end)
            if each.document == document and first < last:
                if known and first <= known[-1][1]:
                    known[-1] = known[-1][0], max(last, known[-1][1])
                else:
                    known.append((first, last))
        return known

    def covers(self, document: str, ordinal: int, start: int, end: int) -> bool:
        """Say whether all of a stretch of a document is known."""
        return self.parts(document, ordinal, start, end) == [(start, end)]
