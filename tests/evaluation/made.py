"""Runs, datasets and cells for tests, with what a test does not care about left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from offbook.evaluation.benchmark import Benchmark, Dataset, Item, Question, Subject
from offbook.evaluation.record import (
    Cell,
    CellKey,
    Judging,
    ModelNamed,
    Rating,
    RatingKey,
    Run,
    Variant,
)
from offbook.types import ContextItem, Source

BENCHMARK = Benchmark("theirs", 1, "A third party's", "theirs", "items", ("mbti_item",), "ours")
JUDGE = "judge-7b"
NORA = Subject("Nora Vey", ("Miss Vey",), "A clockmaker in Hull.", interviewer="Tom")


def run(metrics: Iterable[str], **changes: Any) -> Run:
    """A run of the variants naive and vanilla on Nora Vey."""
    variants = changes.pop("variants", ("naive", "vanilla"))
    fields: dict[str, Any] = {
        "id": "r1",
        "benchmark": "b",
        "benchmark_version": 1,
        "dataset": "d",
        "dataset_version": "1",
        "dataset_checksum": "0",
        "licence": "",
        "protocol": "questions",
        "metrics": tuple(metrics),
        "variants": tuple(Variant(label, label) for label in variants),
        "subjects": {"Nora Vey": "nora-vey"},
        "models": {"judge": ModelNamed(JUDGE, "http://127.0.0.1:1/v1")},
        "embedder": "builtin",
        "prompts": {},
    }
    return Run(**(fields | changes))


def dataset(*questions: Question, subjects: Sequence[Subject] = (NORA,)) -> Dataset:
    """A dataset of these questions."""
    return Dataset("d", "1", "ours", "here", tuple(subjects), questions)


def item(number: int, dimension: str, sign: int = 1) -> Question:
    """The question of an item."""
    name = f"i{number}"
    statement = f"I am such as item {number} says."
    return Question(
        name,
        f"How is it with {name}?",
        item=Item("16Personalities", str(number), dimension, sign, statement),
    )


def passage(text: str, chunk: str = "c1", document: str = "d1") -> ContextItem:
    """A retrieved chunk."""
    return ContextItem("knowledge", "Life", text, 1.0, (Source(document, chunk, 0, len(text)),))


def cell(
    question: str,
    reply: str | None = "Rain.",
    variant: str = "naive",
    subject: str = "Nora Vey",
    repeat: int = 0,
    **fields: Any,
) -> Cell:
    """A finished cell."""
    character = subject.casefold().replace(" ", "-")
    error = "the endpoint failed" if reply is None else None
    return Cell(CellKey(subject, question, variant, repeat), character, reply, error, **fields)


def rating(
    metric: str,
    unit: str,
    value: float | None,
    variant: str = "naive",
    subject: str = "Nora Vey",
    repeat: int = 0,
    judge: str = JUDGE,
    **fields: Any,
) -> Rating:
    """A rating of the judge."""
    missing = "answer_invalid" if value is None else None
    key = RatingKey(subject, variant, repeat, metric, unit, judge)
    return Rating(key, value, missing=missing, **fields)


def judged(
    protocol: Judging,
    of_run: Run,
    of: Dataset,
    cells: Sequence[Cell],
    answer: Callable[[Any, Any], Any],
) -> list[Rating]:
    """The ratings that come of ``answer(prompt, inputs)``, each read by the judgement's reader."""
    groups: dict[Any, list[Cell]] = {}
    for each in cells:
        groups.setdefault(protocol.ready(each.key), []).append(each)
    found: list[Rating] = []
    for group in groups.values():
        for judgement in protocol.judgements(of_run, of, group):
            value = answer(judgement.prompt, judgement.inputs)
            if judgement.prompt and judgement.prompt.check is not None:
                judgement.prompt.check(judgement.inputs, value)
            ratings = judgement.read(value)
            assert [each.key for each in ratings] == list(judgement.keys)
            found.extend(ratings)
    return found
