"""What the ends of each dimension mean, in our own words, for an expert who rates answers.

Takes: nothing.  Gives: the two poles of each dimension; of a trait, much of it and little of it.
Paper: Emotional RAG (004), Figure 4 shows such a background for E/I; the wording is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from offbook.prompts.interviewing import Pole

SIXTEEN: Final[Mapping[str, tuple[Pole, Pole]]] = {
    "E/I": (
        Pole(
            "E",
            "extraversion: comes alive among people, seeks company and talk, says what comes to"
            " mind, is soon at home with strangers, likes things to happen",
        ),
        Pole(
            "I",
            "introversion: gathers strength alone, prefers few people and quiet, thinks before"
            " speaking, keeps much inside, tires of crowds",
        ),
    ),
    "S/N": (
        Pole(
            "S",
            "sensing: holds to what is there, to facts, details and experience, is practical, likes"
            " tried ways and plain words",
        ),
        Pole(
            "N",
            "intuition: looks for meanings and connections, likes ideas, what could be and the"
            " unusual, thinks in images and is drawn to the new",
        ),
    ),
    "T/F": (
        Pole(
            "T",
            "thinking: decides by reasons and by what is true or works, speaks plainly though it"
            " hurts, keeps feelings apart from judgement",
        ),
        Pole(
            "F",
            "feeling: decides by what it means to people, by compassion and values, spares"
            " feelings, is moved easily and seeks harmony",
        ),
    ),
    "P/J": (
        Pole(
            "P",
            "perceiving: keeps things open, acts on the moment, adapts, puts off, is at ease with"
            " disorder and change",
        ),
        Pole(
            "J",
            "judging: plans ahead, decides and is glad when it is decided, keeps order, rules and"
            " times, finishes what was begun",
        ),
    ),
}
"""The dimensions of 16Personalities; the first pole is the one that 100 % stands for."""

TRAITS: Final[Mapping[str, tuple[Pole, Pole]]] = {
    "Extraversion": (
        Pole("high", "talkative, lively, sociable, sure of themselves among people"),
        Pole("low", "quiet, reserved, shy, rather alone"),
    ),
    "Agreeableness": (
        Pole("high", "kind, helpful, forgiving, trusting, considerate of others"),
        Pole("low", "cold, quarrelsome, fault-finding, suspicious, thinking of themselves first"),
    ),
    "Conscientiousness": (
        Pole("high", "thorough, reliable, orderly, diligent, carrying plans through"),
        Pole("low", "careless, disorderly, lazy, easily led away from a task"),
    ),
    "Neuroticism": (
        Pole("high", "anxious, tense, moody, easily upset or cast down"),
        Pole("low", "calm, even-tempered, at ease under strain, hard to upset"),
    ),
    "Openness": (
        Pole("high", "curious, inventive, imaginative, fond of art, ideas and reflection"),
        Pole("low", "conventional, down to earth, fond of routine, little drawn to art or ideas"),
    ),
}
"""The Big Five: much of the trait, and little of it."""
