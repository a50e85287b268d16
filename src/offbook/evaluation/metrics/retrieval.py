"""How a method uses a character's chunks, and how near the chunks lie that it finds.

A selection that fell back is a failure, and the chunks that stand in are used like any other.
Paper: AMADEUS (003), section 5.3, table 1 and appendix E (mean and variance of the cosine of each
question with its top three chunks, summed over characters), appendix A and Figure 6 (use of
chunks); (002), table 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.evaluation.metrics.statistics import DRAWS, SEED, Estimate, draw_weights, estimate

if TYPE_CHECKING:
    from offbook.evaluation.metrics.statistics import Floats


@dataclass(frozen=True, slots=True)
class CharacterUse:
    """The chunks of one character.

    Args:
        distinct: How many of them were used at least once.
        failures: One for each question to which guided selection was put: whether it failed.
        duplication: Times used -> how many chunks were used so often; 0 are those never used.
    """

    questions: int
    chunks: int
    distinct: int
    failures: tuple[bool, ...]
    duplication: dict[int, int]

    @property
    def usage_rate(self) -> float | None:
        """Distinct chunks used / all chunks; None without chunks."""
        return self.distinct / self.chunks if self.chunks else None


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
    )


TOP: Final = 3
"""Chunks a question, as in table 1."""


@dataclass(frozen=True, slots=True)
class CharacterSimilarity:
    """Mean and population variance over all (question, chunk) pairs of a character.

    Both are None without a pair; ``n`` counts pairs, ``without_chunks`` questions that found none.
    """

    mean: float | None
    variance: float | None
    n: int
    without_chunks: int


@dataclass(frozen=True, slots=True)
class SimilarityTable:
    """One line of table 1: sums over characters, n being the pairs.

    ``missing`` of the two estimates counts questions that found no chunk. The intervals draw
    questions, within each character.
    """

    characters: Mapping[str, CharacterSimilarity]
    sum_of_means: Estimate
    sum_of_variances: Estimate


def similarity_table(cosines: Mapping[str, Sequence[Sequence[float]]]) -> SimilarityTable:
    """Table 1 from the cosines of each character's questions.

    ``cosines``: by character, for each question the cosines with its nearest chunks.
    """
    import numpy as np

    rows: dict[str, CharacterSimilarity] = {}
    means, variances = np.zeros(DRAWS), np.zeros(DRAWS)
    # One stream a character: taking one away leaves the draws of the others alone.
    for place, character in enumerate(sorted(cosines)):
        questions = cosines[character]
        present = [np.asarray(each, dtype=np.float64) for each in questions if len(each)]
        rows[character] = _row(present, len(questions))
        if len(present) > 1:
            drawn = _drawn(present, SEED + place)
            means += drawn[0]
            variances += drawn[1]
        else:
            means[:] = variances[:] = np.nan
    return SimilarityTable(
        characters=rows,
        sum_of_means=_summed([row.mean for row in rows.values()], means, rows),
        sum_of_variances=_summed([row.variance for row in rows.values()], variances, rows),
    )


def _row(present: Sequence[Floats], questions: int) -> CharacterSimilarity:
    import numpy as np

    if not present:
        return CharacterSimilarity(None, None, 0, questions)
    pairs = np.concatenate(present)
    return CharacterSimilarity(
        mean=float(pairs.mean()),
        variance=float(pairs.var()),
        n=len(pairs),
        without_chunks=questions - len(present),
    )


def _drawn(present: Sequence[Floats], seed: int) -> tuple[Floats, Floats]:
    """Means and variances of a character when its questions are drawn anew."""
    import numpy as np

    # Around the mean of all: variances of 0.005 must not be the difference of two numbers near 1.
    centre = float(np.concatenate(present).mean())
    counts = np.array([len(each) for each in present], dtype=np.float64)
    sums = np.array([float((each - centre).sum()) for each in present])
    squares = np.array([float(((each - centre) ** 2).sum()) for each in present])
    means, variances = [], []
    for weights in draw_weights(len(present), seed):
        below = weights @ counts
        offset = (weights @ sums) / below
        means.append(centre + offset)
        variances.append((weights @ squares) / below - offset**2)
    return np.concatenate(means), np.concatenate(variances)


def _summed(
    values: Sequence[float | None], drawn: Floats, rows: Mapping[str, CharacterSimilarity]
) -> Estimate:
    """A sum over characters; without any of them it would be no sum over characters."""
    import numpy as np

    n = sum(row.n for row in rows.values())
    missing = sum(row.without_chunks for row in rows.values())
    present = [value for value in values if value is not None]
    if not present or len(present) < len(values):
        return Estimate(None, n, missing)
    if np.isnan(drawn).any():
        return Estimate(sum(present), n, missing)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(sum(present), n, missing, float(low), float(high))
