"""The metrics of single replies: the prompt and inputs of each, and where it is undefined.

A metric that is undefined for a reply (no right answer is known, nothing was retrieved) is not
asked for: that is neither a rating nor a missing one.
Paper: RoleRAG (001), section 4.2: KE, KH and UQR of every question (table 1); AMADEUS (003),
section 5.2: ACC and ACC_L against the right answer, HS also against what the actor was given
(tables 6 and 8). The paper's HS is given the chunks alone; ours all of the context, or what a reply
has from a profile, a graph or a memory would count as an addition.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from offbook.evaluation.benchmark import Dataset, Introduction, Question, Subject, subject_named
from offbook.evaluation.metrics.scales import SCALES, JudgedScale, Registered
from offbook.evaluation.metrics.typology import MBTI, SLOAN
from offbook.evaluation.record import Cell, CellKey, Judgement, Rating, RatingKey, Run
from offbook.ingestion.documents import document_id
from offbook.prompts import acting, judging
from offbook.prompts.interviewing import RATE_BIGFIVE_ITEM, RATE_MBTI_ITEM, ItemToRate
from offbook.prompts.prompt import Prompt
from offbook.stores.evaluations import UNJUDGED
from offbook.text.words import words
from offbook.types import ContextItem

_OPENING_CHARS: Final = 1_200
_PARAGRAPH: Final = re.compile(r"\n\s*\n|^#.*$", re.MULTILINE)
_CHUNK_KINDS: Final = ("knowledge",)
"""Kinds of context that are retrieved chunks; what a graph tells is made from many."""
_ARTICLES: Final = frozenset(("a", "an", "the", "and"))
EVIDENCED: Final = frozenset(("ke", "kh"))
"""Metrics whose judge is shown what the character's texts say of question and reply."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A reply in its place: who was asked what; ``introduction`` says who that is.

    ``earlier`` are turns of its script before it: what was said, and what was answered.
    """

    subject: Subject
    question: Question
    cell: Cell
    introduction: Introduction
    earlier: tuple[tuple[str, str], ...] = ()

    @property
    def reply(self) -> str:
        """The reply; cells without one are never judged."""
        return self.cell.reply or ""


@dataclass(frozen=True, slots=True)
class ReplyMetric:
    """A metric of single replies: its scale, what it reads, and when it is undefined.

    With a ``prompt`` a judge is asked about ``inputs``; without one ``inputs`` gives the value
    itself. ``value`` makes it of the judge's answer where that is no rating. ``undefined`` says why
    a reply has no such rating, or None where it has one; ``introduces`` whether the judge is told
    who the subject is.
    """

    scale: JudgedScale
    inputs: Callable[[Exchange], Any]
    prompt: Prompt[Any, Any] | None = None
    undefined: Callable[[Exchange], str | None] = lambda exchange: None
    introduces: bool = False
    value: Callable[[Exchange, Any], Any] | None = None


def shown(items: Iterable[ContextItem]) -> tuple[judging.Shown, ...]:
    """Pieces of context as the actor is shown them, titles in front, with what each is."""
    return tuple(
        judging.Shown(item.kind, f"{item.title}\n{item.text}" if item.title else item.text)
        for item in items
    )


def chunk_ids_of(cell: Cell) -> Iterator[str]:
    """The ids of the chunks that a reply was given."""
    items = (item for item in cell.context if item.kind in _CHUNK_KINDS)
    return (source.chunk for item in items for source in item.sources if source.chunk)


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
    paragraphs: list[str] = []
    parts = _PARAGRAPH.split(text[: 4 * _OPENING_CHARS])
    for paragraph in filter(None, (part.strip() for part in parts)):
        if sum(map(len, paragraphs)) + len(paragraph) > _OPENING_CHARS and paragraphs:
            break
        paragraphs.append(paragraph[:_OPENING_CHARS])
    return "\n".join(paragraphs)


def _to_judge(exchange: Exchange) -> judging.ReplyToJudge:
    introduction = exchange.introduction.text
    return judging.ReplyToJudge(
        exchange.subject.name, introduction, exchange.question.text, exchange.reply
    )


def _evidenced(exchange: Exchange) -> judging.ReplyWithEvidence:
    return judging.ReplyWithEvidence(
        exchange.subject.name,
        exchange.introduction.text,
        exchange.question.text,
        exchange.reply,
        exchange.question.answers,
        shown(exchange.cell.evidence),
    )


def _turn(exchange: Exchange) -> judging.TurnToJudge:
    name, introduction = exchange.subject.name, exchange.introduction.text
    earlier = tuple(f"Visitor: {said}\n{name}: {answer}" for said, answer in exchange.earlier)
    return judging.TurnToJudge(name, introduction, exchange.question.text, exchange.reply, earlier)


def _with_answers(exchange: Exchange) -> judging.ReplyWithAnswers:
    question = exchange.question
    return judging.ReplyWithAnswers(
        exchange.subject.name, question.text, exchange.reply, question.answers
    )


def _grounded(exchange: Exchange) -> judging.GroundedReply:
    question = exchange.question
    return judging.GroundedReply(
        exchange.subject.name,
        question.text,
        exchange.reply,
        question.answers,
        shown(exchange.cell.context),
    )


def _item(exchange: Exchange) -> ItemToRate:
    item = exchange.question.item
    statement = item.statement if item else ""
    return ItemToRate(exchange.subject.name, statement, exchange.question.text, exchange.reply)


def word_f1(exchange: Exchange) -> float:
    """F1 of the words of the reply and of the nearest answer, each word as often as it comes.

    As LoCoMo's (Maharana et al. 2024, section 5), but without stemming.
    """
    return max(_overlap(exchange.reply, answer)[1] for answer in exchange.question.answers)


def word_recall(exchange: Exchange) -> float:
    """The share of an answer's words that stand in the reply, of the nearest answer.

    A character says more than an answer holds: F1 counts that against it, this does not.
    """
    return max(_overlap(exchange.reply, answer)[0] for answer in exchange.question.answers)


def _overlap(reply: str, answer: str) -> tuple[float, float]:
    """Recall and F1 of the answer's words; 0 where either has none."""
    mine, right = (
        Counter(word for word in words(text) if word not in _ARTICLES) for text in (reply, answer)
    )
    common = (mine & right).total()
    if not common:
        return 0.0, 0.0
    return common / right.total(), 2 * common / (mine.total() + right.total())


