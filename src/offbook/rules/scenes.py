"""The scenes of a text and who is in them, by rules: without a model.

Takes: texts and their cast.  Gives: scenes, cut at headings and breaks; who speaks in one or is
named in its narration is present. Source: ours.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from offbook.documents.sections import sections
from offbook.names.cast import Cast
from offbook.names.story import Scene, SceneWitness, Story
from offbook.prompts.story import UNFELT, Involved, StoryInputs, StretchScene, StretchScenes

_BREAK: Final = re.compile(r"^[ \t]*(?:[*•·~#—–-][ \t]*){3,}$|^[ \t]*[⁂*#§❦][ \t]*$", re.MULTILINE)
"""A line of stars or dashes between scenes."""
_RECORD: Final = 30
_GIST: Final = 6
"""Words of what a model would write of somebody in a stretch."""


def read_story(texts: Sequence[str], cast: Cast) -> Story:
    """Read the scenes of texts: see ``protocols.StoryReader``."""
    spoken = [(each.text, each.start, each.end, each.speaker) for each in cast.quotations]
    scenes = []
    for number, text in enumerate(texts):
        quotations = [each[1:] for each in spoken if each[0] == number]
        starts = [start for start, *_ in quotations]
        mentions = [each for each in cast.mentions if each.text == number]
        places = [each.start for each in mentions]
        for start, end in _stretches(text):
            present: dict[int, tuple[int, int]] = {}
            for first, last, speaker in quotations[
                bisect_left(starts, start) : bisect_left(starts, end)
            ]:
                if speaker is not None:
                    present.setdefault(speaker, (first, last))
            for each in mentions[bisect_left(places, start) : bisect_left(places, end)]:
                before = bisect_right(starts, each.start) - 1
                if before < 0 or each.start >= quotations[before][1]:
                    present.setdefault(each.member, (each.start, each.end))
            witnesses = (SceneWitness(who, "present", *place) for who, place in present.items())
            scenes.append(Scene(number, start, end, witnesses=tuple(witnesses)))
    return Story(tuple(scenes))


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    cuts = {0, len(text)}
    cuts.update(section.title_start for section in sections(text) if section.level)
    cuts.update(match.end() for match in _BREAK.finditer(text))
    yield from pairwise(sorted(cuts))


def story(inputs: StoryInputs) -> StretchScenes:
    """Answer a stretch as a whole: who is named in it lived through the sentences that name them.

    What it costs to write is told by it beforehand; no story is made of it.
    """
    people = []
    for number, who in enumerate(inputs.called, 1):
        names = [re.split(r" \(", who)[0]]
        lines = [line for line in inputs.stretch.split("\n") if any(n in line for n in names)]
        if lines:
            words = " ".join(lines).split()
            record, gist = " ".join(words[:_RECORD]), " ".join(words[:_GIST])
            people.append(
                Involved(
                    who=number,
                    words=gist,
                    how="present",
                    record=record,
                    gist=gist,
                    feels=UNFELT,
                    strength=1,
                )
            )
    whole = {"where": "", "when": "", "continues": False, "people": people}
    return StretchScenes(scenes=[StretchScene(begins=1, kind="scene", **whole)])
