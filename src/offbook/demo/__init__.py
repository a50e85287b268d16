"""The shipped character and the shipped novella, our own writing.

Takes: nothing.  Gives: the persona document, the memory pairs and the questions of the demo
character, what a visitor told him, and what ``offbook demo`` asks; the novella, and what
``offbook demo book`` asks two of its people. Formats: docs/demo.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

Attribute = Literal[
    "activity",
    "belief_and_value",
    "demographic_information",
    "psychological_traits",
    "skill_and_expertise",
    "social_relationships",
]
"""The six attributes of a persona. Source: paper 003, section 2.2."""

Mood = Literal[
    "joy", "acceptance", "fear", "surprise", "sadness", "disgust", "anger", "anticipation"
]
"""The eight emotions of Plutchik, in the order of paper 004."""

QuestionKind = Literal["knowledge", "out_of_scope", "behaviour"]
AskedFor = Literal[
    "alias",
    "taste",
    "decline",
    "unstated trait",
    "emotion",
    "follow-up",
    "told, and no longer so",
]

CHARACTER_NAME: Final = "Edmond Dantès"
PERSONA_FILE: Final = "edmond_dantes.md"
_MEMORIES: Final = "memories.jsonl"

NOVELLA_FILE: Final = "low_bell.md"
NOVELLA_TITLE: Final = "The Low Bell"
NOVELLA_PEOPLE: Final = ("Marrable Toft", "Junie")
NOVELLA_POINTS: Final = ("Chapter 6", "Chapter 12")
NOVELLA_QUESTION: Final = "Who took the money?"
"""What ``offbook demo book`` asks each of the people at each of the points."""


@dataclass(frozen=True, slots=True)
class DemoMemory:
    """A memory pair: what was said to the character, what he answered, and his chief mood then.

    The mood is the author's intention, not a model's score.
    """

    said: str
    answered: str
    mood: Mood


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """One question with its gold answer.

    Args:
        id: Unique, stable.
        kind: ``knowledge`` is answered by the document, ``out_of_scope`` is not for this
            character to know, ``behaviour`` is only implied by what he does.
        attribute: The attribute asked for; None where the question is out of scope.
        question: What is asked, addressed to the character.
        answer: The gold answer, in the third person; None where there is none to give.
        evidence: Exact substrings of the persona document that support the answer.
        reason: Why the question is out of scope, or how the behaviour implies the answer.
    """

    id: str
    kind: QuestionKind
    attribute: Attribute | None
    question: str
    answer: str | None
    evidence: tuple[str, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the demonstration, and what it is there to show."""

    label: AskedFor
    question: str


DEMO_QUESTIONS: Final[tuple[Asked, ...]] = (
    Asked("alias", "What did Sinbad the Sailor do for the house of Morrel?"),
    Asked("taste", "What do you drink?"),
    Asked("decline", "Have you ever flown in an aeroplane?"),
    Asked("unstated trait", "Do you let other people into your secrets?"),
    Asked("emotion", "What did you feel when you learned how your father died?"),
    Asked("follow-up", "Who was at his bedside?"),
    Asked("told, and no longer so", "What is the name of my ship?"),
)
"""In the order in which ``offbook demo`` asks them; the follow-up refers back to the one before."""


@dataclass(frozen=True, slots=True)
class ToldStatement:
    """What a visitor told the character, its answer, and the statement that it comes to."""

    said: str
    answered: str
    statement: str


DEMO_USER: Final = "Carl"
"""Whose conversation with the character is remembered, and who asks the questions."""
TOLD: Final[tuple[ToldStatement, ...]] = (
    ToldStatement(
        "My ship is the Petrel, Count. She lies at the quay of Marseille.",
        "A good name for a ship that comes home.",
        "Carl's ship is called the Petrel.",
    ),
    ToldStatement(
        "I have sold the Petrel. My ship is the Marigold now.",
        "May she carry you far.",
        "Carl has sold the Petrel; Carl's ship is now the Marigold.",
    ),
)
"""An earlier conversation, distilled as a model does it behind a conversation; offline nothing is.
Each statement ends the one before it."""


def persona_path() -> Traversable:
    """Where the persona document lies in the installed package."""
    return files(__name__).joinpath(PERSONA_FILE)


def persona_text() -> str:
    """The persona document, as it is."""
    return persona_path().read_text(encoding="utf-8")


def novella_text() -> str:
    """The novella, as it is: Markdown, a heading a chapter, a paragraph a line."""
    return files(__name__).joinpath(NOVELLA_FILE).read_text(encoding="utf-8")


def memories_path() -> Traversable:
    """Where the memory pairs lie, a file that ``offbook remember`` reads."""
    return files(__name__).joinpath(_MEMORIES)


@cache
def memories() -> tuple[DemoMemory, ...]:
    """The memory pairs, in the order of his life."""
    pairs = zip(_rows(_MEMORIES), _rows("moods.jsonl"), strict=True)
    return tuple(DemoMemory(pair["said"], pair["answered"], mood["mood"]) for pair, mood in pairs)


def questions(kind: QuestionKind | None = None) -> tuple[DemoQuestion, ...]:
    """The questions of one kind, or all of them, in the order of the file."""
    return tuple(row for row in _questions() if kind is None or row.kind == kind)


@cache
def _questions() -> tuple[DemoQuestion, ...]:
    rows = ({**row, "evidence": tuple(row["evidence"])} for row in _rows("questions.jsonl"))
    return tuple(DemoQuestion(**row) for row in rows)


def _rows(name: str) -> list[dict[str, Any]]:
    text = files(__name__).joinpath(name).read_text(encoding="utf-8")
    # Not splitlines(): it also splits at separators that may stand inside a JSON string.
    return [json.loads(line) for line in text.split("\n") if line]
