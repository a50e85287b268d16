"""The scenes of a stretch of a story, who witnessed each, and what they lived through in it.

Takes: a stretch with a number in front of each paragraph, what stands before it, and who may be in
it.  Gives: scenes by the paragraphs with which they begin, and in each the people of the list who
know of it, with evidence and a short record of their life so far. Source: ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Final, get_args

from pydantic import BaseModel, Field

from offbook.errors import InvalidAnswer
from offbook.names.story import SceneKind
from offbook.prompts.prompt import Json, Prompt
from offbook.text.emotion_names import EMOTIONS

KNOWING: Final = ("present", "overheard", "read", "told")
"""How somebody may come to know of a scene, but for what everyone knows."""
UNFELT: Final = "none"
_MOST_CHARS: Final = 640
"""Of a record in one scene: some 110 words, the most that is wanted of a whole chapter."""
_GIST_CHARS: Final = 120


@dataclass(frozen=True, slots=True)
class StoryInputs:
    """A stretch of a story, in which ``{1}`` stands before the first paragraph.

    Args:
        headings: The headings that the stretch is under, outermost first; may be none.
        before: What stands before the stretch; may be empty.
        stretch: Its text.
        called: Who may be in it: names, pronoun, other names; numbered from 1.
        paragraphs: How many are numbered.
    """

    headings: tuple[str, ...]
    before: str
    stretch: str
    called: tuple[str, ...]
    paragraphs: int

    @property
    def passage(self) -> str:
        """The stretch: an answer grows with it."""
        return self.stretch


def _one_of(*names: str) -> object:
    """Tell a model what a word may be; another one is passed over, and spoils no answer."""
    return Field(json_schema_extra={"enum": list(names)})


class Involved(BaseModel):
    """Somebody who knows of a scene: evidence first, then how, then what they lived through."""

    who: int
    words: str
    how: Annotated[str, _one_of(*KNOWING)]
    record: str
    gist: str
    feels: Annotated[str, _one_of(*EMOTIONS, UNFELT)]
    strength: int


class StretchScene(BaseModel):
    """A scene, by the number of the paragraph with which it begins."""

    begins: int
    kind: Annotated[str, _one_of(*get_args(SceneKind))]
    where: str
    when: str
    continues: bool
    people: list[Involved]


class StretchScenes(BaseModel):
    """The scenes of a stretch, in its order."""

    scenes: list[StretchScene]


def usable(inputs: StoryInputs, answer: StretchScenes) -> list[StretchScene]:
    """Return the scenes that begin with a paragraph of the stretch, each once, in its order."""
    kinds = get_args(SceneKind)
    by_start = {
        scene.begins: scene
        for scene in reversed(answer.scenes)
        if 1 <= scene.begins <= inputs.paragraphs and scene.kind in kinds
    }
    return [by_start[number] for number in sorted(by_start)]


def people_of(inputs: StoryInputs, scene: StretchScene) -> list[Involved]:
    """Return the people of the list who know of a scene, each once; none where nobody sees it."""
    if scene.kind != "scene":
        return []
    people: dict[int, Involved] = {}
    for each in scene.people:
        if 1 <= each.who <= len(inputs.called) and each.how in KNOWING:
            people.setdefault(each.who, each)
    return list(people.values())


def within(text: str, most: int) -> str:
    """Return ``text`` on one line, of at most ``most`` characters: whole sentences or words."""
    line = " ".join(text.replace("\0", "").split())
    if len(line) <= most:
        return line
    cut = line[:most]
    last = max((match.end() for match in re.finditer(r"[.!?…](?=\s)", cut)), default=0)
    return cut[:last] if 2 * last > most else cut.rpartition(" ")[0] or cut


def record_of(person: Involved) -> tuple[str, str]:
    """Return what somebody lived through, and its gist, neither longer than may be."""
    return within(person.record, _MOST_CHARS), within(person.gist, _GIST_CHARS)


def check_story(inputs: StoryInputs, answer: StretchScenes) -> None:
    """Scenes that begin with a paragraph of the stretch; what else is missing stays as it is."""
    scenes = usable(inputs, answer)
    if not scenes:
        raise InvalidAnswer(
            "no scene begins with a paragraph of the stretch: give at least one, and as its "
            f"beginning a number from 1 to {inputs.paragraphs}"
        )
    given = [each.who for scene in answer.scenes for each in scene.people]
    strangers = [who for who in given if not 1 <= who <= len(inputs.called)]
    if strangers and 2 * len(strangers) > len(given):
        raise InvalidAnswer(
            f"the people {sorted(set(strangers))[:20]} are not in the list: give a number from 1 "
            f"to {len(inputs.called)}, and leave out whom it does not have"
        )


STORY: Final = Prompt(
    name="story",
    stage="cast",
    inputs=StoryInputs,
    answer=Json(StretchScenes),
    source="ours",
    check=check_story,
)
"""Who was there, and what did they live through?"""
