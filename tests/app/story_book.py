"""A book of six scenes, each with a word that stands nowhere else, and who witnessed which.

Takes: nothing.  Gives: the book, and a reader of stories that knows it, with episodes.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from offbook import registry
from offbook.documents.sections import sections
from offbook.names.cast import Cast
from offbook.names.story import Episode, Scene, SceneWitness, Story
from offbook.types import WitnessHow

MARKS = ("quibbet", "zandrel", "morvane", "tilspar", "brundle", "oxfeather")
BOOK = "".join(
    f"# Chapter {n}\n\nAda Byrne and Tom Reeve stood by the {mark}. “The {mark} must go to the "
    f"mill,” said Tom Reeve. Ada Byrne carried the {mark} up the stair, and nobody else helped "
    f"her with it.\n\n"
    for n, mark in enumerate(MARKS, 1)
)
WITNESSED: dict[str, dict[int, WitnessHow]] = {
    "Ada Byrne": {1: "present", 3: "overheard", 5: "present"},
    "Tom Reeve": {2: "present", 3: "read", 6: "present"},
}


def read_story(texts: Sequence[str], cast: Cast) -> Story:
    """The scenes are the chapters; who witnessed them stands in `WITNESSED`."""
    (text,) = texts
    numbers = {member.name: n for n, member in enumerate(cast.members)}
    scenes, episodes = list[Scene](), list[Episode]()
    starts = [*(each.title_start for each in sections(text)), len(text)]
    for n, mark in enumerate(MARKS, 1):
        start, end = (0 if n == 1 else starts[n - 1]), starts[n]
        witnesses = []
        for who in (who for who, ways in WITNESSED.items() if n in ways):
            how, first = WITNESSED[who][n], text.index(who, start)
            place, member = (first, first + len(who)), numbers[who]
            witnesses.append(SceneWitness(member, how, *place))
            entry = f"{who} came upon the {mark} and wondered at it.", f"The {mark}."
            episodes.append(Episode(member, n - 1, how, *entry, *place, "joy", 7))
        scenes.append(Scene(0, start, end, witnesses=tuple(witnesses), when=f"day {n}"))
    return Story(tuple(scenes), tuple(episodes))


def use_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this reader read stories."""
    monkeypatch.setitem(registry._KNOWN["story"], "rules", f"{__name__}:read_story")
