"""What a report says: its nouns, and how metrics and numbers are named."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from offbook.evaluation.metrics.scales import SCALES

if TYPE_CHECKING:
    from offbook.evaluation.comparison import Difference
    from offbook.evaluation.metrics.retrieval import RetrievalUse
    from offbook.evaluation.metrics.scales import Direction
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.record import CellKey, Rating, Run, Score
    from offbook.evaluation.scores import Measured
    from offbook.types import Usage


NOTHING: Final = "–"
"""In the place of a number that could not be computed."""

_TITLES: Final = {
    "failed": "Replies that failed",
    "calls": "Calls a reply",
    "prompt_tokens": "Prompt tokens a reply",
    "completion_tokens": "Completion tokens a reply",
    "cost_usd": "Cost a reply",
    "seconds": "Seconds a reply",
    "chunk_usage": "Chunk usage rate",
    "duplication": "Times a used chunk was used",
    "gs_failure": "Guided selection failed",
    "sum_d": "Letters wrong, sum |d|",
    "accuracy": "Letters right",
    "avg_f1": "Average F1 of the letters",
    "acc_dim": "Acc(Dim)",
    "acc_full": "Acc(Full)",
    "mse": "MSE",
    "mae": "MAE",
    "score": "Score of a dimension",
}
_WITHOUT: Final = {"undefined": "undefined by definition", "unjudged": "cannot be judged"}
_TESTS: Final = {
    "mbti_item": ("MBTI, item by item", "MBTI items"),
    "bigfive_item": ("Big Five, item by item", "Big Five items"),
    "16p_batch": ("16Personalities, rated in batches", "16P batches"),
    "16p_option": ("16Personalities, options", "16P options"),
    "bfi_batch": ("BFI, rated in batches", "BFI batches"),
    "bfi_option": ("BFI, options", "BFI options"),
}
"""Personality tests by their scales: what they are called, and in short."""
_DECIMALS: Final = {
    "letters": 0,
    "chunks": 0,
    "F1": 3,
    "span": 3,
    "span squared": 3,
    "cosine": 3,
    "USD": 5,
}
"""Places behind the point by unit; two for all else."""
_TINY: Final = 0.005


def metric_title(metric: str) -> str:
    """``Knowledge Exposure (KE)``; a metric that nobody named goes by its own name."""
    head, _, part = metric.partition(".")
    if part and part in _TITLES:
        return f"{_TITLES[part]} ({test_title(head)})"
    if metric in _TITLES:
        return _TITLES[metric]
    if metric in _TESTS:
        return test_title(metric)
    if metric in SCALES:
        return f"{SCALES[metric].title} ({metric.upper()})"
    name, _, why = metric.rpartition("_")
    if why in _WITHOUT:
        return f"{name.upper()} {_WITHOUT[why]}"
    return metric


def metric_name(metric: str) -> str:
    """A short name for the head of a column: ``KE``, ``Acc(Dim)``."""
    head, _, part = metric.partition(".")
    if part:
        return f"{_TITLES.get(part, part)} ({_TESTS.get(head, (head, head))[1]})"
    return metric.upper() if metric in SCALES and metric not in _TESTS else metric_title(metric)


def test_title(metric: str) -> str:
    """The personality test behind a scale."""
    return _TESTS.get(metric, (metric, metric))[0]


def arrow(better: Direction | None) -> str:
    """Which way is better, for the head of a column."""
    return {"higher": " ↑", "lower": " ↓"}.get(better or "", "")


def direction(better: Direction | None) -> str:
    """The same in words."""
    return f"{better} is better" if better else ""


def group_title(group: str) -> str:
    """``scope=in`` as ``scope: in``."""
    return ", ".join(part.replace("=", ": ", 1) for part in group.split("/"))


def number(value: float | None, unit: str = "") -> str:
    """A number as its unit is read: shares in percent, tokens whole, the rest with two places."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = _written(value, unit)
    # A share of -0.0004 is shown as none at all, and none has no sign.
    return text.removeprefix("-") if not set(text) & set("123456789") else text


def _written(value: float, unit: str) -> str:
    if unit in ("share", "percent"):
        return f"{value * (100 if unit == 'share' else 1):.1f} %"
    if unit == "tokens":
        return f"{value:,.0f}"
    decimals = _DECIMALS.get(unit, 2)
    if unit not in _DECIMALS and 0 < abs(value) < _TINY:
        decimals = 4
    # A count is whole; the end of its interval, and a mean of counts, need not be.
    return f"{value:.{decimals if decimals or value == int(value) else 1}f}"


def interval(estimate: Estimate, unit: str = "") -> str:
    """``[6.90, 7.50]``, or that there is none."""
    ends = estimate.interval
    if ends is None:
        return "no interval" if estimate.mean is not None else ""
    return f"[{number(ends[0], unit)}, {number(ends[1], unit)}]"


def counted(estimate: Estimate) -> str:
    """``n = 60, 2 missing``."""
    missing = f", {estimate.missing} missing" if estimate.missing else ""
    return f"n = {estimate.n}{missing}"


def whole(estimate: Estimate, unit: str = "") -> str:
    """``3.25 [2.33, 4.17] (n = 12)``; nothing prints a number without these."""
    parts = [number(estimate.mean, unit), interval(estimate, unit), f"({counted(estimate)})"]
    return " ".join(part for part in parts if part)


