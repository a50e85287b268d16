"""Which judgements a reply needs: a metric's prompt, its inputs, and the rating that comes of it.

Takes: a run, a question, its finished cell.  Gives: judgements for the runner to put to the judge.
A metric that is undefined for a reply (no right answer is known, no chunk was retrieved) is not
asked for: that is neither a rating nor a missing one.
Paper: RoleRAG (001), section 4.2: KE, KH and UQR of every question (table 1); AMADEUS (003),
section 5.2: ACC and ACC_L against the right answer, HS also against the chunks (tables 6 and 8).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from offbook.evaluation.benchmark import Dataset, Introduction, Question, Subject
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.typology import MBTI, SLOAN
from offbook.evaluation.protocol import Judgement
from offbook.evaluation.record import Cell, CellKey, Rating, RatingKey, Run
from offbook.evaluation.subjects import subject_named
from offbook.ingestion.storing import document_id
from offbook.prompts.interviewing import RATE_BIGFIVE_ITEM, RATE_MBTI_ITEM, ItemToRate
from offbook.prompts.judging import (
    ANSWER_CONTAINED,
    ANSWER_QUALITY,
    HALLUCINATION_SCORE,
    KNOWLEDGE_EXPOSURE,
    KNOWLEDGE_HALLUCINATION,
    UNKNOWN_REJECTION,
    GroundedReply,
    ReplyToJudge,
    ReplyWithAnswers,
)
from offbook.prompts.prompt import Prompt

_OPENING_CHARS: Final = 1_200
_PARAGRAPH: Final = re.compile(r"\n\s*\n|^#.*$", re.MULTILINE)
CHUNK_KINDS: Final = ("knowledge",)
"""Kinds of context that are retrieved chunks; what a graph tells is made from many."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A reply in its place: who was asked what; ``introduction`` says who that is."""

    subject: Subject
    question: Question
    cell: Cell
    introduction: Introduction

    @property
    def reply(self) -> str:
        """The reply; cells without one are never judged."""
        return self.cell.reply or ""


@dataclass(frozen=True, slots=True)
class ReplyMetric:
    """How one metric of a reply is judged.

    ``undefined`` says why a reply has no such rating, or None where it has one; ``introduces``
    whether the judge is told who the subject is.
    """

    prompt: Prompt[Any, Any]
    inputs: Callable[[Asked], Any]
    undefined: Callable[[Asked], str | None]
    introduces: bool = False


def chunks_of(cell: Cell) -> tuple[str, ...]:
    """The texts of the chunks that a reply was given, headings in front."""
    items = (item for item in cell.context if item.kind in CHUNK_KINDS)
    return tuple(f"{item.title}\n{item.text}" if item.title else item.text for item in items)


def documents_of(cells: Sequence[Cell]) -> frozenset[str]:
    """``character/document`` of what the replies rest on: they may say it word by word."""
    return frozenset(
        f"{cell.character}/{source.document}"
        for cell in cells
        for item in cell.context
        for source in item.sources
    )


def documents_named(character: str, introduction: Introduction) -> frozenset[str]:
    """``character/document`` of what an introduction is from."""
    return frozenset(f"{character}/{name}" for name in introduction.documents)


def introduction_of(dataset: Dataset, subject: Subject) -> Introduction:
    """Who a subject is: as the dataset says, as its document begins, or as its character has it."""
    if subject.description:
        return Introduction(subject.description)
    if subject.documents:
        first = subject.documents[0]
        return Introduction(opening(first.text), (document_id(first.name),))
    return dataset.introductions.get(subject.name, Introduction())


def opening(text: str) -> str:
    """How a document begins: whole paragraphs up to some 1,200 characters, without headings."""
    kept: list[str] = []
    parts = _PARAGRAPH.split(text[: 4 * _OPENING_CHARS])
    for paragraph in filter(None, (part.strip() for part in parts)):
        if sum(map(len, kept)) + len(paragraph) > _OPENING_CHARS and kept:
            break
        kept.append(paragraph[:_OPENING_CHARS])
    return "\n".join(kept)


def _to_judge(asked: Asked) -> ReplyToJudge:
    told = asked.introduction.text
    return ReplyToJudge(asked.subject.name, told, asked.question.text, asked.reply)


def _with_answers(asked: Asked) -> ReplyWithAnswers:
    question = asked.question
    return ReplyWithAnswers(asked.subject.name, question.text, asked.reply, question.answers)


def _grounded(asked: Asked) -> GroundedReply:
    question = asked.question
    return GroundedReply(
        asked.subject.name, question.text, asked.reply, question.answers, chunks_of(asked.cell)
    )


def _item(asked: Asked) -> ItemToRate:
    item = asked.question.item
    statement = item.statement if item else ""
    return ItemToRate(asked.subject.name, statement, asked.question.text, asked.reply)


def _always(_: Asked) -> None:
    return None


def _needs_answer(asked: Asked) -> str | None:
    return None if asked.question.answers else "no right answer is known"


def _needs_chunks(asked: Asked) -> str | None:
    # An item of a questionnaire has no right answer: its reply is held against the chunks alone.
    lacking = None if asked.question.item else _needs_answer(asked)
    return lacking or (None if chunks_of(asked.cell) else "no chunk was retrieved")


def _needs_item_of(dimensions: frozenset[str]) -> Callable[[Asked], str | None]:
    def undefined(asked: Asked) -> str | None:
        item = asked.question.item
        return None if item and item.dimension in dimensions else "an item of another test"

    return undefined