def _facts(exchange: Exchange) -> judging.ReplyWithFacts:
    question = exchange.question
    return judging.ReplyWithFacts(
        exchange.subject.name, question.text, exchange.reply, question.facts
    )


def _needs(is_there: Callable[[Question], object], why: str) -> Callable[[Exchange], str | None]:
    return lambda exchange: None if is_there(exchange.question) else why


_needs_answer: Final = _needs(lambda question: question.answers, "no right answer is known")
_needs_facts: Final = _needs(lambda question: question.facts, "nobody says who knows what then")
_needs_earlier: Final = _needs(lambda question: question.turn > 1, "nothing was said before")
_needs_scene: Final = _needs(lambda question: question.scene, "no scene was acted")


def _needs_context(exchange: Exchange) -> str | None:
    # An item of a questionnaire has no right answer: its reply is held against the context alone.
    lacking = None if exchange.question.item else _needs_answer(exchange)
    return lacking or (None if exchange.cell.context else "the actor was given nothing")


def _needs_item_of(dimensions: Sequence[str]) -> Callable[[Exchange], str | None]:
    def undefined(exchange: Exchange) -> str | None:
        item = exchange.question.item
        return None if item and item.dimension in dimensions else "an item of another test"

    return undefined


def _scene(dimension: str) -> Callable[[Exchange], acting.SceneToJudge]:
    def inputs(exchange: Exchange) -> acting.SceneToJudge:
        scene = exchange.question.scene
        if scene is None:
            raise AssertionError("undefined without a scene")
        return acting.SceneToJudge(
            dimension,
            acting.DIMENSIONS[dimension],
            scene.book,
            scene.plot,
            scene.scenario,
            tuple(f"{role.name}\n{role.profile}" for role in scene.speakers),
            scene.main,
            acting.spoken(scene.original),
            acting.spoken(exchange.reply),
        )

    return inputs


def penalized(exchange: Exchange, answer: acting.Flaws) -> float:
    """100 less 5 for each point of severity, of which 0.3 a line of a character are free.

    As CoSER scores (its published code): a long scene has more room for flaws.
    """
    lines = exchange.reply.splitlines()
    mine = sum(not line.startswith(f"{acting.ENVIRONMENT}: ") for line in lines)
    severity = sum(flaw.severity for flaw in answer.flaws)
    return max(0.0, min(100.0, 100 - 5 * (severity - 0.3 * mine)))


MBTI_DIMENSIONS: Final = tuple(each.name for each in MBTI.dimensions)
BIG_FIVE: Final = tuple(each.name for each in SLOAN.dimensions)

