"""The chunks that a splitter makes, ranked for each question by their cosine with it.

No chat model is asked, nothing is stored.
Paper: AMADEUS (003), section 5.3, table 1 and appendix E. Filling an equal budget of tokens is
ours: with it long chunks have no advantage. Equal cosines keep the order of the text.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from offbook.evaluation.benchmark import limited
from offbook.types import Document

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset, Question
    from offbook.evaluation.metrics.statistics import Floats
    from offbook.protocols import Embedder, Splitter
    from offbook.text.encodings import TokenCounter
    from offbook.types import Chunk

BUDGET_TOKENS: Final = 1_500
"""The equal budget: half of what a reply is told by default."""

_BATCH: Final = 256


@dataclass(frozen=True, slots=True)
class StudySubject:
    """A subject of a dataset: the documents that are cut, and the questions that are asked."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]


class RankedChunk(NamedTuple):
    """A chunk, its cosine with the question, and its tokens as it is shown."""

    cosine: float
    tokens: int
    chunk: Chunk


class RankedQuestion(NamedTuple):
    """A question of a subject, and all chunks of the subject, the nearest first."""

    subject: str
    question: Question
    chunks: list[RankedChunk]


def study_subjects(
    dataset: Dataset,
    documents: Mapping[str, Sequence[Document]] | None = None,
    *,
    limit: int | None = None,
    seed: int = 0,
) -> list[StudySubject]:
    """Return the subjects that have a document and a question within their knowledge.

    ``dataset``: who is asked what; questions out of scope have no passage to be found.
    """
    texts: dict[str, Sequence[Document]] = {
        subject.name: [as_document(each.name, each.text) for each in subject.documents]
        for subject in dataset.subjects
    }
    subjects = []
    for name, of_subject in {**texts, **(documents or {})}.items():
        drawn = limited(tuple(dataset.asked(name)), limit, seed)
        questions = tuple(question for question in drawn if question.scope != "out")
        readable = tuple(document for document in of_subject if document.text.strip())
        if questions and readable:
            subjects.append(StudySubject(name, readable, questions))
    return subjects


def as_document(name: str, text: str) -> Document:
    """Return a text as a document that is not stored."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Document(id=name, name=name, text=text, digest=digest)


async def embedded_questions(subjects: Sequence[StudySubject], embedder: Embedder) -> list[Floats]:
    """Return each subject's questions as unit vectors; one without a direction is zero."""
    texts = [[question.text for question in subject.questions] for subject in subjects]
    return [await _unit_vectors(embedder, each, "query") for each in texts]


async def rank_chunks(
    subjects: Sequence[StudySubject],
    vectors: Sequence[Floats],
    splitter: Splitter,
    embedder: Embedder,
    count: TokenCounter,
) -> list[RankedQuestion]:
    """Cut the documents of each subject, and rank the chunks for each of its questions.

    What the embedder has no direction for is left out: such a question, and such a chunk.

    Raises:
        ModelError: the embedder failed for good, or refuses a chunk.
    """
    return [
        ranked
        for subject, questions in zip(subjects, vectors, strict=True)
        for ranked in await _ranked(subject, questions, splitter, embedder, count)
    ]


async def _ranked(
    subject: StudySubject,
    question_vectors: Floats,
    splitter: Splitter,
    embedder: Embedder,
    count: TokenCounter,
) -> list[RankedQuestion]:
    import numpy as np

    chunks = [
        chunk
        for document in subject.documents
        # In a thread: the semantic splitter waits for vectors that this loop makes.
        for chunk in await asyncio.to_thread(splitter.split, document)
    ]
    texts = [chunk.text_with_headings for chunk in chunks]
    vectors = await _unit_vectors(embedder, texts, "document")
    rows = [place for place, vector in enumerate(vectors) if vector.any()]
    tokens = {place: count(texts[place]) for place in rows}
    ranked = []
    for question, vector in zip(subject.questions, question_vectors, strict=True):
        if not vector.any():
            continue
        cosines = np.clip(vectors[rows] @ vector, -1.0, 1.0) if rows else np.zeros(0)
        order = np.argsort(-cosines, kind="stable").tolist()
        nearest = [
            RankedChunk(float(cosines[place]), tokens[rows[place]], chunks[rows[place]])
            for place in order
        ]
        ranked.append(RankedQuestion(subject.name, question, nearest))
    return ranked


def within_budget(chunks: Iterable[RankedChunk], budget: int) -> list[RankedChunk]:
    """Return the chunks that fit, in the given order; one that does not fit is passed over."""
    fitting: list[RankedChunk] = []
    for chunk in chunks:
        if chunk.tokens <= budget:
            fitting.append(chunk)
            budget -= chunk.tokens
    return fitting


async def _unit_vectors(embedder: Embedder, texts: Sequence[str], kind: Any) -> Floats:
    """Rows of length 1, in double precision; a row without a direction stays zero."""
    import numpy as np

    if not texts:
        return np.zeros((0, 0))
    batches = [
        await embedder.embed(texts[start : start + _BATCH], kind)
        for start in range(0, len(texts), _BATCH)
    ]
    wide = np.concatenate(batches).astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    unit: Floats = wide / np.where(lengths > 0, lengths, 1.0)
    return unit
