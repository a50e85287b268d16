"""What is asked of evaluations over the network: benchmarks by name, questions in the body.

Takes: bodies.  Gives: requests as they are queued. None has a path in it: data are those of
registered benchmarks, as they are shipped or were fetched on the server, or what was sent.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from offbook.server.native.asking import Preset
from offbook.server.native.body import Body, Listed

_MOST_QUESTIONS: Final = 5_000
_MOST_CHARACTERS: Final = 2_000_000
"""Characters of all questions together: the record of the run keeps them."""
_NUMBER: Final = 10**9

Name = Annotated[str, Field(min_length=1, max_length=300)]
Option = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")]
"""A value of a loader's option; none of them is, or could be, a path."""


def _is_registered(name: str) -> str:
    if name == OWN_FILE:
        raise ValueError("a file of the server is not read: send `questions`")
    return name


OWN_FILE: Final = "file"
"""The benchmark of questions of one's own: on the command line it reads a file."""
BenchmarkName = Annotated[
    str,
    Field(min_length=1, max_length=100, description="Its name."),
    AfterValidator(_is_registered),
]
Seed = Annotated[int, Field(ge=-_NUMBER, le=_NUMBER)]
Limit = Annotated[int, Field(ge=1, le=_NUMBER)]
Text = Annotated[str, Field(max_length=20_000)]

_EXAMPLE: Final[JsonDict] = {"benchmark": "demo", "methods": ["vanilla", "naive"], "limit": 5}


class SentQuestion(Body):
    """A question of one's own, with what is known of it."""

    question: str = Field(min_length=1, max_length=20_000)
    answers: Listed[Text] = Field(
        default_factory=list, max_length=100, description="Right answers; any of them is right."
    )
    scope: Literal["in", "out"] | None = Field(
        None, description="Whether it lies within what the character can know."
    )
    character: str | None = Field(
        None, min_length=1, max_length=300, description="To whom it is put; none: to all."
    )
    kind: str | None = Field(None, max_length=300, description="A group of your own.")
    id: str | None = Field(None, min_length=1, max_length=300)
    language: str | None = Field(None, max_length=20)


class EvaluationAsked(Body):
    """Whom to ask what, and how."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_EXAMPLE]})

    benchmark: BenchmarkName | None = None
    questions: Listed[SentQuestion] | None = Field(
        None,
        min_length=1,
        max_length=_MOST_QUESTIONS,
        description="Questions of your own, in the place of a benchmark.",
    )
    characters: Listed[Name] = Field(
        default_factory=list,
        max_length=1_000,
        description="Subjects of the dataset, or SUBJECT=CHARACTER; none: every subject.",
    )
    methods: Listed[Name] = Field(
        default_factory=list,
        max_length=100,
        description="Each perhaps with settings: `amadeus[gs=off]`; none: the configured one.",
    )
    options: dict[Name, Option] = Field(
        default_factory=dict, max_length=20, description="Of the dataset's loader."
    )
    metrics: Listed[Name] = Field(default_factory=list, max_length=100, description="None: all.")
    limit: Limit | None = Field(None, description="The most questions a character.")
    repeats: int = Field(1, ge=1, le=1_000, description="How often each question is asked.")
    seed: Seed = Field(0, description="Draws the questions and their order.")
    create: bool = Field(False, description="Make characters of the texts of the dataset.")
    build: bool = Field(False, description="Build indexes that are missing.")
    preset: Preset | None = Field(None, description="`faithful` repeats the papers' settings.")

    @model_validator(mode="after")
    def _of_one_dataset(self) -> EvaluationAsked:
        if (self.benchmark is None) == (self.questions is None):
            raise ValueError("give either a `benchmark` or `questions`")
        if self.questions is not None:
            if self.options or self.create:
                raise ValueError("`options` and `create` are of benchmarks, not of `questions`")
            if len(self._rows()) > _MOST_CHARACTERS:
                raise ValueError(f"the questions have more than {_MOST_CHARACTERS} characters")
        return self

    def request(self) -> dict[str, Any]:
        """What is asked for, as a job keeps it."""
        told = self.model_dump(exclude={"questions"}, exclude_none=True)
        if self.questions is None:
            return told
        return {**told, "benchmark": OWN_FILE, "options": {"rows": self._rows()}}

    def _rows(self) -> str:
        rows = (each.model_dump(exclude_none=True) for each in self.questions or ())
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


class Budgeted(Body):
    """The most that a job may spend; the server's own limits hold as well."""

    budget_calls: int | None = Field(None, ge=0, le=_NUMBER, description="Calls of models.")
    budget_usd: float | None = Field(None, ge=0, le=_NUMBER, description="Money.")


class RunAsked(EvaluationAsked, Budgeted):
    """A run; asked for again, it goes on where it stopped."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_EXAMPLE]})

    resume: str | None = Field(
        None, min_length=1, max_length=300, description="Go on with this run, or say why not."
    )
    new: bool = Field(False, description="Begin another run, whatever is stored.")
    retry_failed: bool = Field(False, description="Ask again where no reply could be got.")


class ScoreAsked(Budgeted):
    """Ratings by the configured judge; only those that are missing are asked for."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{}]})

    retry_missing: bool = Field(False, description="Ask again for ratings that are missing.")


class CheckAsked(Budgeted):
    """A check of the configured judge."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"limit": 20}]})

    limit: Limit = Field(100, description="On how many questions; each costs four calls.")
    replies: int = Field(3, ge=2, le=26, description="Replies compared at once, at most.")


class StudyAsked(Body):
    """A study of splitters and embedders; no model is asked."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"benchmark": "demo", "top": 3}]}
    )

    benchmark: BenchmarkName
    options: dict[Name, Option] = Field(default_factory=dict, max_length=20)
    characters: Listed[Name] = Field(default_factory=list, max_length=1_000)
    splitters: Listed[Name] = Field(
        default_factory=list, max_length=100, description="`acts[alpha=3]`; none: all."
    )
    embedders: Listed[Literal["builtin", "configured"]] = Field(default_factory=list, max_length=2)
    top: int = Field(3, ge=1, le=10_000, description="Chunks a question.")
    budget_tokens: int = Field(
        1_500, ge=1, le=_NUMBER, description="The equal budget of a question's context."
    )
    limit: Limit | None = Field(None, description="The most questions a character.")
    seed: Seed = 0


class TableAsked(Budgeted):
    """What a published table is to be filled with."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"limit": 5}]})

    characters: Listed[Name] = Field(default_factory=list, max_length=1_000)
    limit: Limit | None = Field(None, description="The most questions a character.")
    repeats: int = Field(1, ge=1, le=1_000)
    seed: Seed = 0
    create: bool = Field(False, description="Make characters of the texts of the dataset.")
    build: bool = Field(False, description="Build indexes that are missing.")
    stored: bool = Field(False, description="Only what is stored already; nothing is asked.")
    preset: Preset = Field("faithful", description="`faithful`: the papers' settings.")
