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

_BREAK: Final = re.compile(r"^[ \t]*(?:[*•·~#—–-][ \t]*){3,}$|^[ \t]*[⁂*#§❦][ \t]*$", re.MULTILINE)
"""A line of stars or dashes between scenes."""


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
