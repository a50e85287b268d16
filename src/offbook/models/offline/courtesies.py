"""Small talk: greetings, thanks, farewells, who are you, and a person who tells of a feeling.

Takes: a question that is a courtesy, and what the character can say of itself.  Gives: a short
answer that claims nothing which no text supports. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from zlib import crc32

from offbook.language.names import Names
from offbook.language.questions import GOOD_FEELINGS, Question
from offbook.language.words import fold
from offbook.models.offline.editorial import is_editorial
from offbook.models.offline.evidence import Evidence
from offbook.models.offline.telling import Telling

_GREETING: Final = (
    "Good day to you. I am {name}. What would you like to hear from me?",
    "Greetings. I am {name}; ask me what you will.",
    "Be welcome. {name} is my name. What brings you to me?",
)
_THANKS: Final = ("You are welcome.", "There is nothing to thank me for.", "It was little enough.")
_FAREWELL: Final = ("Farewell.", "Farewell, until we speak again.", "Go well.")
_WELLBEING: Final = (
    "I have nothing to complain of here. And what would you like to know?",
    "Well enough to talk with you. What would you like to hear?",
)
_NATURE: Final = (
    "I am {name}, and nothing besides that I know of.",
    "I am {name}. Whom else did you expect?",
    "I am {name}; I can speak of my own life, and of nothing stranger.",
)
_AFTERLIFE: Final = (
    "Of my life I can tell you, but not of what came after it.",
    "What came after my end is hidden from me.",
    "There my memory ends; of what came later I know nothing.",
)
_SORROW: Final = (
    "I am sorry to hear that you are {feeling}. Tell me what weighs on you.",
    "You are {feeling}, you say. Then stay a while and tell me why.",
    "That you are {feeling} does not leave me cold. What has happened?",
)
_GLADNESS: Final = (
    "I am glad to hear it. What is the reason?",
    "That is good to hear. Tell me how it came about.",
)
_IDENTITY: Final = re.compile(
    r"^I(?: \([^)]*\))?(?:, [^,]{3,60},)? (?:am|was) (?:an? |the |one of |[A-Z])"
)


def answer_courtesy(question: Question, names: Names, telling: Telling, evidence: Evidence) -> str:
    """A short answer to small talk."""
    pick = crc32(fold(question.text).encode())
    plain = {
        "thanks": _THANKS,
        "farewell": _FAREWELL,
        "greeting": _GREETING,
        "wellbeing": _WELLBEING,
        "nature": _NATURE,
        "afterlife": _AFTERLIFE,
    }
    if (choices := plain.get(question.courtesy)) is not None:
        return choices[pick % len(choices)].format(name=names.full)
    if question.courtesy == "feeling":
        feelings = _GLADNESS if question.feeling in GOOD_FEELINGS else _SORROW
        return feelings[pick % len(feelings)].format(feeling=question.feeling)
    introduction = f"I am {names.full}."
    if question.courtesy == "name":
        return introduction
    about = self_description(evidence, telling)
    named = bool(about) and about[0].startswith(introduction[:-1])
    return " ".join(about if named else [introduction, *about])


def self_description(evidence: Evidence, telling: Telling, most: int = 2) -> list[str]:
    """Sentences of the context that say who the character is, in their order."""
    return _first(
        evidence,
        telling,
        lambda text: bool(_IDENTITY.match(text)) or text.startswith(("I was born", "I come from")),
        most,
    )


def _first(
    evidence: Evidence, telling: Telling, fits: Callable[[str], bool], most: int
) -> list[str]:
    found: list[str] = []
    for index, sentence in enumerate(evidence.sentences):
        if sentence.is_heading:
            continue
        text = telling.speech(index)
        sure = telling.told(index).certainty >= 0.75
        if sure and fits(text) and not is_editorial(text) and len(text.split()) <= 40:
            found.append(text)
        if len(found) == most:
            break
    return found