MBTI_DIMENSIONS: Final = tuple(each.name for each in MBTI.dimensions)
BIG_FIVE: Final = tuple(each.name for each in SLOAN.dimensions)

REPLY_METRICS: Final[Mapping[str, ReplyMetric]] = {
    "ke": ReplyMetric(KNOWLEDGE_EXPOSURE, _to_judge, _always, introduces=True),
    "kh": ReplyMetric(KNOWLEDGE_HALLUCINATION, _to_judge, _always, introduces=True),
    "uqr": ReplyMetric(UNKNOWN_REJECTION, _to_judge, _always, introduces=True),
    "acc": ReplyMetric(ANSWER_CONTAINED, _with_answers, _needs_answer),
    "acc_l": ReplyMetric(ANSWER_QUALITY, _with_answers, _needs_answer),
    "hs": ReplyMetric(HALLUCINATION_SCORE, _grounded, _needs_chunks),
    "mbti_item": ReplyMetric(RATE_MBTI_ITEM, _item, _needs_item_of(frozenset(MBTI_DIMENSIONS))),
    "bigfive_item": ReplyMetric(RATE_BIGFIVE_ITEM, _item, _needs_item_of(frozenset(BIG_FIVE))),
}
"""The metrics that are judged reply by reply, by the name of their scale."""


class Places:
    """Who was asked what, for the cells of one dataset; it is looked up once a question."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset: Final = dataset
        self._subjects: dict[str, Subject] = {}
        self._introductions: dict[str, Introduction] = {}
        self._questions: dict[str, dict[str, Question]] = {}
        self._order: dict[str, dict[str, int]] = {}

    def subject(self, name: str) -> Subject:
        """The subject of this name, or whoever was asked as one."""
        if name not in self._subjects:
            self._subjects[name] = subject_named(self.dataset, name)
        return self._subjects[name]

    def introduction(self, name: str) -> Introduction:
        """Who the subject of this name is."""
        if name not in self._introductions:
            self._introductions[name] = introduction_of(self.dataset, self.subject(name))
        return self._introductions[name]

    def questions(self, subject: str) -> Mapping[str, Question]:
        """The questions that are put to a subject, by id, in the dataset's order."""
        if subject not in self._questions:
            self._questions[subject] = {each.id: each for each in self.dataset.asked(subject)}
        return self._questions[subject]

    def question(self, key: CellKey) -> Question | None:
        """The question of a cell; None where the dataset has it no longer."""
        return self.questions(key.subject).get(key.question)

    def asked(self, cells: Sequence[Cell]) -> list[Asked]:
        """The cells that have a reply, each in its place, in the order of the questions."""
        found = [asked for asked in map(self.one_asked, cells) if asked is not None]
        return sorted(found, key=lambda each: self._at(each.cell.key))

    def one_asked(self, cell: Cell) -> Asked | None:
        """A cell in its place; None where it has no reply, or the dataset no such question."""
        question = self.question(cell.key)
        if question is None or cell.reply is None:
            return None
        name = cell.key.subject
        return Asked(self.subject(name), question, cell, self.introduction(name))

    def _at(self, key: CellKey) -> int:
        """Where a question stands among those of its subject."""
        if key.subject not in self._order:
            ids = self.questions(key.subject)
            self._order[key.subject] = {each: at for at, each in enumerate(ids)}
        return self._order[key.subject][key.question]


class PlacesOf:
    """`Places` of the dataset that was looked at last."""

    def __init__(self) -> None:
        self._last: Places | None = None

    def __call__(self, dataset: Dataset) -> Places:
        """Those of ``dataset``."""
        if self._last is None or self._last.dataset is not dataset:
            self._last = Places(dataset)
        return self._last


def rating_key(run: Run, cell: CellKey, metric: str, unit: str | None = None) -> RatingKey:
    """The key of a rating by the judge that the run names."""
    return RatingKey(
        subject=cell.subject,
        variant=cell.variant,
        repeat=cell.repeat,
        metric=metric,
        unit=cell.question if unit is None else unit,
        judge=run.models["judge"].model,
    )


def reply_judgements(run: Run, asked: Asked) -> list[Judgement]:
    """The judgements of one reply, by the run's metrics; those that are undefined are left out."""
    return [
        reply_judgement(run, metric, asked)
        for metric in run.metrics
        if metric in REPLY_METRICS and REPLY_METRICS[metric].undefined(asked) is None
    ]


def reply_judgement(run: Run, metric: str, asked: Asked) -> Judgement:
    """The judgement of one reply by one metric."""
    how = REPLY_METRICS[metric]
    key = rating_key(run, asked.cell.key, metric)
    documents = documents_of([asked.cell])
    if how.introduces:
        documents |= documents_named(asked.cell.character, asked.introduction)
    return Judgement(
        keys=(key,),
        prompt=how.prompt,
        inputs=how.inputs(asked),
        read=partial(_one_rating, key),
        documents=documents,
    )


def rated(key: RatingKey, value: float, analysis: str) -> Rating:
    """A rating on its metric's scale.

    A value off the scale is missing, with the reason: the prompts refuse it before.
    """
    scale = SCALES[key.metric]
    if not scale.accepts(value):
        why = f"{value:g} is not on the scale from {scale.low:g} to {scale.high:g}"
        return Rating(key, None, analysis, missing=why)
    return Rating(key, float(value), analysis)


def _one_rating(key: RatingKey, answer: Any) -> list[Rating]:
    value = {"yes": 1, "no": 0}.get(answer.rating, answer.rating)
    return [rated(key, value, answer.analysis)]
