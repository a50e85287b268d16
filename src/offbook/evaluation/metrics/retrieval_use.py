"""How a method uses a character's chunks, over many questions.

Takes: what was retrieved for each question, and how many chunks the character has.
Gives: chunk usage rate, duplication histogram, failure rate of guided selection.
Paper: AMADEUS (003), appendix A and Figure 6; (002), table 3. A selection that fell back is a
failure, and the chunks that stand in are used like any other. A chunk without a verdict is counted
apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from offbook.evaluation.metrics.statistics import Estimate, estimate

if TYPE_CHECKING:
    from offbook.types import ContextItem, ContextKind


@dataclass(frozen=True, slots=True)
class Used:
    """What was retrieved for one question.

    Args:
        chunks: Ids of the chunks, those that stand in included.
        failed: Whether guided selection found nothing; None for a method that does not select.
        unjudged: Chunks that were looked at and have no verdict.
    """

    chunks: tuple[str, ...]
    failed: bool | None = None
    unjudged: int = 0

    @classmethod
    def of_context(
        cls,
        context: Iterable[ContextItem],
        failed: bool | None = None,
        kinds: Sequence[ContextKind] = ("knowledge",),
    ) -> Used:
        """The same of a recall: chunks whose text it holds.

        Args:
            context: What the reply rested on.
            failed: Whether guided selection fell back.
            kinds: Kinds of context whose sources count. A summary's or an entity's do not: the
                method has not retrieved the chunks that these were made from.
        """
        items = [item for item in context if item.kind in kinds]
        chunks = dict.fromkeys(source.chunk for item in items for source in item.sources)
        return cls(tuple(chunks), failed)


@dataclass(frozen=True, slots=True)
class CharacterUse:
    """The chunks of one character.

    Args:
        questions: How many were asked.
        chunks: How many chunks the character has.
        distinct: How many of them were used at least once.
        failures: One for each question to which guided selection was put: whether it failed.
        duplication: Times used -> how many chunks were used so often; 0 are those never used.
        unjudged: Chunks without a verdict, over all questions.
    """

    questions: int
    chunks: int
    distinct: int
    failures: tuple[bool, ...]
    duplication: dict[int, int]
    unjudged: int

    @property
    def usage_rate(self) -> float | None:
        """Distinct chunks used / all chunks; None without chunks."""
        return self.distinct / self.chunks if self.chunks else None

    @property
    def failure_rate(self) -> float | None:
        """Questions whose slot stayed empty / questions; None where nothing was selected."""
        return sum(self.failures) / len(self.failures) if self.failures else None


@dataclass(frozen=True, slots=True)
class RetrievalUse:
    """The same of several characters.

    ``usage_rate`` is averaged over characters (n: characters with chunks), ``failure_rate`` over
    questions (n: those to which guided selection was put; its interval draws characters).
    """

    characters: int
    questions: int
    usage_rate: Estimate
    failure_rate: Estimate
    duplication: dict[int, int]
    unjudged: int

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


def character_use(used: Sequence[Used], chunks: int) -> CharacterUse:
    """The use of one character's chunks.

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
    return CharacterUse(
        questions=len(used),
        chunks=chunks,
        distinct=len(times),
        failures=tuple(one.failed for one in used if one.failed is not None),
        duplication=dict(sorted(histogram.items())),
        unjudged=sum(one.unjudged for one in used),
    )


def over_characters(each: Sequence[CharacterUse]) -> RetrievalUse:
    """Usage rates averaged over the characters; failures over all questions."""
    histogram: Counter[int] = Counter()
    for one in each:
        histogram.update(one.duplication)
    failures = [(float(failed), place) for place, one in enumerate(each) for failed in one.failures]
    return RetrievalUse(
        characters=len(each),
        questions=sum(one.questions for one in each),
        usage_rate=estimate([one.usage_rate for one in each]),
        failure_rate=estimate([failed for failed, _ in failures], [whose for _, whose in failures]),
        duplication=dict(sorted(histogram.items())),
        unjudged=sum(one.unjudged for one in each),
    )