_OURS: Final = (
    ReplyMetric(SCALES["ke"], _evidenced, judging.KNOWLEDGE_EXPOSURE, introduces=True),
    ReplyMetric(SCALES["kh"], _evidenced, judging.KNOWLEDGE_HALLUCINATION, introduces=True),
    ReplyMetric(SCALES["uqr"], _to_judge, judging.UNKNOWN_REJECTION, introduces=True),
    ReplyMetric(SCALES["acc"], _with_answers, judging.ANSWER_CONTAINED, _needs_answer),
    ReplyMetric(SCALES["acc_l"], _with_answers, judging.ANSWER_QUALITY, _needs_answer),
    ReplyMetric(SCALES["hs"], _grounded, judging.HALLUCINATION_SCORE, _needs_context),
    ReplyMetric(SCALES["word_f1"], word_f1, None, _needs_answer),
    ReplyMetric(SCALES["word_recall"], word_recall, None, _needs_answer),
    ReplyMetric(SCALES["spacetime"], _facts, judging.SPACETIME, _needs_facts),
    ReplyMetric(SCALES["persona"], _turn, judging.PERSONA_KEPT, introduces=True),
    ReplyMetric(SCALES["consistency"], _turn, judging.CONSISTENT, _needs_earlier, introduces=True),
    *(
        ReplyMetric(SCALES[name], _scene(name), acting.FIND_FLAWS, _needs_scene, value=penalized)
        for name in acting.DIMENSIONS
    ),
    ReplyMetric(SCALES["mbti_item"], _item, RATE_MBTI_ITEM, _needs_item_of(MBTI_DIMENSIONS)),
    ReplyMetric(SCALES["bigfive_item"], _item, RATE_BIGFIVE_ITEM, _needs_item_of(BIG_FIVE)),
)
REPLY_METRICS: Final = Registered[ReplyMetric](
    {metric.scale.name: metric for metric in _OURS}, lambda metric: metric
)
"""The metrics of single replies, by the name of their scale; third parties add theirs."""


@dataclass(frozen=True, slots=True)
class SubjectAsked:
    """A subject, who that is, and the questions that are put to it by id, in their order."""

    subject: Subject
    introduction: Introduction
    questions: Mapping[str, Question]


class Places:
    """Who was asked what, for the cells of one dataset; it is looked up once a subject."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset: Final = dataset
        self._asked: dict[str, SubjectAsked] = {}

    def of(self, name: str) -> SubjectAsked:
        """The subject of this name, or whoever was asked as one."""
        if name not in self._asked:
            subject = subject_named(self.dataset, name)
            questions = {each.id: each for each in self.dataset.asked(name)}
            introduction = introduction_of(self.dataset, subject)
            self._asked[name] = SubjectAsked(subject, introduction, questions)
        return self._asked[name]

    def question(self, key: CellKey) -> Question | None:
        """The question of a cell; None where the dataset has it no longer."""
        return self.of(key.subject).questions.get(key.question)

    def is_spoken(self, key: CellKey) -> bool:
        """Whether a cell belongs to conversations: a turn of a script, or asked after sessions."""
        question = self.question(key)
        return question is not None and bool(question.script or question.history)

    def exchanges(self, cells: Sequence[Cell]) -> list[Exchange]:
        """The cells that have a reply, each in its place, in the order of the questions."""
        replied = [exchange for exchange in map(self.exchange_of, cells) if exchange is not None]
        order = {
            (name, question): place
            for name in {each.cell.key.subject for each in replied}
            for place, question in enumerate(self.of(name).questions)
        }
        return sorted(
            replied, key=lambda each: order[each.cell.key.subject, each.cell.key.question]
        )

    def exchange_of(self, cell: Cell) -> Exchange | None:
        """A cell in its place; None where it has no reply, or the dataset no such question."""
        question = self.question(cell.key)
        if question is None or cell.reply is None:
            return None
        asked_of = self.of(cell.key.subject)
        return Exchange(asked_of.subject, question, cell, asked_of.introduction)


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


def reply_judgements(run: Run, exchange: Exchange) -> list[Judgement]:
    """The judgements of one reply, by the run's metrics; those that are undefined are left out."""
    return [
        reply_judgement(run, metric, exchange)
        for metric in run.metrics
        if metric in REPLY_METRICS and is_defined(metric, exchange)
    ]


def is_defined(metric: str, exchange: Exchange) -> bool:
    """Whether a reply has a rating by this metric: it is wanted, and there is what it needs."""
    checks = exchange.question.checks
    wanted = not checks or metric in checks
    return wanted and REPLY_METRICS[metric].undefined(exchange) is None


def reply_judgement(run: Run, metric: str, exchange: Exchange) -> Judgement:
    """The judgement of one reply by one metric."""
    how = REPLY_METRICS[metric]
    key = rating_key(run, exchange.cell.key, metric)
    documents = documents_of([exchange.cell])
    if how.introduces:
        documents |= documents_named(exchange.cell.character, exchange.introduction)
    return Judgement(
        keys=(key,),
        prompt=how.prompt,
        inputs=how.inputs(exchange),
        read=partial(_one_rating, key, partial(how.value, exchange) if how.value else None),
        documents=documents,
        evidence=exchange.cell.evidence if metric in EVIDENCED else (),
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


def _one_rating(key: RatingKey, value_of: Callable[[Any], Any] | None, answer: Any) -> list[Rating]:
    if value_of is not None:
        return [rated(key, value_of(answer), answer.analysis)]
    if isinstance(answer, int | float):
        return [rated(key, answer, "")]
    if answer.rating is None:
        return [Rating(key, None, answer.analysis, missing=UNJUDGED)]
    value = {"yes": 1, "no": 0}.get(answer.rating, answer.rating)
    return [rated(key, value, answer.analysis)]