def one_line(text: str, chars: int) -> str:
    """A text in one line of at most ``chars``, without control characters."""
    line = " ".join(printable(text).split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


def printable(text: str) -> str:
    """A text that every kind of file can hold: no control characters, no half letters.

    Marks that turn the direction of writing are taken out as well: they make a line read as what
    it is not.
    """
    letters = (c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs", "Cn"))
    return "".join(c for c in letters if c not in _TURNING)


def distinct(values: Iterable[str]) -> list[str]:
    """Values in the order of their first appearance."""
    return list(dict.fromkeys(values))


_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Counts:
    """Cells of a run: asked for, stored, failed; and pieces of context forgotten since."""

    planned: int = 0
    cells: int = 0
    failed: int = 0
    forgotten: int = 0


@dataclass(frozen=True, slots=True)
class Trait:
    """One dimension of an interview; ``label`` X is undecided, and empty where nobody said.

    ``low`` and ``high`` are the ends of the scale, ``first`` and ``second`` the letters of its
    upper and its lower half.
    """

    dimension: str
    first: str
    second: str
    score: Estimate
    letter: str | None
    label: str
    label_score: float | None
    low: float
    high: float

    def part(self, value: float) -> float:
        """Where a score lies between the two ends, 0 to 1."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Interview:
    """One character as one variant answered for it, all repeats together."""

    metric: str
    variant: str
    subject: str
    traits: tuple[Trait, ...]

    @property
    def letters(self) -> str:
        """Letters of the answers; ``-`` where nothing was rated."""
        return "".join(trait.letter or "-" for trait in self.traits)

    @property
    def labels(self) -> str:
        """Letters that people gave; ``-`` where nobody said, X where they were undecided."""
        return "".join(trait.label or "-" for trait in self.traits)

    @property
    def compared(self) -> int:
        """Dimensions that have both a letter and a decided label."""
        return sum(1 for trait in self.traits if trait.letter and trait.label not in ("", "X"))

    @property
    def wrong(self) -> int:
        """Of those, how many differ: |d| of the papers' tables."""
        decided = [t for t in self.traits if t.letter and t.label not in ("", "X")]
        return sum(trait.letter != trait.label for trait in decided)


@dataclass(frozen=True, slots=True)
class Ratings:
    """How the ratings of one metric and variant came out; ``reasons`` say why some are missing."""

    metric: str
    variant: str
    total: int
    missing: int
    overruled: int
    reasons: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FailedCell:
    """A cell for which no reply could be got, and why."""

    key: CellKey
    error: str


@dataclass(frozen=True, slots=True)
class Grounds:
    """A piece of context that a reply rests on; ``places`` are ``document[start:end]``."""

    kind: str
    title: str
    text: str
    score: float
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A cell shown in full, and for what: ``lowest ke``, ``highest acc_l``, ``overruled hs``."""

    key: CellKey
    why: tuple[str, ...]
    question: str
    answers: tuple[str, ...]
    reply: str
    ratings: tuple[Rating, ...]
    grounds: tuple[Grounds, ...]
    verdict: str | None = None
    forgotten: int = 0


@dataclass(frozen=True, slots=True)
class ChunkUse:
    """How one variant used the characters' chunks; ``chunks`` None: it is not known of how many."""

    variant: str
    use: RetrievalUse
    chunks: int | None


@dataclass(frozen=True, slots=True)
class Cosines:
    """Cosines of questions with the chunks that a variant or splitter found for them.

    ``mean`` draws questions (characters, where there are several) for its interval; ``unmatched``
    counts chunks that have no vector any more.
    """

    name: str
    values: tuple[float, ...]
    mean: Estimate
    unmatched: int = 0


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """One run, ready to be written."""

    run: Run
    counts: Counts
    usage: Usage
    judges: Mapping[str, str]
    notes: tuple[str, ...]
    scores: tuple[Score, ...]
    differences: tuple[Difference, ...] = ()
    interviews: tuple[Interview, ...] = ()
    ratings: tuple[Ratings, ...] = ()
    failed: tuple[FailedCell, ...] = ()
    examples: tuple[Example, ...] = ()
    use: tuple[ChunkUse, ...] = ()
    cosines: tuple[Cosines, ...] = ()
    measured: Measured | None = field(default=None, repr=False, compare=False)

    @property
    def mark(self) -> str | None:
        """What must stand with every score."""
        return self.run.mark


@dataclass(frozen=True, slots=True)
class Report:
    """Several runs by one judge. ``joint`` are groups of runs that were asked the same.

    ``headlines`` say who won, by how much, with n; of several groups, each by itself.
    """

    runs: tuple[ReportedRun, ...]
    joint: tuple[JointRuns, ...] = ()
    headlines: tuple[str, ...] = ()

    @property
    def mark(self) -> str | None:
        """What must stand with every score; all runs have the same judge."""
        return next((each.mark for each in self.runs if each.mark), None)


@dataclass(frozen=True, slots=True)
class JointRuns:
    """Runs of the same questions, side by side; variants are named ``run: variant``."""

    name: str
    runs: tuple[str, ...]
    benchmark: str
    scores: tuple[Score, ...]
    differences: tuple[Difference, ...]
    mark: str | None = None
