"""Recorded dialogue as a dataset: what a character answered becomes a memory, or a question.

Takes: pairs of what was said and answered.  Gives: memories of each character, and what is asked:
a questionnaire, or one turn in five, which then is no memory (an answer must not be looked up).
Paper: Emotional RAG (004), section III: memory banks from CharacterEval and ChatHaruhi, and
16Personalities as the interview.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.folders import chosen, required
from offbook.evaluation.datasets.questionnaire_files import NAMES, read_questionnaire
from offbook.evaluation.questionnaires import SHIPPED, shipped

ASKED: Final = ("dialogue", *NAMES, *SHIPPED)
"""What a set of dialogues can be asked."""

_HELD_OUT: Final = 5
_FOLDERS: Final = (
    "",
    "questionnaires/",
    "data/questionnaires/",
    "data/",
    "../questionnaires/",
    "../incharacter/data/questionnaires/",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said to a character and what it answered; ``id`` empty: the file has none."""

    character: str
    said: str
    answered: str
    place: str
    id: str = ""
    language: str = ""


def fill(found: Collector, turns: Iterable[Turn], *, asked: str, path: Path, language: str) -> None:
    """Add memories, and the questions of ``asked`` (one of `ASKED`).

    Args:
        found: What is added to.
        turns: In the order of the files.
        asked: ``dialogue``, or the name of a questionnaire.
        path: Where a questionnaire that is not ours is looked for.
        language: In which a questionnaire is put.
    """
    asked = chosen(asked, ASKED, "questions")
    for turn in turns:
        if asked == "dialogue" and _is_held_out(turn):
            found.ask(
                turn.said,
                place=turn.place,
                id=turn.id,
                subject=turn.character,
                scope="in",
                answers=(turn.answered,),
                kind="dialogue",
                language=turn.language,
            )
        else:
            found.memory(turn.character, turn.said, turn.answered)
    if asked == "dialogue":
        found.notes.say("one turn in five is asked, drawn by its content; the others are memories")
    elif asked in SHIPPED:
        put_shipped(found, asked, language)
    else:
        _put_file(found, path, asked, language)


def put_shipped(found: Collector, name: str, language: str) -> None:
    """Add the items of one of our questionnaires, put to everybody."""
    for each in shipped(name, language):
        found.ask(
            each.question,
            place=each.item.number,
            id=f"{name}-{each.item.number}",
            kind=each.item.dimension,
            item=each.item,
            language=language,
        )


def _put_file(found: Collector, path: Path, asked: str, language: str) -> None:
    places = [f"{folder}{asked}.json" for folder in _FOLDERS]
    where = required(path, places, f"{asked}.json")
    for each in read_questionnaire(where, language)[1]:
        found.ask(
            each.question,
            place=f"{where.name}:{each.item.number}",
            id=f"{asked}-{each.item.number}",
            kind=each.item.dimension,
            item=each.item,
            language=language,
        )


def _is_held_out(turn: Turn) -> bool:
    content = f"{turn.character}\n{turn.said}".encode()
    return int(hashlib.sha256(content).hexdigest(), 16) % _HELD_OUT == 0
