"""What the splitter study works on, and what it gives: plain values.

Takes: nothing.  Gives: characters, questions and splitters; rows of measures with n and interval.
Paper: AMADEUS (003), section 5.3, table 1. The equal budget and the evidence are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from offbook.evaluation.metrics.similarity import SimilarityTable
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.evaluation.splitter_study.evidence import Evidence
    from offbook.protocols import Embedder, Splitter
    from offbook.types import Document


@dataclass(frozen=True, slots=True)
class StudyQuestion:
    """A question; without ``gold`` it counts for similarity only."""

    id: str
    text: str
    gold: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyCharacter:
    """A character: what is cut, and what is asked. Ids of documents are unique within it."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[StudyQuestion, ...]


@dataclass(frozen=True, slots=True)
class StudySplitter:
    """A splitter under a label, such as ``acts[acts.alpha=3]``.

    ``make`` is given the embedder, which the semantic splitter cuts by.
    """

    label: str
    make: Callable[[Embedder], Splitter]


@dataclass(frozen=True, slots=True)
class ContextMeasure:
    """What one way of filling the context came to.

    ``tokens`` and ``chunks`` are means over questions. ``hits`` is the share of questions of which
    at least one gold passage is found (half of it is in the context), ``coverage`` the mean share
    of the gold characters that are in the context; both are None where no question has gold.
    """

    similarity: SimilarityTable
    tokens: Estimate
    chunks: Estimate
    hits: Estimate | None
    coverage: Estimate | None

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary, the sums over characters first."""
        table = self.similarity
        return {
            "sum_of_means": table.sum_of_means.as_json(),
            "sum_of_variances": table.sum_of_variances.as_json(),
            "tokens": self.tokens.as_json(),
            "chunks": self.chunks.as_json(),
            "hits": None if self.hits is None else self.hits.as_json(),
            "coverage": None if self.coverage is None else self.coverage.as_json(),
            "characters": {
                name: {"mean": row.mean, "variance": row.variance, "n": row.n}
                for name, row in table.characters.items()
            },
        }


@dataclass(frozen=True, slots=True)
class SplitterMeasure:
    """One splitter under one embedder.

    ``chunk_tokens`` is the mean length of a chunk as it is shown, headings in front. ``cosines``
    are those of the top chunks by character and question, for pictures. ``undirected`` counts
    chunks that the embedder has no direction for; they are never found.
    """

    splitter: str
    embedder: str
    chunks: int
    chunk_tokens: Estimate
    top: ContextMeasure
    at_budget: ContextMeasure
    cosines: Mapping[str, tuple[tuple[float, ...], ...]] = field(repr=False)
    undirected: int = 0

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary; the single cosines are left out."""
        return {
            "splitter": self.splitter,
            "embedder": self.embedder,
            "chunks": self.chunks,
            "chunk_tokens": self.chunk_tokens.as_json(),
            "undirected": self.undirected,
            "top": self.top.as_json(),
            "at_budget": self.at_budget.as_json(),
        }


@dataclass(frozen=True, slots=True)
class SplitterStudy:
    """The whole study; ``notes`` say what was left out and why."""

    characters: int
    questions: int
    gold: int
    at: int
    budget_tokens: int
    rows: tuple[SplitterMeasure, ...]
    notes: tuple[str, ...] = ()

    def ridgelines(self, embedder: str | None = None) -> list[tuple[str, list[float]]]:
        """Label and cosines of each row, for the picture of their distributions."""
        return [
            (row.splitter, [c for found in row.cosines.values() for each in found for c in each])
            for row in self.rows
            if embedder in (None, row.embedder)
        ]

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval splitters --json``."""
        return {
            "characters": self.characters,
            "questions": self.questions,
            "gold": self.gold,
            "top": self.at,
            "budget_tokens": self.budget_tokens,
            "rows": [row.as_json() for row in self.rows],
            "notes": list(self.notes),
        }
