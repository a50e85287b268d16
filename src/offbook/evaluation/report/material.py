"""Everything that a report shows of a run, and nothing of how it is written.

Takes: nothing.  Gives: frozen values that `collecting` fills and every kind of file reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from offbook.evaluation.comparing import Difference
    from offbook.evaluation.measured import Measured
    from offbook.evaluation.metrics.retrieval_use import RetrievalUse
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.protocol import Score
    from offbook.evaluation.record import CellKey, Rating, Run
    from offbook.types import Usage


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
    """Several runs by one judge. ``joint`` are groups of runs that were asked the same."""

    runs: tuple[ReportedRun, ...]
    joint: tuple[JointRuns, ...] = ()

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
