"""What a question is about, and whether the character can know of it.

Takes: who the character is, the question, and which of its names stand in the character's texts.
Gives: a hypothetical answer to search with (HyDE), and the entities with a verdict each.
Paper: RoleRAG (001), section 3.4. ``faithful`` asks in two calls, with the same shapes. Ours: one
small answer with what cannot be known, what to search for and how the question is felt.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, Field, PrivateAttr, ValidationError, model_validator
from pydantic_core import from_json

from offbook.errors import AnswerError, InvalidAnswer
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
    _unusable: Mapping[str, str] = PrivateAttr(default_factory=dict)

    @property
    def unusable(self) -> Mapping[str, str]:
        """Why parts were passed over, by their names; those of lists as ``unknown.0``."""
        return self._unusable

    def judged(self, part: str) -> bool:
        """Whether a part was answered in a way that can be used."""
        return part not in self._unusable

    @model_validator(mode="wrap")
    @classmethod
    def _usable_parts(cls, value: Any, read: Any) -> Self:
        """Pass over what cannot be used, as long as anything is left."""
        try:
            made: Self = read(value)
        except ValidationError as error:
            if not isinstance(value, dict):
                raise
            left, unusable = _without_faults(value, error)
            if all(name in unusable for name in cls.model_fields):
                raise
            made = read(left)
            made._unusable = unusable
        return made


def _without_faults(
    value: Mapping[str, Any], error: ValidationError
) -> tuple[dict[str, Any], dict[str, str]]:
    """Leave out the parts that an error is about; and why, by their names."""
    unusable: dict[str, str] = {}
    faulty: defaultdict[str, set[int]] = defaultdict(set)
    for problem in error.errors(include_url=False, include_context=False):
        name, *place = problem["loc"]
        if place:
            faulty[str(name)].add(int(place[0]))
        unusable[".".join(map(str, problem["loc"][:2]))] = problem["msg"]
    left = {**value, **{name: _EMPTY[name]() for name in unusable if name in _EMPTY}}
    for name, places in faulty.items():
        parts = list(enumerate(value[name]))
        left[name] = [part for place, part in parts if place not in places]
        if not left[name]:  # nothing of it is an answer
            unusable[name] = "none of its parts can be used"
    return left, unusable


_EMPTY: Final[Mapping[str, type[str] | type[list[Any]]]] = {
    "query": str, "unknown": list, "premise": str, "feelings": list,
}  # fmt: skip
_EXAMPLES: Final = ("Hugh sends word to Anselm of the fire", "Hugh is his father, not his brother.")
"""What the wording's example answers, which small models say over again."""


def _check_own(inputs: UnderstandInputs, answer: Understanding) -> None:
    del inputs
    if any(text.strip() in _EXAMPLES for text in (answer.query, answer.premise)):
        raise InvalidAnswer("it repeats the example; answer about the question that is asked")


UNDERSTAND_QUESTION: Final = Prompt(
    name="understand_question",
    stage="boundary",
    inputs=UnderstandInputs,
    answer=Json(Understanding),
    source="ours; RoleRAG section 3.4 and Emotional RAG section II-B.1 in one",
    limit=200,
    check=_check_own,
)
"""Boundary, search query and feelings in one small answer, some 60 tokens."""


def begun_answer(inputs: UnderstandInputs, text: str) -> Understanding | None:
    """Read what is whole in an answer that breaks off; None where nothing of it can be used."""
    try:
        value = from_json(text[max(text.find("{"), 0) :], allow_partial=True)
        if isinstance(value, dict) and value and value[last := list(value)[-1]] == []:
            del value[last]  # it broke off before it said whether there is any
        answer = Json(Understanding).parse(json.dumps(value))
        _check_own(inputs, answer)
    except (ValueError, AnswerError):
        return None
    return answer
