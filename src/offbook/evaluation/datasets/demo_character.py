"""The demo's own set: 60 questions about the shipped character, with gold answers and labels.

Takes: nothing.  Gives: a `Dataset` with his persona document and memories, questions in and out of
what he can know, and his types.
Paper: ours. The labels are our own reading of our own document, one reader's, and no vote: they are
there so that the machinery has something to compare with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from offbook import demo
from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.dialogue import put_shipped
from offbook.evaluation.datasets.folders import chosen
from offbook.evaluation.datasets.labels import type_labels
from offbook.evaluation.metrics.typology import MBTI, SLOAN
from offbook.evaluation.questionnaires import SHIPPED

LICENCE: Final = "Apache-2.0 (ours)"
OUR_READING: Final = "offbook: our own reading of the demo document"

MBTI_TYPE: Final = "INTJ"
"""He keeps to himself, follows a design of his own for years, weighs rather than feels, plans."""

SLOAN_TYPE: Final = "RLOEI"
"""Reserved; torn by remorse and rage under a calm face; methodical; pitiless to enemies; curious.

Agreeableness can be argued (he gives richly): the plan of revenge is what decides it.
"""

OTHER_NAMES: Final = (
    "Edmond",
    "Dantès",
    "The Count of Monte Cristo",
    "the Count",
    "Monte Cristo",
    "Sinbad the Sailor",
    "Abbé Busoni",
    "Lord Wilmore",
)


def load(path: Path | None, *, questions: str = "demo") -> Dataset:
    """The set.

    Args:
        path: None; it is shipped.
        questions: ``demo`` (the 60 questions about him), ``mbti-60`` or ``bigfive-60``.

    Raises:
        UsageError: a path was given, or the questions are none of these.
    """
    if path is not None:
        raise UsageError(
            f"the demo's set is shipped, and was given the path {str(path)!r}",
            "leave the path out, or name the benchmark 'file'",
        )
    questions = chosen(questions, ("demo", *SHIPPED), "questions")
    found = Collector("demo", version="1", licence=LICENCE, source="offbook")
    labels = [
        *type_labels(MBTI, MBTI_TYPE, OUR_READING),
        *type_labels(SLOAN, SLOAN_TYPE, OUR_READING),
    ]
    found.subject(demo.CHARACTER_NAME, names=OTHER_NAMES, interviewer="The visitor", labels=labels)
    found.document(demo.CHARACTER_NAME, demo.PERSONA_FILE, demo.persona_text())
    for memory in demo.memories():
        found.memory(demo.CHARACTER_NAME, memory.said, memory.answered)
    if questions == "demo":
        _ask(found)
    else:
        put_shipped(found, questions, "en")
    found.notes.say("the labels are our own reading of our own document, not a vote")
    return found.dataset()


def _ask(found: Collector) -> None:
    for row in demo.questions():
        found.ask(
            row.question,
            place=row.id,
            id=row.id,
            subject=demo.CHARACTER_NAME,
            scope="out" if row.kind == "out_of_scope" else "in",
            answers=() if row.answer is None else (row.answer,),
            kind=row.attribute or row.kind,
        )
