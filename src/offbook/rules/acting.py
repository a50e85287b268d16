"""Offline: who is next in a scene, and what is around it. Source: ours.

It exists so that scenes can be acted without a model: whoever is next speaks by turn.
"""

from __future__ import annotations

from offbook.prompts.acting import END, ENVIRONMENT, NextSpeaker, SceneSoFar
from offbook.text.sentences import sentences


def next_speaker(inputs: SceneSoFar) -> NextSpeaker:
    """The one who has said least so far, the first of several; the end where all have spoken."""
    spoken = [line.partition(": ")[0] for line in inputs.lines]
    people = [name for name in inputs.speakers if name != ENVIRONMENT]
    if not people:
        return NextSpeaker(speaker=inputs.speakers[0])
    if inputs.may_end and all(name in spoken for name in people):
        return NextSpeaker(speaker=END)
    return NextSpeaker(speaker=min(people, key=spoken.count))


def set_scene(inputs: SceneSoFar) -> str:
    """The first sentence of how things stand."""
    spans = sentences(inputs.scenario)
    return " ".join(inputs.scenario[slice(*spans[0])].split()) if spans else "Nothing stirs."
