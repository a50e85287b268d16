"""Reports for tests, made of seeded numbers: every kind of value that a report can show."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from offbook.evaluation.comparison import Difference
from offbook.evaluation.metrics.retrieval import RetrievalUse
from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.metrics.typology import MBTI, SLOAN, Typology
from offbook.evaluation.record import CellKey, ModelNamed, Rating, RatingKey, Run, Score
from offbook.evaluation.report.material import (
    ChunkUse,
    Cosines,
    Counts,
    Example,
    FailedCell,
    Grounds,
    Interview,
    Ratings,
    ReportedRun,
    Trait,
)
from offbook.types import Usage
from tests.evaluation import made

METHODS = (
    "vanilla", "profile", "naive", "crag", "raptor", "adaptive", "lightrag", "rolerag",
    "amadeus", "emotional", "ensemble",
)  # fmt: skip
QUALITY = ("ke", "kh", "uqr", "acc", "acc_l", "hs")


def run(methods: Sequence[str] = METHODS, *, judge: str = "offline", id_: str = "demo-1") -> Run:
    """The record of a run; any other judge than ``offline`` has an address."""
    address = "offline:" if judge == "offline" else "http://localhost:8000/v1"
    return made.run(
        QUALITY,
        id=id_,
        variants=methods,
        subjects={"Ada Byrne": "ada-byrne"},
        models={
            "actor": ModelNamed("offline", "offline:"),
            "judge": ModelNamed(judge, address),
        },
        prompts={"reply": 1, "knowledge_exposure": 1},
        created="2026-01-02T03:04:05Z",
        offbook="0.1.0",
        status="finished",
    )


def scores(methods: Sequence[str], seed: int = 1) -> tuple[Score, ...]:
    """Scores with intervals, some of them with missing ratings, the last metric without any."""
    return _scores(tuple(methods), seed)


@cache
def _scores(methods: tuple[str, ...], seed: int) -> tuple[Score, ...]:
    chance = random.Random(seed)
    found = []
    for method in methods:
        for metric in QUALITY:
            top = 1 if metric in ("uqr", "acc") else 9
            drawn = [float(chance.randint(0, top) + (top > 1)) for _ in range(60)]
            values: list[float | None] = [*drawn, None, None]
            if metric == "hs" and method == "vanilla":
                values = [None] * 60
            better: Any = "lower" if metric in ("kh", "hs") else "higher"
            unit = "share" if top == 1 else "points"
            found.append(Score(metric, method, "all", estimate(values), better, unit))
            found.append(Score(metric, method, "scope=in", estimate(values[:40]), better, unit))
        calls = [float(chance.randint(1, 3)) for _ in range(60)]
        tokens = [float(chance.randint(300, 3000)) for _ in range(60)]
        found.append(Score("calls", method, "all", estimate(calls), "lower", "calls"))
        found.append(Score("prompt_tokens", method, "all", estimate(tokens), "lower", "tokens"))
    return tuple(found)


def interviews(
    metric: str, methods: Sequence[str], subjects: Sequence[str], seed: int = 2
) -> tuple[Interview, ...]:
    """Interviews with labels: letters alone for MBTI, scores as well for the Big Five."""
    chance = random.Random(seed)
    typology = MBTI if metric.startswith(("mbti", "16p")) else SLOAN
    low, high = (0.0, 100.0) if typology is MBTI else (1.0, 5.0)
    labels = {subject: _labels(chance, typology, low, high) for subject in subjects}
    found = []
    for method in methods:
        for subject in subjects:
            traits = []
            for dimension, (label, score) in zip(typology.dimensions, labels[subject], strict=True):
                rated = estimate([chance.uniform(low, high) for _ in range(12)])
                mean = rated.mean or 0.0
                letter = dimension.first if mean > (low + high) / 2 else dimension.second
                traits.append(
                    Trait(dimension.name, dimension.first, dimension.second, rated, letter,
                          label, score, low, high)
                )  # fmt: skip
            found.append(Interview(metric, method, subject, tuple(traits)))
    return tuple(found)


def _labels(
    chance: random.Random, typology: Typology, low: float, high: float
) -> list[tuple[str, float | None]]:
    found: list[tuple[str, float | None]] = []
    for dimension in typology.dimensions:
        letter = chance.choice([dimension.first, dimension.second, "X"])
        above = chance.uniform(0.6, 1) if letter == dimension.first else chance.uniform(0, 0.4)
        score = None if typology is MBTI else low + above * (high - low)
        found.append((letter, score))
    return found


def cosines(names: Sequence[str], seed: int = 3) -> tuple[Cosines, ...]:
    """Cosines around another middle for each name."""
    chance = random.Random(seed)
    found = []
    for place, name in enumerate(names):
        middle = 0.35 + 0.03 * place
        values = tuple(min(1.0, chance.gauss(middle, 0.08)) for _ in range(180))
        found.append(Cosines(name, values, estimate(values)))
    return tuple(found)


def chunk_uses(methods: Sequence[str], seed: int = 4) -> tuple[ChunkUse, ...]:
    """Histograms with chunks that were never used, and one of an unknown number of chunks."""
    chance = random.Random(seed)
    found = []
    for place, method in enumerate(methods):
        histogram = {times: chance.randint(1, 12) for times in range(1, 6 + 9 * place)}
        known = place > 0
        if known:
            histogram = {0: 30, **histogram}
        chunks = sum(histogram.values())
        rate = Estimate((chunks - 30) / chunks, 1) if known else Estimate(None, 0)
        use = RetrievalUse(1, 60, rate, Estimate(None, 0), histogram)
        found.append(ChunkUse(method, use, chunks if known else None))
    return tuple(found)


def example(text: str = "I keep the light.", method: str = "naive") -> Example:
    """A cell in full, whose reply, question and grounds say ``text``."""
    key = CellKey("Ada Byrne", "q1", method, 0)
    rating = RatingKey("Ada Byrne", method, 0, "ke", "q1", "offline")
    return Example(
        key,
        ("lowest ke",),
        text,
        (text,),
        text,
        (
            Rating(rating, 2.0, text, None, 9.0, "Ines", text),
            Rating(rating, None, "", text),
        ),
        (Grounds("knowledge", text, text, 0.5, ("ada.md[0:17]",)),),
        "in",
        1,
    )


def report(
    methods: Sequence[str] = METHODS, *, judge: str = "offline", **changed: Any
) -> ReportedRun:
    """A report that has everything."""
    first = next(iter(methods), "")
    parts: dict[str, Callable[[], Any]] = {
        "run": lambda: run(methods, judge=judge),
        "counts": lambda: Counts(660, 659, 1),
        "usage": lambda: Usage(
            calls=1200, prompt_tokens=90_000, completion_tokens=8_000, seconds=61.5
        ),
        "judges": lambda: {judge: "offline:"},
        "notes": lambda: ("the labels are our own reading of our own document, not a vote",),
        "scores": lambda: scores(methods),
        "differences": lambda: tuple(
            Difference("ke", method, first, estimate([0.5, -0.25, 1.0]), "higher", "points")
            for method in methods[1:]
        ),
        "interviews": lambda: interviews("mbti_item", methods[:3], ["Ada Byrne"]),
        "ratings": lambda: (Ratings("ke", first, 62, 2, 1, (("the answer gives no rating", 2),)),),
        "failed": lambda: (FailedCell(CellKey("Ada Byrne", "q9", first, 0), "the model refused"),),
        "examples": lambda: (example(method=first),),
        "use": lambda: chunk_uses(methods[:3]),
        "cosines": lambda: cosines(methods[:4]),
    }
    # Made only where it is not given: intervals take their time.
    return ReportedRun(**{n: make() for n, make in parts.items() if n not in changed}, **changed)
