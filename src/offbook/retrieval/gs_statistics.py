"""How guided selection uses a character's chunks, over many questions.

Takes: the selections of a character's questions, and how many chunks the character has.
Gives: chunk usage rate, duplication histogram, failure rate.
Paper: AMADEUS (003), section 5.3 and Figure 6; a selection that fell back is a failure, and the
chunks that stand in are used like any other. A chunk without a verdict is counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from offbook.retrieval.guided_selection import Selection
    from offbook.retrieval.passages import Passage


@dataclass(frozen=True, slots=True)
class Used:
    """What was selected for one question.

    Args:
        chunks: Ids of the chosen chunks, those that stand in included.
        failed: Whether the slot stayed empty.
        unjudged: Chunks that were looked at and have no verdict.
    """

    chunks: tuple[str, ...]
    failed: bool
    unjudged: int = 0

    @classmethod
    def of(cls, selection: Selection[Passage]) -> Used:
        """The same of a selection."""
        chunks = tuple(passage.chunk.id for passage in selection.chosen)
        return cls(chunks, selection.is_fallback, len(selection.unjudged))


@dataclass(frozen=True, slots=True)
class GsStatistics:
    """The statistics of one character, or the means of several.

    Args:
        questions: How many were asked.
        usage_rate: Distinct chunks used / all chunks; None without chunks.
        failure_rate: Questions whose slot stayed empty / questions; None without questions.
        duplication: Times used -> how many chunks were used so often; 0 are those never used.
        unjudged: Chunks without a verdict, over all questions.
    """

    questions: int
    usage_rate: float | None
    failure_rate: float | None
    duplication: dict[int, int]
    unjudged: int

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


def statistics(used: Sequence[Used], chunks: int) -> GsStatistics:
    """The statistics of one character.

    Args:
        used: One for each question.
        chunks: How many chunks the character has.

    Raises:
        ValueError: more chunks were used than there are.
    """
    times = Counter(chunk for one in used for chunk in set(one.chunks))
    if len(times) > chunks:
        raise ValueError(f"{len(times)} chunks were used of {chunks}")
    histogram = Counter(times.values())
    if chunks > len(times):
        histogram[0] = chunks - len(times)
    return GsStatistics(
        questions=len(used),
        usage_rate=len(times) / chunks if chunks else None,
        failure_rate=sum(one.failed for one in used) / len(used) if used else None,
        duplication=dict(sorted(histogram.items())),
        unjudged=sum(one.unjudged for one in used),
    )


def over_characters(each: Sequence[GsStatistics]) -> GsStatistics:
    """Usage rates averaged over the characters; failures over all questions, as counted."""
    rates = [one.usage_rate for one in each if one.usage_rate is not None]
    questions = sum(one.questions for one in each)
    failures = sum((one.failure_rate or 0.0) * one.questions for one in each)
    histogram: Counter[int] = Counter()
    for one in each:
        histogram.update(one.duplication)
    return GsStatistics(
        questions=questions,
        usage_rate=sum(rates) / len(rates) if rates else None,
        failure_rate=failures / questions if questions else None,
        duplication=dict(sorted(histogram.items())),
        unjudged=sum(one.unjudged for one in each),
    )
