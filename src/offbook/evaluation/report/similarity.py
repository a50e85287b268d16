"""How near the chunks lie that a variant found, measured on a run.

Takes: vectors of the questions and of the characters' chunks, and cells as they go by.
Gives: cosines by variant: of each reply the three nearest of its chunks.
Paper: AMADEUS (003), section 5.3, table 1; there splitters are compared, here what methods gave to
the reply. A chunk that has no vector any more is counted apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from offbook.evaluation.judging import CHUNK_KINDS
from offbook.evaluation.metrics.similarity import TOP
from offbook.evaluation.metrics.statistics import estimate
from offbook.evaluation.plan import questions_of
from offbook.evaluation.report.material import Cosines
from offbook.stores import vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import Cell, Run
    from offbook.protocols import Embedder, Store

Rows = Mapping[str, int]


class Nearness:
    """Cosines of a run, gathered cell by cell.

    Args:
        questions: Vector of each question by subject and id.
        chunks: By character the row of each chunk, and the matrix of their vectors.
    """

    def __init__(
        self,
        questions: Mapping[tuple[str, str], NDArray[Any]],
        chunks: Mapping[str, tuple[Rows, NDArray[Any]]],
    ) -> None:
        self._questions, self._chunks = questions, chunks
        self._values: dict[str, list[float | None]] = defaultdict(list)
        self._clusters: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._unmatched: Counter[str] = Counter()

    @classmethod
    async def prepared(cls, store: Store, run: Run, dataset: Dataset, embedder: Embedder) -> Self:
        """With the vectors of what the run asks; the questions are embedded now.

        Raises:
            ModelError: the embedding endpoint failed for good.
        """
        import numpy as np

        asked = {
            (subject, question.id): question.text
            for subject in run.subjects
            for question in questions_of(run, dataset, subject)
        }
        texts = list(dict.fromkeys(asked.values()))
        rows = {text: row for row, text in enumerate(texts)}
        matrix = await embedder.embed(texts, "query") if texts else np.empty((0, 0))
        chunks = {}
        for character in dict.fromkeys(run.subjects.values()):
            ids, found = await store.read(
                lambda conn, c=character: vectors.load_matrix(conn, c, "chunk")  # type: ignore[misc]
            )
            chunks[character] = {id_: row for row, id_ in enumerate(ids)}, found
        return cls({place: matrix[rows[text]] for place, text in asked.items()}, chunks)

    def add(self, cell: Cell) -> None:
        """Note the chunks of a cell; one that has no reply found nothing and counts for nothing."""
        import numpy as np

        question = self._questions.get((cell.key.subject, cell.key.question))
        if question is None or cell.reply is None:
            return
        rows, matrix = self._chunks.get(cell.character, ({}, None))
        used = dict.fromkeys(
            source.chunk
            for item in cell.context
            if item.kind in CHUNK_KINDS
            for source in item.sources
        )
        known = [rows[chunk] for chunk in used if chunk in rows]
        self._unmatched[cell.key.variant] += len(used) - len(known)
        found: Sequence[float | None] = (None,)
        if known and matrix is not None and matrix.shape[1] == len(question):
            # Vectors have length 1, or 0 where a text has no words: that one is like nothing.
            cosines = np.sort(matrix[known].astype(np.float64) @ question.astype(np.float64))
            found = [float(value) for value in cosines[::-1][:TOP]]
        place = (cell.key.subject, cell.key.question)
        self._values[cell.key.variant] += found
        self._clusters[cell.key.variant] += [place] * len(found)

    def cosines(self, variants: Sequence[str]) -> tuple[Cosines, ...]:
        """What was found, by variant; those that found no chunk at all are left out."""
        found = []
        for variant in variants:
            values, places = self._values[variant], self._clusters[variant]
            present = tuple(value for value in values if value is not None)
            if not present:
                continue
            several = len({subject for subject, _ in places}) > 1
            clusters = [place[0] if several else place for place in places]
            mean = estimate(values, clusters)
            found.append(Cosines(variant, present, mean, self._unmatched[variant]))
        return tuple(found)
