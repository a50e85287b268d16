"""Which splitter puts the right passages in front of a question, measured without a chat model.

Takes: characters with documents and questions, splitters, embedders.  Gives: for each pair the
similarity table, and the share of the gold evidence that is found: with the top chunks, and with as
many chunks as fit an equal budget of tokens, so that long chunks have no advantage.
Paper: AMADEUS (003), section 5.3, table 1 and appendix E. The equal budget and the evidence are
ours. Deterministic: equal scores keep the order of the text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from offbook.evaluation.metrics.similarity import TOP, similarity_table
from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.splitter_study.evidence import Evidence, covered
from offbook.evaluation.splitter_study.measures import (
    ContextMeasure,
    SplitterMeasure,
    SplitterStudy,
    StudyCharacter,
    StudyQuestion,
    StudySplitter,
)
from offbook.ingestion.reports import Progress, ProgressListener, counted, unheard
from offbook.language.tokens import count_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.evaluation.metrics.statistics import Floats
    from offbook.language.encodings import TokenCounter
    from offbook.protocols import Embedder, Splitter
    from offbook.types import Chunk

T = TypeVar("T")

BUDGET_TOKENS: Final = 1_500
"""The equal budget: half of what a reply is told by default."""

_BATCH: Final = 256


async def study(
    characters: Sequence[StudyCharacter],
    splitters: Sequence[StudySplitter],
    embedders: Sequence[Embedder],
    *,
    top: int = TOP,
    budget_tokens: int = BUDGET_TOKENS,
    count: TokenCounter = count_tokens,
    progress: ProgressListener = unheard,
) -> SplitterStudy:
    """Cut, embed and rank; no chat model is asked and nothing is stored.

    Args:
        characters: Whose documents are cut, and what is asked of them.
        splitters: What cuts.
        embedders: Each ranks the chunks of each splitter.
        top: Chunks a question, as in table 1.
        budget_tokens: The equal budget.
        count: Counts the tokens of a chunk as it is shown.
        progress: Told after every row.

    Raises:
        ModelError: the embedder failed for good, or refuses a chunk.
    """
    rows: list[SplitterMeasure] = []
    notes: list[str] = []
    for embedder in embedders:
        asked = [await _asked(each, embedder) for each in characters]
        if blank := sum(each.undirected for each in asked):
            told = counted(blank, "question")
            notes.append(f"{embedder.name}: no direction has {told}, left out of its rows")
        for splitter in splitters:
            way = _Way(splitter.label, embedder, top, budget_tokens, count)
            rows.append(await way.measure(asked, splitter.make(embedder)))
            total = len(splitters) * len(embedders)
            progress(Progress("splitters", len(rows), total))
    every = [question for each in characters for question in each.questions]
    return SplitterStudy(
        characters=len(characters),
        questions=len(every),
        gold=sum(bool(question.gold) for question in every),
        at=top,
        budget_tokens=budget_tokens,
        rows=tuple(rows),
        notes=tuple(notes),
    )


def within_budget(order: Sequence[int], tokens: Sequence[int], budget: int) -> list[int]:
    """The chunks that fit, in the given order; one that does not fit is passed over."""
    kept: list[int] = []
    least, left = min(tokens, default=0), budget
    for position in order:
        if left < least:
            break
        if tokens[position] <= left:
            kept.append(position)
            left -= tokens[position]
    return kept


# -- one row -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asked:
    """A character with the vectors of those of its questions that have a direction."""

    character: StudyCharacter
    questions: tuple[StudyQuestion, ...]
    vectors: Floats
    undirected: int


async def _asked(character: StudyCharacter, embedder: Embedder) -> _Asked:
    vectors = _unit(await _embedded(embedder, [q.text for q in character.questions], "query"))
    kept, rows = _directed(character.questions, vectors)
    return _Asked(character, tuple(kept), rows, len(character.questions) - len(kept))


@dataclass(slots=True)
class _Filled:
    """What questions were given, one way of filling the context."""

    cosines: dict[str, list[tuple[float, ...]]] = field(default_factory=dict)
    owners: list[str] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    chunks: list[float] = field(default_factory=list)
    gold_owners: list[str] = field(default_factory=list)
    hits: list[float] = field(default_factory=list)
    coverage: list[float] = field(default_factory=list)

    def add(
        self, who: str, question: StudyQuestion, found: Sequence[tuple[float, int, Chunk]]
    ) -> None:
        """Note what a question was given: cosine, tokens and chunk of each."""
        self.cosines.setdefault(who, []).append(tuple(cosine for cosine, _, _ in found))
        self.owners.append(who)
        self.tokens.append(float(sum(tokens for _, tokens, _ in found)))
        self.chunks.append(float(len(found)))
        if question.gold:
            context = [Evidence(chunk.document, chunk.start, chunk.end) for _, _, chunk in found]
            hit, share = covered(question.gold, context)
            self.gold_owners.append(who)
            self.hits.append(float(hit))
            self.coverage.append(share)

    def measured(self) -> ContextMeasure:
        """The means, each with its interval."""
        return ContextMeasure(
            similarity=similarity_table(self.cosines),
            tokens=_mean(self.tokens, self.owners),
            chunks=_mean(self.chunks, self.owners),
            hits=_mean(self.hits, self.gold_owners) if self.hits else None,
            coverage=_mean(self.coverage, self.gold_owners) if self.coverage else None,
        )


@dataclass(frozen=True, slots=True)
class _Way:
    """A splitter's label and everything that its row rests on."""

    label: str
    embedder: Embedder
    top: int
    budget: int
    count: TokenCounter

    async def measure(self, asked: Sequence[_Asked], splitter: Splitter) -> SplitterMeasure:
        """Cut all documents, rank the chunks for every question."""
        top, budget = _Filled(), _Filled()
        lengths: list[float] = []
        undirected = 0
        for each in asked:
            cut = [
                chunk
                for document in each.character.documents
                # In a thread: the semantic splitter waits for vectors that this loop makes.
                for chunk in await asyncio.to_thread(splitter.split, document)
            ]
            texts = [chunk.text_with_headings for chunk in cut]
            vectors = _unit(await _embedded(self.embedder, texts, "document"))
            chunks, rows = _directed(cut, vectors)
            tokens = [self.count(chunk.text_with_headings) for chunk in chunks]
            lengths += map(float, tokens)
            undirected += len(cut) - len(chunks)
            self._fill(each, chunks, tokens, rows if chunks else None, top, budget)
        return SplitterMeasure(
            splitter=self.label,
            embedder=self.embedder.name,
            chunks=len(lengths) + undirected,
            chunk_tokens=estimate(lengths),
            top=top.measured(),
            at_budget=budget.measured(),
            cosines={name: tuple(found) for name, found in top.cosines.items()},
            undirected=undirected,
        )

    def _fill(
        self,
        asked: _Asked,
        chunks: Sequence[Chunk],
        tokens: Sequence[int],
        vectors: Floats | None,
        top: _Filled,
        budget: _Filled,
    ) -> None:
        import numpy as np

        for place, question in enumerate(asked.questions):
            cosines = np.zeros(0)
            if vectors is not None:
                cosines = np.clip(vectors @ asked.vectors[place], -1.0, 1.0)
            order = np.argsort(-cosines, kind="stable").tolist()
            ways = (top, order[: self.top]), (budget, within_budget(order, tokens, self.budget))
            for filled, positions in ways:
                found = [(float(cosines[at]), tokens[at], chunks[at]) for at in positions]
                filled.add(asked.character.name, question, found)


async def _embedded(embedder: Embedder, texts: Sequence[str], kind: Any) -> NDArray[np.float32]:
    import numpy as np

    made = [
        await embedder.embed(texts[start : start + _BATCH], kind)
        for start in range(0, len(texts), _BATCH)
    ]
    return np.concatenate(made) if made else np.zeros((0, 0), np.float32)


def _unit(vectors: NDArray[np.float32]) -> Floats:
    """Rows of length 1, in double precision; a row without a direction stays zero."""
    import numpy as np

    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True) if wide.size else np.ones((0, 1))
    unit: Floats = wide / np.where(lengths > 0, lengths, 1.0)
    return unit


def _directed(items: Sequence[T], vectors: Floats) -> tuple[list[T], Floats]:
    """The items whose vector is not zero, and their vectors."""
    kept = [place for place, row in enumerate(vectors) if row.any()]
    return [items[place] for place in kept], vectors[kept]


def _mean(values: Sequence[float], owners: Sequence[str]) -> Estimate:
    """A mean over questions; where there are several characters, whole ones are drawn."""
    return estimate(values, owners if len(set(owners)) > 1 else None)
