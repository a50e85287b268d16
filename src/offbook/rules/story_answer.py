"""What a model would write of a stretch of a story, so that its price can be told beforehand.

Takes: the inputs of the prompt.  Gives: an answer of about that length; no story is made of it.
"""

from __future__ import annotations

from typing import Final

from offbook.prompts.story import UNFELT, Involved, StoryInputs, StretchScene, StretchScenes

_RECORD: Final = 30
_GIST: Final = 6
"""Words of what is written of somebody in a stretch."""


def story(inputs: StoryInputs) -> StretchScenes:
    """Answer with one scene: who is named in it lived through the paragraphs that name them."""
    people = []
    for number, listed in enumerate(inputs.called, 1):
        name = listed.partition(" (")[0]
        lines = [line for line in inputs.stretch.split("\n") if name in line]
        words = " ".join(lines).split()
        gist = " ".join(words[:_GIST])
        if words:
            person = Involved(
                who=number,
                words=gist,
                how="present",
                record=" ".join(words[:_RECORD]),
                gist=gist,
                feels=UNFELT,
                strength=1,
            )
            people.append(person)
    scene = StretchScene(begins=1, kind="scene", where="", when="", continues=False, people=people)
    return StretchScenes(scenes=[scene])
