"""What a question is about, and whether the character can know of it.

Takes: who the character is, the question, and which of its names stand in the character's texts.
Gives: a hypothetical answer to search with (HyDE), and the entities with a verdict each.
Paper: RoleRAG (001), section 3.4. ``faithful`` asks in two calls, with the same shapes. Ours: one
small answer with what cannot be known, what to search for and how the question is felt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from offbook.prompts.prompt import Json, Prompt, Text
from offbook.types import Message

MOST_NAME: Final = 200
"""Characters of a name; what is longer is none."""


@dataclass(frozen=True, slots=True)
class QuestionInputs:
    """The question as the character hears it.

    ``mentioned`` are the names in the question that stand in the character's texts, found without
    a call; ``earlier`` is the conversation so far, which the wording fences: its turns are what
    people wrote, and would else stand beside ours (a field ``history`` would become messages of the
    request); ``context`` is the hypothetical context where
    it was asked for before (``faithful``), else empty. ``unmentioned`` are the words of the
    question that the texts never use (``beyond.unmentioned_words``; None if nobody looked), and
    ``last_year`` the last year that the character can have seen, where its texts tell it
    (``retrieval.beyond.last_year_of`` over the documents; BC is negative). Both are found without
    a call. The wording does not show them: they are what the offline model judges by.
    """

    character: str
    profile: str
    question: str
    mentioned: tuple[str, ...] = ()
    earlier: tuple[Message, ...] = ()
    context: str = ""
    unmentioned: tuple[str, ...] | None = None
    last_year: int | None = None


class QuestionEntity(BaseModel):
    """An entity of the question or of the hypothetical context, as the character sees it.

    ``specific`` is false for what has no name of its own: hobbies, interests, family.
    """

    name: str = Field(min_length=1, max_length=MOST_NAME)
    type: Literal["character", "location", "time", "event", "organization", "object"]
    known: bool
    specific: bool
    reason: str


class QuestionAnalysis(BaseModel):
    """A passage that might answer the question, and the entities of both."""

    context: str
    entities: list[QuestionEntity]


class QuestionEntities(BaseModel):
    """The entities alone: the second of the two calls of ``faithful``."""

    entities: list[QuestionEntity]


ANALYSE_QUESTION: Final = Prompt(
    name="analyse_question",
    stage="boundary",
    inputs=QuestionInputs,
    answer=Json(QuestionAnalysis),
    source="RoleRAG section 3.4",
)
"""Hypothetical context and entities in one call."""

HYPOTHETICAL_CONTEXT: Final = Prompt(
    name="hypothetical_context",
    stage="boundary",
    inputs=QuestionInputs,
    answer=Text(),
    source="RoleRAG section 3.4 (HyDE)",
)
"""A passage that might answer the question."""

QUESTION_ENTITIES: Final = Prompt(
    name="question_entities",
    stage="boundary",
    inputs=QuestionInputs,
    answer=Json(QuestionEntities),
    source="RoleRAG section 3.4",
)
"""The entities of question and hypothetical context, each with a verdict."""


@dataclass(frozen=True, slots=True)
class UnderstandInputs(QuestionInputs):
    """The question with all that is known of it without a call.

    ``names`` are the other names of the character, ``lines`` what the graph says of whom the
    question names, ``as_of`` is the point in the story as a person named it (empty: the end).
    ``mentioned``, ``unmentioned`` and ``last_year`` are shown here.
    """

    names: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    as_of: str = ""


class Unknown(BaseModel):
    """Something that the character cannot know."""

    name: str = Field(min_length=1, max_length=MOST_NAME)
    reason: str


class Feeling(BaseModel):
    """An emotion of whoever asks."""

    emotion: Literal[
        "joy",
        "acceptance",
        "fear",
        "surprise",
        "sadness",
        "disgust",
        "anger",
        "anticipation",
    ]
    strength: Annotated[int, Field(ge=1, le=10)]


class Understanding(BaseModel):
    """What to search for, what cannot be known, what is not so, what is felt."""

    query: str
    unknown: list[Unknown]
    premise: str
    feelings: list[Feeling]


UNDERSTAND_QUESTION: Final = Prompt(
    name="understand_question",
    stage="boundary",
    inputs=UnderstandInputs,
    answer=Json(Understanding),
    source="ours; RoleRAG section 3.4 and Emotional RAG section II-B.1 in one",
    limit=200,
)
"""Boundary, search query and feelings in one small answer, some 60 tokens."""
